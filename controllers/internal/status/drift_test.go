package status

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
)

func TestDriftThatIsLeftIsShownReportedOnceAndForgotten(t *testing.T) {
	o := newObject(true)
	o.reconcile(t, inSync)
	left := func(f *Facts) {
		f.Drift = Drift{Reason: condition.ReasonTakenOver, Entries: []v1alpha1.DriftEntry{{Path: "spec.plan", Wanted: "a", Found: "b"}}}
	}
	for i := range 3 {
		o.now = o.now.Add(10 * time.Minute)
		c := o.reconcile(t, inSync, left)
		require.True(t, meta.IsStatusConditionTrue(c.Status.Conditions, condition.Ready), "drift that is left is no reason to wait")
		require.True(t, meta.IsStatusConditionTrue(c.Status.Conditions, condition.Drifted))
		assert.Len(t, c.Status.Drift, 1)
		assert.Equal(t, timings.Poll, c.Result.RequeueAfter)
		if i > 0 {
			assert.Nil(t, c.Event, "V03")
			continue
		}
		require.NotNil(t, c.Event)
		assert.Equal(t, EventDrift, c.Event.Reason)
		assert.Contains(t, c.Event.Note, "spec.plan")
		assert.Contains(t, c.Event.Note, annotation.Drift, "the remedy is named")
	}
	c := o.reconcile(t, inSync)
	assert.Nil(t, meta.FindStatusCondition(c.Status.Conditions, condition.Drifted))
	assert.Empty(t, c.Status.Drift)
}

// What is found at Aiven, others have written: a schema of a megabyte, or thousands of keys.
func TestDriftFitsIntoAnObject(t *testing.T) {
	o := newObject(true)
	entries := make([]v1alpha1.DriftEntry, 10_000)
	for i := range entries {
		entries[i] = v1alpha1.DriftEntry{Path: "spec.schema", Found: strings.Repeat("é", 1<<10)}
	}
	c := o.reconcile(t, inSync, func(f *Facts) { f.Drift = Drift{Reason: condition.ReasonReportOnly, Entries: entries} })
	raw, err := json.Marshal(c.Status)
	require.NoError(t, err)
	assert.Less(t, len(raw), 256<<10)
	assert.Len(t, entries[0].Found, 2<<10, "what decides isn't changed")
}

func TestDriftIsKeptWhileAivenCannotBeRead(t *testing.T) {
	o := newObject(true)
	left := func(f *Facts) {
		f.Drift = Drift{Reason: condition.ReasonReportOnly, Entries: []v1alpha1.DriftEntry{{Path: "spec.plan"}}}
	}
	o.reconcile(t, inSync, left)
	c := o.reconcile(t, func(f *Facts) { f.ObserveErr = down })
	assert.True(t, meta.IsStatusConditionTrue(c.Status.Conditions, condition.Drifted))
	assert.Len(t, c.Status.Drift, 1)
}
