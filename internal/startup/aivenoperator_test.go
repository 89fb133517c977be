package startup_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/aero-operator/aero/internal/startup"
)

const (
	itsLease     = "40db2fac.aiven.io"
	itsNamespace = "aiven-operator-system"
	itsHolder    = "aiven-operator-7d9c_0b1c"
)

// lease is aiven-operator's, renewed this long ago for 15 seconds.
func lease(version string, age time.Duration) *coordinationv1.Lease {
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: itsNamespace, Name: itsLease, ResourceVersion: version},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity: new(itsHolder), LeaseDurationSeconds: new(int32(15)),
			RenewTime: &metav1.MicroTime{Time: time.Now().Add(-age)},
		},
	}
}

// holder is the pod that holds it.
func holder() *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: itsNamespace, Name: "aiven-operator-7d9c"}}
}

// finder searches these namespaces.
func finder(cluster kubernetes.Interface, namespaces ...string) *startup.AivenOperator {
	return &startup.AivenOperator{Leases: cluster.CoordinationV1(), Pods: cluster.CoreV1(), Namespaces: namespaces, Now: time.Now}
}

func edit(lease *coordinationv1.Lease, change func(*coordinationv1.Lease)) *coordinationv1.Lease {
	change(lease)
	return lease
}

func TestALeaseThatIsReadFirstIsHeldIf(t *testing.T) {
	cases := map[string]struct {
		lease *coordinationv1.Lease
		held  bool
	}{
		"it was renewed just now":                  {lease("1", 0), true},
		"its duration isn't over":                  {lease("1", 14*time.Second), true},
		"its holder's clock is ahead a little":     {lease("1", -10*time.Second), true},
		"not: its duration is over":                {lease("1", 16*time.Second), false},
		"not: it is dated in a far future":         {lease("1", -time.Hour), false},
		"not: it was released":                     {edit(lease("1", 0), func(l *coordinationv1.Lease) { l.Spec.HolderIdentity = new("") }), false},
		"not: it never had a holder":               {edit(lease("1", 0), func(l *coordinationv1.Lease) { l.Spec.HolderIdentity = nil }), false},
		"not: it was never renewed":                {edit(lease("1", 0), func(l *coordinationv1.Lease) { l.Spec.RenewTime = nil }), false},
		"not: it is another one":                   {edit(lease("1", 0), func(l *coordinationv1.Lease) { l.Name = "aero.aiven.io" }), false},
		"without a duration it is the usual one":   {edit(lease("1", 14*time.Second), func(l *coordinationv1.Lease) { l.Spec.LeaseDurationSeconds = nil }), true},
		"not: the usual one is over, and no other": {edit(lease("1", 16*time.Second), func(l *coordinationv1.Lease) { l.Spec.LeaseDurationSeconds = nil }), false},
		"its duration is long, and it isn't over":  {edit(lease("1", time.Minute), func(l *coordinationv1.Lease) { l.Spec.LeaseDurationSeconds = new(int32(90)) }), true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			operator := finder(fake.NewClientset(tc.lease, holder()), itsNamespace)
			err := operator.Absent(t.Context())
			if !tc.held {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, `"`+itsHolder+`" holds lease `+itsLease+` in namespace `+itsNamespace)
			assert.ErrorContains(t, err, "scale aiven-operator's Deployment in namespace "+itsNamespace+" to 0")
		})
	}
}

func TestARenewalCountsWhateverTheHoldersClockShows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const behind = time.Hour
		cluster := fake.NewClientset(lease("1", behind), holder())
		leases := cluster.CoordinationV1()
		operator := finder(cluster, itsNamespace)
		require.NoError(t, operator.Absent(t.Context()), "it may be left over")
		_, err := leases.Leases(itsNamespace).Update(t.Context(), lease("2", behind), metav1.UpdateOptions{})
		require.NoError(t, err)
		require.Error(t, operator.Absent(t.Context()))
		<-time.After(14 * time.Second)
		require.Error(t, operator.Absent(t.Context()))
		<-time.After(2 * time.Second)
		require.NoError(t, operator.Absent(t.Context()), "it has expired")
		require.NoError(t, leases.Leases(itsNamespace).Delete(t.Context(), itsLease, metav1.DeleteOptions{}))
		require.NoError(t, operator.Absent(t.Context()))
	})
}

func TestOnlyTheGivenNamespacesAreSearched(t *testing.T) {
	cluster := fake.NewClientset(lease("1", 0), holder())
	elsewhere := finder(cluster, "a", "b")
	require.NoError(t, elsewhere.Absent(t.Context()))
	var searched []string
	for _, action := range cluster.Actions() {
		searched = append(searched, action.GetNamespace())
		assert.Equal(t, "metadata.name="+itsLease, action.(clienttesting.ListAction).GetListRestrictions().Fields.String())
	}
	assert.ElementsMatch(t, elsewhere.Namespaces, searched)
	there := finder(cluster, "a", itsNamespace)
	require.Error(t, there.Absent(t.Context()))
}

