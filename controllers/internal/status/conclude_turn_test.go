package status

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/userconfig"
)

func TestConcludeTurn(t *testing.T) { requireSituations(t, turnSituations) }

var ownRate = observeFails(fault.NoTurn("ServiceGet", 7*time.Second))

var turnSituations = map[string]situation{
	"E02 a new object waits for its turn": {
		when: moment{0, ownRate},
		want: columns{
			row: "no turn yet", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "Unknown/Unverified", reachable: "Unknown/Unverified",
			components: "Remote=False/Unknown",
			phase:      "Pending", activity: "Reconciling", next: "7s",
			legacy: "Initialized=True/Preconditions Running=Unknown/CheckRunning",
		},
	},
	"E02 what is ready stays ready while it waits for its turn": {
		given: bornReady,
		when:  moment{time.Hour, ownRate},
		want: columns{
			row: "no turn yet", ready: "True/ReconciliationSucceeded",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", next: "7s",
			legacy: "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
		},
	},
	"E02 a new spec waits for its turn": {
		given: bornReady, edited: true,
		when: moment{time.Hour, ownRate},
		want: columns{
			row: "no turn yet", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Starting", activity: "Reconciling", next: "7s",
			legacy: "Initialized=True/Preconditions Running=True/CheckRunning",
		},
	},
	"E02 what is gone isn't ready while its creation waits": {
		given: bornReady,
		when:  moment{time.Hour, all(createRefused(throttled))},
		want: columns{
			row: "no turn yet", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Missing Secret=True/Published Service=True/Running",
			phase:      "Starting", activity: "Reconciling", next: "42s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=False/CheckRunning",
			annotations: "-running",
		},
	},
	"E02 past the deadline, the rate limit is shown": {
		given: []moment{{0, ownRate}},
		when:  moment{31 * time.Minute, ownRate},
		want: columns{
			row: "no turn yet", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "Unknown/Unverified", reachable: "False/RateLimited",
			components: "Remote=False/Unknown",
			phase:      "Pending", activity: "Reconciling", next: "7s",
			legacy: "Initialized=True/Preconditions Running=Unknown/CheckRunning",
		},
	},
	"E02 the rate limit is shown until it is over": {
		given: []moment{{0, ownRate}, {31 * time.Minute, ownRate}},
		when:  moment{time.Minute, ownRate},
		want: columns{
			row: "no turn yet", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "Unknown/Unverified", reachable: "False/RateLimited",
			components: "Remote=False/Unknown",
			phase:      "Pending", activity: "Reconciling", next: "7s",
			legacy: "Initialized=True/Preconditions Running=Unknown/CheckRunning",
		},
	},
	"E02 an outage that names its end is an outage": {
		given: bornReady,
		when: moment{time.Hour, observeFails(&fault.RateLimitError{
			Answer: answer(503, "maintenance"), RetryAfter: time.Minute,
		})},
		want: columns{
			row: "infrastructure error within the grace", ready: "True/ReconciliationSucceeded",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "False/ServerError",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", next: "1m0s",
			legacy: "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
		},
	},
	"a part of a service that isn't ready is no failure of the change": {
		given: []moment{{0, createRefused(starting)}},
		when:  moment{31 * time.Minute, createRefused(starting)},
		want: columns{
			row: "transient refusal of a mutation", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Missing Secret=False/NotYetAvailable Service=True/Running",
			phase:      "Starting", activity: "Reconciling", next: "5m0s",
			legacy:      "Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "-running", event: "Normal WaitingForPreconditions",
		},
	},
	"a part of a service that isn't ready names when it may be": {
		when: moment{0, createRefused(&fault.RateLimitError{Answer: starting, RetryAfter: time.Minute})},
		want: columns{
			row: "transient refusal of a mutation", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Missing Secret=False/NotYetAvailable Service=True/Running",
			phase:      "Starting", activity: "Reconciling", next: "1m0s",
			legacy:      "Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "-running",
		},
	},
	"protection at Aiven stops a change": {
		service: true, given: serviceBorn, edited: true,
		when: moment{time.Hour, all(serviceInSync, refused(protection("ServiceUpdate")))},
		want: columns{
			row: "spec rejected", ready: "False/TerminationProtected",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Running Secret=True/Published",
			phase:      "Failed", activity: "Stalled", next: "10m0s poll",
			legacy:      "Error=Unknown/CreateOrUpdate Initialized=True/Preconditions Running=True/CheckRunning",
			annotations: "running=true", event: "Warning UnableToCreateOrUpdateAtAiven",
		},
	},
	"protection at Aiven stops a deletion": {
		service: true, given: serviceBorn,
		when: moment{time.Hour, deletionFails(protection("ServiceDelete"))},
		want: columns{
			row: "deletion running", ready: "False/TerminationProtected",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Running Secret=True/Published",
			phase:      "Failed", activity: "Stalled", next: "10m0s poll",
			legacy: "Error=Unknown/Delete Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			event:  "Warning DeletionBlocked",
		},
	},
	"a deletion that waits for its turn reports nothing": {
		given: []moment{{0, created}, {time.Hour, deletionFails(throttled)}},
		when:  moment{time.Hour, deletionFails(throttled)},
		want: columns{
			row: "deletion running", ready: "Unknown/ProgressingWithRetry",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "False/RateLimited",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "Reconciling", next: "42s",
			legacy: "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
		},
	},
}

