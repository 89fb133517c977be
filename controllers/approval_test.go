package controllers

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/mock/gomock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/policy"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// Changes of a user: one takes permissions away, the other disturbs no client.
const (
	disruptivePath = "spec.accessControl"
	harmlessPath   = "spec.connInfoSecretTarget.prefix"
)

// separable is a resource whose differences can be corrected one by one, as an update does.
type separable struct {
	*MockAivenController[*v1alpha1.ServiceUser]
	together bool // they can't
	differs  Diff
	never    []string // paths that Aiven never returns
	updated  [][]string
	written  [][]string
	held     [][]string
	killed   bool // the operator ends before the update is sent
	unshown  bool // what was written before isn't shown yet
}

func (s *separable) Separates(client.Object, Diff) bool { return !s.together }

func (s *separable) observe(context.Context, *v1alpha1.ServiceUser) (Observation, error) {
	if s.unshown && len(s.differs) > 0 {
		return Observation{Services: runs, WaitFor: "Waiting for Aiven", Remote: status.Remote{Exists: true, Reason: condition.ReasonUpdating}}, nil
	}
	seen := allWell
	seen.Diff, seen.WriteOnly = s.differs, s.never
	return seen, nil
}

func (s *separable) update(ctx context.Context, _ *v1alpha1.ServiceUser, seen Observation) (Observation, error) {
	if s.killed {
		return Observation{}, context.Canceled
	}
	s.updated, s.held, s.written = append(s.updated, seen.Diff.Paths()), append(s.held, seen.Held.Diff.Paths()), append(s.written, seen.WriteOnly)
	for _, path := range seen.Diff.Paths() {
		s.differs = s.differs.Without(path)
	}
	return s.observe(ctx, nil)
}

// newReviewed is a user whose changes are reviewed, as the operator's flag says.
func newReviewed(t *testing.T, flag string, differs Diff, changes ...func(*v1alpha1.ServiceUser)) (*world[*v1alpha1.ServiceUser], *separable) {
	t.Helper()
	w := newWorld(t, newUser(changes...))
	s := &separable{MockAivenController: w.aiven, differs: differs}
	w.kind.New = func(Env) AivenController[*v1alpha1.ServiceUser] { return s }
	w.start(aiven.Options{BaseURL: "http://192.0.2.1"})
	w.engine.policies.Change = flag
	w.aiven.EXPECT().Observe(gomock.Any(), gomock.Any()).DoAndReturn(s.observe).AnyTimes()
	w.aiven.EXPECT().Update(gomock.Any(), gomock.Any(), gomock.Any()).DoAndReturn(s.update).AnyTimes()
	return w, s
}

func bothChanges() Diff {
	return Diff{{Path: disruptivePath, Wanted: "a", Found: "b"}, {Path: harmlessPath, Wanted: "X_", Found: "Y_"}}
}

func (w *world[T]) pending() *v1alpha1.PendingChanges {
	return w.get().GetCommonStatus().PendingChanges
}

// approvePending approves what waits.
func approvePending(t *testing.T, w *world[*v1alpha1.ServiceUser]) {
	t.Helper()
	require.NotNil(t, w.pending())
	w.edit(annotated(annotation.ApprovedChanges, w.pending().Hash))
	w.settle()
	w.settle()
}

func TestADisruptiveChangeWaitsForApprovalOfExactlyIt(t *testing.T) {
	w, s := newReviewed(t, policy.HoldDisruptive, bothChanges())
	_, err := w.reconcile()
	require.NoError(t, err)
	require.Len(t, w.events, 1)
	assert.Contains(t, w.events[0], "Not applied before approval: "+disruptivePath+" (AccessLost)")
	w.settle()
	assert.Equal(t, [][]string{{harmlessPath}}, s.updated, "the rest is sent")
	assert.Equal(t, [][]string{{disruptivePath}}, s.held)
	assert.Equal(t, "Unknown/AwaitingApproval", w.ready())
	assert.Equal(t, "True/AwaitingApproval", w.condition(condition.ChangesPending))
	assert.Equal(t, "True/AwaitingApproval", w.condition(condition.Reconciling))
	assert.Empty(t, w.condition(condition.Drifted), "a change isn't drift")
	assert.Empty(t, w.processed(), "Aiven wasn't asked for all of it")
	pending := w.pending()
	require.NotNil(t, pending)
	assert.Len(t, pending.Hash, 40)
	assert.Equal(t, []v1alpha1.PendingChange{{
		Path: disruptivePath, From: "b", To: "a", Impact: []string{"AccessLost"}, Message: "the user has only the permissions that are in the spec",
	}}, pending.Changes)

	w.edit(annotated(annotation.ApprovedChanges, "0123456789abcdef0123456789abcdef01234567"))
	w.now = w.now.Add(time.Hour)
	_, err = w.reconcile()
	require.NoError(t, err)
	assert.Equal(t, []string{"status"}, w.journal, "another hash approves nothing, and Ready says so")
	assert.Contains(t, w.message(condition.Ready), "Another hash is approved")
	_, err = w.reconcile()
	require.NoError(t, err)
	assert.Len(t, w.journal, 1, "a held object is at rest")
	assert.Empty(t, w.events)
	assert.Len(t, s.updated, 1)

	s.differs = Diff{{Path: disruptivePath, Wanted: "c", Found: "b"}}
	w.edit(annotated(annotation.ApprovedChanges, pending.Hash))
	w.settle()
	assert.Len(t, s.updated, 1, "what was approved was another change")
	assert.NotEqual(t, pending.Hash, w.pending().Hash)

	w.edit(annotated(annotation.ApprovedChanges, w.pending().Hash))
	w.settle()
	assert.Equal(t, [][]string{{harmlessPath}, {disruptivePath}}, s.updated)
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
	assert.Equal(t, "1", w.processed())
	assert.Nil(t, w.pending())
	assert.Empty(t, w.condition(condition.ChangesPending))
}

