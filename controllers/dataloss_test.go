package controllers

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/mock/gomock"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/plan"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// lossy is a resource that differs in two ways until it is updated: correcting one of them loses data.
type lossy struct {
	env     Env
	differs Diff
	updated [][]string
	missing bool
}

const losingPath = "spec.powered"

func (l *lossy) observe(context.Context, *v1alpha1.ServiceUser) (Observation, error) {
	if l.missing {
		return nothing, nil
	}
	seen := allWell
	seen.Diff = l.differs
	if l.differs.Has(losingPath) && !l.env.MayLoseData {
		seen.Diff = l.differs.Without(losingPath)
		seen.Held = plan.Held{Diff: Diff{{Path: losingPath, Wanted: "false", Found: "true"}}, Loss: "spec.powered is false: all is lost"}
	}
	return seen, nil
}

func (l *lossy) update(_ context.Context, _ *v1alpha1.ServiceUser, seen Observation) (Observation, error) {
	l.updated = append(l.updated, seen.Diff.Paths())
	for _, path := range seen.Diff.Paths() {
		l.differs = l.differs.Without(path)
	}
	return allWell, nil
}

// newLossy is a user whose resource is a lossy one.
func newLossy(t *testing.T, differs Diff, changes ...func(*v1alpha1.ServiceUser)) (*world[*v1alpha1.ServiceUser], *lossy) {
	t.Helper()
	w, l := newWorld(t, newUser(changes...)), &lossy{differs: differs}
	newKind := w.engine.kind.New
	w.engine.kind.New = func(env Env) AivenController[*v1alpha1.ServiceUser] { l.env = env; return newKind(env) }
	w.aiven.EXPECT().Observe(gomock.Any(), gomock.Any()).DoAndReturn(l.observe).AnyTimes()
	w.aiven.EXPECT().Update(gomock.Any(), gomock.Any(), gomock.Any()).DoAndReturn(l.update).AnyTimes()
	return w, l
}

func TestWhatLosesDataWaitsForConsentToThisGeneration(t *testing.T) {
	w, l := newLossy(t, Diff{{Path: "spec.plan"}, {Path: losingPath}})
	_, err := w.reconcile()
	require.NoError(t, err)
	require.Equal(t, "False/ConfirmationRequired", w.ready())
	assert.Equal(t, "True/ConfirmationRequired", w.condition(condition.Stalled))
	assert.Equal(t, "True/ConfirmationRequired", w.condition(condition.Drifted))
	assert.Empty(t, w.processed(), "Aiven wasn't asked for all of it")
	require.Len(t, w.events, 1)
	assert.Contains(t, w.events[0], "controllers.aiven.io/confirm-data-loss=1")

	w.edit(func(u *v1alpha1.ServiceUser) {
		u.Generation = 2
		u.Annotations = map[string]string{annotation.ConfirmDataLoss: "1"}
	})
	w.settle()
	assert.Equal(t, "False/ConfirmationRequired", w.ready(), "what was confirmed was another spec")
	assert.Equal(t, [][]string{{"spec.plan"}}, l.updated, "the rest of the spec is applied")

	w.edit(annotated(annotation.ConfirmDataLoss, "2"))
	w.settle()
	assert.Equal(t, [][]string{{"spec.plan"}, {losingPath}}, l.updated)
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
	assert.Equal(t, "2", w.processed())
}

// While it is shown only, or missing, a service may be powered on at Aiven, and used.
func TestConsentThatWasUsedUpDoesNotComeBack(t *testing.T) {
	report, observe := annotated(annotation.Drift, "Report"), annotated(annotation.Management, policy.Observe)
	for name, between := range map[string]func(w *world[*v1alpha1.ServiceUser], l *lossy){
		"after drift was only reported": func(w *world[*v1alpha1.ServiceUser], _ *lossy) { w.edit(report); w.settle() },
		"after it was only observed":    func(w *world[*v1alpha1.ServiceUser], _ *lossy) { w.edit(observe); w.settle() },
		"after it was missing": func(w *world[*v1alpha1.ServiceUser], l *lossy) {
			l.missing = true
			w.settle()
			require.Equal(t, "False/RemoteMissing", w.ready())
			l.missing = false
		},
		"after it was missing, and only observed": func(w *world[*v1alpha1.ServiceUser], l *lossy) {
			w.edit(observe)
			l.missing = true
			w.settle()
			l.missing = false
			w.settle()
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, l := newLossy(t, nil)
			w.settle() // it is adopted, and as the spec asks
			w.engine.kind.HoldsData, w.engine.policies.Recreate = true, policy.Never
			w.edit(both(annotated(annotation.ConfirmDataLoss, "1"), annotated(annotation.Running, "false")))
			l.differs = Diff{{Path: losingPath}}
			between(w, l)
			w.edit(func(u *v1alpha1.ServiceUser) {
				delete(u.Annotations, annotation.Drift)
				delete(u.Annotations, annotation.Management)
			})
			w.settle()
			w.settle()
			assert.Empty(t, l.updated)
			assert.Equal(t, "False/ConfirmationRequired", w.ready())
		})
	}
}

// Consent is for what was there then. What shows that it was used up stays until it is known what is there now.
func TestAFailureInKubernetesBringsNoConsentBack(t *testing.T) {
	w, l := newLossy(t, Diff{{Path: losingPath}},
		annotated(annotation.ConfirmDataLoss, "1"), annotated(annotation.Processed, "1"), annotated(annotation.Running, "false"))
	w.settle()
	require.Equal(t, "False/ConfirmationRequired", w.ready())
	w.edit(func(u *v1alpha1.ServiceUser) { u.Finalizers = nil })
	w.fails("finalizers")
	_, err := w.reconcile()
	require.Error(t, err)
	assert.Equal(t, "false", w.get().GetAnnotations()[annotation.Running])
	w.settle()
	assert.Empty(t, l.updated)
	assert.Equal(t, "False/ConfirmationRequired", w.ready())
}
