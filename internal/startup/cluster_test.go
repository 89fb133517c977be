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
	metadatafake "k8s.io/client-go/metadata/fake"
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

func TestNamespacesMustExistAndBeReadable(t *testing.T) {
	cases := map[string]struct {
		list, create error // answers
		fails        string
	}{
		"a namespace that exists":              {},
		"a namespace without permission":       {list: errForbidden, fails: "namespace gone of WATCHED_NAMESPACES can't be read"},
		"a namespace that can't be listed now": {list: assert.AnError, fails: "reading namespace gone: "},
		"a namespace that doesn't exist":       {create: errNoNamespace, fails: "namespace gone of WATCHED_NAMESPACES doesn't exist"},
		"a quota that refuses the event":       {create: apierrors.NewForbidden(eventsv1.Resource("events"), "", nil)},
		"a policy that refuses the event":      {create: apierrors.NewInvalid(eventsv1.SchemeGroupVersion.WithKind("Event").GroupKind(), "", nil)},
		"another object that doesn't exist":    {create: apierrors.NewNotFound(eventsv1.Resource("events"), "")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			cluster, objects := fake.NewClientset(), metadatafake.NewSimpleMetadataClient(metadatafake.NewTestScheme())
			fail(&cluster.Fake, "create", tc.create)
			fail(&objects.Fake, "list", tc.list)
			check := &startup.Namespaces{Metadata: objects, Events: cluster.EventsV1(), Names: []string{"there", "gone"}}
			err := check.Readable(t.Context())
			if tc.fails == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, tc.fails)
			}
			require.Len(t, objects.Actions(), 2)
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
