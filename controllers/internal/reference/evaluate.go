package reference

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// Typed makes a Declaration.Ready of a function that takes the referrer and the target as their Go types.
func Typed[R client.Object, T, V any](ready func(referrer R, target *T) (V, error)) func(client.Object, *unstructured.Unstructured) (any, error) {
	return func(referrer client.Object, target *unstructured.Unstructured) (any, error) {
		typed := new(T)
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(target.Object, typed); err != nil {
			return nil, fmt.Errorf("%s %s can't be decoded", target.GetKind(), client.ObjectKeyFromObject(target))
		}
		return ready(referrer.(R), typed)
	}
}

// evaluate completes the outcome of a target that exists. A referrer that is being deleted needs the value of its target
// and nothing else: the target may be on its way out too, because one command deletes both.
func (d Declaration) evaluate(referrer client.Object, target *unstructured.Unstructured, o *Outcome) {
	ends := ""
	switch {
	case !referrer.GetDeletionTimestamp().IsZero():
	case d.heldBack(referrer, target):
		ends = ", and isn't deleted before this object"
	default:
		reason, problem := unready(target)
		if reason != "" && target.GetNamespace() != referrer.GetNamespace() {
			reason, problem = string(NotReady), "isn't ready" // why is the business of those who can read that namespace
		}
		if reason != "" {
			o.conclude(NotReady, reason, fmt.Sprintf("%s, named by %s, %s", o.what(), o.Field, problem))
			return
		}
	}
	ready := d.Ready
	if ready == nil {
		ready = func(_ client.Object, target *unstructured.Unstructured) (any, error) { return statusID(target), nil }
	}
	value, err := ready(referrer, target)
	switch {
	case err == nil:
		o.value = value
		o.conclude(Ready, string(Ready), o.what()+" is ready"+ends)
	case fault.Is(err, fault.Invalid):
		o.refuse(err)
	default:
		o.conclude(NotReady, string(NotReady), fault.Of(err).Message)
	}
}

// heldBack reports whether a target that is to be deleted is still at Aiven, because a referrer uses it: it was found ready
// before, and its deletion waits, or wasn't reconciled yet.
func (d Declaration) heldBack(referrer client.Object, target *unstructured.Unstructured) bool {
	user, known := referrer.(interface{ GetCommonStatus() *v1alpha1.CommonStatus })
	if !known || !d.BlocksDeletion {
		return false
	}
	used := slices.ContainsFunc(user.GetCommonStatus().ResolvedRefs, func(ref v1alpha1.ResolvedReference) bool {
		return ref.UID == target.GetUID()
	})
	return used && stays(target)
}

// stays reports whether a target is to be deleted, and is still at Aiven.
func stays(target *unstructured.Unstructured) bool {
	_, ready, _ := readyOf(target)
	return target.GetDeletionTimestamp() != nil && ready != nil &&
		(ready.Status == metav1.ConditionTrue || ready.Reason == condition.ReasonDeletionBlocked)
}

// statusID is status.id, which is a string or a number; "" if there is none.
func statusID(target *unstructured.Unstructured) any {
	id, _, _ := unstructured.NestedFieldNoCopy(target.Object, "status", "id")
	switch id.(type) {
	case string, int64:
		return id
	default:
		return ""
	}
}

// unready returns why a target isn't ready for its current spec, for a reason and for a sentence; the reason is empty if it is.
func unready(target *unstructured.Unstructured) (reason, problem string) {
	if target.GetDeletionTimestamp() != nil {
		return condition.ReasonDeleting, "is being deleted"
	}
	conditions, ready, generation := readyOf(target)
	switch {
	case ready == nil:
		return unreadyByAnnotations(target, conditions)
	case generation != target.GetGeneration():
		return condition.ReasonProgressing, "isn't ready: its latest change hasn't been reconciled yet"
	case ready.Status == metav1.ConditionTrue:
		return "", ""
	case ready.Reason == "":
		return string(NotReady), "isn't ready"
	default:
		return ready.Reason, fmt.Sprintf("isn't ready (%s)", ready.Reason)
	}
}

// readyOf is the conditions of a target, Ready among them, nil without one, and the generation that Ready is about. An object that
// states no generation is taken at its word.
func readyOf(target *unstructured.Unstructured) (all []metav1.Condition, ready *metav1.Condition, generation int64) {
	var seen struct {
		Status struct {
			ObservedGeneration int64              `json:"observedGeneration"`
			Conditions         []metav1.Condition `json:"conditions"`
		} `json:"status"`
	}
	// A status of another shape has no Ready condition that counts.
	_ = runtime.DefaultUnstructuredConverter.FromUnstructured(target.Object, &seen)
	all = seen.Status.Conditions
	if ready = meta.FindStatusCondition(all, condition.Ready); ready == nil {
		return all, nil, 0
	}
	return all, ready, cmp.Or(ready.ObservedGeneration, seen.Status.ObservedGeneration, target.GetGeneration())
}

// unreadyByAnnotations is for an object without a Ready condition: aiven-operator may manage it. Users can write the annotations,
// and not the conditions.
func unreadyByAnnotations(target *unstructured.Unstructured, conditions []metav1.Condition) (reason, problem string) {
	managed := slices.ContainsFunc(conditions, func(c metav1.Condition) bool {
		return c.Type == condition.LegacyInitialized || c.Type == condition.LegacyRunning
	})
	if !managed || !annotation.IsProcessed(target) || target.GetAnnotations()[annotation.Running] != "true" {
		return condition.ReasonProgressing, "isn't ready"
	}
	return "", ""
}
