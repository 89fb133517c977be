package fakecluster_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/config"
	"github.com/aero-operator/aero/controllers/kinds"
	"github.com/aero-operator/aero/tests/harness/fakecluster"
)

func newCluster(t *testing.T) (*fakecluster.Cluster, *v1alpha1.Database) {
	t.Helper()
	c, err := fakecluster.New(config.Default(), "../../../config/crd/bases", kinds.All()...)
	require.NoError(t, err)
	require.NoError(t, c.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "apps"}}))
	obj := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: "orders", UID: "forged"}}
	obj.Spec.Project, obj.Spec.ServiceName, obj.Status.Phase = "prj", "pg", v1alpha1.PhaseReady
	require.NoError(t, c.Create(t.Context(), obj))
	return c, obj
}

func TestAnObjectIsBornAsAnAPIServerHasIt(t *testing.T) {
	_, obj := newCluster(t)
	assert.NotEqual(t, "forged", string(obj.UID))
	assert.Empty(t, obj.Status.Phase)
	assert.EqualValues(t, -1, obj.Status.ObservedGeneration)
}

func TestWhatIsImmutableStays(t *testing.T) {
	c, obj := newCluster(t)
	for says, edit := range map[string]func(){
		"spec.project is immutable":                   func() { obj.Spec.Project = "another" },
		"spec.databaseName can't be added or removed": func() { obj.Spec.DatabaseName = "late" },
		"spec can't be added or removed":              func() { obj.Spec = v1alpha1.DatabaseSpec{} },
	} {
		err := c.Change(t.Context(), obj, func() error { edit(); return nil })
		require.EqualError(t, err, says)
	}
	on := true
	require.NoError(t, c.Change(t.Context(), obj, func() error { obj.Spec.TerminationProtection = &on; return nil }))
	assert.EqualValues(t, 2, obj.Generation)
}

func TestAListIsAsLongAsItMustBe(t *testing.T) {
	c, _ := newCluster(t)
	obj := &aero.ServiceUserRotation{ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: "orders"}}
	obj.Spec.UserRefs = []aero.UserReference{{Name: "one"}, {Name: "two"}}
	require.NoError(t, c.Create(t.Context(), obj))
	err := c.Change(t.Context(), obj, func() error { obj.Spec = aero.ServiceUserRotationSpec{}; return nil })
	require.EqualError(t, err, "spec.userRefs must have at least 2 items")
}

func TestAReconcileReturnsWhatTheOperatorAskedFor(t *testing.T) {
	c, obj := newCluster(t)
	requests, err := c.Reconcile(t.Context(), obj)
	require.NoError(t, err)
	var asked []string
	for _, request := range requests {
		asked = append(asked, request.String())
	}
	assert.Contains(t, asked, "get Namespace /apps")
	assert.Contains(t, asked, "patch/status Database apps/orders")
	require.NoError(t, c.Get(t.Context(), client.ObjectKeyFromObject(obj), obj))
	assert.Equal(t, "Ready", obj.Status.Conditions[0].Type)
}

func TestAListHasWhatWasWrittenBefore(t *testing.T) {
	c, obj := newCluster(t)
	names := func(opts ...client.ListOption) []string {
		var list v1alpha1.DatabaseList
		require.NoError(t, c.List(t.Context(), &list, opts...))
		var names []string
		for i := range list.Items {
			names = append(names, list.Items[i].Name+list.Items[i].Labels["tier"])
			list.Items[i].Name = "changed by a reader"
		}
		return names
	}
	assert.Equal(t, []string{"orders"}, names())
	assert.Equal(t, []string{"orders"}, names(client.InNamespace("apps")), "what a reader does to its list is its own")
	assert.Empty(t, names(client.InNamespace("other")))
	assert.Empty(t, names(client.MatchingLabels{"tier": "1"}))
	require.NoError(t, c.Change(t.Context(), obj, func() error { obj.Labels = map[string]string{"tier": "1"}; return nil }))
	assert.Equal(t, []string{"orders1"}, names(client.MatchingLabels{"tier": "1"}))
	second := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: "bills"}}
	require.NoError(t, c.Create(t.Context(), second))
	assert.ElementsMatch(t, []string{"bills", "orders1"}, names())
	require.NoError(t, c.Delete(t.Context(), second))
	assert.Equal(t, []string{"orders1"}, names())
}

func TestEventsAreWrittenWhereTheObjectIs(t *testing.T) {
	c, obj := newCluster(t)
	_, err := c.Reconcile(t.Context(), obj)
	require.NoError(t, err)
	var list eventsv1.EventList
	require.NoError(t, c.WriteEvents(t.Context()))
	require.NoError(t, c.List(t.Context(), &list, client.InNamespace("apps")))
	require.NotEmpty(t, list.Items)
	assert.Equal(t, obj.UID, list.Items[0].Regarding.UID)
}

func TestARestartKeepsTheObjects(t *testing.T) {
	c, obj := newCluster(t)
	require.NoError(t, c.Restart())
	requests, err := c.Reconcile(t.Context(), obj)
	require.NoError(t, err)
	assert.NotEmpty(t, requests)
	require.NoError(t, c.Get(t.Context(), client.ObjectKeyFromObject(obj), obj))
	assert.NotEmpty(t, obj.Status.Conditions)
}