func TestHoldAllHoldsWhatDisturbsNoClient(t *testing.T) {
	w, s := newReviewed(t, policy.HoldAll, Diff{{Path: harmlessPath, Wanted: "X_", Found: "Y_"}})
	w.settle()
	assert.Empty(t, s.updated)
	require.NotNil(t, w.pending())
	assert.Empty(t, w.pending().Changes[0].Impact)
}

func TestTheObjectsPolicyComesFirst(t *testing.T) {
	w, s := newReviewed(t, policy.HoldAll, bothChanges(), annotated(annotation.ChangePolicy, policy.Auto))
	w.settle()
	assert.Len(t, s.updated, 1)
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
}

func TestWhatCannotBeLeftOutHoldsTheRest(t *testing.T) {
	w, s := newReviewed(t, policy.HoldDisruptive, bothChanges())
	s.together = true
	w.settle()
	w.settle()
	assert.Empty(t, s.updated)
	require.Len(t, w.pending().Changes, 2, "what is approved is all that is sent")
	w.edit(annotated(annotation.ApprovedChanges, w.pending().Hash))
	w.settle()
	assert.Equal(t, [][]string{{disruptivePath, harmlessPath}}, s.updated)
}

func TestWhatWasAcceptedBeforeIsCorrectedWithoutApproval(t *testing.T) {
	w, s := newReviewed(t, policy.HoldAll, nil)
	w.settle()
	require.Equal(t, "1", w.processed())
	s.differs = bothChanges()
	w.settle()
	assert.Equal(t, [][]string{{disruptivePath, harmlessPath}}, s.updated, "a change at the console")

	w.edit(func(u *v1alpha1.ServiceUser) { delete(u.Annotations, annotation.Processed) })
	s.differs = bothChanges()
	w.settle()
	assert.Len(t, s.updated, 2, "so it is where a user asks for a fresh apply of it")

	w.edit(func(u *v1alpha1.ServiceUser) { u.Generation = 2 })
	s.differs = bothChanges()
	w.settle()
	assert.Len(t, s.updated, 2, "an edit is another thing")
	w.edit(func(u *v1alpha1.ServiceUser) { delete(u.Annotations, annotation.Processed) })
	w.settle()
	w.settle()
	assert.Len(t, s.updated, 2, "which no annotation makes an accepted one")
}

func TestAnAnnotationThatIsBroughtAlongProvesNoAcceptance(t *testing.T) {
	w, s := newReviewed(t, policy.HoldDisruptive, Diff{{Path: disruptivePath, Wanted: "a", Found: "b"}}, forged, annotated(annotation.Adoption, policy.Adopt),
		annotated(annotation.Deletion, policy.Orphan), annotated(annotation.Processed, "1"))
	for range 4 {
		w.settle()
	}
	assert.Empty(t, s.updated, "what an adoption would change waits, too")
	assert.Equal(t, "Unknown/AwaitingApproval", w.ready())
	assert.Equal(t, v1alpha1.ProvenanceAdopted, w.get().Status.Provenance.Type)
}

// What is left as it is proves nothing, either: nothing was sent.
func TestAnAnnotationThatIsBroughtAlongProvesNoAcceptanceOfWhatIsLeftAsItIs(t *testing.T) {
	for left, change := range map[string]func(*v1alpha1.ServiceUser){
		annotation.Management: annotated(annotation.Management, policy.Observe),
		annotation.Drift:      annotated(annotation.Drift, "Report"),
	} {
		t.Run(left, func(t *testing.T) {
			w, s := newReviewed(t, policy.HoldDisruptive, Diff{{Path: disruptivePath, Wanted: "a", Found: "b"}}, change, annotated(annotation.Adoption, policy.Adopt),
				annotated(annotation.Deletion, policy.Orphan), annotated(annotation.Processed, "1"))
			for range 4 {
				w.settle()
			}
			require.Empty(t, s.updated)
			w.edit(func(u *v1alpha1.ServiceUser) { delete(u.Annotations, left) })
			for range 4 {
				w.settle()
			}
			assert.Empty(t, s.updated)
			assert.Equal(t, "Unknown/AwaitingApproval", w.ready())
		})
	}
}

