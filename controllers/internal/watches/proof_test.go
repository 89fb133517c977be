package watches

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/condition"
)

// is is a condition that has a status and a reason.
func is(kind string, status metav1.ConditionStatus, reason string) metav1.Condition {
	return metav1.Condition{Type: kind, Status: status, Reason: reason}
}

// Conditions as reconciles leave them.
var (
	accepted    = is(condition.LegacyInitialized, metav1.ConditionTrue, condition.LegacyReasonCreatedOrUpdated)
	unaccepted  = is(condition.LegacyInitialized, metav1.ConditionTrue, condition.LegacyReasonPreconditions)
	runs        = is(condition.LegacyRunning, metav1.ConditionTrue, condition.LegacyReasonCheckRunning)
	runsNot     = is(condition.LegacyRunning, metav1.ConditionFalse, condition.LegacyReasonCheckRunning)
	active      = is(condition.RemoteReady, metav1.ConditionTrue, condition.ReasonActive)
	refused     = is(condition.RemoteReady, metav1.ConditionFalse, condition.ReasonInvalidSpec)
	unchecked   = is(condition.RemoteReady, metav1.ConditionFalse, condition.ReasonUnknown)
	rejected    = is(condition.RemoteReady, metav1.ConditionFalse, condition.ReasonAuthFailed)
	missing     = is(condition.RemoteReady, metav1.ConditionFalse, condition.ReasonMissing)
	answers     = is(condition.DependenciesReachable, metav1.ConditionTrue, condition.ReasonReachable)
	silent      = is(condition.DependenciesReachable, metav1.ConditionFalse, condition.ReasonTimeout)
	inService   = is(condition.ServiceReady, metav1.ConditionTrue, condition.ReasonRunning)
	rebuilt     = is(condition.ServiceReady, metav1.ConditionFalse, condition.ReasonRebuilding)
	serviceGone = is(condition.ServiceReady, metav1.ConditionFalse, condition.ReasonNotFound)
	sourceGone  = is(condition.SourceServiceReady, metav1.ConditionFalse, condition.ReasonNotFound)
	destination = is(condition.DestinationServiceReady, metav1.ConditionTrue, condition.ReasonRunning)
)

func TestAStatusProvesWhetherAivenHasTheResource(t *testing.T) {
	quota := func(conditions ...metav1.Condition) client.Object {
		obj := &v1alpha1.KafkaQuota{}
		obj.Status.Conditions = conditions
		return obj
	}
	endpoint := func(id string, conditions ...metav1.Condition) client.Object {
		obj := &v1alpha1.ServiceIntegrationEndpoint{}
		obj.Status.ID, obj.Status.Conditions = id, conditions
		return obj
	}
	published := &v1alpha1.ServiceUser{}
	published.Status.Binding, published.Status.Conditions = &v1alpha1.SecretBinding{Name: "joe"}, []metav1.Condition{unaccepted, rejected}
	for name, tc := range map[string]struct {
		obj  client.Object
		want bool
	}{
		"no status":                     {obj: quota()},
		"another operator's object":     {obj: &metav1.PartialObjectMetadata{}},
		"active":                        {obj: quota(active, answers, unaccepted), want: true},
		"accepted":                      {obj: quota(accepted), want: true},
		"accepted, and the token fails": {obj: quota(accepted, rejected), want: true},
		"a token that never worked":     {obj: quota(unaccepted, rejected)},
		"what was never read":           {obj: quota(unaccepted, unchecked)},

		"an edit is refused":                            {obj: quota(unaccepted, refused, answers, inService, runsNot), want: true},
		"an edit is refused, of what has an id":         {obj: endpoint("1", unaccepted, refused, answers), want: true},
		"a create was refused":                          {obj: endpoint("", unaccepted, refused, answers)},
		"an edit waits for a reference":                 {obj: endpoint("", unaccepted, unchecked, runs), want: true},
		"an edit waits for the service":                 {obj: quota(unaccepted, unchecked, rebuilt), want: true},
		"an edit waits, and a Secret was published":     {obj: published, want: true},
		"an edit waits, and the service is not checked": {obj: quota(unaccepted, unchecked, is(condition.ServiceReady, metav1.ConditionFalse, condition.ReasonUnknown))},

		"the service is gone":                     {obj: quota(accepted, missing, answers, serviceGone)},
		"the service is gone, and it had an id":   {obj: endpoint("1", unaccepted, missing, answers, serviceGone)},
		"one of two services is gone":             {obj: quota(accepted, missing, answers, sourceGone, destination)},
		"it is missing outside of services":       {obj: endpoint("1", accepted, missing, answers)},
		"it may have been created again":          {obj: endpoint("", accepted, missing, silent), want: true},
		"it leads to what is gone, in a service":  {obj: quota(accepted, missing, answers, inService), want: true},
		"its service was gone, and is not read":   {obj: quota(accepted, unchecked, silent), want: true},
		"one service is gone, and it is not read": {obj: quota(accepted, unchecked, answers, serviceGone), want: true},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, tc.want, hasResource(tc.obj)) })
	}
}

func TestAnObjectOfAnotherNamespaceWhoseResourceIsGoneEnqueuesItsProject(t *testing.T) {
	in := func(namespace string, conditions ...metav1.Condition) client.Object {
		user := newUser()
		user.Namespace, user.Status.Conditions = namespace, conditions
		return managed(user)
	}
	for name, tc := range map[string]struct {
		before, after client.Object
		stays         []client.Object
		want          int
	}{
		"its resource is gone":          {before: in("far", accepted, active), after: in("far", accepted, missing, answers), want: 1},
		"its edit is refused":           {before: in("far", accepted, active), after: in("far", unaccepted, refused, inService)},
		"it was gone":                   {before: in("far", accepted, missing, answers), after: in("far", accepted, missing, answers)},
		"another object manages more":   {before: in("far", accepted, active), after: in("far", accepted, missing, answers), stays: []client.Object{managed(newVPC())}},
		"in the namespace of a project": {before: in("apps", accepted, active), after: in("apps", accepted, missing, answers), stays: []client.Object{in("apps", missing)}},
	} {
		t.Run(name, func(t *testing.T) {
			registry := withProject(t, runtime.NewScheme(), tc.stays...)
			queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
			t.Cleanup(queue.ShutDown)
			registry.emptied(registry.kinds[0], registry.kinds[3]).Update(t.Context(), event.UpdateEvent{ObjectOld: tc.before, ObjectNew: tc.after}, queue)
			assert.Equal(t, tc.want, queue.Len())
		})
	}
}
