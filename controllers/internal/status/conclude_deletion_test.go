package status

import (
	"fmt"
	"testing"
	"time"
)

func TestConcludeDeletion(t *testing.T) { requireSituations(t, deletionSituations) }

// blocked is a deletion that something has blocked, for a time since it was requested.
func blocked(since time.Duration) finding {
	return func(f *Facts) {
		f.Deleting, f.Deletion = true, Deletion{Since: f.Now.Add(-since), Blocked: "delete topic x first"}
	}
}

var deletionSituations = map[string]situation{
	"E14 an unknown deletion policy stops everything until it changes": {
		given: bornReady,
		when:  moment{time.Hour, badPolicy},
		want: columns{
			row: "deletion policy unknown", ready: "False/InvalidDeletionPolicy",
			config: "False/InvalidDeletionPolicy", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Failed", activity: "Stalled", next: "change",
			legacy:      "Error=Unknown/Delete Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "Warning UnableToDelete",
		},
	},
	"W08 an unknown deletion policy holds up a deletion and is reported": {
		given: bornReady,
		when:  moment{time.Hour, all(badPolicy, deletion(Deletion{}))},
		want: columns{
			row: "deletion policy unknown", ready: "False/InvalidDeletionPolicy",
			config: "False/InvalidDeletionPolicy", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Failed", activity: "Stalled", next: "change",
			legacy:      "Error=Unknown/Delete Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "Warning UnableToDelete",
		},
	},
	"W10 a deletion that is running at Aiven is checked again in 10 s": {
		given: bornReady,
		when:  moment{time.Hour, deletion(Deletion{Requested: true})},
		want: columns{
			row: "deletion running", ready: "Unknown/Deleting",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "Reconciling", next: "10s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "Normal TryingToDeleteAtAiven",
		},
	},
	"V03 a deletion that goes on has no further event": {
		given: []moment{{0, created}, {time.Hour, deletion(Deletion{Requested: true})}},
		when:  moment{10 * time.Second, deletion(Deletion{Requested: true})},
		want: columns{
			row: "deletion running", ready: "Unknown/Deleting",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "Reconciling", next: "10s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "",
		},
	},
	"W09 a deletion that something blocks names it": {
		given: bornReady,
		when:  moment{time.Hour, deletion(Deletion{Blocked: "delete topic x first"})},
		want: columns{
			row: "deletion running", ready: "Unknown/DeletionBlocked",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "Reconciling", next: "10s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "",
		},
	},
	"W09 V03 a short wait in a deletion is not reported": {
		given: []moment{{0, created}, {0, deletion(Deletion{Blocked: "delete topic x first"})}},
		when:  moment{10 * time.Second, deletion(Deletion{Blocked: "delete topic x first"})},
		want: columns{
			row: "deletion running", ready: "Unknown/DeletionBlocked",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "Reconciling", next: "10s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "",
		},
	},
	"W09 V03 a wait in a deletion isn't as long as the object had been reconciled before": {
		given: []moment{{0, orphaned}},
		when:  moment{time.Hour, blocked(0)},
		want: columns{
			row: "deletion running", ready: "Unknown/DeletionBlocked",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Missing Secret=True/Published Service=True/Running",
			phase:      "Starting", activity: "Reconciling", next: "10s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=False/CheckRunning",
			annotations: "", event: "",
		},
	},
	"W09 a deletion that stays blocked is tried less and less often": {
		given: []moment{{0, created}, {time.Hour, blocked(0)}, {10 * time.Second, blocked(10 * time.Second)}},
		when:  moment{30 * time.Second, blocked(40 * time.Second)},
		want: columns{
			row: "deletion running", ready: "Unknown/DeletionBlocked",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "Reconciling", next: "40s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "Warning DeletionBlocked",
		},
	},
	"W09 a blocked deletion is tried every five minutes at least": {
		given: []moment{{0, created}, {time.Hour, blocked(0)}},
		when:  moment{time.Hour, blocked(time.Hour)},
		want: columns{
			row: "deletion running", ready: "Unknown/DeletionBlocked",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "Reconciling", next: "5m0s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "Warning DeletionBlocked",
		},
	},
	"W09 V03 a deletion that stays blocked has no further event": {
		given: []moment{{0, created}, {time.Hour, blocked(0)}, {10 * time.Second, blocked(10 * time.Second)}, {30 * time.Second, blocked(40 * time.Second)}},
		when:  moment{40 * time.Second, blocked(80 * time.Second)},
		want: columns{
			row: "deletion running", ready: "Unknown/DeletionBlocked",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "Reconciling", next: "1m20s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "",
		},
	},
	"W09 a blocked deletion that waits for a turn stays blocked": {
		given: []moment{{0, created}, {time.Hour, blocked(0)}},
		when:  moment{10 * time.Second, deletionFails(throttled)},
		want: columns{
			row: "deletion running", ready: "Unknown/DeletionBlocked",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "Reconciling", next: "42s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "",
		},
	},
	"W11 termination protection stalls a deletion": {
		service: true,
		given:   serviceBorn,
		when:    moment{time.Hour, deletion(Deletion{Protected: true})},
		want: columns{
			row: "deletion running", ready: "False/TerminationProtected",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Running Secret=True/Published",
			phase:      "Failed", activity: "Stalled", next: "change",
			legacy:      "Error=Unknown/Delete Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "Warning DeletionBlocked",
		},
	},
	"W09 an error in a deletion is retried without a warning at first": {
		given: bornReady,
		when:  moment{time.Hour, deletionFails(down)},
		want: columns{
			row: "deletion running", ready: "Unknown/ProgressingWithRetry",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "False/ServerError",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "Reconciling", next: "error",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "",
		},
	},
	"W09 an error in a deletion warns after the grace": {
		given: []moment{{0, created}, {0, deletionFails(down)}},
		when:  moment{11 * time.Second, deletionFails(down)},
		want: columns{
			row: "deletion running", ready: "Unknown/ProgressingWithRetry",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "False/ServerError",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "Reconciling", next: "error",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "Warning UnableToDelete",
		},
	},
	"W09 a deletion that Aiven refuses is an error": {
		given: bornReady,
		when:  moment{time.Hour, deletionFails(errBadRequest)},
		want: columns{
			row: "deletion running", ready: "Unknown/ProgressingWithRetry",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "Reconciling", next: "error",
			legacy:      "Error=Unknown/Delete Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "Warning UnableToDelete",
		},
	},
	"W11 a deletion without a token waits for one": {
		given: bornReady,
		when:  moment{time.Hour, all(noToken, deletionFails(fmt.Errorf("Secret ns/token doesn't exist")))},
		want: columns{
			row: "deletion running", ready: "Unknown/ProgressingWithRetry",
			config: "True/ConfigurationValid", auth: "False/TokenMissing", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "Reconciling", next: "5m0s",
			legacy:      "Error=Unknown/Preconditions Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "Warning UnableToGetAuthSecret",
		},
	},
	"W11 a deletion with a rejected token waits for another": {
		given: bornReady,
		when:  moment{time.Hour, deletionFails(errBadToken)},
		want: columns{
			row: "deletion running", ready: "Unknown/ProgressingWithRetry",
			config: "True/ConfigurationValid", auth: "False/AuthFailed", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "Reconciling", next: "5m0s",
			legacy:      "Error=Unknown/Preconditions Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "Warning AuthFailed",
		},
	},
	"X15 nothing is left": {
		given: bornReady,
		when:  moment{time.Hour, deletion(Deletion{Gone: true})},
		want: columns{
			row: "deletion running", ready: "Unknown/Deleting",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Missing Secret=True/Published Service=True/Running",
			phase:      "NotAvailable", activity: "Reconciling", next: "change",
			legacy:      "Initialized=True/CreatedOrUpdated Running=False/CheckRunning",
			annotations: "", event: "Normal SuccessfullyDeletedAtAiven",
		},
	},
	"W08 an orphan stays at Aiven, and no event reports a call": {
		given: bornReady,
		when:  moment{time.Hour, deletion(Deletion{Orphaned: true, Gone: true})},
		want: columns{
			row: "deletion running", ready: "Unknown/Deleting",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "Reconciling", next: "change",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "Normal SkippedDeletionAtAiven",
		},
	},
}
