package watches

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	fcache "k8s.io/client-go/tools/cache/testing"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/enqueue"
	"github.com/aero-operator/aero/controllers/internal/expectations"
	"github.com/aero-operator/aero/controllers/internal/ownership"
)

// outside is a kind that lives in no service: its objects are projects, or live in one.
func outside[T client.Object](obj T, kind string, identity func(T) ownership.Identity, item func(T) aiven.Item) Kind {
	return Kind{
		Object: obj, Lister: enqueue.Lister{Kind: v1alpha1.GroupVersion.WithKind(kind)},
		Identity: Untyped(identity), Item: Untyped(item),
		Services: Untyped[T, []aiven.ServiceKey](nil), Reads: Untyped[T, []aiven.Entry](nil),
		ReadsItems: Untyped[T, []aiven.Item](nil), Shares: Untyped[T, []string](nil),
	}
}

func projects() Kind {
	return outside(&v1alpha1.Project{}, "Project", func(p *v1alpha1.Project) ownership.Identity {
		return ownership.Identity{Group: ownership.ProjectGroup, Name: p.Name}
	}, nil)
}

func vpcs() Kind {
	return outside(&v1alpha1.ProjectVPC{}, "ProjectVPC", func(v *v1alpha1.ProjectVPC) ownership.Identity {
		return ownership.Identity{Name: v.Name}
	}, func(v *v1alpha1.ProjectVPC) aiven.Item {
		return aiven.Item{List: aiven.ListKey{Project: v.Spec.Project, Operation: "VpcList"}, Key: v.Name}
	})
}

func newVPC() *v1alpha1.ProjectVPC {
	vpc := &v1alpha1.ProjectVPC{ObjectMeta: objectMeta("apps", "vpc")}
	vpc.Spec.Project = "prj"
	return vpc
}

// withProject is a registry of projects and what lives in them, with a project prj.
func withProject(t *testing.T, scheme *runtime.Scheme, others ...client.Object) *Registry {
	t.Helper()
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	require.NoError(t, corev1.AddToScheme(scheme))
	cluster := fake.NewClientBuilder().WithScheme(scheme).WithObjects(&v1alpha1.Project{ObjectMeta: objectMeta("apps", "prj")}).WithObjects(others...)
	registry := &Registry{FieldManager: "aero", Clients: aiven.New(aiven.Options{})}
	for _, kind := range []Kind{projects(), kafkas(), vpcs(), users()} {
		require.NoError(t, registry.Add(kind, fieldIndexes{cluster}))
	}
	reader := cluster.Build()
	for i := range registry.kinds {
		registry.kinds[i].Lister.Scheme, registry.kinds[i].Lister.Reader = scheme, reader
	}
	return registry
}

func TestTheEndOfTheLastServiceOrOfAVPCEnqueuesTheirProject(t *testing.T) {
	far, user := newKafka("apps"), newUser()
	far.Spec.Project = "other"
	for name, tc := range map[string]struct {
		kind  int // in the registry
		ends  client.Object
		stays []client.Object
		want  int
	}{
		"the only service":                    {kind: 1, ends: newKafka("apps"), want: 1},
		"the last service of the project":     {kind: 1, ends: newKafka("apps"), stays: []client.Object{far}, want: 1},
		"one of two services":                 {kind: 1, ends: newKafka("apps"), stays: []client.Object{newKafka("second")}},
		"a service of another project":        {kind: 1, ends: far},
		"a VPC":                               {kind: 2, ends: newVPC(), want: 1},
		"a VPC beside a service":              {kind: 2, ends: newVPC(), stays: []client.Object{newKafka("apps")}},
		"something that lives in the service": {kind: 3, ends: user},
	} {
		t.Run(name, func(t *testing.T) {
			registry := withProject(t, runtime.NewScheme(), tc.stays...)
			queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
			t.Cleanup(queue.ShutDown)
			registry.emptied(registry.kinds[0], registry.kinds[tc.kind]).Delete(t.Context(), event.DeleteEvent{Object: tc.ends}, queue)
			require.Equal(t, tc.want, queue.Len())
			if tc.want > 0 {
				request, _ := queue.Get()
				assert.Equal(t, "apps/prj", request.String())
			}
		})
	}
}

func TestAProjectIsWatchedForTheEndOfWhatIsInIt(t *testing.T) {
	for name, ends := range map[string]client.Object{"a service": newKafka("apps"), "a VPC": newVPC()} {
		t.Run(name, func(t *testing.T) {
			events := &informers{
				ctx: t.Context(), sources: map[schema.GroupVersionKind]*fcache.FakeControllerSource{},
				shared: map[schema.GroupVersionKind]toolscache.SharedIndexInformer{},
			}
			events.Scheme = runtime.NewScheme()
			registry := withProject(t, events.Scheme)
			events.of(ends).Add(ends)
			reconciled := run(t, events, func(b *builder.Builder) { registry.Watch(b, registry.kinds[0], &expectations.Versions{}) })
			events.of(ends).Delete(ends)
			assert.Equal(t, types.NamespacedName{Namespace: "apps", Name: "prj"}, next(t, reconciled))
		})
	}
}
