package status

import (
	"fmt"
	"testing"
	"time"
)

func TestConcludeErrors(t *testing.T) { requireSituations(t, errorSituations) }

var errorSituations = map[string]situation{
	"G01 G02 G05 an error within the grace keeps what is ready": {
		given: bornReady,
		when:  moment{time.Hour, observeFails(down)},
		want: columns{
			row: "infrastructure error within the grace", ready: "True/ReconciliationSucceeded",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "False/ServerError",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "", next: "error",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "",
		},
	},
	"G01 the grace lasts 10 s": {
		given: []moment{{0, created}, {time.Hour, observeFails(down)}},
		when:  moment{10 * time.Second, observeFails(down)},
		want: columns{
			row: "infrastructure error within the grace", ready: "True/ReconciliationSucceeded",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "False/ServerError",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "", next: "error",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "",
		},
	},
	"G03 V06 X01 X04 an error after the grace degrades": {
		given: []moment{{0, created}, {time.Hour, observeFails(down)}},
		when:  moment{11 * time.Second, observeFails(down)},
		want: columns{
			row: "infrastructure error", ready: "Unknown/ProgressingWithRetry",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "False/ServerError",
			components: "Remote=False/Unknown Secret=True/Published Service=False/Unknown",
			phase:      "Degraded", activity: "Reconciling", next: "error",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "Warning UnableToWaitForPreconditions",
		},
	},
	"an error that lasts keeps warning": {
		given: []moment{{0, created}, {0, observeFails(down)}, {11 * time.Second, observeFails(down)}},
		when:  moment{time.Minute, observeFails(down)},
		want: columns{
			row: "infrastructure error", ready: "Unknown/ProgressingWithRetry",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "False/ServerError",
			components: "Remote=False/Unknown Secret=True/Published Service=False/Unknown",
			phase:      "Degraded", activity: "Reconciling", next: "error",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "Warning UnableToWaitForPreconditions",
		},
	},
	"G06 the end of an error is reported once": {
		given: []moment{{0, created}, {0, observeFails(down)}, {11 * time.Second, observeFails(down)}},
		when:  moment{time.Minute, inSync},
		want: columns{
			row: "in sync", ready: "True/ReconciliationSucceeded",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "", next: "10m0s poll",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "processed=1 running=true", event: "Normal ReconciliationSucceeded",
		},
	},
	"G06 the end of an error within the grace is not reported": {
		given: []moment{{0, created}, {0, observeFails(down)}},
		when:  moment{5 * time.Second, inSync},
		want: columns{
			row: "in sync", ready: "True/ReconciliationSucceeded",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "", next: "10m0s poll",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "processed=1 running=true", event: "",
		},
	},
	"G03 errors since the creation keep it Pending": {
		given: []moment{{0, observeFails(down)}},
		when:  moment{time.Minute, observeFails(down)},
		want: columns{
			row: "infrastructure error", ready: "Unknown/ProgressingWithRetry",
			config: "True/ConfigurationValid", auth: "Unknown/Unverified", reachable: "False/ServerError",
			components: "Remote=False/Unknown",
			phase:      "Pending", activity: "Reconciling", next: "error",
			legacy:      "Initialized=True/Preconditions Running=Unknown/CheckRunning",
			annotations: "", event: "Warning UnableToWaitForPreconditions",
		},
	},
	"G03 an error while Starting within 10 s": {
		service: true,
		given:   []moment{{0, serviceCreated}},
		when:    moment{10 * time.Second, observeFails(down)},
		want: columns{
			row: "infrastructure error", ready: "Unknown/ProgressingWithRetry",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "False/ServerError",
			components: "Remote=False/Creating Secret=False/NotYetAvailable",
			phase:      "Starting", activity: "Reconciling", next: "error",
			legacy:      "Initialized=True/CreatedOrUpdated Running=Unknown/CreatedOrUpdated",
			annotations: "", event: "",
		},
	},
	"G03 F04 an error while Starting for longer": {
		service: true,
		given:   []moment{{0, serviceCreated}, {0, observeFails(down)}},
		when:    moment{11 * time.Second, observeFails(down)},
		want: columns{
			row: "infrastructure error", ready: "Unknown/ProgressingWithRetry",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "False/ServerError",
			components: "Remote=False/Unknown Secret=False/NotYetAvailable",
			phase:      "Degraded", activity: "Reconciling", next: "error",
			legacy:      "Initialized=True/CreatedOrUpdated Running=Unknown/CreatedOrUpdated",
			annotations: "", event: "Warning UnableToWaitForPreconditions",
		},
	},
	"X03 an error with a new spec is reported at once": {
		given:  bornReady,
		edited: true,
		when:   moment{time.Hour, observeFails(down)},
		want: columns{
			row: "infrastructure error", ready: "Unknown/ProgressingWithRetry",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "False/ServerError",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Starting", activity: "Reconciling", next: "error",
			legacy:      "Initialized=True/Preconditions Running=True/CheckRunning",
			annotations: "", event: "",
		},
	},
	"E11 X25 a read that is refused with 400 is an error": {
		given: []moment{{0, created}, {0, observeFails(errBadRequest)}},
		when:  moment{11 * time.Second, observeFails(errBadRequest)},
		want: columns{
			row: "infrastructure error", ready: "Unknown/ProgressingWithRetry",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "False/UnknownError",
			components: "Remote=False/Unknown Secret=True/Published Service=False/Unknown",
			phase:      "Degraded", activity: "Reconciling", next: "error",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "Warning UnableToWaitForPreconditions",
		},
	},
	"X15 a list that is not found is an error": {
		given: []moment{{0, created}, {0, observeFails(aiven(404, "no such list"))}},
		when:  moment{11 * time.Second, observeFails(aiven(404, "no such list"))},
		want: columns{
			row: "infrastructure error", ready: "Unknown/ProgressingWithRetry",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "False/UnknownError",
			components: "Remote=False/Unknown Secret=True/Published Service=False/Unknown",
			phase:      "Degraded", activity: "Reconciling", next: "error",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "Warning UnableToWaitForPreconditions",
		},
	},
	"E09 an unknown error is an error like others": {
		given: bornReady,
		when:  moment{time.Hour, observeFails(fmt.Errorf("garbage"))},
		want: columns{
			row: "infrastructure error within the grace", ready: "True/ReconciliationSucceeded",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "False/UnknownError",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "", next: "error",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "",
		},
	},
	"E02 a 429 is retried when Aiven asks to": {
		given: bornReady,
		when:  moment{time.Hour, observeFails(throttled)},
		want: columns{
			row: "no turn yet", ready: "True/ReconciliationSucceeded",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "", next: "42s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "",
		},
	},
	"E02 a 429 without a time backs off": {
		when: moment{0, observeFails(aiven(429, "slow down"))},
		want: columns{
			row: "no turn yet", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "Unknown/Unverified", reachable: "Unknown/Unverified",
			components: "Remote=False/Unknown",
			phase:      "Pending", activity: "Reconciling", next: "10s",
			legacy:      "Initialized=True/Preconditions Running=Unknown/CheckRunning",
			annotations: "", event: "",
		},
	},
	"E02 a 429 on a change is a wait": {
		when: moment{0, createRefused(throttled)},
		want: columns{
			row: "no turn yet", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Missing Secret=False/NotYetAvailable Service=True/Running",
			phase:      "Pending", activity: "Reconciling", next: "42s",
			legacy:      "Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "-running", event: "",
		},
	},
	"E13 a create that meets a 500": {
		when: moment{0, createRefused(aiven(500, "oops"))},
		want: columns{
			row: "infrastructure error", ready: "Unknown/ProgressingWithRetry",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "False/ServerError",
			components: "Remote=False/Missing Secret=False/NotYetAvailable Service=True/Running",
			phase:      "Pending", activity: "Reconciling", next: "error",
			legacy:      "Error=Unknown/CreateOrUpdate Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "-running", event: "Warning UnableToCreateOrUpdateAtAiven",
		},
	},
	"E13 X27 an update that meets a 500 is not ready any more": {
		given: bornReady,
		when:  moment{time.Hour, updateRefused(aiven(500, "oops"))},
		want: columns{
			row: "infrastructure error", ready: "Unknown/ProgressingWithRetry",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "False/ServerError",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "Reconciling", next: "error",
			legacy:      "Error=Unknown/CreateOrUpdate Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "running=true", event: "Warning UnableToCreateOrUpdateAtAiven",
		},
	},
	"W06 the finalizer can not be written": {
		when: moment{0, problem(fmt.Errorf("adding the finalizer: boom"))},
		want: columns{
			row: "infrastructure error", ready: "Unknown/ProgressingWithRetry",
			config: "True/ConfigurationValid", auth: "Unknown/Unverified", reachable: "False/UnknownError",
			components: "Remote=False/Unknown",
			phase:      "Pending", activity: "Reconciling", next: "error",
			legacy:      "Initialized=True/Preconditions Running=Unknown/CheckRunning",
			annotations: "", event: "",
		},
	},
	"G04 a reference that can not be read is frozen at first": {
		given: []moment{{0, all(refReady, created)}},
		when:  moment{time.Hour, refBroken},
		want: columns{
			row: "infrastructure error within the grace", ready: "True/ReconciliationSucceeded",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "False/UnknownError",
			components: "Remote=True/Active Secret=True/Published SecretSource=True/Ready Service=True/Running",
			phase:      "Ready", activity: "", next: "error",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "",
		},
	},
	"G04 C-04 a reference that can not be read is Unknown after the grace": {
		given: []moment{{0, all(refReady, created)}, {0, refBroken}},
		when:  moment{11 * time.Second, refBroken},
		want: columns{
			row: "infrastructure error", ready: "Unknown/ProgressingWithRetry",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "False/UnknownError",
			components: "Remote=False/Unknown Secret=True/Published SecretSource=False/Unknown Service=False/Unknown",
			phase:      "Degraded", activity: "Reconciling", next: "error",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "Warning UnableToWaitForPreconditions",
		},
	},
	"G04 P03 only what could not be read is frozen": {
		given: []moment{{0, serviceBuilds}},
		when:  moment{time.Minute, all(serviceRuns, observeFails(down))},
		want: columns{
			row: "infrastructure error", ready: "Unknown/ProgressingWithRetry",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "False/ServerError",
			components: "Remote=False/Unknown Service=True/Running",
			phase:      "Pending", activity: "Reconciling", next: "error",
			legacy:      "Initialized=True/Preconditions Running=Unknown/CheckRunning",
			annotations: "", event: "",
		},
	},
	"E02 a service that could not be read is not called missing": {
		given: bornReady,
		when:  moment{time.Hour, all(serviceMissing, observeFails(down))},
		want: columns{
			row: "infrastructure error within the grace", ready: "True/ReconciliationSucceeded",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "False/ServerError",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "", next: "error",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "",
		},
	},
	"E03 the token Secret can not be read": {
		given: bornReady,
		when:  moment{time.Hour, func(f *Facts) { f.TokenErr = fmt.Errorf("reading the token: boom") }},
		want: columns{
			row: "infrastructure error within the grace", ready: "True/ReconciliationSucceeded",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "False/UnknownError",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "", next: "error",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "",
		},
	},
}
