package status

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
)

func TestARequestForARotationIsHandledOnceTheSecretHasThePassword(t *testing.T) {
	published := Secret{Applies: true, Published: true, Name: "app"}
	for name, tc := range map[string]struct {
		rotation *Rotation
		secret   Secret
		err      error
		handled  string
		after    time.Duration // 0 for that of the row
	}{
		"the station isn't reached":          {secret: published, handled: "before"},
		"nothing was requested":              {rotation: &Rotation{}, secret: published, handled: "before"},
		"it is published":                    {rotation: &Rotation{Request: "now", Publishes: true, Tidies: true}, secret: published, handled: "now", after: time.Millisecond},
		"it is published, by the clock":      {rotation: &Rotation{Publishes: true, Tidies: true}, secret: published, handled: "before", after: time.Millisecond},
		"it isn't published":                 {rotation: &Rotation{Request: "now", Publishes: true, Tidies: true}, secret: Secret{Applies: true}, handled: "before"},
		"Aiven refuses it":                   {rotation: &Rotation{Request: "now", Publishes: true, Tidies: true}, secret: published, err: errors.New("refused"), handled: "before"},
		"there is nothing to rotate":         {rotation: &Rotation{Request: "now"}, secret: Secret{Applies: true}, handled: "now"},
		"it is due before the next poll":     {rotation: &Rotation{After: time.Minute}, secret: published, handled: "before", after: time.Minute},
		"it is due long after the next poll": {rotation: &Rotation{After: time.Hour}, secret: published, handled: "before", after: timings.Poll},
	} {
		t.Run(name, func(t *testing.T) {
			f := Facts{
				Now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), Generation: 1, Timings: timings, GenerationApplied: true, WasReady: true,
				Remote: &Remote{Exists: true, Active: true}, Secret: tc.secret, Rotation: tc.rotation, MutateErr: tc.err,
			}
			c := Conclude(&v1alpha1.CommonStatus{LastHandledRotateAt: "before", ObservedGeneration: 1}, &f)
			assert.Equal(t, tc.handled, c.Status.LastHandledRotateAt)
			if tc.after > 0 {
				assert.Equal(t, tc.after, c.Result.RequeueAfter)
			}
		})
	}
}

func TestARotationThatIsBlockedIsReportedOnce(t *testing.T) {
	before := &v1alpha1.CommonStatus{ObservedGeneration: 1}
	conclude := func(r *Rotation) Conclusion {
		c := Conclude(before, &Facts{
			Now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), Generation: 1, Timings: timings, GenerationApplied: true, WasReady: true,
			Remote: &Remote{Exists: true, Active: true}, Secret: Secret{Applies: true, Published: true, Name: "app"}, Rotation: r,
		})
		before = &c.Status
		return c
	}
	conclude(&Rotation{})
	blocked := &Rotation{Reason: condition.ReasonRotationRefused, Message: "The password isn't rotated: so it is"}
	c := conclude(blocked)
	require.NotNil(t, c.Event)
	assert.Equal(t, Event{Type: "Warning", Reason: "RotationBlocked", Action: "Reconcile", Note: blocked.Message}, *c.Event)
	assert.Nil(t, conclude(blocked).Event, "it hasn't changed")
	assert.Nil(t, conclude(nil).Event)
	last := func() metav1.ConditionStatus {
		for _, c := range before.Conditions {
			if c.Type == condition.RotationBlocked {
				return c.Status
			}
		}
		return ""
	}
	assert.Equal(t, metav1.ConditionTrue, last(), "it stays while nothing is known")
	obj := &metav1.ObjectMeta{Annotations: map[string]string{annotation.RotateRequested: "now"}}
	assert.False(t, RotationRequested(obj, before), "what is blocked comes before nothing else")
	conclude(&Rotation{Reason: condition.ReasonRenewalNotAcknowledged, Message: "The renewal of the client certificate isn't acknowledged: so it is"})
	assert.Equal(t, metav1.ConditionTrue, last())
	assert.True(t, RotationRequested(obj, before), "the password can be rotated")
	conclude(&Rotation{})
	assert.Empty(t, last())
	assert.True(t, RotationRequested(obj, before))
}
