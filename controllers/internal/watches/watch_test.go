package watches

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	fcache "k8s.io/client-go/tools/cache/testing"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache/informertest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/enqueue"
	"github.com/aero-operator/aero/controllers/internal/expectations"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/reference"
)

// informers is the cache of a manager, whose events come from a test.
type informers struct {
	informertest.FakeInformers
	ctx     context.Context
	mu      sync.Mutex
	sources map[schema.GroupVersionKind]*fcache.FakeControllerSource
	shared  map[schema.GroupVersionKind]toolscache.SharedIndexInformer
}

// GetInformer implements cache.Informers.
func (i *informers) GetInformer(_ context.Context, obj client.Object, _ ...cache.InformerGetOption) (cache.Informer, error) {
	gvk, err := apiutil.GVKForObject(obj, i.Scheme)
	if err != nil {
		return nil, err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.shared[gvk] == nil {
		i.shared[gvk] = toolscache.NewSharedIndexInformer(i.sourceOf(gvk), nil, 0, toolscache.Indexers{})
		go i.shared[gvk].Run(i.ctx.Done())
	}
	return i.shared[gvk], nil
}

// sourceOf is where the events of a kind come from. The caller holds the lock.
func (i *informers) sourceOf(gvk schema.GroupVersionKind) *fcache.FakeControllerSource {
	if i.sources[gvk] == nil {
		i.sources[gvk] = fcache.NewFakeControllerSource()
	}
	return i.sources[gvk]
}

// of is where the events of an object's kind come from.
func (i *informers) of(obj client.Object) *fcache.FakeControllerSource {
	gvk, err := apiutil.GVKForObject(obj, i.Scheme)
	if err != nil {
		panic(err)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.sourceOf(gvk)
}

// fieldIndexes implements client.FieldIndexer, for the reader that a Lister has.
type fieldIndexes struct{ builder *fake.ClientBuilder }

func (f fieldIndexes) IndexField(_ context.Context, obj client.Object, name string, extract client.IndexerFunc) error {
	f.builder.WithIndex(obj, name, extract)
	return nil
}

// kafkas is a service kind that refers to a VPC and publishes a Secret.
func kafkas() Kind {
	return Kind{
		Object: &v1alpha1.Kafka{}, IsService: true, Publishes: true,
		Lister: enqueue.Lister{Kind: v1alpha1.GroupVersion.WithKind("Kafka")},
		References: []reference.Declaration{{
			Name: "ProjectVPC", Kind: v1alpha1.GroupVersion.WithKind("ProjectVPC"),
			Targets: func(client.Object) []reference.Target {
				return []reference.Target{{NamespacedName: types.NamespacedName{Name: "vpc"}}}
			},
		}},
		Identity: Untyped(func(*v1alpha1.Kafka) ownership.Identity { return ownership.Identity{Group: "service"} }),
		Services: Untyped(func(k *v1alpha1.Kafka) []aiven.ServiceKey {
			return []aiven.ServiceKey{{Project: k.Spec.Project, Service: k.Name}}
		}),
		Reads:      Untyped[*v1alpha1.Kafka, []aiven.Entry](nil),
		Item:       Untyped[*v1alpha1.Kafka, aiven.Item](nil),
		ReadsItems: Untyped[*v1alpha1.Kafka, []aiven.Item](nil),
		Shares:     Untyped(func(k *v1alpha1.Kafka) []string { return nonempty(k.Spec.CloudName) }),
		Protected:  Untyped(func(k *v1alpha1.Kafka) bool { return ptr.Deref(k.Spec.TerminationProtection, false) }),
	}
}

func objectMeta(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(namespace + "/" + name)}
}

func newKafka(namespace string) *v1alpha1.Kafka {
	kafka := &v1alpha1.Kafka{ObjectMeta: objectMeta(namespace, "main")}
	kafka.Spec.Project = "prj"
	kafka.Spec.AuthSecretRef = &v1alpha1.AuthSecretReference{Name: "token", Key: "token"}
	return kafka
}

func TestWhatEnqueuesAnObjectBesidesItself(t *testing.T) {
	mine, twin := newKafka("apps"), newKafka("other")
	user := &v1alpha1.ServiceUser{ObjectMeta: objectMeta("apps", "joe")}
	vpc := &v1alpha1.ProjectVPC{ObjectMeta: objectMeta("apps", "vpc")}
	token, published := &corev1.Secret{ObjectMeta: objectMeta("apps", "token")}, &corev1.Secret{ObjectMeta: objectMeta("apps", "published")}
	controls := true
	published.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: v1alpha1.GroupVersion.String(), Kind: "Kafka", Name: "main", UID: mine.UID, Controller: &controls,
	}}
	for name, tc := range map[string]struct {
		obj  client.Object
		ends bool // it was there, and is deleted; or else it is created
	}{
		"the end of a reference that holds back its deletion": {user, true},
		"the end of an object with the same identity":         {twin, true},
		"the end of its connection Secret":                    {published, true},
		"its token":                                           {token, false},
		"what it refers to":                                   {vpc, false},
	} {
		t.Run(name, func(t *testing.T) {
			events, reconciled := watched(t, mine.DeepCopy(), func(events *informers) {
				if tc.ends {
					events.of(tc.obj).Add(tc.obj)
				}
			})
			if tc.ends {
				events.of(tc.obj).Delete(tc.obj)
			} else {
				events.of(tc.obj).Add(tc.obj)
			}
			assert.Equal(t, client.ObjectKeyFromObject(mine), next(t, reconciled))
		})
	}
}

