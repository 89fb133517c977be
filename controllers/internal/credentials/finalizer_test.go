package credentials_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/credentials"
	"github.com/aero-operator/aero/controllers/internal/enqueue"
	"github.com/aero-operator/aero/controllers/internal/namespace"
)

var tokenSecret = types.NamespacedName{Namespace: "apps", Name: "aiven"}

func finalizersOf(t *testing.T, c client.Reader) []string {
	t.Helper()
	var found corev1.Secret
	require.NoError(t, c.Get(t.Context(), tokenSecret, &found))
	return found.Finalizers
}

func TestW12_ATokenSecretIsProtectedAndReleased(t *testing.T) {
	stored := secret(planted)
	stored.Finalizers = []string{"others.example.com/theirs"}
	cluster := fake.NewClientBuilder().WithObjects(stored).Build()
	finalizer := credentials.SecretFinalizer{Client: cluster, Live: cluster}
	for range 2 {
		require.NoError(t, finalizer.Protect(t.Context(), tokenSecret))
	}
	assert.Equal(t, []string{"others.example.com/theirs", credentials.FinalizerName}, finalizersOf(t, cluster), "once, beside that of others")
	require.NoError(t, finalizer.Release(t.Context(), tokenSecret))
	assert.Equal(t, []string{"others.example.com/theirs"}, finalizersOf(t, cluster))
}

func TestObjectsFollowTheirTokenSecretButNotOurFinalizer(t *testing.T) {
	at := func(version string, finalizers ...string) *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{ResourceVersion: version, Finalizers: finalizers}}
	}
	for name, tc := range map[string]struct {
		before, after *corev1.Secret
		want          bool
	}{
		"its data changes":                        {at("1", credentials.FinalizerName), at("2", credentials.FinalizerName), true},
		"it is listed again":                      {at("1"), at("1"), false},
		"it gets our finalizer":                   {at("1"), at("2", credentials.FinalizerName), false},
		"it is replaced by one without":           {at("1", credentials.FinalizerName), at("2"), true},
		"it gets the finalizer of another client": {at("1"), at("2", "others.example.com/theirs"), true},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, credentials.Changes().Update(event.UpdateEvent{ObjectOld: tc.before, ObjectNew: tc.after}))
		})
	}
}

func TestW04_ConcurrentEditsKeepAllFinalizers(t *testing.T) {
	stored := secret(planted)
	cluster := fake.NewClientBuilder().WithObjects(stored).Build()
	changed := false
	racing := interceptor.NewClient(cluster, interceptor.Funcs{
		Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
			if !changed {
				changed = true
				var other corev1.Secret
				require.NoError(t, c.Get(ctx, tokenSecret, &other))
				other.Finalizers = append(other.Finalizers, "others.example.com/theirs")
				require.NoError(t, c.Update(ctx, &other))
			}
			return c.Patch(ctx, obj, patch, opts...)
		},
	})
	require.NoError(t, credentials.SecretFinalizer{Client: racing, Live: cluster}.Protect(t.Context(), tokenSecret))
	assert.ElementsMatch(t, []string{"others.example.com/theirs", credentials.FinalizerName}, finalizersOf(t, cluster))
}

func TestASecretThatIsGoneOrBeingDeletedGetsNoFinalizer(t *testing.T) {
	now := metav1.Now()
	going := secret(planted)
	going.DeletionTimestamp, going.Finalizers = &now, []string{"others.example.com/theirs"}
	cluster := fake.NewClientBuilder().WithObjects(going).Build()
	finalizer := credentials.SecretFinalizer{Client: cluster, Live: cluster}
	require.NoError(t, finalizer.Protect(t.Context(), tokenSecret))
	assert.Equal(t, []string{"others.example.com/theirs"}, finalizersOf(t, cluster), "none may be added any more")
	require.NoError(t, finalizer.Protect(t.Context(), types.NamespacedName{Namespace: "apps", Name: "gone"}))
}

