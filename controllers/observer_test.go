package controllers

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// lostUser is a user whose creation may succeed without an answer.
type lostUser struct{ *contest }

func (l lostUser) Create(context.Context, *v1alpha1.ServiceUser) (Observation, error) {
	l.exists = true
	if l.fails {
		return Observation{}, answer(502, "oops")
	}
	return allWell, nil
}

func (l lostUser) Delete(context.Context, *v1alpha1.ServiceUser) error {
	l.exists = false
	return nil
}

// An object that only observes has created the user once. It was removed at the console before that object was reconciled again, and
// another object creates it without an answer: what that has begun is its own, also if the operator remembers nothing.
func TestReviewH3_AnObserverLeavesOthersWhatTheyHaveCreated(t *testing.T) {
	c := newContest(t, policy.Never)
	c.kind.New = func(Env) AivenController[*v1alpha1.ServiceUser] { return lostUser{c} }
	creator, observer := contender{token: true}.of(namesake(aged(time.Hour))), contender{token: true}.of(newUser(aged(2*time.Hour)))
	reconciled := func(one *contender) error {
		_, err := c.engine.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(one.object)})
		return err
	}
	for name, observes := range map[string]func() error{
		"it is reconciled": func() error { return reconciled(observer) },
		"it is deleted":    func() error { c.toggle(observer); return reconciled(observer) },
	} {
		t.Run(name, func(t *testing.T) {
			c.begin(creator, observer)
			c.toggle(observer)
			require.NoError(t, reconciled(observer))
			live := c.live(t.Context(), observer)
			require.Equal(t, v1alpha1.ProvenanceCreated, live.Status.Provenance.Type)
			metav1.SetMetaDataAnnotation(&live.ObjectMeta, annotation.Management, policy.Observe)
			require.NoError(t, c.cluster.Update(t.Context(), live))

			c.exists, c.fails = false, true
			c.toggle(creator)
			require.ErrorContains(t, reconciled(creator), "oops")
			c.fails = false
			require.NoError(t, observes())
			c.start(aiven.Options{BaseURL: "http://192.0.2.1"})
			require.NoError(t, reconciled(creator))
			assert.Equal(t, "True/"+"ReconciliationSucceeded", readyOf(c.live(t.Context(), creator)))
			c.toggle(creator)
			require.NoError(t, reconciled(creator))
			assert.False(t, c.exists, "it goes with its object")
			if c.live(t.Context(), observer) != nil {
				c.toggle(observer)
				require.NoError(t, reconciled(observer))
			}
		})
	}
}