func TestAWriteToATargetThatItsReferrersDoNotSeeEnqueuesNone(t *testing.T) {
	mine, other := newKafka("apps"), newKafka("other")
	events, reconciled := watched(t, mine, func(*informers) {}, other)
	vpc := &v1alpha1.ProjectVPC{ObjectMeta: objectMeta("apps", "vpc")}
	source := events.of(vpc)
	source.Add(vpc)
	require.Equal(t, client.ObjectKeyFromObject(mine), next(t, reconciled))

	begun := vpc.DeepCopy()
	begun.Finalizers = []string{"example.org/wait"}
	source.Modify(begun)
	source.Add(&v1alpha1.ProjectVPC{ObjectMeta: objectMeta("other", "vpc")})
	assert.Equal(t, client.ObjectKeyFromObject(other), next(t, reconciled), "nothing was enqueued before")

	ready := begun.DeepCopy()
	ready.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: metav1.ConditionTrue}}
	source.Modify(ready)
	assert.Equal(t, client.ObjectKeyFromObject(mine), next(t, reconciled))
}

// next is the object that is reconciled next.
func next(t *testing.T, reconciled <-chan types.NamespacedName) types.NamespacedName {
	t.Helper()
	select {
	case key := <-reconciled:
		return key
	case <-time.After(10 * time.Second):
		require.Fail(t, "nothing was enqueued")
		return types.NamespacedName{}
	}
}

// watched runs a controller of Kafka services, of which there are one and the others, beside users that refer to it and hold back its
// deletion.
func watched(
	t *testing.T, service *v1alpha1.Kafka, prepare func(*informers), others ...client.Object,
) (*informers, <-chan types.NamespacedName) {
	t.Helper()
	scheme := runtime.NewScheme()
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	require.NoError(t, corev1.AddToScheme(scheme))
	events := &informers{
		ctx: t.Context(), sources: map[schema.GroupVersionKind]*fcache.FakeControllerSource{},
		shared: map[schema.GroupVersionKind]toolscache.SharedIndexInformer{},
	}
	events.Scheme = scheme
	prepare(events)

	registry := &Registry{FieldManager: "aero", Clients: aiven.New(aiven.Options{})}
	cluster := fake.NewClientBuilder().WithScheme(scheme).WithObjects(service).WithObjects(others...)
	kind, referrers := kafkas(), users()
	referrers.References = []reference.Declaration{{
		Name: "Needed", Kind: kind.Lister.Kind, BlocksDeletion: true,
		Targets: func(client.Object) []reference.Target {
			return []reference.Target{{NamespacedName: client.ObjectKey{Name: service.Name}}}
		},
	}}
	for _, k := range []Kind{kind, referrers} {
		require.NoError(t, registry.Add(k, fieldIndexes{cluster}))
	}
	kind.Lister.Scheme, kind.Lister.Reader = scheme, cluster.Build()
	return events, run(t, events, func(b *builder.Builder) { registry.Watch(b, kind, &expectations.Versions{}) })
}

// run starts a controller, and returns once it has begun to watch.
func run(t *testing.T, events *informers, watch func(*builder.Builder)) <-chan types.NamespacedName {
	t.Helper()
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(v1alpha1.GroupVersion.WithKind("Kafka"), meta.RESTScopeNamespace)
	mgr, err := ctrl.NewManager(&rest.Config{}, ctrl.Options{
		Scheme: events.Scheme, Metrics: server.Options{BindAddress: "0"},
		NewCache:       func(*rest.Config, cache.Options) (cache.Cache, error) { return events, nil },
		MapperProvider: func(*rest.Config, *http.Client) (meta.RESTMapper, error) { return mapper, nil },
	})
	require.NoError(t, err)
	reconciled := make(chan types.NamespacedName, 10)
	skip, probe := true, types.NamespacedName{Name: "probe"}
	b := ctrl.NewControllerManagedBy(mgr).Named("kafka").WithOptions(controller.Options{SkipNameValidation: &skip}).
		For(&v1alpha1.Kafka{}, builder.WithPredicates(predicate.NewPredicateFuncs(func(client.Object) bool { return false }))).
		WatchesRawSource(source.Func(func(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
			queue.Add(reconcile.Request{NamespacedName: probe}) // reconciled once all watches have synced
			return nil
		}))
	watch(b)
	require.NoError(t, b.Complete(reconcile.Func(func(_ context.Context, r reconcile.Request) (reconcile.Result, error) {
		reconciled <- r.NamespacedName
		return reconcile.Result{}, nil
	})))
	begin(t, mgr)
	require.Equal(t, probe, next(t, reconciled))
	return reconciled
}

func begin(t *testing.T, mgr manager.Manager) {
	var ended sync.WaitGroup
	ended.Go(func() { assert.NoError(t, mgr.Start(t.Context())) })
	t.Cleanup(ended.Wait)
}
