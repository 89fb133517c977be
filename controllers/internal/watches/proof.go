package watches

import (
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/condition"
)

// hasResource reports whether a status, which users can't write, proves that Aiven has accepted or returned what the object
// manages, and doesn't prove that this is gone. An edit that was refused or that waits changes neither.
func hasResource(obj client.Object) bool {
	object, ours := obj.(interface {
		GetCommonStatus() *v1alpha1.CommonStatus
	})
	if !ours {
		return false
	}
	status := object.GetCommonStatus()
	known := status.Binding != nil || hasOwnStatus(obj) || slices.ContainsFunc(status.Conditions, isProof)
	return known && !isGone(status.Conditions)
}

// isProof reports whether a condition proves that Aiven has the resource, or had it. Where an edit was refused, nothing else may
// be left than the service: Aiven has returned it to the object's token.
func isProof(c metav1.Condition) bool {
	switch c.Type {
	case condition.RemoteReady:
		return c.Status == metav1.ConditionTrue
	case condition.LegacyRunning: // stays as it is during a wait
		return c.Status == metav1.ConditionTrue || c.Reason == condition.LegacyReasonCreatedOrUpdated
	case condition.LegacyInitialized:
		return c.Reason == condition.LegacyReasonCreatedOrUpdated
	case condition.ServiceReady:
		exists := []string{condition.ReasonPending, condition.ReasonRebuilding, condition.ReasonServicePoweredOff}
		return c.Status == metav1.ConditionTrue || slices.Contains(exists, c.Reason)
	default:
		return false
	}
}

// hasOwnStatus reports whether a status has more than those of all kinds have: an id or a state that Aiven has returned.
func hasOwnStatus(obj client.Object) bool {
	status := reflect.ValueOf(obj).Elem().FieldByName("Status")
	for i := range status.NumField() {
		if _, common := status.Field(i).Interface().(v1alpha1.CommonStatus); !common && !status.Field(i).IsZero() {
			return true
		}
	}
	return false
}

// isGone reports whether conditions prove that the resource doesn't exist, by itself or with its service. One that is missing in
// a service that exists may be hidden, and one that Aiven didn't answer for may have been created.
func isGone(conditions []metav1.Condition) bool {
	remote := meta.FindStatusCondition(conditions, condition.RemoteReady)
	if remote == nil || remote.Reason != condition.ReasonMissing || !meta.IsStatusConditionTrue(conditions, condition.DependenciesReachable) {
		return false
	}
	services := slices.DeleteFunc(slices.Clone(conditions), func(c metav1.Condition) bool { return !slices.Contains(condition.ServiceTypes, c.Type) })
	return len(services) == 0 || slices.ContainsFunc(services, func(c metav1.Condition) bool { return c.Reason == condition.ReasonNotFound })
}
