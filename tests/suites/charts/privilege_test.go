package charts_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/helm"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// deadline is how long a pod may take to end.
const deadline = 30 * time.Second

func TestTheOperatorHasThePermissionsThatItNeedsAndNoOthers(t *testing.T) {
	e := world(t, testenv.Options{Outside: true})
	prometheusKinds(t, e)
	i := install(t, e, helm.Values{"serviceMonitor": on})
	i.liveAndCheck(i.readByToken)
}

func TestInNamespacedModeNothingElseIsRead(t *testing.T) {
	e, elsewhere := world(t, testenv.Options{Outside: true}), testenv.New(t, testenv.Options{Idle: true})
	theirs := elsewhere.Example("database")
	elsewhere.Create(theirs)
	i := install(t, e, helm.Values{"watchedNamespaces": []any{e.Namespace}, "rbac": helm.Values{"clusterScope": false}})
	assert.Contains(t, i.notes, "It lacks")
	for _, r := range permissionsOf(t, e, i.account) {
		assert.Contains(t, []string{e.Namespace, i.release.Namespace}, r.namespace, r)
	}
	i.liveAndCheck(i.readInPod)
	for _, one := range requestsOf(t, i.account) {
		assert.NotContains(t, one.RequestURI, elsewhere.Namespace)
		needs := one.needed()
		assert.False(t, needs != permission{} && needs.namespace == "", "%s %s is about all namespaces", one.Verb, one.RequestURI)
	}
	elsewhere.Get(theirs)
	assert.Empty(t, theirs.GetFinalizers())
}

// liveAndCheck lets an object of each kind live from its creation to its end, under two pods of which one works. Meanwhile
// a person reads the metrics.
func (i *installed) liveAndCheck(readMetrics func()) {
	i.t.Helper()
	i.Create(&coordinationv1.Lease{ // that no pod holds, so it stops nothing
		ObjectMeta: metav1.ObjectMeta{Namespace: i.release.Namespace, Name: "40db2fac.aiven.io"},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: new("me_1"), LeaseDurationSeconds: new(int32(3600)), RenewTime: new(metav1.NowMicro())},
	})
	first := i.run("first pod")
	i.leads(first.Title)
	i.run("second pod") // ready although it doesn't lead

	all := i.examples()
	for _, obj := range all {
		i.Create(obj)
	}
	i.waitReady(all)
	i.publishElsewhere()
	// A Namespace that the cache doesn't have yet is read live, which no test can bring about.
	held := append(owned(i.t, i.Env), permission{resource: "namespaces", verb: "get"})
	i.stop(first)
	i.leads("second pod")
	readMetrics()
	// Servers without streamed lists are asked for plain ones.
	i.run("pod with plain lists", "KUBE_FEATURE_WatchListClient=false")
	for round := range 2 { // an event that is reported twice is a series
		i.change(all, round)
		i.waitReady(all)
		i.waitReported(all)
	}
	i.types("delete connectionsecret,serviceuserrotation --all")
	i.types("delete serviceuser orders-app-2")
	for _, obj := range all {
		i.Delete(obj)
	}
	for _, obj := range all {
		i.WaitGone(obj)
	}
	for _, pod := range i.pods { // what they still have to say, they say at their end
		i.stop(pod)
	}
	checkPermissions(i.t, permissionsOf(i.t, i.Env, i.account), requestsOf(i.t, i.account), held)
}