func TestAnErrorOfTheSecretIsReturned(t *testing.T) {
	cluster := fake.NewClientBuilder().WithObjects(secret(planted)).Build()
	refusing := interceptor.NewClient(cluster, interceptor.Funcs{
		Patch: func(context.Context, client.WithWatch, client.Object, client.Patch, ...client.PatchOption) error {
			return apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, "aiven", nil)
		},
	})
	err := credentials.SecretFinalizer{Client: refusing, Live: cluster}.Protect(t.Context(), tokenSecret)
	require.ErrorContains(t, err, "protecting token Secret apps/aiven")
	assert.NotContains(t, err.Error(), planted)
}

func TestW12_TheFinalizerIsRemovedWhenNoObjectNamesTheSecret(t *testing.T) {
	const index = "token"
	stored := secret(planted)
	stored.Finalizers = []string{credentials.FinalizerName}
	user := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: "user"}, Data: map[string]string{"token": "aiven"}}
	cluster := fake.NewClientBuilder().WithObjects(stored, user).
		WithIndex(&corev1.ConfigMap{}, index, func(obj client.Object) []string {
			return []string{obj.GetNamespace() + "/" + obj.(*corev1.ConfigMap).Data["token"]}
		}).Build()
	reconciler := credentials.SecretReconciler{
		Finalizer: credentials.SecretFinalizer{Client: cluster, Live: cluster}, Index: index,
		Users: []enqueue.Lister{{Reader: cluster, Kind: corev1.SchemeGroupVersion.WithKind("ConfigMap"), Scheme: cluster.Scheme()}},
	}
	_, err := reconciler.Reconcile(t.Context(), reconcile.Request{NamespacedName: tokenSecret})
	require.NoError(t, err)
	assert.Equal(t, []string{credentials.FinalizerName}, finalizersOf(t, cluster), "an object needs it")

	require.NoError(t, cluster.Delete(t.Context(), user))
	_, err = reconciler.Reconcile(t.Context(), reconcile.Request{NamespacedName: tokenSecret})
	require.NoError(t, err)
	assert.Empty(t, finalizersOf(t, cluster))
}

func TestATokenIsForgottenWithItsLastUserAndWithItsSecretsChange(t *testing.T) {
	const index = "token"
	var forgotten []string
	user := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: "user"}, Data: map[string]string{"token": "aiven"}}
	cluster := fake.NewClientBuilder().WithObjects(secret("first"), user).
		WithIndex(&corev1.ConfigMap{}, index, func(obj client.Object) []string {
			return []string{obj.GetNamespace() + "/" + obj.(*corev1.ConfigMap).Data["token"]}
		}).Build()
	tokens := credentials.Resolver{Reader: cluster, Cache: &credentials.Cache{
		Metadata: cluster, OnForget: func(token credentials.Token) { forgotten = append(forgotten, token.Reveal()) },
	}}
	reconciler := credentials.SecretReconciler{
		Finalizer: credentials.SecretFinalizer{Client: cluster, Live: cluster}, Index: index, Tokens: tokens,
		Users: []enqueue.Lister{{Reader: cluster, Kind: corev1.SchemeGroupVersion.WithKind("ConfigMap"), Scheme: cluster.Scheme()}},
	}
	_, err := tokens.Token(t.Context(), "apps", ref("aiven", "token"))
	require.NoError(t, err)
	set := func(data map[string][]byte) func() {
		return func() {
			var stored corev1.Secret
			require.NoError(t, cluster.Get(t.Context(), tokenSecret, &stored))
			stored.Data = data
			require.NoError(t, cluster.Update(t.Context(), &stored))
		}
	}
	for _, step := range []struct {
		reason string
		do     func()
		want   []string
	}{
		{"nothing has changed", func() {}, nil},
		{"its only user is paused, and doesn't ask", set(map[string][]byte{"token": []byte("second")}), []string{"first"}},
		{"it has no token any longer", set(nil), []string{"second"}},
		{"nothing is left to be forgotten", func() {}, nil},
		{"it has one again, and an object asks", func() {
			set(map[string][]byte{"token": []byte("third")})()
			_, err := tokens.Token(t.Context(), "apps", ref("aiven", "token"))
			require.NoError(t, err)
		}, nil},
		{"its last user is gone", func() { require.NoError(t, cluster.Delete(t.Context(), user)) }, []string{"third"}},
	} {
		forgotten = nil
		step.do()
		_, err := reconciler.Reconcile(t.Context(), reconcile.Request{NamespacedName: tokenSecret})
		require.NoError(t, err, step.reason)
		assert.Equal(t, step.want, forgotten, step.reason)
	}
}

