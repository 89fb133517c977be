package watches

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/enqueue"
	"github.com/aero-operator/aero/controllers/internal/expectations"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// outside is a kind that lives in no service: its objects are projects, or live in one.
func outside[T client.Object](obj T, kind string, identity func(T) ownership.Identity, item func(T) aiven.Item) Kind {
	return Kind{
		Object: obj, Lister: enqueue.Lister{Kind: v1alpha1.GroupVersion.WithKind(kind)},
		Identity: Untyped(identity), Item: Untyped(item),
		Services: Untyped[T, []aiven.ServiceKey](nil), Reads: Untyped[T, []aiven.Entry](nil),
		ReadsItems: Untyped[T, []aiven.Item](nil), Shares: Untyped[T, []string](nil), Protected: Untyped[T, bool](nil),
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

// managed is an object that the operator has begun to manage.
func managed[T client.Object](obj T, changes ...func(T)) T {
	for _, change := range changes {
		change(obj)
	}
	ownership.Begin(obj, true)
	return obj
}

func TestTheEndOfTheLastObjectInAProjectEnqueuesIt(t *testing.T) {
	far := newKafka("apps")
	far.Spec.Project = "other"
	second := newKafka("apps")
	second.Name, second.Spec.Project = "second", "prj"
	for name, tc := range map[string]struct {
		kind  int // in the registry
		ends  client.Object
		stays []client.Object
		want  int
	}{
		"the only service":                    {kind: 1, ends: newKafka("apps"), want: 1},
		"the last service of the project":     {kind: 1, ends: newKafka("apps"), stays: []client.Object{managed(far.DeepCopy())}, want: 1},
		"a service beside what isn't managed": {kind: 1, ends: newKafka("apps"), stays: []client.Object{newKafka("second")}, want: 1},
		"one of two services":                 {kind: 1, ends: newKafka("apps"), stays: []client.Object{managed(second)}},
		"a service beside one with a finalizer of a user in another namespace": {
			kind: 1, ends: newKafka("apps"), stays: []client.Object{managed(newKafka("second"))}, want: 1,
		},
		"a service, with what lives in it":    {kind: 1, ends: newKafka("apps"), stays: []client.Object{managed(newUser())}},
		"a service of another project":        {kind: 1, ends: far},
		"a VPC":                               {kind: 2, ends: newVPC(), want: 1},
		"a VPC beside a service":              {kind: 2, ends: newVPC(), stays: []client.Object{managed(newKafka("apps"))}},
		"something that lives in the service": {kind: 3, ends: newUser(), want: 1},
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

func TestAnObjectThatNoLongerManagesAnythingEnqueuesItsProject(t *testing.T) {
	registry := withProject(t, runtime.NewScheme())
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	t.Cleanup(queue.ShutDown)
	handle := registry.emptied(registry.kinds[0], registry.kinds[3])
	handle.Update(t.Context(), event.UpdateEvent{ObjectOld: managed(newUser()), ObjectNew: managed(newUser())}, queue)
	handle.Update(t.Context(), event.UpdateEvent{ObjectOld: newUser(), ObjectNew: newUser()}, queue)
	assert.Zero(t, queue.Len())
	handle.Update(t.Context(), event.UpdateEvent{ObjectOld: managed(newUser()), ObjectNew: newUser()}, queue)
	assert.Equal(t, 1, queue.Len(), "a finalizer of another program keeps the object, and not the project")
}

func TestAProjectWaitsForTheObjectsThatManageSomethingInIt(t *testing.T) {
	named := func(name string) *v1alpha1.ServiceUser {
		user := newUser()
		user.Namespace, user.Name = "far", name
		return managed(user)
	}
	here := func(name string) *v1alpha1.ServiceUser {
		user := newUser()
		user.Name = name
		return managed(user)
	}
	ready := func(user *v1alpha1.ServiceUser) *v1alpha1.ServiceUser {
		user.Status.Conditions = []metav1.Condition{{Type: condition.RemoteReady, Status: metav1.ConditionTrue}}
		return user
	}
	accepted := named("joe")
	accepted.Status.Conditions = []metav1.Condition{{Type: condition.LegacyInitialized, Reason: condition.LegacyReasonCreatedOrUpdated}}
	missing := named("joe")
	missing.Status.Conditions = []metav1.Condition{{Type: condition.RemoteReady, Status: metav1.ConditionFalse}}
	elsewhere := func(u *v1alpha1.ServiceUser) { u.Spec.Project = "other" }
	set := func(key, value string) func(*v1alpha1.ServiceUser) {
		return func(u *v1alpha1.ServiceUser) { policy.Annotate(u, key, value) }
	}
	for name, tc := range map[string]struct {
		inside []client.Object
		want   []string
	}{
		"none":                       {},
		"one in another namespace":   {inside: []client.Object{ready(named("joe"))}, want: []string{"an object of another namespace"}},
		"one there that was created": {inside: []client.Object{accepted}, want: []string{"an object of another namespace"}},
		"two there":                  {inside: []client.Object{ready(named("joe")), ready(named("ann"))}, want: []string{"2 objects of other namespaces"}},
		"one there with a finalizer that a user wrote": {inside: []client.Object{named("joe")}},
		"one there whose resource doesn't exist":       {inside: []client.Object{missing}},
		"one of each kind": {
			inside: []client.Object{ready(managed(newUser())), managed(newVPC())}, want: []string{"ProjectVPC apps/vpc", "ServiceUser apps/joe"},
		},
		"one that was never managed": {inside: []client.Object{newUser()}},
		"one that only observes":     {inside: []client.Object{managed(newUser(), set(annotation.Management, policy.Observe))}},
		"one that is left at Aiven":  {inside: []client.Object{managed(newUser(), set(annotation.Deletion, policy.Orphan))}},
		"one in another project":     {inside: []client.Object{managed(newUser(), elsewhere)}},
		"more of a kind than are helpful": {
			inside: []client.Object{here("a"), here("b"), here("c"), here("d")},
			want:   []string{"ServiceUser apps/a", "ServiceUser apps/b", "ServiceUser apps/c"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			registry := withProject(t, runtime.NewScheme(), tc.inside...)
			project := &v1alpha1.Project{ObjectMeta: objectMeta("apps", "prj")}
			want := ""
			if len(tc.want) > 0 {
				want = "Referred to by " + strings.Join(tc.want, ", ") + ". Delete what refers to it first"
			}
			blocked, err := registry.Guards(registry.kinds[0]).Blocked(t.Context(), project)
			require.NoError(t, err)
			assert.Equal(t, want, blocked)
			blocked, err = registry.Guards(registry.kinds[1]).Blocked(t.Context(), newKafka("apps"))
			require.NoError(t, err)
			assert.Empty(t, blocked, "no other kind waits like this")
		})
	}
	registry := withProject(t, runtime.NewScheme())
	registry.kinds[3].Lister.Scheme = runtime.NewScheme()
	_, err := registry.Guards(registry.kinds[0]).Blocked(t.Context(), &v1alpha1.Project{ObjectMeta: objectMeta("apps", "prj")})
	assert.ErrorContains(t, err, "listing what is in project prj")
}

func TestWhatLivesInAnOrganizationIsInNoProject(t *testing.T) {
	step := users()
	step.Item = func(client.Object) aiven.Item {
		return aiven.Item{List: aiven.ListKey{Organization: "org", Operation: "UpgradePipelineStepList"}}
	}
	assert.Empty(t, step.managedProjects(managed(newUser())))
	assert.Equal(t, []string{"prj"}, users().managedProjects(managed(newUser())))
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
