package status

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/api/v1alpha1"
)

func TestConcludeSecret(t *testing.T) { requireSituations(t, secretSituations) }

func TestTheStatusNamesTheSecretOnceItIsPublished(t *testing.T) {
	bound := &v1alpha1.SecretBinding{Name: "conn"}
	for name, tc := range map[string]struct {
		given []moment
		finds finding
		want  *v1alpha1.SecretBinding
	}{
		"published":                                  {finds: created, want: bound},
		"without details yet":                        {finds: all(created, withoutDetails)},
		"without details for a moment":               {given: bornReady, finds: all(inSync, withoutDetails), want: bound},
		"not written for a moment":                   {given: bornReady, finds: all(inSync, unwritten), want: bound},
		"the service could not be read":              {given: bornReady, finds: observeFails(down), want: bound},
		"the wanted route does not exist":            {given: bornReady, finds: all(inSync, routeless), want: bound},
		"the wanted route does not exist yet":        {finds: all(created, routeless)},
		"disabled":                                   {finds: all(created, disabled)},
		"a Secret of another owner":                  {finds: all(created, foreign)},
		"a Secret that another owner has taken over": {given: bornReady, finds: all(inSync, foreign)},
		"a Secret of another owner, of another name": {given: bornReady, finds: all(inSync, foreign, func(f *Facts) { f.Secret.Name = "new" }), want: bound},
	} {
		t.Run(name, func(t *testing.T) {
			o := newObject(false)
			for _, m := range tc.given {
				o.reconcile(t, m.finds)
			}
			c := o.reconcile(t, tc.finds)
			assert.Equal(t, tc.want, c.Status.Binding)
		})
	}
}

var secretSituations = map[string]situation{
	"K05 V06 the Secret has another owner": {
		when: moment{0, all(created, foreign)},
		want: columns{
			row: "Secret not published", ready: "False/ConnInfoSecretConflict",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=False/OwnedByOther Service=True/Running",
			phase:      "Degraded", activity: "", next: "10s",
			legacy:      "Error=Unknown/ConnInfoSecret Initialized=True/CreatedOrUpdated Running=Unknown/ConnInfoSecret",
			annotations: "processed=1 -running", event: "Warning CannotPublishConnectionDetails",
		},
	},
	"K05 the wanted route does not exist": {
		when: moment{0, all(created, routeless)},
		want: columns{
			row: "wanted route not there", ready: "False/RouteNotAvailable",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=False/RouteNotAvailable Service=True/Running",
			phase:      "Degraded", activity: "", next: "10m0s poll",
			legacy:      "Error=Unknown/ConnInfoSecret Initialized=True/CreatedOrUpdated Running=Unknown/ConnInfoSecret",
			annotations: "processed=1 -running", event: "Warning CannotPublishConnectionDetails",
		},
	},
	"K05 the wanted route may come with what Aiven builds": {
		when: moment{0, all(serviceCreated, routeless)},
		want: columns{
			row: "created or updating", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Creating Secret=False/RouteNotAvailable",
			phase:      "Starting", activity: "Reconciling", next: "10s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=Unknown/CreatedOrUpdated",
			annotations: "processed=1 -running", event: "Normal CreatedOrUpdatedAtAiven",
		},
	},
	"K05 the wanted route of a service that is off": {
		when: moment{0, all(created, serviceOff, routeless)},
		want: columns{
			row: "service powered off", ready: "Unknown/ServicePoweredOff",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=False/RouteNotAvailable Service=False/ServicePoweredOff",
			phase:      "NotAvailable", activity: "", next: "10m0s poll",
			legacy:      "Error=Unknown/Preconditions Initialized=True/CreatedOrUpdated Running=Unknown/ConnInfoSecret",
			annotations: "processed=1 -running", event: "Warning UnableToWaitForPreconditions",
		},
	},
	"K05 a Secret that stays foreign keeps warning": {
		given: []moment{{0, all(created, foreign)}},
		when:  moment{time.Minute, all(inSync, foreign)},
		want: columns{
			row: "Secret not published", ready: "False/ConnInfoSecretConflict",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=False/OwnedByOther Service=True/Running",
			phase:      "Degraded", activity: "", next: "1m0s",
			legacy:      "Error=Unknown/ConnInfoSecret Initialized=True/CreatedOrUpdated Running=Unknown/ConnInfoSecret",
			annotations: "processed=1 -running", event: "Warning CannotPublishConnectionDetails",
		},
	},
	"K05 a Secret that stays foreign for long is checked every 5 minutes": {
		given: []moment{{0, all(created, foreign)}},
		when:  moment{time.Hour, all(inSync, foreign)},
		want: columns{
			row: "Secret not published", ready: "False/ConnInfoSecretConflict",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=False/OwnedByOther Service=True/Running",
			phase:      "Degraded", activity: "", next: "5m0s",
			legacy:      "Error=Unknown/ConnInfoSecret Initialized=True/CreatedOrUpdated Running=Unknown/ConnInfoSecret",
			annotations: "processed=1 -running", event: "Warning CannotPublishConnectionDetails",
		},
	},
	"K05 K08 the Secret can not be written": {
		given: bornReady,
		when:  moment{time.Hour, all(inSync, unwritten)},
		want: columns{
			row: "Secret not published", ready: "Unknown/ProgressingWithRetry",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=False/WriteFailed Service=True/Running",
			phase:      "Degraded", activity: "Reconciling", next: "error",
			legacy:      "Initialized=True/CreatedOrUpdated Running=Unknown/ConnInfoSecret",
			annotations: "processed=1 -running", event: "Warning CannotPublishConnectionDetails",
		},
	},
	"K08 the details are not known yet": {
		when: moment{0, all(created, withoutDetails)},
		want: columns{
			row: "created or updating", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=False/NotYetAvailable Service=True/Running",
			phase:      "Starting", activity: "Reconciling", next: "10s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=Unknown/ConnInfoSecret",
			annotations: "processed=1 -running", event: "Normal CreatedOrUpdatedAtAiven",
		},
	},
	"K01 details that are not returned for a moment": {
		given: bornReady,
		when:  moment{time.Hour, all(inSync, withoutDetails)},
		want: columns{
			row: "in sync", ready: "True/ReconciliationSucceeded",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running",
			phase:      "Ready", activity: "", next: "10m0s poll",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "processed=1 running=true", event: "",
		},
	},
	"K02 publishing is disabled": {
		when: moment{0, all(created, disabled)},
		want: columns{
			row: "in sync", ready: "True/ReconciliationSucceeded",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Disabled Service=True/Running",
			phase:      "Ready", activity: "", next: "10m0s poll",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "processed=1 running=true", event: "Normal InstanceIsRunning",
		},
	},
	"K02 V03 publishing stays disabled": {
		given: []moment{{0, all(created, disabled)}},
		when:  moment{10 * time.Minute, all(inSync, disabled)},
		want: columns{
			row: "in sync", ready: "True/ReconciliationSucceeded",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Disabled Service=True/Running",
			phase:      "Ready", activity: "", next: "10m0s poll",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "processed=1 running=true", event: "",
		},
	},
	"K03 a kind without a Secret": {
		when: moment{0, all(serviceRuns, active, func(f *Facts) { f.Mutation = Created })},
		want: columns{
			row: "in sync", ready: "True/ReconciliationSucceeded",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Service=True/Running",
			phase:      "Ready", activity: "", next: "10m0s poll",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "processed=1 running=true", event: "Normal InstanceIsRunning",
		},
	},
	"K05 G06 a Secret that could be written at last": {
		given: []moment{{0, created}, {time.Hour, all(inSync, unwritten)}},
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
}
