package startup_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/aero-operator/aero/internal/startup"
)

// answering is a cluster that answers with an error to a verb, in a namespace. Nothing is stored.
func answering(verb, namespace string, err error) *fake.Clientset {
	cluster := fake.NewClientset()
	cluster.PrependReactor("*", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		if a.GetVerb() == verb && a.GetNamespace() == namespace {
			return true, nil, err
		}
		return false, nil, nil
	})
	return cluster
}

var (
	noNamespace = apierrors.NewNotFound(corev1.Resource("namespaces"), "gone")
	forbidden   = apierrors.NewForbidden(coordinationv1.Resource("leases"), "ours", errors.New("User \"us\" cannot do it"))
)

func TestNamespacesMustExist(t *testing.T) {
	cases := map[string]struct {
		answer error
		fails  string
	}{
		"a namespace that exists":                         {},
		"a namespace that doesn't":                        {noNamespace, `namespace gone, which WATCHED_NAMESPACES names, doesn't exist`},
		"where no event may be made, others tell":         {apierrors.NewForbidden(eventsv1.Resource("events"), "", nil), ""},
		"an event that a policy refuses":                  {apierrors.NewInvalid(eventsv1.SchemeGroupVersion.WithKind("Event").GroupKind(), "", nil), ""},
		"something else that isn't there":                 {apierrors.NewNotFound(eventsv1.Resource("events"), ""), ""},
		"an API server that can't be reached is a reason": {assert.AnError, "asking the API server for namespace gone"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			cluster := fake.NewClientset()
			if tc.answer != nil {
				cluster = answering("create", "gone", tc.answer)
			}
			err := (&startup.Namespaces{Events: cluster.EventsV1(), Names: []string{"there", "gone"}}).Exist(t.Context())
			if tc.fails == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, tc.fails)
			}
			require.Len(t, cluster.Actions(), 2)
			for _, action := range cluster.Actions() {
				assert.Equal(t, []string{metav1.DryRunAll}, action.(clienttesting.CreateActionImpl).GetCreateOptions().DryRun)
			}
		})
	}
}

func TestLeaderElectionMustBeAllowed(t *testing.T) {
	stored := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "own", Name: "ours"}}
	cases := map[string]struct {
		stored bool
		verb   string
		answer error
		fails  string
	}{
		"with all rights, before the first lease": {},
		"with all rights, afterwards":             {stored: true},
		"without the right to get it":             {verb: "get", answer: forbidden, fails: "cannot do it"},
		"without the right to create it":          {verb: "create", answer: forbidden, fails: "get and update ours"},
		"without the right to update it":          {stored: true, verb: "update", answer: forbidden, fails: "without --leader-elect"},
		"another replica updates it":              {stored: true, verb: "update", answer: apierrors.NewConflict(coordinationv1.Resource("leases"), "ours", nil)},
		"another replica creates it":              {verb: "create", answer: apierrors.NewAlreadyExists(coordinationv1.Resource("leases"), "ours")},
		"without the namespace":                   {verb: "create", answer: noNamespace, fails: "needs namespace own, which doesn't exist"},
		"without an API server":                   {verb: "get", answer: assert.AnError, fails: "reading the lease ours in namespace own"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			cluster := fake.NewClientset()
			if tc.verb != "" {
				cluster = answering(tc.verb, "own", tc.answer)
			}
			if tc.stored {
				require.NoError(t, cluster.Tracker().Add(stored.DeepCopy()))
			}
			err := (&startup.Election{Leases: cluster.CoordinationV1(), Namespace: "own", Name: "ours"}).Allowed(t.Context())
			if tc.fails == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, tc.fails)
			}
			for _, action := range cluster.Actions() {
				switch a := action.(type) {
				case clienttesting.CreateActionImpl:
					assert.NotEmpty(t, a.GetCreateOptions().DryRun)
				case clienttesting.UpdateActionImpl:
					assert.NotEmpty(t, a.GetUpdateOptions().DryRun)
				}
			}
		})
	}
}
