package controllers

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/policy"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// accepted has a status by which Aiven has accepted the first generation, as an object with this provenance had it.
func accepted(provenance v1alpha1.Provenance) func(*v1alpha1.ServiceUser) {
	return func(u *v1alpha1.ServiceUser) {
		u.Status.ObservedGeneration, u.Status.Provenance = 1, &provenance
		u.Status.Conditions = append(u.Status.Conditions, metav1.Condition{
			Type: condition.LegacyInitialized, Status: metav1.ConditionTrue, Reason: condition.LegacyReasonCreatedOrUpdated, ObservedGeneration: 1,
			LastTransitionTime: metav1.Now(),
		})
	}
}

func unannotated(name string) func(*v1alpha1.ServiceUser) {
	return func(u *v1alpha1.ServiceUser) { delete(u.Annotations, name) }
}

// adopts consents to an adoption.
func adopts(u *v1alpha1.ServiceUser) {
	both(annotated(annotation.Adoption, policy.Adopt), annotated(annotation.Deletion, policy.Orphan))(u)
}

// A Kafka Connect that is switched off for a while hides its connectors, and doesn't lose them.
func TestWhatCannotBeAskedForIsNotGone(t *testing.T) {
	hidden := Observation{Services: runs, Remote: status.Remote{Unread: true, Message: "Waiting for Kafka Connect"}, WaitFor: "Waiting for Kafka Connect"}
	w := newRetired(t, hidden)
	assert.Equal(t, "Unknown/Progressing", w.ready())
	assert.Equal(t, "Waiting for Kafka Connect", w.message(condition.Ready))
	assert.Equal(t, "False/Unknown", w.condition(condition.RemoteReady), "it isn't said to be missing")
	assert.Equal(t, v1alpha1.PhaseDegraded, w.get().Status.Phase, "it was usable")
	assert.Equal(t, v1alpha1.ProvenanceCreated, w.get().Status.Provenance.Type)
	w.edit(unannotated(annotation.Management))
	w.observes(allWell, nil).Times(1)
	w.settle()
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())

	w.edit(annotated(annotation.Drift, "Report"))
	w.observes(differs, nil).Times(1)
	w.settle()
	require.Equal(t, "True/ReportOnly", w.condition(condition.Drifted))
	w.observes(hidden, nil).Times(1)
	w.settle()
	assert.Equal(t, "True/ReportOnly", w.condition(condition.Drifted), "which isn't gone, either")
}

// A service that is absent is gone, also where what it is made from isn't ready to make it again.
func TestWhatWaitsForItsSourceIsGone(t *testing.T) {
	w := newRetired(t, Observation{Services: runs, WaitFor: "Waiting for the source"})
	assert.Equal(t, v1alpha1.ProvenanceObserved, w.get().Status.Provenance.Type)
}

// A status that a backup has brought along is another object's. It says nothing, also once its object has adopted what it manages.
func TestAStatusThatIsBroughtAlongProvesNoAcceptance(t *testing.T) {
	for name, first := range map[string]func(*v1alpha1.ServiceUser){
		"it shows drift only at first": annotated(annotation.Drift, "Report"),
		"it corrects drift":            func(*v1alpha1.ServiceUser) {},
	} {
		t.Run(name, func(t *testing.T) {
			w, s := newReviewed(t, policy.HoldAll, bothChanges(), first, adopts, annotated(annotation.Processed, "1"),
				accepted(v1alpha1.Provenance{Type: v1alpha1.ProvenanceCreated, UID: "of-another"}))
			s.never = []string{"spec.userConfig.x"}
			w.settle()
			w.edit(unannotated(annotation.Drift))
			w.settle()
			w.settle()
			assert.Empty(t, s.updated)
			assert.Equal(t, "Unknown/AwaitingApproval", w.ready())
			approvePending(t, w)
			assert.Equal(t, [][]string{{"spec.userConfig.x"}}, s.written, "what Aiven never returns is sent as well")
		})
	}
}

// What an heir has accepted while it observed what another object managed wasn't asked for.
func TestAnHeirHasAcceptedNothingOfWhatItOnlyObserved(t *testing.T) {
	heir := twin(token(metav1.ConditionTrue), accepted(v1alpha1.Provenance{Type: v1alpha1.ProvenanceObserved, UID: "uid-twin"}))
	w := newWorld(t, newUser(finalized), heir)
	w.engine.policies.Change = policy.HoldAll
	w.delete()
	w.settle()
	require.True(t, w.gone())
	w.key = client.ObjectKeyFromObject(heir)
	require.Equal(t, v1alpha1.ProvenanceAdopted, w.get().Status.Provenance.Type)
	w.observes(differs, nil)
	w.settle() // an update would be a call that the mock doesn't expect
	assert.Equal(t, "Unknown/AwaitingApproval", w.ready())
}

// A user who removes the mark asks for what was accepted of what the object manages, and not of what it observed.
func TestAnApplyIsRequestedOnlyOfWhatWasAccepted(t *testing.T) {
	w, s := newReviewed(t, policy.HoldAll, nil, annotated(annotation.Management, policy.Observe))
	w.settle()
	require.Equal(t, "1", w.processed())
	s.differs = bothChanges()
	w.edit(func(u *v1alpha1.ServiceUser) {
		u.Annotations = map[string]string{annotation.Drift: "Report"}
		adopts(u)
	})
	w.settle()
	assert.Empty(t, w.processed(), "nothing was asked for")
	w.edit(unannotated(annotation.Drift))
	w.settle()
	w.settle()
	assert.Empty(t, s.updated)
	assert.Equal(t, "Unknown/AwaitingApproval", w.ready())
}

// What waits for approval is left out of the apply that a user asks for, once.
func TestAnApplyThatIsRequestedBesideWhatWaitsIsMadeOnce(t *testing.T) {
	w, s := newReviewed(t, policy.HoldDisruptive, Diff{{Path: disruptivePath, Wanted: "a", Found: "b"}})
	w.settle()
	approvePending(t, w)
	s.updated = nil
	waiting := w.get() // a referent was replaced
	waiting.Status.PendingChanges = &v1alpha1.PendingChanges{Hash: "h"}
	require.NoError(t, w.cluster.Status().Update(t.Context(), waiting))
	s.differs = Diff{{Path: disruptivePath, Wanted: "a", Found: "c"}}
	w.settle()
	require.NotNil(t, w.pending())
	require.Equal(t, "1", w.processed())
	w.edit(unannotated(annotation.Processed))
	for range 4 {
		w.settle()
	}
	assert.Len(t, s.updated, 1)
	assert.Equal(t, "1", w.processed())
	assert.Equal(t, "Unknown/AwaitingApproval", w.ready())
}

// Who reads readiness from the annotation doesn't take another client's service for that of the object.
func TestAMarkThatIsBroughtAlongDoesNotCallALossReady(t *testing.T) {
	w, _ := newLossy(t, Diff{{Path: losingPath}}, annotated(annotation.Running, "true"), annotated(annotation.Processed, "1"))
	w.engine.policies.Adoption = policy.Never
	w.settle()
	require.Equal(t, "False/AlreadyExists", w.ready())
	assert.NotContains(t, w.get().Annotations, annotation.Running)
}
