package credentials_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

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
