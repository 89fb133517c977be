package status

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/userconfig"
)

func TestConcludeApprovals(t *testing.T) { requireSituations(t, approvalSituations) }

const hash = "0123456789abcdef0123456789abcdef01234567"

// awaiting is an object of which a change waits for approval, of the same hash each time.
func awaiting(f *Facts) {
	inSync(f)
	pendingFact(f)
}

func pendingFact(f *Facts) {
	f.GenerationApplied, f.Unapplied = false, true
	f.Pending = &v1alpha1.PendingChanges{Hash: hash, Changes: []v1alpha1.PendingChange{
		{Path: "spec.plan", From: "startup-4", To: "business-8", Impact: []string{"Cost", "NodesReplaced"}, Message: "nodes are replaced"},
	}}
}

var approvalSituations = map[string]situation{
	"a change is held": {
		given: bornReady, edited: true, when: moment{time.Hour, awaiting}, want: columns{
			row: "changes not approved", ready: "Unknown/AwaitingApproval", config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "ChangesPending=True/AwaitingApproval Remote=True/Active Secret=True/Published Service=True/Running", phase: "Ready", activity: "Reconciling", next: "10m0s poll",
			legacy: "Initialized=True/Preconditions Running=True/CheckRunning", annotations: "running=true", event: "Normal AwaitingApproval",
		},
	},
	"it is still held": {
		given: []moment{{0, awaiting}}, when: moment{10 * time.Minute, awaiting}, want: columns{
			row: "changes not approved", ready: "Unknown/AwaitingApproval", config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "ChangesPending=True/AwaitingApproval Remote=True/Active Secret=True/Published Service=True/Running", phase: "Ready", activity: "Reconciling", next: "10m0s poll",
			legacy: "Initialized=True/Preconditions Running=True/CheckRunning", annotations: "running=true",
		},
	},
	"the rest is sent": {
		given: []moment{{0, inSync}}, edited: true, when: moment{time.Minute, all(serviceRuns, working, withoutDetails, updated("spec.tags"), pendingFact)}, want: columns{
			row: "created or updating", ready: "Unknown/Progressing", config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "ChangesPending=True/AwaitingApproval Remote=False/Updating Secret=True/Published Service=True/Running", phase: "Starting", activity: "Reconciling", next: "10s",
			legacy: "Initialized=True/Preconditions Running=Unknown/CreatedOrUpdated", event: "Normal CreatedOrUpdatedAtAiven",
		},
	},
	"it was approved and sent": {
		given: []moment{{0, awaiting}}, when: moment{24 * time.Hour, all(serviceRuns, working, withoutDetails, updated("spec.plan"))}, want: columns{
			row: "created or updating", ready: "Unknown/Progressing", config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Updating Secret=True/Published Service=True/Running", phase: "Starting", activity: "Reconciling", next: "10s",
			legacy: "Initialized=True/CreatedOrUpdated Running=Unknown/CreatedOrUpdated", annotations: "processed=1 -running", event: "Normal CreatedOrUpdatedAtAiven",
		},
	},
}

func TestAnObjectThatAwaitsApprovalWritesItsStatusOnce(t *testing.T) {
	o := newObject(false)
	o.reconcile(t, awaiting)
	first := o.status.DeepCopy()
	assert.Equal(t, int64(1), first.PendingChanges.AppliedGeneration)
	for range 3 {
		o.now = o.now.Add(time.Hour)
		c := o.reconcile(t, awaiting)
		assert.Nil(t, c.Event)
		assert.Equal(t, first, &o.status)
	}
	o.now = o.now.Add(time.Hour)
	o.reconcile(t, all(serviceRuns, working, withoutDetails, updated("spec.plan")))
	assert.Nil(t, o.status.PendingChanges)
	require.NotNil(t, o.status.EditObservedTime, "what is worked on begins with the approval")
	assert.Equal(t, metav1.NewTime(o.now), *o.status.EditObservedTime)
}

func TestWhatWaitsForApprovalIsKeptWhileItIsNotKnown(t *testing.T) {
	for name, find := range map[string]finding{
		"Aiven fails": observeFails(down), "a write isn't shown yet": all(inSync, func(f *Facts) { f.WaitFor = "Waiting for Aiven" }),
		"its service is off": serviceOff, "its service is rebuilt": serviceBuilds, "nothing can be stored": all(inSync, problem(errors.New("boom"))),
	} {
		t.Run(name, func(t *testing.T) {
			o := newObject(false)
			o.reconcile(t, awaiting)
			before := o.status.PendingChanges.DeepCopy()
			o.now = o.now.Add(time.Minute)
			o.reconcile(t, find)
			assert.Equal(t, before, o.status.PendingChanges)
		})
	}
}