func TestAMissingPermissionIsReported(t *testing.T) {
	cluster := fake.NewClientset()
	cluster.PrependReactor("list", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(coordinationv1.Resource("leases"), itsLease, nil)
	})
	err := finder(cluster, itsNamespace).Absent(t.Context())
	require.ErrorContains(t, err, "in namespace "+itsNamespace)
	assert.ErrorContains(t, err, "grant list of leases.coordination.k8s.io with the name "+itsLease)
	assert.ErrorContains(t, err, "--aiven-operator-namespaces")
}

// A user who may create leases would otherwise stop the manager for all.
func TestReviewH9_ALeaseCountsIfAPodOfItsNamespaceHoldsIt(t *testing.T) {
	elsewhere := holder()
	elsewhere.Namespace = "apps"
	require.NoError(t, finder(fake.NewClientset(lease("1", 0)), itsNamespace).Absent(t.Context()), "no pod")
	require.NoError(t, finder(fake.NewClientset(lease("1", 0), elsewhere), itsNamespace).Absent(t.Context()), "a pod of another namespace")
	fakes := edit(lease("1", 0), func(l *coordinationv1.Lease) { l.Namespace, l.Spec.HolderIdentity = "apps", new("me") })
	err := finder(fake.NewClientset(fakes, lease("1", 0), holder()), "apps", itsNamespace).Absent(t.Context())
	require.ErrorContains(t, err, "in namespace "+itsNamespace, "the first lease hides no other")

	unreadable := fake.NewClientset(lease("1", 0))
	unreadable.PrependReactor("get", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(corev1.Resource("pods"), holder().Name, nil)
	})
	err = finder(unreadable, itsNamespace).Absent(t.Context())
	require.ErrorContains(t, err, "in namespace "+itsNamespace+` (not known to be a pod: pods "`+holder().Name+`" is forbidden`)

	for _, name := range []string{"", "_1", "a/b_1", "..", "A_1"} {
		unnamed := edit(lease("1", 0), func(l *coordinationv1.Lease) { l.Spec.HolderIdentity = new(name) })
		cluster := fake.NewClientset(unnamed)
		cluster.PrependReactor("get", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, errors.New("invalid resource name") // as the client refuses it
		})
		require.NoError(t, finder(cluster, itsNamespace).Absent(t.Context()), "%q is no name of a pod", name)
	}
}

func TestANamespaceThatCannotBeSearchedHidesNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cluster := fake.NewClientset(lease("1", 0), holder())
		cluster.PrependReactor("list", "leases", func(a clienttesting.Action) (bool, runtime.Object, error) {
			return a.GetNamespace() == "gone", nil, apierrors.NewForbidden(coordinationv1.Resource("leases"), itsLease, nil)
		})
		operator := finder(cluster, "gone", itsNamespace)
		operator.LeftOut = func(namespace string) bool { return namespace == "gone" }
		require.ErrorContains(t, operator.Absent(t.Context()), "in namespace "+itsNamespace+". Two operators")
		operator.LeftOut = nil // it is gone since
		require.ErrorContains(t, operator.Absent(t.Context()), "searching for aiven-operator's lease in namespace gone")
		ctx, stop := context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		assert.ErrorContains(t, operator.Appeared(ctx), "stopping because aiven-operator has started")
	})
}

func TestAnAivenOperatorThatStartsLaterStopsTheManager(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cluster := fake.NewClientset(lease("1", time.Minute), holder())
		leases, began := cluster.CoordinationV1(), time.Now()
		operator := finder(cluster, itsNamespace)
		require.NoError(t, operator.Absent(t.Context()))
		time.AfterFunc(time.Minute, func() {
			_, err := leases.Leases(itsNamespace).Update(t.Context(), lease("2", 0), metav1.UpdateOptions{})
			assert.NoError(t, err)
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		err := operator.Appeared(ctx)
		require.ErrorContains(t, err, `stopping because aiven-operator has started: "`+itsHolder+`" holds`)
		assert.InDelta(t, time.Minute, time.Since(began), float64(11*time.Second))
	})
}

func TestAListThatFailsDoesNotStopTheManager(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cluster := fake.NewClientset()
		cluster.PrependReactor("list", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewInternalError(assert.AnError)
		})
		ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(time.Hour))
		defer cancel()
		require.NoError(t, finder(cluster, itsNamespace).Appeared(ctx))
		assert.Greater(t, len(cluster.Actions()), 100)
	})
}
