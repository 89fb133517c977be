package watches

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/credentials"
	"github.com/aero-operator/aero/controllers/internal/enqueue"
	"github.com/aero-operator/aero/controllers/internal/namespace"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/policy"
	"github.com/aero-operator/aero/controllers/internal/reference"
)

func newUser() *v1alpha1.ServiceUser {
	user := &v1alpha1.ServiceUser{}
	user.Namespace, user.Name, user.Spec.Project, user.Spec.ServiceName = "apps", "joe", "prj", "pg"
	return user
}

// users is a kind that lives in a service, with the functions that it can't be without.
func users() Kind {
	return Kind{
		Object: &v1alpha1.ServiceUser{},
		Lister: enqueue.Lister{Kind: v1alpha1.GroupVersion.WithKind("ServiceUser")},
		Identity: Untyped(func(u *v1alpha1.ServiceUser) ownership.Identity {
			return ownership.Identity{Entry: aiven.UserEntry(u.Name)}
		}),
		Services: Untyped(func(u *v1alpha1.ServiceUser) []aiven.ServiceKey {
			return []aiven.ServiceKey{{Project: u.Spec.Project, Service: u.Spec.ServiceName}}
		}),
		Reads:      Untyped[*v1alpha1.ServiceUser, []aiven.Entry](nil),
		Item:       Untyped[*v1alpha1.ServiceUser, aiven.Item](nil),
		ReadsItems: Untyped[*v1alpha1.ServiceUser, []aiven.Item](nil),
		Shares:     Untyped[*v1alpha1.ServiceUser, []string](nil),
		Protected:  Untyped(func(u *v1alpha1.ServiceUser) bool { return u.Labels["protected"] != "" }), // as a database can be
	}
}

func TestAnObjectThatOnlyObservesManagesNothing(t *testing.T) {
	user := newUser()
	assert.Equal(t, []string{"prj/pg/user/joe"}, users().IdentityIndex(user))
	policy.Annotate(user, annotation.Management, policy.Observe)
	assert.Empty(t, users().IdentityIndex(user))
}

func TestATokenThatANamespaceNamesEnqueuesItsObjects(t *testing.T) {
	scheme := runtime.NewScheme()
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	require.NoError(t, corev1.AddToScheme(scheme))
	without, elsewhere := newUser(), newUser()
	elsewhere.Namespace = "other"
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "apps", Annotations: map[string]string{annotation.TokenSecret: "team"}}}
	cluster := fake.NewClientBuilder().WithScheme(scheme).WithObjects(without, elsewhere, ns, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "other"}}).
		Build()
	registry, kind := Registry{Namespaces: namespace.Reader{Metadata: cluster}}, users()
	kind.Lister.Reader, kind.Lister.Scheme = cluster, scheme
	requests := registry.usersOfToken(kind)(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "aero-system", Name: "team"}})
	assert.Equal(t, []reconcile.Request{{NamespacedName: client.ObjectKeyFromObject(without)}}, requests)
	assert.Empty(t, registry.usersOfToken(kind)(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "aero-system", Name: "x"}}))
}

func TestAChangeOfTheDefaultTokenEnqueuesAllObjects(t *testing.T) {
	scheme, path := runtime.NewScheme(), filepath.Join(t.TempDir(), "token")
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	require.NoError(t, os.WriteFile(path, []byte("first"), 0o600))
	token, err := credentials.ReadDefault(path, false)
	require.NoError(t, err)
	elsewhere := newUser()
	elsewhere.Namespace = "other"
	registry, kind := Registry{DefaultToken: token}, users()
	kind.Lister.Reader, kind.Lister.Scheme = fake.NewClientBuilder().WithScheme(scheme).WithObjects(newUser(), elsewhere).Build(), scheme
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	defer queue.ShutDown()
	require.NoError(t, registry.defaultTokenChanges(kind).Start(t.Context(), queue))
	token.Refresh(t.Context())
	assert.Zero(t, queue.Len())
	require.NoError(t, os.WriteFile(path, []byte("second"), 0o600))
	token.Refresh(t.Context())
	assert.Equal(t, 2, queue.Len())
}

func TestAProjectIsAmongItsProjects(t *testing.T) {
	assert.Equal(t, []string{"prj"}, users().Projects(newUser()))
	assert.Equal(t, []string{"prj"}, projects().Projects(&v1alpha1.Project{ObjectMeta: objectMeta("apps", "prj")}))
}

func TestAGroupIsTheKindAloneUnlessItsIdentityNamesOne(t *testing.T) {
	assert.Equal(t, "*v1alpha1.ServiceUser", users().Group())
	named := users()
	named.Identity = func(client.Object) ownership.Identity { return ownership.Identity{Group: "service"} }
	assert.Equal(t, "service", named.Group())
}

