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

// lease is one of the reference operator, renewed this long ago for 15 seconds.
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

func TestAtFirstSightALeaseIsHeldWhen(t *testing.T) {
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
			reference := &startup.AivenOperator{Leases: fake.NewClientset(tc.lease).CoordinationV1(), Now: time.Now}
			err := reference.Absent(t.Context())
			if !tc.held {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, `"`+itsHolder+`" holds the lease `+itsLease+` in namespace `+itsNamespace)
			assert.ErrorContains(t, err, "scale the reference operator's Deployment in namespace "+itsNamespace+" to 0")
		})
	}
}

func TestARenewalThatIsSeenCountsWhateverTheHoldersClockSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const behind = time.Hour
		cluster := fake.NewClientset(lease("1", behind))
		leases := cluster.CoordinationV1()
		reference := &startup.AivenOperator{Leases: leases, Now: time.Now}
		require.NoError(t, reference.Absent(t.Context()), "nothing tells it from one that was left behind")
		_, err := leases.Leases(itsNamespace).Update(t.Context(), lease("2", behind), metav1.UpdateOptions{})
		require.NoError(t, err)
		require.Error(t, reference.Absent(t.Context()))
		<-time.After(14 * time.Second)
		require.Error(t, reference.Absent(t.Context()))
		<-time.After(2 * time.Second)
		require.NoError(t, reference.Absent(t.Context()), "nobody has renewed it")
		require.NoError(t, leases.Leases(itsNamespace).Delete(t.Context(), itsLease, metav1.DeleteOptions{}))
		require.NoError(t, reference.Absent(t.Context()))
	})
}

func TestOnlyNamespacesThatAreNamedAreLookedIn(t *testing.T) {
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

func TestWhoMayNotLookSaysSo(t *testing.T) {
	cluster := fake.NewClientset()
	cluster.PrependReactor("list", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(coordinationv1.Resource("leases"), itsLease, nil)
	})
	everywhere := &startup.AivenOperator{Leases: cluster.CoordinationV1(), Now: time.Now}
	err := everywhere.Absent(t.Context())
	require.ErrorContains(t, err, "in all namespaces")
	assert.ErrorContains(t, err, "grant list of leases.coordination.k8s.io with the name "+itsLease)
	assert.ErrorContains(t, err, "--reference-namespaces")
	there := &startup.AivenOperator{Leases: cluster.CoordinationV1(), Now: time.Now, Namespaces: []string{itsNamespace}}
	assert.ErrorContains(t, there.Absent(t.Context()), "in namespace "+itsNamespace)
}

func TestAReferenceOperatorThatStartsLaterIsNoticed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cluster := fake.NewClientset(lease("1", time.Minute))
		leases, began := cluster.CoordinationV1(), time.Now()
		reference := &startup.AivenOperator{Leases: leases, Now: time.Now}
		require.NoError(t, reference.Absent(t.Context()))
		time.AfterFunc(time.Minute, func() {
			_, err := leases.Leases(itsNamespace).Update(t.Context(), lease("2", 0), metav1.UpdateOptions{})
			assert.NoError(t, err)
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		err := reference.Appeared(ctx)
		require.ErrorContains(t, err, `stepping aside: the reference operator has started: "`+itsHolder+`" holds`)
		assert.InDelta(t, time.Minute, time.Since(began), float64(11*time.Second))
	})
}

func TestALookThatFailsEndsNoWork(t *testing.T) {
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
