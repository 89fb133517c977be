package status

import (
	"testing"
	"time"
)

func TestConcludeTransientRefusal(t *testing.T) { requireSituations(t, transientRefusalSituations) }

var transientRefusalSituations = map[string]situation{
	"X25 a create that meets a 409 waits": {
		when: moment{0, createRefused(busy)},
		want: columns{
			row: "transient refusal of a mutation", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Missing Secret=False/NotYetAvailable Service=True/Running",
			phase:      "Starting", activity: "Reconciling", next: "10s",
			legacy:      "Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "-running", event: "",
		},
	},
	"X25 a create that meets the 404 of a parent waits": {
		when: moment{0, createRefused(aiven(404, "no such topic"))},
		want: columns{
			row: "transient refusal of a mutation", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Missing Secret=False/NotYetAvailable Service=True/Running",
			phase:      "Starting", activity: "Reconciling", next: "10s",
			legacy:      "Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "-running", event: "",
		},
	},
	"X25 a create that meets a young 403 waits": {
		when: moment{0, createRefused(denied)},
		want: columns{
			row: "transient refusal of a mutation", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "False/Forbidden",
			components: "Remote=False/Missing Secret=False/NotYetAvailable Service=True/Running",
			phase:      "Starting", activity: "Reconciling", next: "10s",
			legacy:      "Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "-running", event: "",
		},
	},
	"E03 a create that meets a lasting 403 is a rejected token": {
		given: []moment{{0, createRefused(denied)}},
		when:  moment{61 * time.Second, createRefused(denied)},
		want: columns{
			row: "token missing or rejected", ready: "False/AuthFailed",
			config: "True/ConfigurationValid", auth: "False/AuthFailed", reachable: "True/Reachable",
			components: "Remote=False/AuthFailed Secret=False/NotYetAvailable Service=True/Running",
			phase:      "Degraded", activity: "", next: "5m0s",
			legacy:      "Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "-running", event: "Warning AuthFailed",
		},
	},
	"X25 a wait for acceptance backs off": {
		given: []moment{{0, createRefused(busy)}},
		when:  moment{40 * time.Second, createRefused(busy)},
		want: columns{
			row: "transient refusal of a mutation", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Missing Secret=False/NotYetAvailable Service=True/Running",
			phase:      "Starting", activity: "Reconciling", next: "40s",
			legacy:      "Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "-running", event: "Normal WaitingForPreconditions",
		},
	},
	"X25 a refusal past the deadline is a rejection": {
		given: []moment{{0, createRefused(busy)}},
		when:  moment{31 * time.Minute, createRefused(busy)},
		want: columns{
			row: "spec rejected", ready: "False/InvalidSpec",
			config: "False/InvalidSpec", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/InvalidSpec Secret=False/NotYetAvailable Service=True/Running",
			phase:      "Failed", activity: "Stalled", next: "10m0s poll",
			legacy:      "Error=Unknown/CreateOrUpdate Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "-running", event: "Warning UnableToCreateOrUpdateAtAiven",
		},
	},
	"X25 a refusal past the deadline stays a rejection": {
		given: []moment{{0, createRefused(busy)}, {31 * time.Minute, createRefused(busy)}},
		when:  moment{10 * time.Minute, createRefused(busy)},
		want: columns{
			row: "spec rejected", ready: "False/InvalidSpec",
			config: "False/InvalidSpec", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/InvalidSpec Secret=False/NotYetAvailable Service=True/Running",
			phase:      "Failed", activity: "Stalled", next: "10m0s poll",
			legacy:      "Error=Unknown/CreateOrUpdate Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "-running", event: "",
		},
	},
	"X25 another answer past the deadline is a wait again": {
		given: []moment{{0, createRefused(busy)}, {31 * time.Minute, createRefused(busy)}},
		when:  moment{10 * time.Minute, createRefused(aiven(409, "another reason"))},
		want: columns{
			row: "transient refusal of a mutation", ready: "Unknown/Progressing",
			config: "False/InvalidSpec", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Missing Secret=False/NotYetAvailable Service=True/Running",
			phase:      "Starting", activity: "Reconciling", next: "10s",
			legacy:      "Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "-running", event: "",
		},
	},
	"X25 a long wait for the service is no refusal": {
		given: []moment{{0, serviceBuilds}, {time.Hour, createRefused(busy)}},
		when:  moment{10 * time.Second, createRefused(busy)},
		want: columns{
			row: "transient refusal of a mutation", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Missing Secret=False/NotYetAvailable Service=True/Running",
			phase:      "Starting", activity: "Reconciling", next: "10s",
			legacy:      "Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "-running", event: "",
		},
	},
	"X25 what Aiven wasn't asked yet is no rejection": {
		given: []moment{{0, createRefused(early)}},
		when:  moment{31 * time.Minute, createRefused(early)},
		want: columns{
			row: "transient refusal of a mutation", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Missing Secret=False/NotYetAvailable Service=True/Running",
			phase:      "Degraded", activity: "Reconciling", next: "5m0s",
			legacy:      "Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "-running", event: "Normal WaitingForPreconditions",
		},
	},
	"X25 an update that is refused for now": {
		given:  bornReady,
		edited: true,
		when:   moment{time.Hour, updateRefused(busy)},
		want: columns{
			row: "transient refusal of a mutation", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Starting", activity: "Reconciling", next: "10s",
			legacy:      "Initialized=True/Preconditions Running=True/CheckRunning",
			annotations: "running=true", event: "",
		},
	},
}
