package status

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/condition"
)

func TestC01_AnObjectThatOnlyWaitsHasNoStatusInItsFirstTwoSeconds(t *testing.T) {
	appliedOnce := func(f *Facts) { f.Mutation = Created }
	for name, tt := range map[string]struct {
		age   time.Duration
		finds finding
		want  time.Duration // until its first status, 0 for now
	}{
		"the service doesn't exist yet":             {500 * time.Millisecond, serviceMissing, 1500 * time.Millisecond},
		"the service is being built":                {0, serviceBuilds, 2 * time.Second},
		"a reference doesn't exist yet":             {time.Second, refAbsent, time.Second},
		"a reference isn't ready":                   {1999 * time.Millisecond, refWaits, time.Millisecond},
		"it has waited for two seconds":             {2 * time.Second, serviceBuilds, 0},
		"it is older":                               {time.Hour, refAbsent, 0},
		"it was created by a clock that is ahead":   {-time.Second, serviceBuilds, 0},
		"it is ready":                               {0, created, 0},
		"Aiven works on it":                         {0, all(serviceRuns, working, withoutDetails), 0},
		"Aiven has accepted a change":               {0, all(serviceBuilds, appliedOnce), 0},
		"the spec is invalid":                       {0, observeFails(invalid), 0},
		"the spec is rejected":                      {0, createRefused(errBadRequest), 0},
		"the change may be accepted later":          {0, createRefused(busy), 0},
		"the deletion policy is unknown":            {0, badPolicy, 0},
		"it is paused":                              {0, paused, 0},
		"there is no token":                         {0, noToken, 0},
		"Aiven is down":                             {0, observeFails(down), 0},
		"Aiven is down, and the service wasn't yet": {0, all(serviceMissing, observeFails(down)), 0},
		"a reference can't be read":                 {0, refBroken, 0},
		"the service is powered off":                {0, serviceOff, 0},
		"there is nothing to observe":               {0, all(serviceRuns, absent, func(f *Facts) { f.ObserveOnly = true }), 0},
		"it waits for a turn":                       {0, observeFails(throttled), 0},
		"it is being deleted":                       {0, deletion(Deletion{Requested: true}), 0},
	} {
		t.Run(name, func(t *testing.T) {
			o := newObject(false)
			f := o.facts(tt.finds)
			f.CreatedAt = o.now.Add(-tt.age)
			c := Conclude(&o.status, f)
			assert.Equal(t, tt.want > 0, c.Deferred)
			if tt.want > 0 {
				assert.Equal(t, tt.want, c.Result.RequeueAfter)
				assert.Zero(t, *c.Result.Priority, "it is no poll")
				assert.Equal(t, o.status, c.Status, "C-12: observedGeneration stays -1, so that kstatus sees InProgress")
				assert.Nil(t, c.Event)
				assert.Empty(t, c.Annotations)
				assert.NoError(t, c.Err)
				return
			}
			assert.Equal(t, condition.Ready, c.Status.Conditions[0].Type)
		})
	}
}

func TestAWaitIsWrittenAtOnceWhereTheObjectHasAStatus(t *testing.T) {
	o := newObject(false)
	o.reconcile(t, created)
	f := o.facts(serviceBuilds)
	f.CreatedAt = o.now
	c := Conclude(&o.status, f)
	assert.False(t, c.Deferred)
	assert.Equal(t, v1alpha1.PhaseDegraded, c.Status.Phase)
}
