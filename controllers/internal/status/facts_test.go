package status

import (
	"cmp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
)

func TestTheDecisiveServiceIsTheFirstThatIsNotUsable(t *testing.T) {
	usable, other, off := Service{Name: "a", Usable: true}, Service{Name: "b", Usable: true}, Service{Name: "c"}
	assert.Nil(t, DecisiveService(nil))
	assert.Equal(t, &usable, DecisiveService([]Service{usable, other}))
	assert.Equal(t, &off, DecisiveService([]Service{usable, off, {Name: "d"}}))
}

func TestARequestForAnObservationIsHandledOnce(t *testing.T) {
	obj := &metav1.ObjectMeta{}
	assert.False(t, ObservationRequested(obj, &v1alpha1.CommonStatus{}), "none")
	obj.Annotations = map[string]string{annotation.Requested: "now"}
	assert.True(t, ObservationRequested(obj, &v1alpha1.CommonStatus{}), "new")
	assert.False(t, ObservationRequested(obj, &v1alpha1.CommonStatus{LastHandledReconcileAt: "now"}), "handled")
}

func TestAUserWaitsForAGenerationUntilItIsAppliedOrRefused(t *testing.T) {
	ready := func(reason string, status metav1.ConditionStatus) metav1.Condition {
		return metav1.Condition{Type: condition.Ready, Status: status, Reason: reason, ObservedGeneration: 2}
	}
	refused := metav1.Condition{
		Type: condition.ConfigValid, Status: metav1.ConditionFalse, Reason: condition.ReasonInvalidSpec, ObservedGeneration: 2,
	}
	of := func(generation int64, c metav1.Condition) metav1.Condition {
		c.ObservedGeneration = generation
		return c
	}
	const no, unclear, yes = metav1.ConditionFalse, metav1.ConditionUnknown, metav1.ConditionTrue
	accepted := metav1.Condition{
		Type: condition.LegacyInitialized, Status: yes, Reason: condition.LegacyReasonCreatedOrUpdated, ObservedGeneration: 2,
	}
	for name, tc := range map[string]struct {
		generation int64 // 2 unless set
		applied    string
		requested  string
		conditions []metav1.Condition
		deleted    bool
		want       bool
	}{
		"a new object":                          {generation: 1},
		"a new object that was edited":          {want: true},
		"an applied generation":                 {applied: "2"},
		"a request for an observation":          {applied: "2", requested: "now", want: true},
		"an edit of what was applied":           {applied: "1", want: true},
		"an edit of what was refused":           {applied: "1", conditions: []metav1.Condition{of(1, refused), of(1, ready(condition.ReasonInvalidSpec, no))}, want: true},
		"a wait":                                {conditions: []metav1.Condition{ready(condition.ReasonProgressing, unclear)}, want: true},
		"an error":                              {conditions: []metav1.Condition{ready(condition.ReasonRetrying, unclear)}, want: true},
		"a missing reference":                   {conditions: []metav1.Condition{ready(condition.ReasonReferenceNotFound, no)}, want: true},
		"a spec that Aiven rejects":             {conditions: []metav1.Condition{ready(condition.ReasonInvalidSpec, no)}},
		"a rejected spec that waits for a turn": {conditions: []metav1.Condition{refused, ready(condition.ReasonProgressing, unclear)}},
		"a change that protection forbids":      {conditions: []metav1.Condition{ready(condition.ReasonTerminationProtected, no)}},
		"an exhausted quota":                    {conditions: []metav1.Condition{ready(condition.ReasonResourceExhausted, no)}},
		"a rejected token":                      {conditions: []metav1.Condition{ready(condition.ReasonAuthFailed, no)}},
		"a resource of another object":          {conditions: []metav1.Condition{ready(condition.ReasonConflict, no)}},
		"a deletion":                            {deleted: true, want: true},
		"a deletion that is blocked":            {deleted: true, conditions: []metav1.Condition{ready(condition.ReasonDeletionBlocked, unclear)}},
		"a deletion that protection forbids":    {deleted: true, conditions: []metav1.Condition{ready(condition.ReasonTerminationProtected, no)}},
		"a deletion whose protection was ended": {deleted: true, conditions: []metav1.Condition{of(1, ready(condition.ReasonTerminationProtected, no))}, want: true},
		"a deletion that Aiven refuses": {deleted: true, conditions: []metav1.Condition{
			ready(condition.ReasonRetrying, unclear), {Type: condition.LegacyError, Reason: condition.LegacyReasonDelete, ObservedGeneration: 2},
		}},
		"a deletion whose policy was mended": {deleted: true, conditions: []metav1.Condition{
			ready(condition.ReasonInvalidDeletionPolicy, no), {Type: condition.LegacyError, Reason: condition.LegacyReasonDelete, ObservedGeneration: 2},
		}, want: true},
		"a deletion that was refused an edit": {deleted: true, conditions: []metav1.Condition{ready(condition.ReasonInvalidSpec, no)}, want: true},
		"a request, while a deletion is blocked": {
			deleted: true, requested: "now", conditions: []metav1.Condition{ready(condition.ReasonDeletionBlocked, unclear)}, want: true,
		},
		"an edit that a policy leaves": {applied: "1", conditions: []metav1.Condition{ready(condition.ReasonSucceeded, yes)}},
		"an edit that a policy reports": {applied: "1", conditions: []metav1.Condition{
			{Type: condition.Drifted, Status: yes, ObservedGeneration: 2},
		}},
		"an edit of what a policy has left": {applied: "1", conditions: []metav1.Condition{of(1, ready(condition.ReasonSucceeded, yes))}, want: true},
		"a fresh apply of what was applied": {conditions: []metav1.Condition{accepted, ready(condition.ReasonSucceeded, yes)}, want: true},
		"a request in spite of a refusal":   {requested: "now", conditions: []metav1.Condition{ready(condition.ReasonInvalidSpec, no)}, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			obj := &metav1.ObjectMeta{Generation: cmp.Or(tc.generation, 2), Annotations: map[string]string{annotation.Processed: tc.applied, annotation.Requested: tc.requested}}
			if tc.deleted {
				obj.DeletionTimestamp = &metav1.Time{Time: time.Now()}
			}
			assert.Equal(t, tc.want, IsAwaited(obj, &v1alpha1.CommonStatus{Conditions: tc.conditions}))
		})
	}
}

