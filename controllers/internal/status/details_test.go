package status

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/userconfig"
)

func conditionOf(c *Conclusion, kind string) *metav1.Condition {
	for i := range c.Status.Conditions {
		if c.Status.Conditions[i].Type == kind {
			return &c.Status.Conditions[i]
		}
	}
	return nil
}

func TestMessages(t *testing.T) {
	wasReady := func(f *Facts) { f.Provenance = &v1alpha1.Provenance{Type: v1alpha1.ProvenanceCreated, WasReady: true} }
	tests := map[string]struct {
		given []moment
		when  moment
		want  string
	}{
		"E05 an absent reference is named": {
			when: moment{0, refAbsent}, want: "Secret ns/pw doesn't exist",
		},
		"E03 a rejected token is named by its place": {
			when: moment{0, observeFails(errBadToken)},
			want: `Aiven rejected the token: invalid token. Put a valid token into key "token" of Secret ns/aiven-token (401 ServiceGet)`,
		},
		"E03 a token without access is named by its place": {
			given: []moment{{0, observeFails(denied)}}, when: moment{2 * time.Minute, observeFails(denied)},
			want: `Aiven denied access: not a member. Give the user of the token access at Aiven, ` +
				`or put another token into key "token" of Secret ns/aiven-token (403 ServiceGet)`,
		},
		"a missing service is named": {
			when: moment{0, serviceMissing},
			want: "Waiting for service prj/pg (spec.project, spec.serviceName): it does not exist at Aiven. " +
				"Create it, or recreate this object with the right names",
		},
		"a service that is missing for long is named with the fields": {
			given: []moment{{0, serviceMissing}}, when: moment{31 * time.Minute, serviceMissing},
			want: "Service prj/pg (spec.project, spec.serviceName) does not exist at Aiven. " +
				"Create it, or recreate this object with the right names",
		},
		"of several services one is named with what to do": {
			when: moment{0, connects(sourceRuns, Service{Name: "prj/pg", Condition: condition.DestinationServiceReady})},
			want: "Waiting for service prj/pg (spec.destinationServiceName): it does not exist at Aiven. Create it, or recreate this object with the right names",
		},
		"a service that has gone is to be restored": {
			when: moment{0, all(serviceMissing, wasReady)},
			want: "Waiting for service prj/pg (spec.project, spec.serviceName): it does not exist at Aiven. " +
				"It did when this object was ready: restore it, or delete this object",
		},
		"a service that has been gone for long is to be restored, too": {
			given: []moment{{0, all(serviceMissing, wasReady)}}, when: moment{31 * time.Minute, all(serviceMissing, wasReady)},
			want: "Service prj/pg (spec.project, spec.serviceName) does not exist at Aiven. " +
				"It did when this object was ready: restore it, or delete this object",
		},
		"a service that is built is named with its state": {
			when: moment{0, serviceBuilds}, want: "Waiting for service prj/pg: it is REBUILDING",
		},
		"what is in use may have something to say": {
			given: serviceBorn,
			when:  moment{time.Minute, all(serviceInSync, remote(Remote{Exists: true, Active: true, Message: "Running. Not applied: spec.x"}))},
			want:  "Running. Not applied: spec.x",
		},
		"X08 what runs goes on after a rejection": {
			given: bornReady, when: moment{time.Hour, updateRefused(errBadRequest)},
			want: "Aiven rejected the change: no such plan. The spec that was applied last stays in place (400 ServiceGet)",
		},
		"X26 the message of a long wait has its duration": {
			given: []moment{{0, all(serviceRuns, working, withoutDetails)}}, when: moment{45 * time.Minute, all(serviceRuns, working, withoutDetails)},
			want: "Waiting for Aiven to create the resource (for 45m0s)",
		},
		"K08 details that are awaited are named": {
			when: moment{0, all(created, withoutDetails)}, want: waitingForDetails,
		},
		"W09 a blocked deletion names what blocks it": {
			when: moment{0, deletion(Deletion{Blocked: "delete topic x first"})}, want: "delete topic x first",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o := newObject(false)
			for _, m := range tt.given {
				o.now = o.now.Add(m.after)
				o.reconcile(t, m.finds)
			}
			o.now = o.now.Add(tt.when.after)
			c := o.reconcile(t, tt.when.finds)
			assert.Equal(t, tt.want, conditionOf(&c, condition.Ready).Message)
		})
	}
}

func TestTheDeadlineOfAWaitStartsWhenItsReferenceIsReady(t *testing.T) {
	o := newObject(false)
	o.reconcile(t, refWaits)
	o.now = o.now.Add(time.Hour)
	o.reconcile(t, all(refReady, serviceRuns, working, withoutDetails))
	o.now = o.now.Add(10 * time.Second)
	c := o.reconcile(t, all(refReady, serviceRuns, working, withoutDetails))
	assert.Equal(t, v1alpha1.PhaseStarting, c.Status.Phase)
}

