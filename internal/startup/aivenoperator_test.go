package startup_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
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
		"not: it claims to be from a far future":   {lease("1", -time.Hour), false},
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
			operator := &startup.AivenOperator{Leases: fake.NewClientset(tc.lease).CoordinationV1(), Now: time.Now}
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
		cluster := fake.NewClientset(lease("1", behind))
		leases := cluster.CoordinationV1()
		operator := &startup.AivenOperator{Leases: leases, Now: time.Now}
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
	cluster := fake.NewClientset(lease("1", 0))
	elsewhere := &startup.AivenOperator{Leases: cluster.CoordinationV1(), Now: time.Now, Namespaces: []string{"a", "b"}}
	require.NoError(t, elsewhere.Absent(t.Context()))
	for i, action := range cluster.Actions() {
		assert.Equal(t, elsewhere.Namespaces[i], action.GetNamespace())
		assert.Equal(t, "metadata.name="+itsLease, action.(clienttesting.ListAction).GetListRestrictions().Fields.String())
	}
	assert.Len(t, cluster.Actions(), 2)
	there := &startup.AivenOperator{Leases: cluster.CoordinationV1(), Now: time.Now, Namespaces: []string{"a", itsNamespace}}
	require.Error(t, there.Absent(t.Context()))
}

func TestAMissingPermissionIsReported(t *testing.T) {
	cluster := fake.NewClientset()
	cluster.PrependReactor("list", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(coordinationv1.Resource("leases"), itsLease, nil)
	})
	everywhere := &startup.AivenOperator{Leases: cluster.CoordinationV1(), Now: time.Now}
	err := everywhere.Absent(t.Context())
	require.ErrorContains(t, err, "in all namespaces")
	assert.ErrorContains(t, err, "grant list of leases.coordination.k8s.io with the name "+itsLease)
	assert.ErrorContains(t, err, "--aiven-operator-namespaces")
	there := &startup.AivenOperator{Leases: cluster.CoordinationV1(), Now: time.Now, Namespaces: []string{itsNamespace}}
	assert.ErrorContains(t, there.Absent(t.Context()), "in namespace "+itsNamespace)
}

func TestAnAivenOperatorThatStartsLaterStopsTheManager(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cluster := fake.NewClientset(lease("1", time.Minute))
		leases, began := cluster.CoordinationV1(), time.Now()
		operator := &startup.AivenOperator{Leases: leases, Now: time.Now}
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
		require.NoError(t, (&startup.AivenOperator{Leases: cluster.CoordinationV1(), Now: time.Now}).Appeared(ctx))
		assert.Greater(t, len(cluster.Actions()), 100)
	})
}
