package store

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
)

func TestNoticesAreThoseOfAServiceThatTheObjectOwnsOrObserves(t *testing.T) {
	known := v1alpha1.ServiceNotices{Version: "17", ConsoleURL: "https://console.example.org"}
	ready := func(status metav1.ConditionStatus, reason string) []metav1.Condition {
		return []metav1.Condition{{Type: "Ready", Status: status, Reason: reason}}
	}
	provenance := func(kind v1alpha1.ProvenanceType) *v1alpha1.Provenance {
		return &v1alpha1.Provenance{Type: kind, UID: "one"}
	}
	for name, tc := range map[string]struct {
		status v1alpha1.CommonStatus
		want   v1alpha1.ServiceNotices
	}{
		"created":              {v1alpha1.CommonStatus{Provenance: provenance(v1alpha1.ProvenanceCreated)}, known},
		"observed":             {v1alpha1.CommonStatus{Provenance: provenance(v1alpha1.ProvenanceObserved), Conditions: ready("True", "ReconciliationSucceeded")}, known},
		"a failure is no loss": {v1alpha1.CommonStatus{Provenance: provenance(v1alpha1.ProvenanceCreated), Conditions: ready("False", "InvalidSpec")}, known},
		"no provenance":        {},
		"that of another object": {
			status: v1alpha1.CommonStatus{Provenance: &v1alpha1.Provenance{Type: v1alpha1.ProvenanceCreated, UID: "two"}},
		},
		"observed before, and not adopted": {
			status: v1alpha1.CommonStatus{Provenance: provenance(v1alpha1.ProvenanceObserved), Conditions: ready("False", "AlreadyExists")},
		},
		"another object's": {
			status: v1alpha1.CommonStatus{Provenance: provenance(v1alpha1.ProvenanceCreated), Conditions: ready("False", "Conflict")},
		},
	} {
		t.Run(name, func(t *testing.T) {
			pg := &v1alpha1.PostgreSQL{ObjectMeta: metav1.ObjectMeta{UID: "one"}}
			pg.Status.ServiceNotices = known
			withholdNotices(pg, &tc.status)
			assert.Equal(t, tc.want, pg.Status.ServiceNotices)
		})
	}
	withholdNotices(&v1alpha1.Database{}, &v1alpha1.CommonStatus{}) // has none
}