// examples are those of the documentation by the names of their files. There is one of each kind.
func (i *installed) examples() map[string]testenv.Object {
	paths, err := filepath.Glob("../../../docs/examples/*.yaml")
	require.NoError(i.t, err)
	all, seen := map[string]testenv.Object{}, map[string]bool{}
	for _, path := range paths {
		obj := i.Load(path)
		all[strings.TrimSuffix(filepath.Base(path), ".yaml")] = obj
		seen[obj.GetObjectKind().GroupVersionKind().Kind] = true
	}
	require.ElementsMatch(i.t, testenv.KindNames(), slices.Collect(maps.Keys(seen)), "each kind needs an example")
	step := all["upgradepipelinestep"].(*v1alpha1.UpgradePipelineStep).Spec // leads to a service that no example makes
	_, err = i.Aiven.Console.ServiceCreate(i.t.Context(), step.DestinationProjectName,
		&service.ServiceCreateIn{ServiceName: step.DestinationServiceName, ServiceType: "pg", Plan: "startup-4"})
	require.NoError(i.t, err)
	return all
}

// publishElsewhere makes a ConnectionSecret and a ServiceUserRotation of the examples, and waits for them.
func (i *installed) publishElsewhere() {
	i.t.Helper()
	i.types("apply -f ../../../docs/examples/aero-operator.io/connectionsecret.yaml")
	i.types("wait --for=condition=Ready --timeout=60s connectionsecret/checkout")
	second := i.Load("../../../docs/examples/serviceuser.yaml").(*v1alpha1.ServiceUser)
	second.Name, second.Spec.ConnInfoSecretTarget.Name = "orders-app-2", "orders-app-2"
	i.Create(second)
	i.types("apply -f ../../../docs/examples/aero-operator.io/serviceuserrotation.yaml")
	i.types("wait --for=condition=Ready --timeout=60s serviceuserrotation/orders")
	i.types("annotate serviceuserrotation orders controllers.aiven.io/rotate-requested-at=now")
	i.types("wait --for=jsonpath={.status.lastHandledRotateAt}=now --timeout=60s serviceuserrotation/orders")
}

// types types a command of kubectl that must succeed, in the namespace of the objects.
func (i *installed) types(command string) {
	i.t.Helper()
	out, err := kubectl(i.t, command+" --namespace "+i.Namespace)
	require.NoError(i.t, err, out)
}

// change changes each object.
func (i *installed) change(all map[string]testenv.Object, round int) {
	i.t.Helper()
	for example, obj := range all {
		edit := reconcileNow
		if edits := changes[example]; len(edits) > 0 {
			edit = edits[round]
		}
		require.NoError(i.t, i.Client.Patch(i.t.Context(), obj, client.RawPatch("application/merge-patch+json", []byte(edit))))
	}
}

// waitReady waits until all objects are ready. Meanwhile a person keeps changing the token Secret, which enqueues them while
// the events of what was just written to them are still under way: they are read live then.
func (i *installed) waitReady(all map[string]testenv.Object) {
	i.t.Helper()
	token, changes := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: i.Namespace, Name: testenv.TokenSecret}}, 0
	for _, obj := range all {
		i.Until(func() bool {
			changes++
			i.Annotate(token, "changes", strconv.Itoa(changes))
			i.Get(obj)
			ready := testenv.Find(obj, "Ready")
			return ready != nil && ready.Status == metav1.ConditionTrue && ready.ObservedGeneration == obj.GetGeneration()
		}, func() string { return obj.GetName() + " isn't ready" })
	}
}

// waitReported waits until the events of the changes are there. They come behind, and those of both rounds could become one.
func (i *installed) waitReported(all map[string]testenv.Object) {
	i.t.Helper()
	for example := range changes {
		i.Until(func() bool {
			return slices.ContainsFunc(i.Events(all[example]), func(e eventsv1.Event) bool { return strings.Contains(e.Note, "Updated") })
		}, func() string { return "no event reports the change of " + example })
	}
}

// leads waits until a pod holds the lease.
func (i *installed) leads(who string) {
	i.t.Helper()
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: i.release.Namespace, Name: "aero.aiven.io"}}
	i.Until(func() bool {
		err := i.Client.Get(i.t.Context(), client.ObjectKeyFromObject(lease), lease)
		return err == nil && lease.Spec.HolderIdentity != nil && *lease.Spec.HolderIdentity != ""
	}, func() string { return who + " doesn't lead" })
}
