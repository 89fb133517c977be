package status

import (
	"testing"
	"time"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

func TestConcludeRejection(t *testing.T) { requireSituations(t, rejectionSituations) }

var rejectionSituations = map[string]situation{
	"C-09 E04 a spec that is found wrong before any call": {
		when: moment{0, observeFails(invalid)},
		want: columns{
			row: "spec rejected", ready: "False/InvalidSpec",
			config: "False/InvalidSpec", auth: "Unknown/Unverified", reachable: "Unknown/Unverified",
			components: "Remote=False/InvalidSpec",
			phase:      "Failed", activity: "Stalled", next: "10m0s poll",
			legacy:      "Error=Unknown/CreateOrUpdate Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "", event: "Warning UnableToCreateOrUpdateAtAiven",
		},
	},
	"E04 X08 a wrong spec of something that runs leaves it running": {
		service: true,
		given:   serviceBorn,
		edited:  true,
		when:    moment{time.Hour, observeFails(invalid)},
		want: columns{
			row: "spec rejected", ready: "False/InvalidSpec",
			config: "False/InvalidSpec", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/InvalidSpec Secret=True/Published",
			phase:      "Failed", activity: "Stalled", next: "10m0s poll",
			legacy:      "Error=Unknown/CreateOrUpdate Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "", event: "Warning UnableToCreateOrUpdateAtAiven",
		},
	},
	"E04 C-05 Aiven refuses to create with 400": {
		when: moment{0, createRefused(errBadRequest)},
		want: columns{
			row: "spec rejected", ready: "False/InvalidSpec",
			config: "False/InvalidSpec", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/InvalidSpec Secret=False/NotYetAvailable Service=True/Running",
			phase:      "Failed", activity: "Stalled", next: "10m0s poll",
			legacy:      "Error=Unknown/CreateOrUpdate Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "-running", event: "Warning UnableToCreateOrUpdateAtAiven",
		},
	},
	"E04 Aiven refuses to update with 422": {
		given:  bornReady,
		edited: true,
		when:   moment{time.Hour, updateRefused(aiven(422, "bad value"))},
		want: columns{
			row: "spec rejected", ready: "False/InvalidSpec",
			config: "False/InvalidSpec", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/InvalidSpec Secret=True/Published Service=True/Running",
			phase:      "Failed", activity: "Stalled", next: "10m0s poll",
			legacy:      "Error=Unknown/CreateOrUpdate Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "", event: "Warning UnableToCreateOrUpdateAtAiven",
		},
	},
	"V03 E14 a rejection that lasts has no further event": {
		given: []moment{{0, createRefused(errBadRequest)}},
		when:  moment{10 * time.Minute, createRefused(errBadRequest)},
		want: columns{
			row: "spec rejected", ready: "False/InvalidSpec",
			config: "False/InvalidSpec", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/InvalidSpec Secret=False/NotYetAvailable Service=True/Running",
			phase:      "Failed", activity: "Stalled", next: "10m0s poll",
			legacy:      "Error=Unknown/CreateOrUpdate Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "-running", event: "",
		},
	},
	"E04 the Secret that the spec asks for can not be": {
		given:  bornReady,
		edited: true,
		when:   moment{time.Hour, all(inSync, secret(Secret{Applies: true, Name: "conn", Err: invalid}))},
		want: columns{
			row: "spec rejected", ready: "False/InvalidSpec",
			config: "False/InvalidSpec", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=False/WriteFailed Service=True/Running",
			phase:      "Failed", activity: "Stalled", next: "10m0s poll",
			legacy:      "Error=Unknown/CreateOrUpdate Initialized=True/CreatedOrUpdated Running=Unknown/ConnInfoSecret",
			annotations: "processed=2 -running", event: "Warning UnableToCreateOrUpdateAtAiven",
		},
	},
	"E04 a rejected spec that was mended starts again": {
		given:  []moment{{0, createRefused(errBadRequest)}},
		edited: true,
		when:   moment{time.Minute, created},
		want: columns{
			row: "in sync", ready: "True/ReconciliationSucceeded",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "", next: "10m0s poll",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "processed=2 running=true", event: "Normal InstanceIsRunning",
		},
	},
	"E02 an error during a recheck of a rejected spec decides nothing on the spec": {
		given: []moment{{0, createRefused(errBadRequest)}},
		when:  moment{10 * time.Minute, all(observeFails(down))},
		want: columns{
			row: "infrastructure error", ready: "Unknown/ProgressingWithRetry",
			config: "False/InvalidSpec", auth: "True/AuthenticationValid", reachable: "False/ServerError",
			components: "Remote=False/InvalidSpec Secret=False/NotYetAvailable Service=True/Running",
			phase:      "Pending", activity: "Reconciling", next: "error",
			legacy:      "Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "", event: "",
		},
	},
	"E03 a token that Aiven rejects from the start": {
		when: moment{0, observeFails(errBadToken)},
		want: columns{
			row: "token missing or rejected", ready: "False/AuthFailed",
			config: "True/ConfigurationValid", auth: "False/AuthFailed", reachable: "True/Reachable",
			components: "Remote=False/AuthFailed",
			phase:      "Pending", activity: "", next: "5m0s",
			legacy:      "Error=Unknown/Preconditions Initialized=True/Preconditions Running=Unknown/CheckRunning",
			annotations: "", event: "Warning AuthFailed",
		},
	},
	"E03 C-05 a token that Aiven rejects later": {
		given: bornReady,
		when:  moment{time.Hour, observeFails(errBadToken)},
		want: columns{
			row: "token missing or rejected", ready: "False/AuthFailed",
			config: "True/ConfigurationValid", auth: "False/AuthFailed", reachable: "True/Reachable",
			components: "Remote=False/AuthFailed Secret=True/Published Service=False/AuthFailed",
			phase:      "Degraded", activity: "", next: "5m0s",
			legacy:      "Error=Unknown/Preconditions Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "Warning AuthFailed",
		},
	},
	"E03 a rejected token while Aiven builds": {
		service: true,
		given:   []moment{{0, serviceCreated}},
		when:    moment{10 * time.Second, observeFails(errBadToken)},
		want: columns{
			row: "token missing or rejected", ready: "False/AuthFailed",
			config: "True/ConfigurationValid", auth: "False/AuthFailed", reachable: "True/Reachable",
			components: "Remote=False/AuthFailed Secret=False/NotYetAvailable",
			phase:      "Degraded", activity: "", next: "5m0s",
			legacy:      "Error=Unknown/Preconditions Initialized=True/CreatedOrUpdated Running=Unknown/CreatedOrUpdated",
			annotations: "", event: "Warning AuthFailed",
		},
	},
	"E03 V03 a token that stays rejected has no further event": {
		given: []moment{{0, created}, {0, observeFails(errBadToken)}},
		when:  moment{5 * time.Minute, observeFails(errBadToken)},
		want: columns{
			row: "token missing or rejected", ready: "False/AuthFailed",
			config: "True/ConfigurationValid", auth: "False/AuthFailed", reachable: "True/Reachable",
			components: "Remote=False/AuthFailed Secret=True/Published Service=False/AuthFailed",
			phase:      "Degraded", activity: "", next: "5m0s",
			legacy:      "Error=Unknown/Preconditions Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "",
		},
	},
	"E03 a token that can not be used is not sent": {
		when: moment{0, func(f *Facts) { f.TokenErr = fault.UnusableToken("it has a line break") }},
		want: columns{
			row: "token missing or rejected", ready: "False/AuthFailed",
			config: "True/ConfigurationValid", auth: "False/AuthFailed", reachable: "Unknown/Unverified",
			components: "Remote=False/AuthFailed",
			phase:      "Pending", activity: "", next: "5m0s",
			legacy:      "Error=Unknown/Preconditions Initialized=True/Preconditions Running=Unknown/CheckRunning",
			annotations: "", event: "Warning AuthFailed",
		},
	},
	"E03 G06 C-13 a token that was mended": {
		given: []moment{{0, created}, {0, observeFails(errBadToken)}},
		when:  moment{5 * time.Minute, inSync},
		want: columns{
			row: "in sync", ready: "True/ReconciliationSucceeded",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "", next: "10m0s poll",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "processed=1 running=true", event: "Normal ReconciliationSucceeded",
		},
	},
	"E03 a 403 may be lag at first": {
		given: bornReady,
		when:  moment{time.Hour, observeFails(denied)},
		want: columns{
			row: "infrastructure error within the grace", ready: "True/ReconciliationSucceeded",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "False/Forbidden",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "", next: "error",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "",
		},
	},
	"E03 X06 a 403 that lasts is a rejection": {
		given: []moment{{0, created}, {0, observeFails(denied)}, {20 * time.Second, observeFails(denied)}},
		when:  moment{41 * time.Second, observeFails(denied)},
		want: columns{
			row: "token missing or rejected", ready: "False/AuthFailed",
			config: "True/ConfigurationValid", auth: "False/AuthFailed", reachable: "True/Reachable",
			components: "Remote=False/AuthFailed Secret=True/Published Service=False/AuthFailed",
			phase:      "Degraded", activity: "", next: "5m0s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "Warning AuthFailed",
		},
	},
	"E03 a lasting 403 stays a rejection": {
		given: []moment{{0, created}, {0, observeFails(denied)}, {61 * time.Second, observeFails(denied)}},
		when:  moment{5 * time.Minute, observeFails(denied)},
		want: columns{
			row: "token missing or rejected", ready: "False/AuthFailed",
			config: "True/ConfigurationValid", auth: "False/AuthFailed", reachable: "True/Reachable",
			components: "Remote=False/AuthFailed Secret=True/Published Service=False/AuthFailed",
			phase:      "Degraded", activity: "", next: "5m0s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "",
		},
	},
	"E03 a 403 after another error is new": {
		given: []moment{{0, created}, {0, observeFails(down)}},
		when:  moment{5 * time.Minute, observeFails(denied)},
		want: columns{
			row: "infrastructure error", ready: "Unknown/ProgressingWithRetry",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "False/Forbidden",
			components: "Remote=False/Unknown Secret=True/Published Service=False/Unknown",
			phase:      "Degraded", activity: "Reconciling", next: "error",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "Warning UnableToWaitForPreconditions",
		},
	},
	"E03 no token means no call": {
		when: moment{0, noToken},
		want: columns{
			row: "token missing or rejected", ready: "False/AuthFailed",
			config: "True/ConfigurationValid", auth: "False/TokenMissing", reachable: "Unknown/Unverified",
			components: "Remote=False/AuthFailed",
			phase:      "Pending", activity: "", next: "5m0s",
			legacy:      "Error=Unknown/Preconditions Initialized=True/Preconditions Running=Unknown/CheckRunning",
			annotations: "", event: "Warning UnableToGetAuthSecret",
		},
	},
	"E03 a token that went missing keeps what is known of the rest": {
		given: bornReady,
		when:  moment{time.Hour, noToken},
		want: columns{
			row: "token missing or rejected", ready: "False/AuthFailed",
			config: "True/ConfigurationValid", auth: "False/TokenMissing", reachable: "True/Reachable",
			components: "Remote=False/AuthFailed Secret=True/Published Service=False/AuthFailed",
			phase:      "Degraded", activity: "", next: "5m0s",
			legacy:      "Error=Unknown/Preconditions Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "Warning UnableToGetAuthSecret",
		},
	},
	"E07 a create that exceeds the quota": {
		when: moment{0, createRefused(errOverQuota)},
		want: columns{
			row: "quota or billing refusal", ready: "False/ResourceExhausted",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Missing Secret=False/NotYetAvailable Service=True/Running",
			phase:      "Failed", activity: "", next: "5m0s",
			legacy:      "Error=Unknown/CreateOrUpdate Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "-running", event: "Warning UnableToCreateOrUpdateAtAiven",
		},
	},
	"E07 V03 a quota that stays exceeded has no further event": {
		given: []moment{{0, createRefused(errOverQuota)}},
		when:  moment{5 * time.Minute, createRefused(errOverQuota)},
		want: columns{
			row: "quota or billing refusal", ready: "False/ResourceExhausted",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Missing Secret=False/NotYetAvailable Service=True/Running",
			phase:      "Failed", activity: "", next: "5m0s",
			legacy:      "Error=Unknown/CreateOrUpdate Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "-running", event: "",
		},
	},
	"E07 an update that exceeds the quota": {
		given:  bornReady,
		edited: true,
		when:   moment{time.Hour, updateRefused(aiven(402, "no credit"))},
		want: columns{
			row: "quota or billing refusal", ready: "False/ResourceExhausted",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Failed", activity: "", next: "5m0s",
			legacy:      "Error=Unknown/CreateOrUpdate Initialized=True/Preconditions Running=True/CheckRunning",
			annotations: "running=true", event: "Warning UnableToCreateOrUpdateAtAiven",
		},
	},
}