func TestADeletionThatWaitsForItsFirstTurnWasNotRefused(t *testing.T) {
	for name, before := range map[string]finding{
		"termination protection was on":   deletion(Deletion{Protected: true}),
		"the deletion policy was unknown": func(f *Facts) { f.PolicyErr, f.Deleting = errBadRequest, true },
	} {
		t.Run(name, func(t *testing.T) {
			o := newObject(true)
			o.reconcile(t, serviceCreated)
			o.reconcile(t, before)
			if o.status.Conditions[0].Reason == condition.ReasonTerminationProtected {
				o.generation++ // it is part of the spec, and the policy isn't
			}
			for range 2 {
				c := o.reconcile(t, deletionFails(throttled))
				for _, cond := range c.Status.Conditions {
					assert.NotEqual(t, condition.LegacyError, cond.Type, "nothing has failed")
				}
				obj := &metav1.ObjectMeta{Generation: o.generation, DeletionTimestamp: &metav1.Time{Time: o.now}}
				assert.True(t, IsAwaited(obj, &o.status), "its first attempt takes precedence")
			}
		})
	}
}

func TestADeletionThatAivenProtectsStaysRefusedWhileItWaitsForATurn(t *testing.T) {
	o := newObject(true)
	o.reconcile(t, serviceCreated)
	o.reconcile(t, deletionFails(protection("ServiceDelete")))
	for range 2 {
		o.reconcile(t, deletionFails(throttled))
		assert.False(t, IsAwaited(&metav1.ObjectMeta{Generation: o.generation, DeletionTimestamp: &metav1.Time{Time: o.now}}, &o.status))
	}
}

func TestDetailsThatNeverComeMayBeHiddenFromTheToken(t *testing.T) {
	o := newObject(false)
	o.reconcile(t, all(created, withoutDetails))
	assert.NotContains(t, o.status.Conditions[0].Message, "token", "it is early")
	o.now = o.now.Add(31 * time.Minute)
	o.reconcile(t, all(inSync, withoutDetails))
	assert.Equal(t, "Waiting for Aiven to return connection details (for 31m0s). "+
		"Check that the token has the permission to read secrets", o.status.Conditions[0].Message)
}

func TestARotationSendsNothingOfTheSpec(t *testing.T) {
	for mutation, sent := range map[Mutation]bool{Unchanged: false, Rotated: false, Created: true, Updated: true, Reset: true} {
		assert.Equal(t, sent, (&Facts{Mutation: mutation}).Sent(), mutation)
	}
}
