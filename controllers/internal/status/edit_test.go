package status

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/condition"
)

// deadlines are the two uses of the progress deadline.
var deadlines = map[string]struct {
	finds finding
	past  v1alpha1.Phase
}{
	"of work at Aiven":                         {finds: all(serviceRuns, working, withoutDetails), past: v1alpha1.PhaseDegraded},
	"of a change that is refused for a moment": {finds: createRefused(busy), past: v1alpha1.PhaseFailed},
}

const tooLong = 31 * time.Minute

func TestAnEditOfTheSpecRestartsTheProgressDeadline(t *testing.T) {
	for name, tc := range deadlines {
		for when, before := range map[string]time.Duration{"before it ends": 20 * time.Minute, "after it ended": tooLong} {
			t.Run(name+" "+when, func(t *testing.T) {
				o := newObject(false)
				c := after(t, o, moment{0, tc.finds}, moment{before, tc.finds})
				assert.Equal(t, before == tooLong, c.Status.Phase == tc.past)
				assert.Nil(t, c.Status.EditObservedTime, "Reconciling has the time of the first generation")

				o.generation++
				c = after(t, o, moment{time.Second, tc.finds})
				assert.Equal(t, v1alpha1.PhaseStarting, c.Status.Phase, "the edit has just been made")
				c = after(t, o, moment{tooLong - 2*time.Minute, tc.finds})
				assert.Equal(t, v1alpha1.PhaseStarting, c.Status.Phase, "the deadline is that of the edit")
				c = after(t, o, moment{2 * time.Minute, tc.finds})
				assert.Equal(t, tc.past, c.Status.Phase)
			})
		}
	}
}

func TestTheTimeOfAnEditIsThereOnlyWhileItIsNeeded(t *testing.T) {
	busyWork := deadlines["of work at Aiven"].finds
	o := newObject(false)
	after(t, o, moment{0, inSync})
	o.generation++
	c := after(t, o, moment{time.Hour, busyWork})
	assert.Nil(t, c.Status.EditObservedTime, "Reconciling begins with the edit")
	o.generation++
	c = after(t, o, moment{time.Minute, busyWork})
	require.NotNil(t, c.Status.EditObservedTime)
	edited := c.Status.EditObservedTime
	assert.Equal(t, o.now, edited.Time)
	c = after(t, o, moment{time.Minute, busyWork})
	assert.Equal(t, edited, c.Status.EditObservedTime, "only the generation counts")
	assert.Nil(t, after(t, o, moment{time.Minute, paused}).Status.EditObservedTime, "nothing is worked on during a pause")
	assert.Nil(t, after(t, o, moment{time.Minute, inSync}).Status.EditObservedTime)
}

// What an earlier version, aiven-operator or another clock has left behind restarts no deadline, and makes none end early.
func TestTheProgressDeadlineOfAStatusThatAnotherWriterLeft(t *testing.T) {
	finds := deadlines["of work at Aiven"].finds
	at := func(o *object, ago time.Duration) *metav1.Time { return &metav1.Time{Time: o.now.Add(-ago)} }
	for name, tc := range map[string]struct {
		leave func(o *object)
		want  v1alpha1.Phase
	}{
		"an earlier version": {func(*object) {}, v1alpha1.PhaseDegraded},
		"an earlier version that was rolled back to": {func(o *object) {
			o.status.EditObservedTime = at(o, 24*time.Hour)
		}, v1alpha1.PhaseDegraded},
		"an earlier version, and an edit while no operator ran": {func(o *object) { o.generation++ }, v1alpha1.PhaseStarting},
		"a clock that is ahead":                                 {func(o *object) { o.status.EditObservedTime = at(o, -time.Minute) }, v1alpha1.PhaseStarting},
		"a clock that is behind, of an edit of what was begun a minute ago": {func(o *object) {
			o.status.EditObservedTime = at(o, 24*time.Hour)
			for i, c := range o.status.Conditions {
				if c.Type == condition.Reconciling {
					o.status.Conditions[i].LastTransitionTime = *at(o, time.Minute)
				}
			}
		}, v1alpha1.PhaseStarting},
		"aiven-operator": {func(o *object) {
			o.status = v1alpha1.CommonStatus{Conditions: []metav1.Condition{{
				Type: "Running", Status: metav1.ConditionUnknown, Reason: "CreatedOrUpdated", LastTransitionTime: *at(o, 24*time.Hour),
			}}}
		}, v1alpha1.PhaseStarting},
	} {
		t.Run(name, func(t *testing.T) {
			o := newObject(false)
			after(t, o, moment{0, finds})
			o.now = o.now.Add(tooLong)
			tc.leave(o)
			assert.Equal(t, tc.want, after(t, o, moment{0, finds}).Status.Phase)
		})
	}
}