func TestR01_ResolvedReferences(t *testing.T) {
	found := []Resolution{{Kind: "Secret", Namespace: "ns", Name: "pw", UID: "1"}}
	resolved := func(f *Facts) { f.Resolved = found }
	o := newObject(false)
	assert.Equal(t, found, o.reconcile(t, all(refReady, created, resolved)).Status.ResolvedRefs)
	assert.Equal(t, found, o.reconcile(t, refBroken).Status.ResolvedRefs, "a failed read is no absence")
	assert.Equal(t, found, o.reconcile(t, noToken).Status.ResolvedRefs, "not read")
	assert.Empty(t, o.reconcile(t, refAbsent).Status.ResolvedRefs, "R01: only what is ready is stored")
	found = []Resolution{{Kind: "Secret", Namespace: "ns", Name: "pw", UID: "2"}}
	assert.Equal(t, found, o.reconcile(t, all(refReady, inSync, resolved)).Status.ResolvedRefs, "R02: the target that was recreated")
}

func TestQ07_RequestsAreEchoed(t *testing.T) {
	asks := func(value string) finding { return func(f *Facts) { f.HandledAt = value } }
	o := newObject(false)
	assert.Equal(t, "1", o.reconcile(t, all(created, asks("1"))).Status.LastHandledReconcileAt, "Q07")
	assert.Equal(t, "1", o.reconcile(t, all(paused, asks("2"))).Status.LastHandledReconcileAt, "a pause handles nothing")
	assert.Equal(t, "2", o.reconcile(t, all(inSync, asks("2"))).Status.LastHandledReconcileAt)
	assert.Equal(t, "2", o.reconcile(t, inSync).Status.LastHandledReconcileAt, "a request that is gone was handled")
}

func TestQ04_ThePollIsSpread(t *testing.T) {
	for spread, want := range map[float64]time.Duration{-1: 9 * time.Minute, 0: 10 * time.Minute, 0.5: 630 * time.Second, 1: 11 * time.Minute} {
		o := newObject(false)
		c := o.reconcile(t, all(created, func(f *Facts) { f.Jitter = spread }))
		assert.Equal(t, want, c.Result.RequeueAfter, "Q04")
	}
}

func TestConditionsOfAKind(t *testing.T) {
	withConditions := func(extras ...KindCondition) finding { return func(f *Facts) { f.Conditions = extras } }
	o := newObject(true)
	c := o.reconcile(t, all(serviceInSync, withConditions(KindCondition{Type: "MigrationComplete", Reason: "Done", True: true}, KindCondition{Type: "SomethingReady", Reason: "No"})))
	assert.Equal(t, metav1.ConditionTrue, conditionOf(&c, "MigrationComplete").Status)
	assert.Equal(t, metav1.ConditionFalse, conditionOf(&c, "SomethingReady").Status)
	c = o.reconcile(t, serviceInSync)
	assert.NotNil(t, conditionOf(&c, "MigrationComplete"), "what isn't returned again stays")
}