func TestPendingTextsAreBounded(t *testing.T) {
	const cutNote = "nodes are replaced; the values are longer than is shown here, and the spec has the new one"
	for name, tc := range map[string]struct {
		from, to int
		want     string
	}{
		"both just fit":     {userconfig.MaxText, userconfig.MaxText, "nodes are replaced"},
		"the old is longer": {userconfig.MaxText + 1, 1, cutNote},
		"the new is longer": {1, 5000, cutNote},
	} {
		t.Run(name, func(t *testing.T) {
			o := newObject(false)
			o.reconcile(t, awaiting, func(f *Facts) {
				f.Pending.Changes[0].From, f.Pending.Changes[0].To = strings.Repeat("x", tc.from), strings.Repeat("x", tc.to)
			})
			shown := o.status.PendingChanges.Changes[0]
			assert.Len(t, shown.From, min(tc.from, userconfig.MaxText))
			assert.Len(t, shown.To, min(tc.to, userconfig.MaxText))
			assert.Equal(t, tc.want, shown.Message)
		})
	}
}

func TestReadyNamesTheImpactOfWhatWaitsForApproval(t *testing.T) {
	for text, impact := range map[string][]string{
		"approval: spec.plan. See": nil, "approval: spec.plan (Cost). See": {"Cost"}, "approval: spec.plan (Cost, NodesReplaced). See": {"Cost", "NodesReplaced"},
	} {
		c := newObject(false).reconcile(t, awaiting, func(f *Facts) { f.Pending.Changes[0].Impact = impact })
		assert.Contains(t, c.Status.Conditions[0].Message, text)
	}
}

func TestOnlyAnApprovedObjectIsAwaited(t *testing.T) {
	o := newObject(false)
	o.generation = 2
	o.reconcile(t, awaiting)
	obj := &v1alpha1.ServiceUser{ObjectMeta: metav1.ObjectMeta{Generation: 2}}
	assert.False(t, IsAwaited(obj, &o.status), "a user has to act first")
	obj.Annotations = map[string]string{annotation.ApprovedChanges: "other"}
	assert.False(t, IsAwaited(obj, &o.status))
	obj.Annotations[annotation.ApprovedChanges] = hash
	assert.True(t, IsAwaited(obj, &o.status))
	assert.True(t, RestApplied(obj, &o.status))
	for name, waits := range map[string]v1alpha1.PendingChange{
		"a secret that Aiven doesn't return":  {Path: "spec.x"},
		"an option that Aiven doesn't return": {Path: "spec.x", From: userconfig.NotReturned, To: "true"},
	} {
		unsent := o.status.DeepCopy()
		unsent.PendingChanges.Changes = append(unsent.PendingChanges.Changes, waits)
		assert.False(t, RestApplied(obj, unsent), name)
	}
	obj.Generation = 3
	assert.False(t, RestApplied(obj, &o.status))
}

func TestAServiceThatIsToBePoweredOnAwaitsApproval(t *testing.T) {
	o := newObject(true)
	c := o.reconcile(t, off, pendingFact, func(f *Facts) { f.Remote = &Remote{Exists: true, Off: true, State: "POWEROFF"} })
	assert.Equal(t, "changes not approved", c.Row)
	assert.Equal(t, v1alpha1.PhaseNotAvailable, c.Status.Phase)
	assert.Equal(t, condition.ReasonAwaitingApproval, c.Status.Conditions[0].Reason)
	c = o.reconcile(t, off, pendingFact)
	assert.Equal(t, v1alpha1.PhaseNotAvailable, c.Status.Phase, "off as requested, with another change")
}

func TestReadyNamesTheApprovalOfAnotherHash(t *testing.T) {
	o := newObject(true)
	o.reconcile(t, inSync)
	for approved, text := range map[string]string{"": ". See status.pendingChanges.", hash: ". See status.pendingChanges.", "other": ". Another hash is approved."} {
		c := o.reconcile(t, awaiting, func(f *Facts) { f.Approved = approved })
		assert.Contains(t, c.Status.Conditions[0].Message, text, approved)
		assert.Contains(t, c.Status.Conditions[0].Message, annotation.ApprovedChanges+"="+hash)
	}
}
