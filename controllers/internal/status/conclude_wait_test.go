package status

import (
	"testing"
	"time"
)

func TestConcludeWait(t *testing.T) { requireSituations(t, waitSituations) }

var waitSituations = map[string]situation{
	"E05 X07 a reference that is absent may come": {
		when: moment{0, refAbsent},
		want: columns{
			row: "reference absent", ready: "Unknown/Progressing",
			config: "False/ReferenceNotFound", auth: "Unknown/Unverified", reachable: "Unknown/Unverified",
			components: "Remote=False/Unknown SecretSource=False/NotFound",
			phase:      "Pending", activity: "Reconciling", next: "10s",
			legacy:      "Initialized=True/Preconditions Running=Unknown/CheckRunning",
			annotations: "", event: "",
		},
	},
	"E05 X07 a reference that stays absent fails what was never ready": {
		given: []moment{{0, refAbsent}},
		when:  moment{11 * time.Second, refAbsent},
		want: columns{
			row: "reference absent", ready: "False/ReferenceNotFound",
			config: "False/ReferenceNotFound", auth: "Unknown/Unverified", reachable: "Unknown/Unverified",
			components: "Remote=False/Unknown SecretSource=False/NotFound",
			phase:      "Failed", activity: "", next: "30s",
			legacy:      "Initialized=True/Preconditions Running=Unknown/CheckRunning",
			annotations: "", event: "Warning UnableToWaitForPreconditions",
		},
	},
	"V03 an absent reference is reported once": {
		given: []moment{{0, refAbsent}, {11 * time.Second, refAbsent}},
		when:  moment{30 * time.Second, refAbsent},
		want: columns{
			row: "reference absent", ready: "False/ReferenceNotFound",
			config: "False/ReferenceNotFound", auth: "Unknown/Unverified", reachable: "Unknown/Unverified",
			components: "Remote=False/Unknown SecretSource=False/NotFound",
			phase:      "Failed", activity: "", next: "30s",
			legacy:      "Initialized=True/Preconditions Running=Unknown/CheckRunning",
			annotations: "", event: "",
		},
	},
	"E05 X07 a reference that stays absent degrades what was ready": {
		given: []moment{{0, all(refReady, created)}, {time.Hour, refAbsent}},
		when:  moment{11 * time.Second, refAbsent},
		want: columns{
			row: "reference absent", ready: "False/ReferenceNotFound",
			config: "False/ReferenceNotFound", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published SecretSource=False/NotFound Service=True/Running",
			phase:      "Degraded", activity: "", next: "30s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "Warning UnableToWaitForPreconditions",
		},
	},
	"E05 a reference that goes away while it was awaited has its grace": {
		given: []moment{{0, refWaits}},
		when:  moment{time.Hour, refAbsent},
		want: columns{
			row: "reference absent", ready: "Unknown/Progressing",
			config: "False/ReferenceNotFound", auth: "Unknown/Unverified", reachable: "Unknown/Unverified",
			components: "Remote=False/Unknown SecretSource=False/NotFound",
			phase:      "Pending", activity: "Reconciling", next: "10s",
			legacy:      "Initialized=True/Preconditions Running=Unknown/CheckRunning",
			annotations: "", event: "Normal WaitingForPreconditions",
		},
	},
	"R07 a reference that appears": {
		given: []moment{{0, refAbsent}, {11 * time.Second, refAbsent}},
		when:  moment{time.Minute, all(refReady, created)},
		want: columns{
			row: "in sync", ready: "True/ReconciliationSucceeded",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published SecretSource=True/Ready Service=True/Running",
			phase:      "Ready", activity: "", next: "10m0s poll",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "processed=1 running=true", event: "Normal InstanceIsRunning",
		},
	},
	"H11 X07 H01 C-03 a reference that is not ready": {
		when: moment{0, refWaits},
		want: columns{
			row: "reference not ready", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "Unknown/Unverified", reachable: "Unknown/Unverified",
			components: "Remote=False/Unknown SecretSource=False/Progressing",
			phase:      "Pending", activity: "Reconciling", next: "30s",
			legacy:      "Initialized=True/Preconditions Running=Unknown/CheckRunning",
			annotations: "", event: "",
		},
	},
	"H11 a reference that is not ready any more": {
		given: []moment{{0, all(refReady, created)}},
		when:  moment{time.Hour, refWaits},
		want: columns{
			row: "reference not ready", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published SecretSource=False/Progressing Service=True/Running",
			phase:      "Degraded", activity: "Reconciling", next: "30s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "",
		},
	},
	"C-07 a reference that was dropped leaves no condition": {
		given: []moment{{0, all(refReady, created)}},
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
	"H11 the service does not exist yet": {
		when: moment{0, all(serviceMissing)},
		want: columns{
			row: "service missing or not ready", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Missing Service=False/NotFound",
			phase:      "Pending", activity: "Reconciling", next: "30s",
			legacy:      "Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "-running", event: "",
		},
	},
	"V03 a short wait is not reported": {
		given: []moment{{0, all(serviceMissing)}},
		when:  moment{29 * time.Second, all(serviceMissing)},
		want: columns{
			row: "service missing or not ready", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Missing Service=False/NotFound",
			phase:      "Pending", activity: "Reconciling", next: "30s",
			legacy:      "Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "-running", event: "",
		},
	},
	"V03 a wait of 30 s is reported": {
		given: []moment{{0, all(serviceMissing)}},
		when:  moment{30 * time.Second, all(serviceMissing)},
		want: columns{
			row: "service missing or not ready", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Missing Service=False/NotFound",
			phase:      "Pending", activity: "Reconciling", next: "30s",
			legacy:      "Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "-running", event: "Normal WaitingForPreconditions",
		},
	},
	"V03 a wait is reported once": {
		given: []moment{{0, all(serviceMissing)}, {30 * time.Second, all(serviceMissing)}},
		when:  moment{30 * time.Second, all(serviceMissing)},
		want: columns{
			row: "service missing or not ready", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Missing Service=False/NotFound",
			phase:      "Pending", activity: "Reconciling", next: "30s",
			legacy:      "Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "-running", event: "",
		},
	},
	"V03 another cause of a wait is reported too": {
		given: []moment{{0, all(serviceBuilds)}, {30 * time.Second, all(serviceBuilds)}},
		when:  moment{30 * time.Second, all(serviceMissing)},
		want: columns{
			row: "service missing or not ready", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Missing Service=False/NotFound",
			phase:      "Pending", activity: "Reconciling", next: "30s",
			legacy:      "Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "-running", event: "Normal WaitingForPreconditions",
		},
	},
	"H11 the service does not exist any more": {
		given: bornReady,
		when:  moment{time.Hour, all(serviceMissing)},
		want: columns{
			row: "service missing or not ready", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Missing Secret=True/Published Service=False/NotFound",
			phase:      "Degraded", activity: "Reconciling", next: "30s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=False/CheckRunning",
			annotations: "-running", event: "",
		},
	},
	"H11 a service that does not come warns once": {
		given: []moment{{0, all(serviceMissing)}},
		when:  moment{31 * time.Minute, all(serviceMissing)},
		want: columns{
			row: "service missing or not ready", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Missing Service=False/NotFound",
			phase:      "Pending", activity: "Reconciling", next: "30s",
			legacy:      "Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "-running", event: "Warning UnableToWaitForPreconditions",
		},
	},
	"V03 a service that does not come warns no more": {
		given: []moment{{0, all(serviceMissing)}, {31 * time.Minute, all(serviceMissing)}},
		when:  moment{30 * time.Second, all(serviceMissing)},
		want: columns{
			row: "service missing or not ready", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Missing Service=False/NotFound",
			phase:      "Pending", activity: "Reconciling", next: "30s",
			legacy:      "Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "-running", event: "",
		},
	},
	"P07 H11 the service is being built": {
		when: moment{0, all(serviceBuilds)},
		want: columns{
			row: "service missing or not ready", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Unknown Service=False/Rebuilding",
			phase:      "Pending", activity: "Reconciling", next: "30s",
			legacy:      "Initialized=True/Preconditions Running=Unknown/CheckRunning",
			annotations: "", event: "",
		},
	},
	"H11 the service is being rebuilt": {
		given: bornReady,
		when:  moment{time.Hour, all(serviceBuilds)},
		want: columns{
			row: "service missing or not ready", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Unknown Secret=True/Published Service=False/Rebuilding",
			phase:      "Degraded", activity: "Reconciling", next: "30s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "",
		},
	},
	"E10 the service is powered off": {
		given: bornReady,
		when:  moment{time.Hour, all(serviceOff)},
		want: columns{
			row: "service powered off", ready: "Unknown/ServicePoweredOff",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Unknown Secret=True/Published Service=False/ServicePoweredOff",
			phase:      "NotAvailable", activity: "", next: "10m0s poll",
			legacy:      "Error=Unknown/Preconditions Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "Warning UnableToWaitForPreconditions",
		},
	},
	"E10 a service that stays off has no further event": {
		given: []moment{{0, created}, {0, all(serviceOff)}},
		when:  moment{10 * time.Minute, all(serviceOff)},
		want: columns{
			row: "service powered off", ready: "Unknown/ServicePoweredOff",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Unknown Secret=True/Published Service=False/ServicePoweredOff",
			phase:      "NotAvailable", activity: "", next: "10m0s poll",
			legacy:      "Error=Unknown/Preconditions Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "", event: "",
		},
	},
	"E10 the service was off from the start": {
		when: moment{0, all(serviceOff)},
		want: columns{
			row: "service powered off", ready: "Unknown/ServicePoweredOff",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Unknown Service=False/ServicePoweredOff",
			phase:      "NotAvailable", activity: "", next: "10m0s poll",
			legacy:      "Error=Unknown/Preconditions Initialized=True/Preconditions Running=Unknown/CheckRunning",
			annotations: "", event: "Warning UnableToWaitForPreconditions",
		},
	},
	"E10 a service that is powered on for the first time": {
		given: []moment{{0, all(serviceOff)}},
		when:  moment{time.Minute, all(serviceBuilds)},
		want: columns{
			row: "service missing or not ready", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Unknown Service=False/Rebuilding",
			phase:      "Pending", activity: "Reconciling", next: "30s",
			legacy:      "Initialized=True/Preconditions Running=Unknown/CheckRunning",
			annotations: "", event: "",
		},
	},
}
