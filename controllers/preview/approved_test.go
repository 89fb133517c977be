package preview

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// approvedPlan is the hash of spec.plan: startup-4 -> business-8, as a status has it.
const approvedPlan = "15c0218842e04f28c7041fc62a74c767f12fdcd7"

func TestWhatTheManifestApprovesDoesNotWait(t *testing.T) {
	tagged := func(pg *v1alpha1.PostgreSQL) { pg.Spec.Tags = map[string]string{"team": "a"} }
	larger := func(pg *v1alpha1.PostgreSQL) { pg.Spec.Plan = "business-16" }
	const all, disruptive = "The changes wait for approval", "What is disruptive waits for approval"
	for name, tc := range map[string]struct {
		policy, approved string
		edit             func(*v1alpha1.PostgreSQL)
		waits            string
	}{
		"approved, where all changes are held":        {policy: policy.HoldAll, approved: approvedPlan},
		"approved, where disruptive changes are held": {policy: policy.HoldDisruptive, approved: approvedPlan},
		"approved, beside what needs no approval":     {policy: policy.HoldDisruptive, approved: approvedPlan, edit: tagged},
		"approved, beside what isn't approved":        {policy: policy.HoldAll, approved: approvedPlan, edit: tagged, waits: all},
		"an approval of another change":               {policy: policy.HoldDisruptive, approved: approvedPlan, edit: larger, waits: disruptive},
		"another approval":                            {policy: policy.HoldAll, approved: "2" + approvedPlan[1:], waits: all},
		"no approval":                                 {policy: policy.HoldDisruptive, waits: disruptive},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			for _, plan := range []string{"startup-4", "business-8", "business-16"} {
				w.aiven.On("GET pricing/service-types/pg/plans/"+plan+"/clouds/google-europe-west1", aiventest.Refused(403, "Forbidden"))
			}
			got := w.compare(t, owned(func(pg *v1alpha1.PostgreSQL) {
				pg.Spec.Plan, pg.Annotations[annotation.ChangePolicy] = "business-8", tc.policy
				if tc.approved != "" {
					pg.Annotations[annotation.ApprovedChanges] = tc.approved
				}
				if tc.edit != nil {
					tc.edit(pg)
				}
			}))
			assert.Equal(t, Update, got.Action)
			assert.True(t, got.Disruptive(), "an approval makes it no less disruptive")
			if tc.waits == "" {
				assert.Empty(t, got.Message)
			}
			assert.Contains(t, got.Message, tc.waits)
		})
	}
}

func TestWhatWasAcceptedBeforeAndChangedAtAivenDoesNotWait(t *testing.T) {
	for name, tc := range map[string]struct {
		generation int64
		pending    *v1alpha1.PendingChanges
		waits      bool
	}{
		"this generation": {generation: 2}, "an earlier generation": {generation: 1, waits: true},
		"this generation, of which something waits": {generation: 2, pending: &v1alpha1.PendingChanges{Hash: approvedPlan}, waits: true},
	} {
		t.Run(name, func(t *testing.T) {
			got := newWorld(t).compare(t, owned(func(pg *v1alpha1.PostgreSQL) {
				pg.Spec.Tags, pg.Annotations[annotation.ChangePolicy] = map[string]string{"team": "a"}, policy.HoldAll
				pg.Status.PendingChanges = tc.pending
				pg.Status.Conditions = []metav1.Condition{{
					Type: condition.LegacyInitialized, Status: metav1.ConditionTrue, Reason: condition.LegacyReasonCreatedOrUpdated, ObservedGeneration: tc.generation,
				}}
			}))
			assert.Equal(t, Update, got.Action)
			assert.Equal(t, tc.waits, got.Message != "", got.Message)
		})
	}
}
