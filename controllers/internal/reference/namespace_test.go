package reference

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

func TestReviewL5_AReferenceToAnotherNamespaceShowsNothingOfItsTarget(t *testing.T) {
	const refused = "ProjectVPC apps/main is in another namespace, which --no-cross-namespace-refs of the operator doesn't allow. Name an object in namespace team"
	failed := "status: {conditions: [{type: Ready, status: 'False', reason: AuthFailed, message: key token of Secret apps/aiven}]}"
	isReady := "status: {id: a, conditions: [{type: Ready, status: 'True'}]}"
	for name, tc := range map[string]struct {
		from, object      string
		refuses, deleting bool
		state             State
		reason, message   string
	}{
		"one of its own namespace that isn't ready": {
			from: "apps", object: failed, refuses: true,
			state: NotReady, reason: "AuthFailed", message: "ProjectVPC apps/main, named by spec.Peer, isn't ready (AuthFailed)",
		},
		"another one that isn't ready": {
			from: "team", object: failed,
			state: NotReady, reason: "NotReady", message: "ProjectVPC apps/main, named by spec.Peer, isn't ready",
		},
		"another one that was never reconciled": {
			from: "team", object: "spec: {}",
			state: NotReady, reason: "NotReady", message: "ProjectVPC apps/main, named by spec.Peer, isn't ready",
		},
		"another one that is being deleted": {
			from: "team", object: "metadata: {deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [example.org/wait]}",
			state: NotReady, reason: "NotReady", message: "ProjectVPC apps/main, named by spec.Peer, isn't ready",
		},
		"another one that is ready": {from: "team", object: isReady, state: Ready, reason: "Ready", message: "ProjectVPC apps/main is ready"},
		"another one, which is refused": {
			from: "team", object: isReady, refuses: true,
			state: Invalid, reason: "InvalidSpec", message: "spec.Peer: " + refused,
		},
		"another one, which doesn't hold up a deletion": {
			from: "team", object: isReady, refuses: true, deleting: true,
			state: NotFound, reason: "NotFound", message: "spec.Peer: " + refused,
		},
	} {
		t.Run(name, func(t *testing.T) {
			obj := referrer(tc.from, "x")
			if tc.deleting {
				obj.DeletionTimestamp = ptr.To(metav1.Now())
			}
			r := Resolver{Reader: readerOf(vpc(t, tc.object)), NoCrossNamespace: tc.refuses}
			o := only(t, r.Resolve(t.Context(), obj, []Declaration{declare("Peer", vpcKind, to("apps/main", ""))}))
			assert.Equal(t, tc.state, o.State)
			assert.Equal(t, tc.reason, o.Reason)
			assert.Equal(t, tc.message, o.Message)
			assert.Equal(t, tc.state == Invalid, fault.Is(o.Err, fault.Invalid))
			assert.Equal(t, tc.refuses && tc.from != "apps", o.UID == "", "what is refused isn't read")
		})
	}
}
