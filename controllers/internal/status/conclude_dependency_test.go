package status

import (
	"testing"
	"time"
)

func TestConcludeDependency(t *testing.T) { requireSituations(t, dependencySituations) }

// orphaned is a resource that exists, and needs what is gone.
var orphaned = all(serviceRuns, published, remote(Remote{Exists: true, Lacks: "spec.username: user app is gone"}))

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