func TestAHeartbeatAloneIsNoWriteAtTheBeginningOfAWait(t *testing.T) {
	o := newObject(false)
	o.reconcile(t, serviceBuilds)
	first := o.status.DeepCopy()
	for range 2 {
		o.now = o.now.Add(10 * time.Second)
		c := o.reconcile(t, serviceBuilds)
		assert.Equal(t, *first, c.Status, "within 30 s")
	}
	o.now = o.now.Add(10 * time.Second)
	c := o.reconcile(t, serviceBuilds)
	assert.Equal(t, o.now, c.Status.LastAttemptTime.Time, "W02: after 30 s")
	o.now = o.now.Add(10 * time.Second)
	c = o.reconcile(t, serviceBuilds)
	assert.Equal(t, o.now, c.Status.LastAttemptTime.Time)

	o = newObject(false)
	o.reconcile(t, serviceBuilds)
	o.now = o.now.Add(10 * time.Second)
	c = o.reconcile(t, serviceMissing)
	assert.Equal(t, o.now, c.Status.LastAttemptTime.Time, "what is written anyhow has it")
}

func TestNoTextOfAConclusionHasASecret(t *testing.T) {
	const value = "CorrectHorseBattery"
	secrets := &fault.Secrets{}
	secrets.Add(value)
	quoting := aiven(400, "password "+value+" was used before")
	for name, find := range map[string]finding{
		"a rejected change":    updateRefused(quoting),
		"a failed observation": observeFails(aiven(500, value)),
		"a failed deletion":    deletionFails(quoting),
		"a blocked deletion":   deletion(Deletion{Blocked: "because of " + value}),
		"a refused Secret":     all(inSync, secret(Secret{Applies: true, Err: aiven(500, value)})),
		"a message of Aiven":   all(serviceRuns, remote(Remote{Exists: true, Message: "waiting for " + value})),
		"drift": all(inSync, func(f *Facts) {
			f.Drift = Drift{Reason: condition.ReasonReportOnly, Entries: []userconfig.Difference{{Path: "spec.x", Wanted: value, Found: "not " + value}}}
		}),
		"a condition of the kind": all(inSync, func(f *Facts) {
			f.Conditions = []KindCondition{{Type: "MigrationComplete", Reason: "Failed", Message: value}}
		}),
	} {
		t.Run(name, func(t *testing.T) {
			o := newObject(false)
			o.reconcile(t, created)
			o.now = o.now.Add(time.Hour)
			c := o.reconcile(t, find, func(f *Facts) { f.Secrets = secrets })
			for _, cond := range c.Status.Conditions {
				assert.NotContains(t, cond.Message, value, cond.Type)
			}
			for _, entry := range c.Status.Drift {
				assert.NotContains(t, entry.Wanted+entry.Found, value)
			}
			if c.Event != nil {
				assert.NotContains(t, c.Event.Note, value)
			}
			if c.Err != nil {
				assert.NotContains(t, c.Err.Error(), value, "H2")
			}
		})
	}
	o := newObject(false)
	o.reconcile(t, created)
	o.now = o.now.Add(time.Hour)
	c := o.reconcile(t, observeFails(aiven(500, "at postgres://u:s3cret@h")))
	assert.EqualError(t, c.Err, "Aiven failed: at postgres://u:***@h (500 ServiceGet)", "H2: the queue logs it")
}
