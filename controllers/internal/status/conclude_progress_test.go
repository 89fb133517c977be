package status

import (
	"testing"
	"time"
)

func TestConcludeProgress(t *testing.T) { requireSituations(t, progressSituations) }

var progressSituations = map[string]situation{
	"F01 a service that was just created": {
		service: true,
		when:    moment{0, serviceCreated},
		want: columns{
			row: "created or updating", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Creating Secret=False/NotYetAvailable",
			phase:      "Starting", activity: "Reconciling", next: "10s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=Unknown/CreatedOrUpdated",
			annotations: "processed=1 -running", event: "Normal CreatedOrUpdatedAtAiven",
		},
	},
	"C-09 F01 X20 a service that is being built": {
		service: true,
		given:   []moment{{0, serviceCreated}},
		when:    moment{10 * time.Second, all(remote(Remote{Exists: true, State: "REBUILDING", Reason: "Rebuilding", Message: "Waiting for Aiven to build the service"}), withoutDetails)},
		want: columns{
			row: "created or updating", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Rebuilding Secret=False/NotYetAvailable",
			phase:      "Starting", activity: "Reconciling", next: "10s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=False/CheckRunning",
			annotations: "processed=1", event: "",
		},
	},
	"E08 F05 X26 a service that is being built for too long": {
		service: true,
		given:   []moment{{0, serviceCreated}},
		when:    moment{31 * time.Minute, all(remote(Remote{Exists: true, State: "REBUILDING", Reason: "Rebuilding", Message: "Waiting for Aiven to build the service"}), withoutDetails)},
		want: columns{
			row: "created or updating", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Rebuilding Secret=False/NotYetAvailable",
			phase:      "Degraded", activity: "Reconciling", next: "10s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=False/CheckRunning",
			annotations: "processed=1", event: "",
		},
	},
	"C-09 H10 X21 C-13 a service that runs": {
		service: true,
		given:   []moment{{0, serviceCreated}},
		when:    moment{5 * time.Minute, serviceInSync},
		want: columns{
			row: "in sync", ready: "True/ReconciliationSucceeded",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Running Secret=True/Published",
			phase:      "Running", activity: "", next: "10m0s poll",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "processed=1 running=true", event: "Normal InstanceIsRunning",
		},
	},
	"H10 Q04 V03 a service that goes on running": {
		service: true,
		given:   serviceBorn,
		when:    moment{10 * time.Minute, serviceInSync},
		want: columns{
			row: "in sync", ready: "True/ReconciliationSucceeded",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Running Secret=True/Published",
			phase:      "Running", activity: "", next: "10m0s poll",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "processed=1 running=true", event: "",
		},
	},
	"W15 a new spec that a service takes": {
		service: true,
		given:   serviceBorn,
		edited:  true,
		when:    moment{time.Hour, all(remote(Remote{Exists: true, State: "RUNNING", Reason: "Updating", Message: "Waiting for Aiven to show what it has accepted"}), published, updated("spec.plan"))},
		want: columns{
			row: "created or updating", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Updating Secret=True/Published",
			phase:      "Starting", activity: "Reconciling", next: "10s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=Unknown/CreatedOrUpdated",
			annotations: "processed=2 -running", event: "Normal CreatedOrUpdatedAtAiven",
		},
	},
	"right after an update RUNNING may be outdated": {
		service: true,
		given:   append(serviceBorn, moment{time.Hour, all(remote(Remote{Exists: true, State: "RUNNING", Reason: "Updating"}), published, updated("spec.plan"))}),
		when:    moment{2 * time.Second, serviceInSync},
		want: columns{
			row: "created or updating", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Updating Secret=True/Published",
			phase:      "Starting", activity: "Reconciling", next: "10s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=Unknown/CreatedOrUpdated",
			annotations: "processed=1", event: "",
		},
	},
	"RUNNING counts 10 s after an update": {
		service: true,
		given:   append(serviceBorn, moment{time.Hour, all(remote(Remote{Exists: true, State: "RUNNING", Reason: "Updating"}), published, updated("spec.plan"))}, moment{2 * time.Second, serviceInSync}),
		when:    moment{8 * time.Second, serviceInSync},
		want: columns{
			row: "in sync", ready: "True/ReconciliationSucceeded",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Running Secret=True/Published",
			phase:      "Running", activity: "", next: "10m0s poll",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "processed=1 running=true", event: "Normal InstanceIsRunning",
		},
	},
	"X22 a service that was powered off on request": {
		service: true,
		given:   serviceBorn,
		when:    moment{time.Hour, all(off, withoutDetails)},
		want: columns{
			row: "powered off on request", ready: "True/PoweredOffAsRequested",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/PoweredOffAsRequested Secret=True/Published",
			phase:      "NotAvailable", activity: "", next: "10m0s poll",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "processed=1 running=false", event: "",
		},
	},
	"X05 a service that was powered off at Aiven, and is not corrected": {
		service: true,
		given:   serviceBorn,
		when:    moment{time.Hour, all(leftOff, withoutDetails)},
		want: columns{
			row: "powered off, not corrected", ready: "Unknown/ServicePoweredOff",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Drifted=True/TakenOver Remote=False/ServicePoweredOff Secret=True/Published",
			phase:      "NotAvailable", activity: "", next: "10m0s poll",
			legacy:      "Initialized=True/CreatedOrUpdated Running=False/CheckRunning",
			annotations: "processed=1 running=false", event: "Warning DriftDetected",
		},
	},
	"V04 H10 a leaf that is there at once": {
		when: moment{0, created},
		want: columns{
			row: "in sync", ready: "True/ReconciliationSucceeded",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "", next: "10m0s poll",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "processed=1 running=true", event: "Normal InstanceIsRunning",
		},
	},
	"W15 a leaf that Aiven takes its time with": {
		when: moment{0, all(serviceRuns, working, withoutDetails, func(f *Facts) { f.Mutation = Created })},
		want: columns{
			row: "created or updating", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Creating Secret=False/NotYetAvailable Service=True/Running",
			phase:      "Starting", activity: "Reconciling", next: "10s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=Unknown/CreatedOrUpdated",
			annotations: "processed=1 -running", event: "Normal CreatedOrUpdatedAtAiven",
		},
	},
	"W15 V07 a new spec of a leaf that is applied at once": {
		given:  bornReady,
		edited: true,
		when:   moment{time.Hour, all(inSync, updated("spec.size"))},
		want: columns{
			row: "in sync", ready: "True/ReconciliationSucceeded",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "", next: "10m0s poll",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "processed=2 running=true", event: "Normal CreatedOrUpdatedAtAiven",
		},
	},
	"V07 drift that is repaired": {
		given: bornReady,
		when:  moment{time.Hour, all(inSync, updated("spec.size"))},
		want: columns{
			row: "in sync", ready: "True/ReconciliationSucceeded",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "", next: "10m0s poll",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "processed=1 running=true", event: "Normal ReconciliationSucceeded",
		},
	},
	"Q04 V03 a leaf at rest": {
		given: bornReady,
		when:  moment{10 * time.Minute, inSync},
		want: columns{
			row: "in sync", ready: "True/ReconciliationSucceeded",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "", next: "10m0s poll",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "processed=1 running=true", event: "",
		},
	},
	"P14 a leaf that was there before": {
		when: moment{0, inSync},
		want: columns{
			row: "in sync", ready: "True/ReconciliationSucceeded",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "", next: "10m0s poll",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "processed=1 running=true", event: "Normal InstanceIsRunning",
		},
	},
	"R06 X16 a leaf that was lost and is made again": {
		given: bornReady,
		when:  moment{time.Hour, all(created, func(f *Facts) { f.Recreated = true })},
		want: columns{
			row: "in sync", ready: "True/ReconciliationSucceeded",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "", next: "10m0s poll",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "processed=1 running=true", event: "Warning RemoteResourceMissing",
		},
	},
	"R06 X16 a lost service is built again": {
		service: true,
		given:   serviceBorn,
		when:    moment{time.Hour, all(serviceCreated, func(f *Facts) { f.Recreated = true })},
		want: columns{
			row: "created or updating", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Creating Secret=True/Published",
			phase:      "Starting", activity: "Reconciling", next: "10s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=Unknown/CreatedOrUpdated",
			annotations: "processed=1 -running", event: "Warning RemoteResourceMissing",
		},
	},
	"X16 a lost leaf that can not be made again": {
		given: bornReady,
		when:  moment{time.Hour, all(createRefused(errOverQuota), func(f *Facts) { f.Recreated = true })},
		want: columns{
			row: "quota or billing refusal", ready: "False/ResourceExhausted",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Missing Secret=True/Published Service=True/Running",
			phase:      "Failed", activity: "", next: "5m0s",
			legacy:      "Error=Unknown/CreateOrUpdate Initialized=True/CreatedOrUpdated Running=False/CheckRunning",
			annotations: "-running", event: "Warning UnableToCreateOrUpdateAtAiven",
		},
	},
	"P07 a change that has to wait is not taken for applied": {
		service: true,
		given:   serviceBorn,
		edited:  true,
		when:    moment{time.Hour, all(remote(Remote{Exists: true, Active: true, State: "RUNNING"}), published, func(f *Facts) { f.WaitFor = "Waiting for the first backup" })},
		want: columns{
			row: "created or updating", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Running Secret=True/Published",
			phase:      "Starting", activity: "Reconciling", next: "10s",
			legacy:      "Initialized=True/Preconditions Running=True/CheckRunning",
			annotations: "running=true", event: "",
		},
	},
	"a condition of the kind that goes on by itself is checked soon": {
		service: true,
		given:   serviceBorn,
		when: moment{time.Hour, all(serviceInSync, func(f *Facts) {
			f.Conditions = []KindCondition{{Type: "MigrationComplete", Reason: "Running", Pending: true}}
		})},
		want: columns{
			row: "in sync", ready: "True/ReconciliationSucceeded",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "MigrationComplete=False/Running Remote=True/Running Secret=True/Published",
			phase:      "Running", activity: "", next: "10s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "processed=1 running=true", event: "",
		},
	},
}