// What was accepted while the object only observed wasn't sent: what differs since waits like any other change.
func TestAnAcceptanceOfWhatWasOnlyObservedIsNoneOfWhatIsAdopted(t *testing.T) {
	for name, failing := range map[string]bool{"at once": false, "after a status that wasn't stored": true} {
		t.Run(name, func(t *testing.T) {
			w, s := newReviewed(t, policy.HoldAll, nil, annotated(annotation.Management, policy.Observe))
			w.settle()
			require.Equal(t, "1", w.processed())
			s.differs, s.never = bothChanges(), []string{"spec.userConfig.x"}
			w.edit(func(u *v1alpha1.ServiceUser) {
				u.Annotations = map[string]string{annotation.Processed: "1", annotation.Adoption: policy.Adopt, annotation.Deletion: policy.Orphan}
			})
			if failing {
				w.failsAfter("status")
				_, err := w.reconcile()
				require.Error(t, err)
				require.Equal(t, v1alpha1.ProvenanceAdopted, w.get().Status.Provenance.Type)
			}
			for range 4 {
				w.settle()
			}
			assert.Empty(t, s.updated)
			assert.Equal(t, "Unknown/AwaitingApproval", w.ready())
			approvePending(t, w)
			assert.Equal(t, [][]string{{"spec.userConfig.x"}}, s.written)
			assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
		})
	}
}

// The rest of a generation may be applied, and what waits isn't.
func TestWhatAivenNeverReturnsIsSentOnceItIsApproved(t *testing.T) {
	w, s := newReviewed(t, policy.HoldAll, nil)
	s.never = []string{"spec.userConfig.x"}
	w.settle()
	w.settle()
	require.Empty(t, s.written)
	approvePending(t, w)
	assert.Equal(t, [][]string{{"spec.userConfig.x"}}, s.written, "once")
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
	assert.Equal(t, "1", w.processed())
}

func TestNothingWaitsForApprovalThatIsNotWrittenAnyway(t *testing.T) {
	for name, change := range map[string]func(*v1alpha1.ServiceUser){
		"a paused object":         annotated(annotation.Paused, "true"),
		"one that only observes":  annotated(annotation.Management, policy.Observe),
		"one that reports drift":  annotated(annotation.Drift, "Report"),
		"one that doesn't own it": annotated(annotation.Adoption, policy.Never),
	} {
		t.Run(name, func(t *testing.T) {
			w, s := newReviewed(t, policy.HoldAll, bothChanges(), change)
			w.settle()
			assert.Nil(t, w.pending())
			assert.Empty(t, s.updated)
			assert.NotContains(t, w.ready(), condition.ReasonAwaitingApproval)
		})
	}
}

func TestACreationIsNoChange(t *testing.T) {
	w := newWorld(t, newUser())
	w.engine.policies.Change = policy.HoldAll
	w.observes(nothing, nil).Times(1)
	w.creates(allWell, nil).Times(1)
	w.settle()
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
}

// An operator that is killed starts again from the object and from Aiven.
func TestAnApprovedChangeIsMadeOnceIfTheOperatorIsKilled(t *testing.T) {
	for name, tc := range map[string]struct {
		killedBefore bool // the update, else after it
		updates      int
	}{"between approval and update": {true, 1}, "between the update and its status": {false, 1}} {
		t.Run(name, func(t *testing.T) {
			w, s := newReviewed(t, policy.HoldAll, Diff{{Path: disruptivePath, Wanted: "a", Found: "b"}})
			w.settle()
			w.edit(annotated(annotation.ApprovedChanges, w.pending().Hash))
			w.before = func(call string) error {
				if call == "status" {
					return errors.New("killed")
				}
				return nil
			}
			if tc.killedBefore {
				s.killed = true
				_, _ = w.reconcile()
				require.Len(t, s.differs, 1, "Aiven wasn't asked")
				s.killed = false
			} else {
				_, err := w.reconcile()
				require.Error(t, err)
			}
			w.before = func(string) error { return nil }
			w.start(aiven.Options{BaseURL: "http://192.0.2.1"})
			w.engine.policies.Change = policy.HoldAll
			w.settle()
			w.settle()
			assert.Len(t, s.updated, tc.updates)
			assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
			assert.Equal(t, "1", w.processed())
		})
	}
}
