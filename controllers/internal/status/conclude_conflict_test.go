package status

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestConcludeConflictsAndPolicies(t *testing.T) { requireSituations(t, conflictSituations) }

func TestAConflictNamesTheRemedyThatHelps(t *testing.T) {
	for says, change := range map[string]func(*Facts){
		"Already managed by ServiceUser other/joe. Delete this object, or set the annotation " +
			"controllers.aiven.io/management-policy=Observe on it": ownedByAnother,
		"The name is in use by Valkey other/joe. Recreate the object under another name": func(f *Facts) {
			f.Owner, f.OwnerOfOtherKind = "Valkey other/joe", true
		},
	} {
		e := &evaluator{facts: &Facts{}}
		change(e.facts)
		assert.Equal(t, says, e.yieldToOwner().message)
	}
}

func ownedByAnother(f *Facts) { f.Owner = "ServiceUser other/joe" }

func begunByAnother(f *Facts) { f.Owner, f.OwnerPending = "ServiceUser other/joe", true }

var sharedWithAnother = deletion(Deletion{SharedWith: "ServiceUser other/joe", Gone: true})

func onlyObserving(f *Facts) { f.ObserveOnly = true }

func missing(f *Facts) {
	f.Services = []Service{{Name: "prj/pg", Exists: true, Usable: true, State: "RUNNING"}}
	f.Remote = &Remote{}
}

func fallenBack(f *Facts) { f.TokenFallback = errors.New("Secret ns/never-was doesn't exist") }

func members(total, failed int) finding {
	return func(f *Facts) {
		f.Services = []Service{{Name: "prj/pg", Exists: true, Usable: true, State: "RUNNING"}}
		f.Remote = &Remote{Exists: true, Active: true, Members: &Members{Total: total, Failed: failed, Message: "task 1: no route"}}
	}
}

var conflictSituations = map[string]situation{
	"another object owns it": {
		when: moment{0, ownedByAnother},
		want: columns{
			row: "owned by another object", ready: "False/Conflict",
			config: "True/ConfigurationValid", auth: "Unknown/Unverified", reachable: "Unknown/Unverified",
			components: "Remote=False/Unknown", phase: "Failed", activity: "", next: "10m0s poll",
			legacy: "Initialized=True/Preconditions Running=Unknown/CheckRunning", event: "Warning OwnedByAnotherObject",
		},
	},
	"another object has begun to create it": {
		when: moment{0, begunByAnother},
		want: columns{
			row: "owned by another object", ready: "False/Conflict",
			config: "True/ConfigurationValid", auth: "Unknown/Unverified", reachable: "Unknown/Unverified",
			components: "Remote=False/Unknown", phase: "Failed", activity: "", next: "10s",
			legacy: "Initialized=True/Preconditions Running=Unknown/CheckRunning", event: "Warning OwnedByAnotherObject",
		},
	},
	"another object has begun to create it a while ago": {
		given: []moment{{0, begunByAnother}},
		when:  moment{time.Minute, begunByAnother},
		want: columns{
			row: "owned by another object", ready: "False/Conflict",
			config: "True/ConfigurationValid", auth: "Unknown/Unverified", reachable: "Unknown/Unverified",
			components: "Remote=False/Unknown", phase: "Failed", activity: "", next: "1m0s",
			legacy: "Initialized=True/Preconditions Running=Unknown/CheckRunning", event: "",
		},
	},
	"V03 a conflict with another object is reported once": {
		given: []moment{{0, ownedByAnother}},
		when:  moment{10 * time.Minute, ownedByAnother},
		want: columns{
			row: "owned by another object", ready: "False/Conflict",
			config: "True/ConfigurationValid", auth: "Unknown/Unverified", reachable: "Unknown/Unverified",
			components: "Remote=False/Unknown", phase: "Failed", activity: "", next: "10m0s poll",
			legacy: "Initialized=True/Preconditions Running=Unknown/CheckRunning",
		},
	},
	"what another object manages too outlives this one": {
		given: []moment{{0, created}},
		when:  moment{time.Hour, sharedWithAnother},
		want: columns{
			row: "deletion running", ready: "Unknown/Deleting",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running", phase: "Ready", activity: "Reconciling", next: "change",
			legacy: "Initialized=True/CreatedOrUpdated Running=True/CheckRunning", event: "Normal SkippedDeletionAtAiven",
		},
	},
	"nothing is created for an object that only observes": {
		when: moment{0, all(onlyObserving, missing)},
		want: columns{
			row: "nothing there to observe", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Missing Service=True/Running", phase: "Pending", activity: "", next: "10m0s poll",
			legacy: "Initialized=True/Preconditions Running=False/CheckRunning", annotations: "-running",
			event: "Normal WaitingForPreconditions",
		},
	},
	"F08 some of several failed": {
		when: moment{0, members(3, 2)},
		want: columns{
			row: "members partly down", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Service=True/Running Tasks=False/SomeFailed", phase: "Degraded", activity: "Reconciling", next: "30s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "processed=1 running=true",
		},
	},
	"F08 all of several failed": {
		when: moment{0, members(3, 3)},
		want: columns{
			row: "members partly down", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Service=True/Running Tasks=False/AllFailed", phase: "Failed", activity: "Reconciling", next: "30s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "processed=1 running=true",
		},
	},
	"F08 all of several work": {
		when: moment{0, members(3, 0)},
		want: columns{
			row: "in sync", ready: "True/ReconciliationSucceeded",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Service=True/Running Tasks=True/AllReady", phase: "Ready", activity: "", next: "10m0s poll",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "processed=1 running=true", event: "Normal InstanceIsRunning",
		},
	},
	"F08 of several there is none yet": {
		when: moment{0, members(0, 0)},
		want: columns{
			row: "created or updating", ready: "Unknown/Progressing",
			config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Service=True/Running Tasks=False/Unknown", phase: "Starting", activity: "Reconciling", next: "10s",
			legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			annotations: "processed=1 running=true",
		},
	},
	"the default token is used instead of another one": {
		given: bornReady, when: moment{time.Minute, all(fallenBack, inSync)},
		want: usesDefaultToken("Warning UnableToGetAuthSecret"),
	},
	"the default token is used on": {
		given: []moment{{0, all(fallenBack, created)}}, when: moment{time.Minute, all(fallenBack, inSync)},
		want: usesDefaultToken(""),
	},
	"the default token is used": {
		when: moment{0, all(fallenBack, created)},
		want: usesDefaultToken("Warning UnableToGetAuthSecret"),
	},
}

// usesDefaultToken is an object in sync with a token that isn't the one it names.
func usesDefaultToken(event string) columns {
	return columns{
		row: "in sync", ready: "True/ReconciliationSucceeded",
		config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
		components: "Remote=True/Active Secret=True/Published Service=True/Running", phase: "Ready", activity: "", next: "10m0s poll",
		legacy:      "Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
		annotations: "processed=1 running=true", event: event,
	}
}
