package status

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/userconfig"
)

func TestDriftThatIsLeftIsShownReportedOnceAndForgotten(t *testing.T) {
	o := newObject(true)
	o.reconcile(t, inSync)
	left := func(f *Facts) {
		f.Drift = Drift{Reason: condition.ReasonTakenOver, Entries: []userconfig.Difference{{Path: "spec.plan", Wanted: "a", Found: "b"}}}
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
	entries := make([]userconfig.Difference, 10_000)
	for i := range entries {
		entries[i] = userconfig.Difference{Path: "spec.schema", Found: strings.Repeat("é", 1<<10)}
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
		f.Drift = Drift{Reason: condition.ReasonReportOnly, Entries: []userconfig.Difference{{Path: "spec.plan"}}}
	}
	o.reconcile(t, inSync, left)
	c := o.reconcile(t, func(f *Facts) { f.ObserveErr = down })
	assert.True(t, meta.IsStatusConditionTrue(c.Status.Conditions, condition.Drifted))
	assert.Len(t, c.Status.Drift, 1)
}

func TestDriftIsKeptWhileNothingIsCompared(t *testing.T) {
	for name, find := range map[string]finding{
		"its service is off": serviceOff, "its service is rebuilt": serviceBuilds, "nothing can be stored": all(serviceRuns, active, problem(errors.New("boom"))),
	} {
		t.Run(name, func(t *testing.T) {
			o := newObject(false)
			o.reconcile(t, inSync, func(f *Facts) {
				f.Drift = Drift{Reason: condition.ReasonReportOnly, Entries: []userconfig.Difference{{Path: "spec.plan"}}}
			})
			c := o.reconcile(t, find)
			assert.True(t, meta.IsStatusConditionTrue(c.Status.Conditions, condition.Drifted))
			assert.True(t, meta.IsStatusConditionTrue(c.Status.Conditions, condition.SecretReady))
			assert.Len(t, c.Status.Drift, 1)
			if c.Event != nil {
				assert.NotContains(t, c.Event.Note, "Drift is gone")
			}
		})
	}
}

// Credentials may stand in the spec, and others may have written what is found at Aiven.
func TestDriftShowsNoSecret(t *testing.T) {
	shown := v1alpha1.DriftEntry{Path: "spec.plan", Wanted: "a", Found: "b"}
	hidden := func(path string) v1alpha1.DriftEntry {
		return v1alpha1.DriftEntry{Path: path, Wanted: "(secret)", Found: "(secret)"}
	}
	for name, tc := range map[string]struct {
		found userconfig.Difference
		want  v1alpha1.DriftEntry
	}{
		"another option":       {userconfig.Difference{Path: "spec.plan", Wanted: "a", Found: "b"}, shown},
		"a dotted name":        {userconfig.Difference{Path: "spec.userConfig.aws.secret.access.key", Wanted: "a", Found: "b"}, hidden("spec.userConfig.aws.secret.access.key")},
		"a name with dashes":   {userconfig.Difference{Path: "spec.userConfig.api-key", Wanted: "a", Found: "b"}, hidden("spec.userConfig.api-key")},
		"one that is missing":  {userconfig.Difference{Path: "spec.userConfig.database.password", Wanted: "a"}, hidden("spec.userConfig.database.password")},
		"a password in a URI":  {userconfig.Difference{Path: "spec.url", Found: "jdbc:pg://u:pw@h"}, v1alpha1.DriftEntry{Path: "spec.url", Found: "jdbc:pg://u:***@h"}},
		"a value of a Secret":  {userconfig.Difference{Path: "spec.x", Wanted: "a", Found: "s3cretValue1"}, v1alpha1.DriftEntry{Path: "spec.x", Wanted: "a", Found: "***"}},
		"a short one":          {userconfig.Difference{Path: "spec.x", Wanted: "q7", Found: "b"}, v1alpha1.DriftEntry{Path: "spec.x", Wanted: "***", Found: "b"}},
		"one with other texts": {userconfig.Difference{Path: "spec.x", Found: "x s3cretValue1 y"}, v1alpha1.DriftEntry{Path: "spec.x", Found: "x *** y"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := newObject(true).reconcile(t, inSync, func(f *Facts) {
				f.Secrets = &fault.Secrets{}
				f.Secrets.Add("s3cretValue1", "q7")
				f.Drift = Drift{Reason: condition.ReasonReportOnly, Entries: []userconfig.Difference{tc.found}}
			})
			assert.Equal(t, []v1alpha1.DriftEntry{tc.want}, c.Status.Drift)
		})
	}
}
