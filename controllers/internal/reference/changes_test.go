package reference

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
)

func TestAReferrerIsEnqueuedByWhatItSeesOfItsTarget(t *testing.T) {
	ready := metav1.Condition{Type: "Ready", Status: metav1.ConditionTrue, Reason: "ReconciliationSucceeded", ObservedGeneration: 1}
	for name, tc := range map[string]struct {
		before, change func(*v1alpha1.KafkaSchema)
		secret         bool
		want           bool
	}{
		"a resync": {change: func(*v1alpha1.KafkaSchema) {}},
		"our finalizer": {change: func(s *v1alpha1.KafkaSchema) {
			s.Finalizers, s.ResourceVersion = []string{"finalizers.aiven.io/delete-remote-resource"}, "2"
		}},
		"a label": {change: func(s *v1alpha1.KafkaSchema) { s.Labels = map[string]string{"team": "orders"} }},
		"another condition": {change: func(s *v1alpha1.KafkaSchema) {
			s.Status.Conditions = append(s.Status.Conditions, metav1.Condition{Type: "ServiceReady", Status: metav1.ConditionTrue})
		}},
		"a message of the Ready condition": {change: func(s *v1alpha1.KafkaSchema) { s.Status.Conditions[0].Message = "Active" }},
		"the marker of an object with a Ready condition": {change: func(s *v1alpha1.KafkaSchema) {
			s.Annotations = map[string]string{annotation.Processed: "1"}
		}},
		"it is ready": {
			before: func(s *v1alpha1.KafkaSchema) { s.Status.Conditions[0].Status = metav1.ConditionUnknown },
			change: func(s *v1alpha1.KafkaSchema) { s.Status.Conditions[0] = ready }, want: true,
		},
		"another reason why it isn't ready": {
			before: func(s *v1alpha1.KafkaSchema) { s.Status.Conditions[0].Status = metav1.ConditionFalse },
			change: func(s *v1alpha1.KafkaSchema) { s.Status.Conditions[0].Reason = "InvalidSpec" }, want: true,
		},
		"it gets a version": {change: func(s *v1alpha1.KafkaSchema) { s.Status.Version = ptr.To(2) }, want: true},
		"its spec":          {change: func(s *v1alpha1.KafkaSchema) { s.Generation = 2 }, want: true},
		"its deletion":      {change: func(s *v1alpha1.KafkaSchema) { s.DeletionTimestamp = ptr.To(metav1.Now()) }, want: true},
		"its deletion begins to wait for its referrers": {
			before: func(s *v1alpha1.KafkaSchema) {
				s.DeletionTimestamp, s.Status.Conditions[0].Status = ptr.To(metav1.Now()), metav1.ConditionUnknown
			},
			change: func(s *v1alpha1.KafkaSchema) { s.Status.Conditions[0].Reason = "DeletionBlocked" }, want: true,
		},
		"another object of its name": {change: func(s *v1alpha1.KafkaSchema) { s.UID = "another" }, want: true},
		"the marks by which aiven-operator has it ready": {
			before: func(s *v1alpha1.KafkaSchema) {
				s.Status.Conditions = []metav1.Condition{{Type: condition.LegacyRunning, Status: metav1.ConditionTrue}}
			},
			change: func(s *v1alpha1.KafkaSchema) {
				s.Annotations = map[string]string{annotation.Processed: "1", annotation.Running: "true"}
			},
			want: true,
		},
		"any change of a Secret": {secret: true, change: func(s *v1alpha1.KafkaSchema) { s.ResourceVersion = "2" }, want: true},
		"a resync of a Secret":   {secret: true, change: func(*v1alpha1.KafkaSchema) {}},
	} {
		t.Run(name, func(t *testing.T) {
			before := &v1alpha1.KafkaSchema{ObjectMeta: metav1.ObjectMeta{Name: "orders", UID: "one", Generation: 1, ResourceVersion: "1"}}
			before.Status.Version, before.Status.Conditions = ptr.To(1), []metav1.Condition{ready}
			if tc.before != nil {
				tc.before(before)
			}
			after := before.DeepCopy()
			tc.change(after)
			d := Declaration{Kind: v1alpha1.GroupVersion.WithKind("KafkaSchema")}
			var from, to client.Object = before, after
			if tc.secret {
				d.Kind = SecretKind
				from, to = &metav1.PartialObjectMetadata{ObjectMeta: before.ObjectMeta}, &metav1.PartialObjectMetadata{ObjectMeta: after.ObjectMeta}
			}
			assert.Equal(t, tc.want, d.Changes().Update(event.UpdateEvent{ObjectOld: from, ObjectNew: to}))
			assert.True(t, d.Changes().Create(event.CreateEvent{Object: to}))
			assert.True(t, d.Changes().Delete(event.DeleteEvent{Object: to}))
		})
	}
}

func TestAReplacedTargetIsKnownByItsUID(t *testing.T) {
	ref := func(kind, uid string) v1alpha1.ResolvedReference {
		return v1alpha1.ResolvedReference{Kind: kind, Namespace: "n", Name: "a", UID: types.UID(uid)}
	}
	list := func(refs ...v1alpha1.ResolvedReference) []v1alpha1.ResolvedReference { return refs }
	for says, tc := range map[string]struct {
		refs, recorded []v1alpha1.ResolvedReference
		want           bool
	}{
		"the same":                          {list(ref("ProjectVPC", "1")), list(ref("ProjectVPC", "1")), false},
		"another one":                       {list(ref("ProjectVPC", "2")), list(ref("ProjectVPC", "1")), true},
		"one that was missing":              {list(ref("ProjectVPC", "1")), nil, true},
		"one that is no longer referenced":  {nil, list(ref("ProjectVPC", "1")), false},
		"another one beside the former one": {list(ref("ProjectVPC", "2")), list(ref("ProjectVPC", "2"), ref("ProjectVPC", "1")), true},
		"a Secret":                          {list(ref("Secret", "2")), list(ref("Secret", "1")), false},
	} {
		assert.Equal(t, tc.want, Replaced(tc.refs, tc.recorded), says)
	}
}