func TestATokenThatANamespaceNamesIsForgottenWithItsSecretsChange(t *testing.T) {
	var forgotten []string
	team := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team", Annotations: map[string]string{"controllers.aiven.io/token-secret": "aiven"}}}
	stored := secret("first")
	stored.Finalizers = []string{credentials.FinalizerName}
	cluster := fake.NewFakeClient(stored, team)
	tokens := credentials.Resolver{Reader: cluster, Namespace: "apps", Cache: &credentials.Cache{
		Metadata: cluster, OnForget: func(token credentials.Token) { forgotten = append(forgotten, token.Reveal()) },
	}}
	reconciler := credentials.SecretReconciler{
		Finalizer: credentials.SecretFinalizer{Client: cluster, Live: cluster}, Tokens: tokens, Namespaces: namespace.Reader{Metadata: cluster, Live: cluster},
	}
	_, err := tokens.Token(t.Context(), "apps", ref("aiven", "token"))
	require.NoError(t, err)
	for _, step := range []struct {
		reason string
		do     func()
		want   []string
	}{
		{"no object names it, and a Namespace does", func() {}, nil},
		{"its objects are paused, and don't ask", func() {
			require.NoError(t, cluster.Get(t.Context(), tokenSecret, stored))
			stored.Data["token"] = []byte("second")
			require.NoError(t, cluster.Update(t.Context(), stored))
		}, []string{"first"}},
		{"its Namespace is gone", func() { require.NoError(t, cluster.Delete(t.Context(), team)) }, []string{"second"}},
	} {
		forgotten = nil
		step.do()
		_, err := reconciler.Reconcile(t.Context(), reconcile.Request{NamespacedName: tokenSecret})
		require.NoError(t, err, step.reason)
		assert.Equal(t, step.want, forgotten, step.reason)
		assert.Empty(t, finalizersOf(t, cluster), "no object needs it")
	}
}

func TestTheSecretWithTheTokenOfAnObjectIsProtected(t *testing.T) {
	cluster := fake.NewClientBuilder().WithObjects(secret(planted)).Build()
	finalizer := credentials.SecretFinalizer{Client: cluster, Live: cluster}
	user := &v1alpha1.ServiceUser{ObjectMeta: metav1.ObjectMeta{Namespace: tokenSecret.Namespace}}
	require.NoError(t, finalizer.ProtectTokenOf(t.Context(), user))
	assert.Empty(t, finalizersOf(t, cluster), "the object names none")
	user.Spec.AuthSecretRef = &v1alpha1.AuthSecretReference{Name: tokenSecret.Name, Key: "token"}
	finalizer.Keep(t.Context(), user, false)
	assert.Empty(t, finalizersOf(t, cluster), "nothing is to be cleaned up yet")
	finalizer.Keep(t.Context(), user, true)
	assert.Equal(t, []string{credentials.FinalizerName}, finalizersOf(t, cluster))
	require.NoError(t, finalizer.Release(t.Context(), tokenSecret))
	require.NoError(t, finalizer.ProtectTokenOf(t.Context(), user))
	assert.Equal(t, []string{credentials.FinalizerName}, finalizersOf(t, cluster))
}
