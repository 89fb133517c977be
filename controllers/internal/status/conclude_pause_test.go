package status

import (
	"testing"
	"time"
)

func TestConcludePause(t *testing.T) { requireSituations(t, pauseSituations) }

var pauseSituations = map[string]situation{
	"P19 a pause before the first reconcile is Unknown": {
		when: moment{0, paused},
		want: columns{
			row: "paused", ready: "Unknown/Paused",
			config: "True/ConfigurationValid", auth: "Unknown/Unverified", reachable: "Unknown/Unverified",
			components: "",
			phase:      "Pending", activity: "Paused", next: "change",
			legacy:      "",
			annotations: "", event: "",
		},
	},
	"P19 a pause keeps what was ready": {
		given: bornReady,
		when:  moment{time.Hour, paused},
		want: columns{
			row: "paused", ready: "True/ReconciliationSucceeded",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "Paused", next: "change",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "",
		},
	},
	"P19 a spec that changes in a pause is not taken for applied": {
		given:  bornReady,
		edited: true,
		when:   moment{time.Hour, paused},
		want: columns{
			row: "paused", ready: "True/ReconciliationSucceeded",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "Paused", next: "change",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "",
		},
	},
	"P19 a pause keeps a rejection": {
		given: []moment{{0, createRefused(errBadRequest)}},
		when:  moment{time.Hour, paused},
		want: columns{
			row: "paused", ready: "False/InvalidSpec",
			config: "False/InvalidSpec", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/InvalidSpec Secret=False/NotYetAvailable Service=True/Running",
			phase:      "Failed", activity: "Paused Stalled", next: "change",
			legacy:      "Error=Unknown/CreateOrUpdate Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "", event: "",
		},
	},
	"P19 a pause ends the reconciling": {
		service: true,
		given:   []moment{{0, serviceCreated}},
		when:    moment{10 * time.Second, paused},
		want: columns{
			row: "paused", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Creating Secret=False/NotYetAvailable",
			phase:      "Starting", activity: "Paused", next: "change",
			legacy:      "Initialized=True/CreatedOrUpdated Running=Unknown/CreatedOrUpdated",
			annotations: "", event: "",
		},
	},
	"P19 the end of a pause finds all well": {
		given: []moment{{0, created}, {0, paused}},
		when:  moment{time.Hour, inSync},
		want: columns{
			row: "in sync", ready: "True/ReconciliationSucceeded",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "", next: "10m0s poll",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "processed=1 running=true", event: "",
		},
	},
}
