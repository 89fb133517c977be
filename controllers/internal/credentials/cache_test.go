package credentials_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/aero-operator/aero/controllers/internal/credentials"
)

func TestTokenIsReadOncePerVersionOfItsSecret(t *testing.T) {
	reads := 0
	cluster := fake.NewFakeClient(secret("first"))
	live := interceptor.NewClient(cluster, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			reads++
			return c.Get(ctx, key, obj, opts...)
		},
	})
	r := credentials.Resolver{Reader: live, Cache: &credentials.Cache{Metadata: cluster}}
	token := func(key string) (string, error) {
		token, err := r.Token(t.Context(), "apps", ref("aiven", key))
		return token.Reveal(), err
	}
	for range 3 {
		got, err := token("token")
		require.NoError(t, err)
		assert.Equal(t, "first", got)
	}
	assert.Equal(t, 1, reads)
	_, err := token("other")
	require.Error(t, err, "another key is another token")

	rotated := &corev1.Secret{}
	require.NoError(t, cluster.Get(t.Context(), client.ObjectKeyFromObject(secret("")), rotated))
	rotated.Data = map[string][]byte{"token": []byte("second")}
	require.NoError(t, cluster.Update(t.Context(), rotated))
	reads = 0
	got, err := token("token")
	require.NoError(t, err)
	assert.Equal(t, "second", got)
	assert.Equal(t, 1, reads)

	require.NoError(t, cluster.Delete(t.Context(), rotated))
	_, err = token("token")
	var missing *credentials.MissingError
	require.ErrorAs(t, err, &missing)
}

func TestTokensThatNoSecretHoldsAreForgotten(t *testing.T) {
	var forgotten []string
	cluster := fake.NewFakeClient(secret("first"))
	cache := &credentials.Cache{
		Metadata: cluster, OnForget: func(token credentials.Token) { forgotten = append(forgotten, token.Reveal()) },
	}
	r := credentials.Resolver{Reader: cluster, Cache: cache}
	stored := func(name string) *corev1.Secret {
		found := &corev1.Secret{}
		require.NoError(t, cluster.Get(t.Context(), types.NamespacedName{Namespace: "apps", Name: name}, found))
		return found
	}
	read := func(name string) { _, _ = r.Token(t.Context(), "apps", ref(name, "token")) }
	set := func(name string, data map[string][]byte) func() {
		return func() {
			changed := stored(name)
			changed.Data = data
			require.NoError(t, cluster.Update(t.Context(), changed))
			read(name)
		}
	}
	gone := func(name string) func() {
		return func() {
			going := stored(name)
			require.NoError(t, cluster.Delete(t.Context(), going))
			cache.Deletions().Delete(t.Context(), event.DeleteEvent{Object: going}, nil)
		}
	}
	for _, step := range []struct {
		reason string
		do     func()
		want   []string
	}{
		{"a token that is read first replaces none", func() { read("aiven") }, nil},
		{"another version with the same token", func() {
			labelled := stored("aiven")
			labelled.Labels = map[string]string{"a": "b"}
			require.NoError(t, cluster.Update(t.Context(), labelled))
			read("aiven")
		}, nil},
		{"a rotated token", set("aiven", map[string][]byte{"token": []byte("second")}), []string{"first"}},
		{"a Secret without the key", set("aiven", nil), []string{"second"}},
		{"the key comes back", set("aiven", map[string][]byte{"token": []byte("third")}), nil},
		{"a value that is no token", set("aiven", map[string][]byte{"token": []byte("a b")}), []string{"third"}},
		{"it is corrected", set("aiven", map[string][]byte{"token": []byte("fourth")}), nil},
		{"a second Secret with the same token", func() {
			other := secret("fourth")
			other.Name = "other"
			require.NoError(t, cluster.Create(t.Context(), other))
			read("other")
		}, nil},
		{"one of the two Secrets is gone", gone("other"), nil},
		{"the last of them is gone, and no object asks", gone("aiven"), []string{"fourth"}},
		{"a deletion of a Secret without a token", func() { cache.Forget(types.NamespacedName{Namespace: "apps", Name: "x"}) }, nil},
	} {
		forgotten = nil
		step.do()
		assert.Equal(t, step.want, forgotten, step.reason)
	}
}

func TestATokenWhoseSecretIsGoneIsForgottenWhenAnObjectAsks(t *testing.T) {
	var forgotten []string
	cluster := fake.NewFakeClient(secret("first"))
	r := credentials.Resolver{Reader: cluster, Cache: &credentials.Cache{
		Metadata: cluster, OnForget: func(token credentials.Token) { forgotten = append(forgotten, token.Reveal()) },
	}}
	_, err := r.Token(t.Context(), "apps", ref("aiven", "token"))
	require.NoError(t, err)
	require.NoError(t, cluster.Delete(t.Context(), secret("")))
	for range 2 {
		_, err = r.Token(t.Context(), "apps", ref("aiven", "token"))
		require.Error(t, err)
	}
	assert.Equal(t, []string{"first"}, forgotten)
}
