package startup_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/tests/harness/testenv"
)

// The lease of aiven-operator's leader.
const (
	itsLease  = "40db2fac.aiven.io"
	itsHolder = "aiven-operator-7d9c_0b1c"
)

// hold creates the lease of aiven-operator, held for a time.
func hold(e *testenv.Env, namespace string, duration time.Duration) *coordinationv1.Lease {
	lease := &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: itsLease},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity: new(itsHolder), LeaseDurationSeconds: new(int32(duration.Seconds())), RenewTime: new(metav1.NowMicro()),
		},
	}
	e.Create(lease)
	e.T.Cleanup(func() { assert.NoError(e.T, client.IgnoreNotFound(e.Client.Delete(context.Background(), lease))) })
	return lease
}

// waiting is the series of the metric about aiven-operator's lease.
const waiting = `aero_startup_waiting{check="aiven-operator"}`

// election are the permissions that leader election needs in its namespace.
var election = []rbacv1.PolicyRule{
	{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: []string{"create"}},
	{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, ResourceNames: []string{"aero.aiven.io"}, Verbs: []string{"get", "update"}},
}

func TestNothingIsDoneWhileAivenOperatorHoldsItsLease(t *testing.T) {
	const forLong = time.Hour
	cases := map[string]struct {
		flags    []string
		duration time.Duration
		end      func(*testenv.Env, *coordinationv1.Lease)
	}{
		"until the lease is deleted": {
			duration: forLong, end: func(e *testenv.Env, lease *coordinationv1.Lease) { e.Delete(lease) },
		},
		"until the lease is released, with leader election": {
			flags: []string{"--leader-elect"}, duration: forLong,
			end: func(e *testenv.Env, lease *coordinationv1.Lease) {
				lease.Spec.HolderIdentity = new("")
				require.NoError(e.T, e.Client.Update(e.T.Context(), lease))
			},
		},
		"until the lease expires": {duration: 8 * time.Second, end: func(*testenv.Env, *coordinationv1.Lease) {}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p, elsewhere := newPod(t), testenv.New(t, testenv.Options{Idle: true})
			p.everywhere(p.rules())
			p.in(p.Namespace, election)
			p.Aiven.Service(p.Project, "my-pg")
			object, calls := p.Example("database"), p.Aiven.Mark()
			p.Create(object)
			before := object.GetResourceVersion()
			lease := hold(p.Env, elsewhere.Namespace, tc.duration)

			p.start("", append(tc.flags, "--aiven-operator-namespaces="+elsewhere.Namespace)...)
			p.waitNotReady(itsHolder, "holds lease "+itsLease+" in namespace "+elsewhere.Namespace, "Remedy: scale")
			p.Get(object)
			assert.Equal(t, before, object.GetResourceVersion())
			assert.Empty(t, p.Aiven.Calls(calls))
			assert.Empty(t, p.requests("aiven.io"))

			tc.end(p.Env, lease)
			p.waitReady()
			p.Wait(object, testenv.Ready())
			assert.NotEmpty(t, p.requests("aiven.io"), "the audit log must show what the manager does")
			assert.Equal(t, 1, p.starts)
		})
	}
}

func TestTheManagerStopsWhenAivenOperatorStartsLater(t *testing.T) {
	p := newPod(t)
	p.everywhere(p.rules())
	p.start("")
	p.waitReady()
	lease := hold(p.Env, p.Namespace, time.Hour)
	p.waitEnd(`manager: stopping because aiven-operator has started: "` + itsHolder + `" holds lease ` + itsLease + " in namespace " + p.Namespace)

	p.start("") // as the kubelet does
	p.waitNotReady("aiven-operator is running")
	assert.Equal(t, "1", p.gauge(waiting), "metrics are served while it waits")
	p.Delete(lease)
	p.waitReady()
	assert.Equal(t, "0", p.gauge(waiting))
}

func TestReviewH9_ALeaseThatNoPodHoldsStopsNothing(t *testing.T) {
	p := newPod(t)
	p.everywhere(p.rules())
	p.in(p.Namespace, []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}}})
	hold(p.Env, p.Namespace, time.Hour)
	p.start("")
	p.waitReady()
	p.Create(&corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: p.Namespace, Name: "aiven-operator-7d9c"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "manager", Image: "aiven-operator"}}},
	})
	p.waitEnd(`manager: stopping because aiven-operator has started: "` + itsHolder + `" holds lease ` + itsLease + " in namespace " + p.Namespace + ".")
}

func TestWithWatchedNamespacesTheLeaseIsSearchedForInTheManagersOwn(t *testing.T) {
	p, elsewhere := newPod(t), testenv.New(t, testenv.Options{Idle: true})
	p.in(p.Namespace, p.rules())
	hold(p.Env, elsewhere.Namespace, time.Hour)
	p.start(p.Namespace)
	p.waitReady() // it can't see that lease

	named := newPod(t)
	named.in(named.Namespace, named.rules())
	named.start(named.Namespace, "--aiven-operator-namespaces="+elsewhere.Namespace)
	named.waitNotReady("searching for aiven-operator's lease in namespace "+elsewhere.Namespace, "grant list of leases")
	named.in(elsewhere.Namespace, []rbacv1.PolicyRule{{
		APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, ResourceNames: []string{itsLease}, Verbs: []string{"list"},
	}})
	named.waitNotReady("holds lease " + itsLease + " in namespace " + elsewhere.Namespace)
}

// requests are what the manager's account has asked the API server for of a group, by their addresses.
func (p *pod) requests(group string) (addresses []string) {
	file, err := os.Open(auditLog)
	require.NoError(p.T, err)
	defer func() { require.NoError(p.T, file.Close()) }()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var one struct {
			RequestURI string
			User       struct{ Username string }
			ObjectRef  struct{ APIGroup string }
		}
		if json.Unmarshal(lines.Bytes(), &one) != nil {
			continue // the line of another client, half written
		}
		if one.ObjectRef.APIGroup == group && one.User.Username == "system:serviceaccount:"+p.Namespace+":"+account {
			addresses = append(addresses, one.RequestURI)
		}
	}
	require.NoError(p.T, lines.Err())
	return addresses
}
