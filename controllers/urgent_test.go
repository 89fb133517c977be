package controllers

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/status"
)

func TestCallsForEditsDeletionsAndRequestsHavePriority(t *testing.T) {
	for name, tc := range map[string]struct {
		generation int64
		applied    bool
		change     func(*v1alpha1.Database)
		want       bool
	}{
		"an object in sync is polled":             {generation: 3, applied: true},
		"an edit overtakes":                       {generation: 2, want: true},
		"a deletion overtakes":                    {generation: 1, applied: true, change: func(d *v1alpha1.Database) { d.DeletionTimestamp = &metav1.Time{Time: time.Now()} }, want: true},
		"a requested observation overtakes":       {generation: 1, applied: true, change: func(d *v1alpha1.Database) { metav1.SetMetaDataAnnotation(&d.ObjectMeta, annotation.Requested, "now") }, want: true},
		"a thousand new objects overtake no edit": {generation: 1},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDatabase()
			if tc.change != nil {
				tc.change(d)
			}
			p := &pass[*v1alpha1.Database]{before: d, facts: status.Facts{Generation: tc.generation, GenerationApplied: tc.applied}}
			assert.Equal(t, tc.want, p.isUrgent())
		})
	}
}
