package status

import (
	"testing"
	"time"
)

func TestConcludeDependency(t *testing.T) { requireSituations(t, dependencySituations) }

// orphaned is a resource that exists, and needs what is gone.
var orphaned = all(serviceRuns, published, remote(Remote{Exists: true, Lacks: "spec.username: user app is gone"}))

// withheld is a resource that doesn't exist, and that nothing may be written for as long as something else is missing.
var withheld = all(serviceRuns, published, remote(Remote{}), func(f *Facts) { f.WaitFor = "Waiting for the schema registry" })

var dependencySituations = map[string]situation{
	"X16 a resource that was ready, and needs what is gone from Aiven": {
		given: bornReady,
		when:  moment{time.Hour, orphaned},
		want: columns{
			row: "needs what is gone", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Missing Secret=True/Published Service=True/Running",
			phase:      "Degraded", activity: "Reconciling", next: "30s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=False/CheckRunning",
			annotations: "processed=1 -running", event: "",
		},
	},
	"X16 V03 what is gone is reported after 30 seconds": {
		given: []moment{{0, created}, {time.Minute, orphaned}},
		when:  moment{30 * time.Second, orphaned},
		want: columns{
			row: "needs what is gone", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Missing Secret=True/Published Service=True/Running",
			phase:      "Degraded", activity: "Reconciling", next: "30s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=False/CheckRunning",
			annotations: "processed=1 -running", event: "Normal WaitingForPreconditions",
		},
	},
	"X16 what was made in part is Degraded after the progress deadline": {
		given: []moment{{0, orphaned}},
		when:  moment{time.Hour, orphaned},
		want: columns{
			row: "needs what is gone", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Missing Secret=True/Published Service=True/Running",
			phase:      "Degraded", activity: "Reconciling", next: "30s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=False/CheckRunning",
			annotations: "processed=1 -running", event: "Normal WaitingForPreconditions",
		},
	},
	"X16 what was ready, is gone, and can't be made again without something else is Degraded": {
		given: bornReady,
		when:  moment{time.Hour, withheld},
		want: columns{
			row: "created or updating", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Missing Secret=True/Published Service=True/Running",
			phase:      "Degraded", activity: "Reconciling", next: "10s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=False/CheckRunning",
			annotations: "-running", event: "",
		},
	},
	"what was never ready, and can't be made yet, is Starting": {
		when: moment{time.Minute, withheld},
		want: columns{
			row: "created or updating", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Missing Secret=True/Published Service=True/Running",
			phase:      "Starting", activity: "Reconciling", next: "10s",
			legacy:      "Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "-running", event: "",
		},
	},
	"what can't be made yet is checked after as long again as it has waited": {
		given: []moment{{0, withheld}},
		when:  moment{2 * time.Minute, withheld},
		want: columns{
			row: "created or updating", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Missing Secret=True/Published Service=True/Running",
			phase:      "Starting", activity: "Reconciling", next: "2m0s",
			legacy:      "Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "-running", event: "",
		},
	},
	"what can't be made for hours is checked at the longest backoff": {
		given: []moment{{0, withheld}},
		when:  moment{2 * time.Hour, withheld},
		want: columns{
			row: "created or updating", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Missing Secret=True/Published Service=True/Running",
			phase:      "Degraded", activity: "Reconciling", next: "5m0s",
			legacy:      "Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "-running", event: "",
		},
	},
	"what was made in part, and lacks something for the rest, is Starting": {
		given: []moment{{0, all(orphaned, func(f *Facts) { f.Mutation = Created })}},
		when:  moment{10 * time.Second, orphaned},
		want: columns{
			row: "needs what is gone", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Missing Secret=True/Published Service=True/Running",
			phase:      "Starting", activity: "Reconciling", next: "30s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=False/CheckRunning",
			annotations: "processed=1 -running", event: "",
		},
	},
	"G06 what was ready, and is reported as failed, is Degraded at once": {
		given: bornReady,
		when:  moment{time.Hour, all(serviceRuns, published, remote(Remote{Exists: true, State: "PAUSED", Reason: "Paused", Failure: "It is PAUSED"}))},
		want: columns{
			row: "failed at Aiven", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Paused Secret=True/Published Service=True/Running",
			phase:      "Degraded", activity: "Reconciling", next: "30s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=False/CheckRunning",
			annotations: "processed=1 -running", event: "",
		},
	},
	"G06 what Aiven reports as failed is Degraded": {
		when: moment{time.Minute, all(serviceRuns, published, remote(Remote{Exists: true, Failure: "The topic is missing"}))},
		want: columns{
			row: "failed at Aiven", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Failed Secret=True/Published Service=True/Running",
			phase:      "Degraded", activity: "Reconciling", next: "30s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=False/CheckRunning",
			annotations: "processed=1 -running", event: "",
		},
	},
	"X16 G06 what was gone is back": {
		given: []moment{{0, created}, {time.Minute, orphaned}},
		when:  moment{time.Minute, inSync},
		want: columns{
			row: "in sync", ready: "True/ReconciliationSucceeded",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "", next: "10m0s poll",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "processed=1 running=true", event: "Normal InstanceIsRunning",
		},
	},
}
