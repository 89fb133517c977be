package reference

import (
	"cmp"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers/internal/annotation"
)

// readiness on a target. It is ready if there is no reason against it.
type readiness struct {
	id, reason, message string
}

// evaluate tells whether a target is ready, now and for its current spec.
func (d Declaration) evaluate(target *unstructured.Unstructured) readiness {
	if target.GetDeletionTimestamp() != nil {
		return readiness{reason: ReasonDeleting, message: describe(target) + " is being deleted"}
	}
	if d.Ready != nil {
		id, problem := d.Ready(target)
		if problem != "" {
			return readiness{reason: string(NotReady), message: problem}
		}
		return readiness{id: id}
	}
	id, _, _ := unstructured.NestedString(target.Object, "status", "id")
	condition, ok := readyCondition(target)
	if !ok {
		return evaluateAnnotations(target, id)
	}
	if !condition.current(target) {
		return readiness{reason: "Progressing", message: "the latest change of " + describe(target) + " hasn't been handled yet"}
	}
	if condition.status == "True" {
		return readiness{id: id}
	}
	return readiness{
		reason:  cmp.Or(condition.reason, string(NotReady)),
		message: cmp.Or(condition.message, describe(target)+" isn't ready"),
	}
}

// describe names a target as the messages of this package do: ProjectVPC default/main.
func describe(target *unstructured.Unstructured) string {
	return target.GetKind() + " " + client.ObjectKeyFromObject(target).String()
}

// evaluateAnnotations judges an object without a Ready condition: another operator may manage it.
func evaluateAnnotations(target *unstructured.Unstructured, id string) readiness {
	if !annotation.IsProcessed(target) || target.GetAnnotations()[annotation.Running] != "true" {
		return readiness{reason: "Progressing", message: describe(target) + " isn't ready"}
	}
	return readiness{id: id}
}

// condition is the part of the Ready condition that counts here.
type condition struct {
	status, reason, message string
	observedGeneration      int64
}

func readyCondition(target *unstructured.Unstructured) (condition, bool) {
	conditions, _, _ := unstructured.NestedSlice(target.Object, "status", "conditions")
	for _, item := range conditions {
		fields, ok := item.(map[string]any)
		if !ok || fields["type"] != "Ready" {
			continue
		}
		var c condition
		c.status, _, _ = unstructured.NestedString(fields, "status")
		c.reason, _, _ = unstructured.NestedString(fields, "reason")
		c.message, _, _ = unstructured.NestedString(fields, "message")
		c.observedGeneration, _, _ = unstructured.NestedInt64(fields, "observedGeneration")
		return c, true
	}
	return condition{}, false
}

// current reports that the condition judges the current spec. Without a generation of its own, that of the status
// counts; an object that states neither is taken at its word.
func (c condition) current(target *unstructured.Unstructured) bool {
	generation := c.observedGeneration
	if generation == 0 {
		generation, _, _ = unstructured.NestedInt64(target.Object, "status", "observedGeneration")
	}
	return generation == 0 || generation == target.GetGeneration()
}