func TestTheRemoteIndexHasWhatAnObjectManagesAndReads(t *testing.T) {
	list := aiven.ListKey{Project: "prj"}
	key, source := []aiven.ServiceKey{{Project: "prj", Service: "pg"}}, aiven.ServiceKey{Project: "prj", Service: "main"}
	for name, tc := range map[string]struct {
		change func(k *Kind)
		want   []string
	}{
		"its own entry, and the service": {func(*Kind) {}, enqueue.EntryValues(key, aiven.UserEntry("joe"), nil)},
		"entries that it reads": {
			func(k *Kind) { k.Reads = func(client.Object) []aiven.Entry { return []aiven.Entry{"other"} } },
			enqueue.EntryValues(key, aiven.UserEntry("joe"), []aiven.Entry{"other"}),
		},
		"an item of a shared list, and those that it reads": {
			func(k *Kind) {
				k.Item = func(client.Object) aiven.Item { return aiven.Item{List: list, Key: "own"} }
				k.ReadsItems = func(client.Object) []aiven.Item { return []aiven.Item{{List: list, Key: "other"}} }
			},
			append(enqueue.EntryValues(key, aiven.UserEntry("joe"), nil),
				enqueue.ItemValues(aiven.Item{List: list, Key: "own"}, []aiven.Item{{List: list, Key: "other"}})...),
		},
		"a service is itself": {func(k *Kind) { k.IsService = true }, enqueue.ServiceValues(key)},
		"a service reads those that it is made from": {
			func(k *Kind) {
				k.IsService, k.Services = true, func(client.Object) []aiven.ServiceKey { return append(key, source) }
			},
			append(enqueue.ServiceValues(key), enqueue.EntryValues([]aiven.ServiceKey{source}, "", nil)...),
		},
	} {
		t.Run(name, func(t *testing.T) {
			kind := users()
			tc.change(&kind)
			assert.Equal(t, tc.want, kind.remoteIndex(newUser()))
		})
	}
}

func TestTheServicesThatAServiceIsMadeFromAreNoPartOfItsIdentity(t *testing.T) {
	kind := users()
	kind.IsService = true
	kind.Identity = func(client.Object) ownership.Identity { return ownership.Identity{Group: "service"} }
	kind.Services = func(client.Object) []aiven.ServiceKey {
		return []aiven.ServiceKey{{Project: "prj", Service: "pg"}, {Project: "prj", Service: "main"}}
	}
	assert.Equal(t, "prj/pg/", kind.IdentityOf(newUser()))
}

// indexes records what is indexed, and may fail.
type indexes struct {
	names []string
	err   error
}

func (i *indexes) IndexField(_ context.Context, _ client.Object, name string, _ client.IndexerFunc) error {
	i.names = append(i.names, name)
	return i.err
}

func TestAKindIsFoundByItsTokenIdentityServicesAndReferences(t *testing.T) {
	kind := users()
	kind.References = []reference.Declaration{{Name: "SecretSource"}}
	var made indexes
	require.NoError(t, (&Registry{}).Add(kind, &made))
	assert.ElementsMatch(t, []string{credentials.TokenIndex, ownership.Index, enqueue.RemoteIndex, SharedIndex, projectIndex, protectedIndex, "reference:SecretSource"}, made.names)
	assert.ErrorContains(t, (&Registry{}).Add(users(), &indexes{err: errors.New("down")}), "down")
}

func TestOnlyReferencesThatBlockHoldBackADeletion(t *testing.T) {
	service := v1alpha1.GroupVersion.WithKind("Kafka")
	kind := users()
	kind.References = []reference.Declaration{
		{Name: "Needed", Kind: service, BlocksDeletion: true},
		{Name: "Named", Kind: service},
		{Name: "Elsewhere", Kind: v1alpha1.GroupVersion.WithKind("PostgreSQL"), BlocksDeletion: true},
	}
	var r Registry
	require.NoError(t, r.Add(kind, &indexes{}))
	guards := r.Guards(Kind{Lister: enqueue.Lister{Kind: service}, Object: &v1alpha1.Kafka{}, Identity: kafkas().Identity}).References
	require.Len(t, guards, 1)
	assert.Equal(t, "Needed", guards[0].Declaration.Name)
	assert.Equal(t, "ServiceUser", guards[0].Lister.Kind.Kind)
	assert.Empty(t, r.Guards(kind).References)
}

func TestWhoNeedsASecret(t *testing.T) {
	scheme := runtime.NewScheme()
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	named := func(namespace, name, token string) *v1alpha1.ServiceUser {
		user := newUser()
		user.Namespace, user.Name = namespace, name
		user.Spec.AuthSecretRef = &v1alpha1.AuthSecretReference{Name: token, Key: "token"}
		return user
	}
	source := func(obj client.Object) []reference.Target {
		return []reference.Target{{NamespacedName: client.ObjectKey{Name: obj.GetName() + "-source"}, Key: "host"}}
	}
	kind := users()
	kind.References = []reference.Declaration{
		{Name: "Source", Kind: reference.SecretKind, Targets: source},
		{Name: "Other", Kind: v1alpha1.GroupVersion.WithKind("Kafka"), Targets: source},
	}
	cluster := fake.NewClientBuilder().WithScheme(scheme).
		WithObjects(named("apps", "joe", "token"), named("apps", "ann", "joe-source"), named("other", "joe", "joe-source"))
	var r Registry
	require.NoError(t, r.Add(kind, fieldIndexes{cluster}))
	reader := cluster.Build()
	r.kinds[0].Lister.Scheme, r.kinds[0].Lister.Reader = scheme, reader
	for secret, want := range map[string][]string{
		"token":      {"ServiceUser apps/joe"},
		"joe-source": {"ServiceUser apps/ann", "ServiceUser apps/joe"},
		"unknown":    nil,
	} {
		got, err := r.SecretUsers(t.Context(), client.ObjectKey{Namespace: "apps", Name: secret})
		require.NoError(t, err)
		assert.Equal(t, want, got, secret)
	}
	r.kinds[0].Lister.Scheme = runtime.NewScheme()
	_, err := r.SecretUsers(t.Context(), client.ObjectKey{Namespace: "apps", Name: "token"})
	assert.ErrorContains(t, err, "searching for what needs Secret apps/token")
}
