package startup_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/aero-operator/aero/internal/startup"
)

// fail answers a verb with an error, unless it is nil, in other namespaces than there.
func fail(cluster *clienttesting.Fake, verb string, err error) {
	cluster.PrependReactor(verb, "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		return err != nil && a.GetNamespace() != "there", nil, err
	})
}

var (
	errNoNamespace = apierrors.NewNotFound(corev1.Resource("namespaces"), "gone")
	errForbidden   = apierrors.NewForbidden(coordinationv1.Resource("leases"), "ours", errors.New("User \"us\" cannot do it"))
)

func TestLeaderElectionMustBeAllowed(t *testing.T) {
	stored := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "own", Name: "ours"}}
	cases := map[string]struct {
		stored bool
		verb   string
		answer error
		fails  string
	}{
		"with permission, before the first lease": {},
		"with permission, afterwards":             {stored: true},
		"without permission to get it":            {verb: "get", answer: errForbidden, fails: "cannot do it"},
		"without permission to create it":         {verb: "create", answer: errForbidden, fails: "get and update on ours"},
		"without permission to update it":         {stored: true, verb: "update", answer: errForbidden, fails: "without --leader-elect"},
		"another replica updates it":              {stored: true, verb: "update", answer: apierrors.NewConflict(coordinationv1.Resource("leases"), "ours", nil)},
		"another replica creates it":              {verb: "create", answer: apierrors.NewAlreadyExists(coordinationv1.Resource("leases"), "ours")},
		"without the namespace":                   {verb: "create", answer: errNoNamespace, fails: "needs namespace own, which doesn't exist"},
		"without an API server":                   {verb: "get", answer: assert.AnError, fails: "reading lease ours in namespace own"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			cluster := fake.NewClientset()
			fail(&cluster.Fake, tc.verb, tc.answer)
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