func TestNotes(t *testing.T) {
	o := newObject(false)
	c := o.reconcile(t, all(inSync, updated("spec.a", "spec.b")))
	assert.Equal(t, "Updated spec.a, spec.b at Aiven. Ready", c.Event.Note)
	assert.Equal(t, ActionReconcile, c.Event.Action)

	c = o.reconcile(t, all(inSync, updated("spec.a", "spec.b")))
	assert.Equal(t, "Updated spec.a, spec.b at Aiven", c.Event.Note, "what Aiven had isn't known")

	drifted := []userconfig.Difference{{Path: "spec.a", Wanted: "1", Found: "2"}, {Path: "spec.b", Wanted: "x"}}
	c = o.reconcile(t, all(inSync, updated("spec.a", "spec.b"), func(f *Facts) { f.Replaced = drifted }))
	assert.Equal(t, "Corrected drift at Aiven: spec.a was 2, spec.b was empty", c.Event.Note)
	assert.Equal(t, EventRecovered, c.Event.Reason)

	c = o.reconcile(t, all(inSync, updated("spec.a", "spec.b"), func(f *Facts) { f.GenerationApplied, f.Replaced = false, drifted }))
	assert.Equal(t, "Updated spec.a, spec.b at Aiven", c.Event.Note, "a change of the spec is no drift")

	secret := append(slices.Clone(drifted), userconfig.NewDifference("spec.c", userconfig.Hidden{}, userconfig.Hidden{}))
	c = o.reconcile(t, all(inSync, updated("spec.a", "spec.b", "spec.c"), func(f *Facts) { f.Replaced = secret }))
	assert.Equal(t, "Updated spec.a, spec.b, spec.c at Aiven", c.Event.Note, "a value that was concealed isn't named")

	tag := userconfig.NewDifference("spec.tags", "a", userconfig.Concealed)
	c = o.reconcile(t, all(inSync, updated("spec.tags"), func(f *Facts) { f.Replaced = []userconfig.Difference{tag} }))
	assert.Equal(t, "Corrected drift at Aiven: spec.tags was (secret)", c.Event.Note, "a tag may have that text")

	secret[2] = userconfig.Difference{Path: "spec.userConfig.access_key", Wanted: "AKIAOURS", Found: "AKIATHEIRS"}
	c = o.reconcile(t, all(inSync, updated("spec.a", "spec.b", "spec.userConfig.access_key"), func(f *Facts) { f.Replaced = secret }))
	assert.Equal(t, "Updated spec.a, spec.b, spec.userConfig.access_key at Aiven", c.Event.Note, "nor is that of an option whose name says that it is a secret")

	secret[2] = userconfig.Difference{Path: "spec.userConfig.secret_providers", Wanted: "[]", Found: "[map[aws:map[access_key:AKIATHEIRS] name:a]]"}
	c = o.reconcile(t, all(inSync, updated("spec.a", "spec.b", "spec.userConfig.secret_providers"), func(f *Facts) { f.Replaced = secret }))
	assert.NotContains(t, c.Event.Note, "AKIATHEIRS", "nor is one within a list")

	url := []userconfig.Difference{{Path: "spec.url", Wanted: "x", Found: "postgres://u:theirs@h/" + strings.Repeat("d", userconfig.MaxText)}, {Path: "spec.b", Wanted: "x", Found: "2"}}
	c = o.reconcile(t, all(inSync, updated("spec.url", "spec.b"), func(f *Facts) { f.Replaced = url }))
	assert.Contains(t, c.Event.Note, "Corrected drift at Aiven: spec.url was postgres://u:***@h/ddd", "a password in a text is hidden, as in status.drift")

	c = o.reconcile(t, all(inSync, func(f *Facts) { f.Mutation = Reset }))
	assert.Equal(t, "Reset the password at Aiven: the connection Secret didn't have it, and Aiven returns it only once", c.Event.Note)
	assert.Equal(t, EventMutated, c.Event.Reason, "no drift was corrected")

	c = o.reconcile(t, all(inSync, func(f *Facts) { f.Mutation, f.Overwriters = Reset, []string{"sync-tool"} }))
	assert.Contains(t, c.Event.Note, "Reset the password at Aiven: field manager sync-tool has written over it in the connection Secret")
	assert.Equal(t, []string{corev1.EventTypeWarning, EventOverwritten}, []string{c.Event.Type, c.Event.Reason})

	c = o.reconcile(t, all(created, func(f *Facts) { f.Recreated = true }))
	assert.Equal(t, "Deleted outside Kubernetes. Created again at Aiven", c.Event.Note)

	c = o.reconcile(t, deletion(Deletion{Requested: true}))
	assert.Equal(t, ActionFinalize, c.Event.Action)

	long := note(strings.Repeat("é", userconfig.MaxText))
	require.LessOrEqual(t, len(long), userconfig.MaxText)
	assert.True(t, strings.HasSuffix(long, "é..."), "a note is cut between characters")
}

func TestAccepted(t *testing.T) {
	o := newObject(false)
	assert.False(t, Accepted(&o.status, 1), "nothing was sent")
	o.reconcile(t, createRefused(errBadRequest))
	assert.False(t, Accepted(&o.status, 1), "it was refused")
	o.reconcile(t, created)
	assert.True(t, Accepted(&o.status, 1))
	o.generation = 2
	assert.False(t, Accepted(&o.status, 2), "that was another spec")
	o.reconcile(t, observeFails(down))
	assert.False(t, Accepted(&o.status, 2), "the new one wasn't sent")
}

func TestH07_H09_TheWorstOfTwoGivesReadyItsReason(t *testing.T) {
	two := func(f *Facts) {
		f.References = []Component{
			{Type: "ProjectVPCReady", Reason: "Progressing", Message: "it isn't ready"},
			{Type: "SecretSourceReady", Absent: true, Reason: "NotFound", Message: "Secret ns/pw doesn't exist"},
		}
	}
	o := newObject(false)
	o.reconcile(t, two)
	o.now = o.now.Add(11 * time.Second)
	c := o.reconcile(t, two)
	assert.Equal(t, v1alpha1.PhaseFailed, c.Status.Phase, "what waits would be Pending")
	ready := conditionOf(&c, condition.Ready)
	assert.Equal(t, "ReferenceNotFound", ready.Reason)
	assert.Equal(t, "Secret ns/pw doesn't exist (and 1 more)", ready.Message)
	assert.Equal(t, "it isn't ready", conditionOf(&c, "ProjectVPCReady").Message, "C-03: the other one is shown too")
}
