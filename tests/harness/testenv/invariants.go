package testenv

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
)

// history is one object from its birth on, and all Secrets of its namespace.
type history struct {
	states  []sighting[Object]
	secrets []sighting[*corev1.Secret]
}

// invariant holds for every status that anyone could have seen. before is the state seen just before, or nil.
type invariant struct {
	says  string
	holds func(h *history, before Object, now sighting[Object]) bool
}

// invariants are in the order of the list in the status model.
var invariants = []invariant{
	{"Ready and its parents are there from the first status on", parentsPresent},
	{"Ready=True goes with neither Stalled nor Reconciling, and with a valid spec and token", readyIsClean},
	{"Stalled goes with Ready=False and phase Failed", stalledIsFailed},
	{"a status that isn't Reconciling says nothing of an attempt", attemptsWhileReconciling},
	{"Ready=True is about the generation that the status is about", readyIsCurrent},
	{"Ready turns True only once the Secret of this very object is published", readyHasSecret},
	{"Ready turns True only once both annotations of aiven-operator are set, or one where a policy leaves what differs", readyHasMarks},
	{"a ready object is in a phase that says so, but for the grace", phaseFitsReady},
	{"a ready object never goes back to Pending", neverBackToPending},
	{"a transition time moves with the status only, and never back", transitionsAreTrue},
	{"no write says what the one before said", writesSaySomething},
}

// violations lists what didn't hold, with the two states.
func (h *history) violations() []string {
	var found []string
	var before Object
	for _, now := range h.states {
		if now.gone {
			break
		}
		if foreign(now.object) {
			before = nil // what was before it is forgotten, and that is no error here
			continue
		}
		for _, i := range invariants {
			if !i.holds(h, before, now) {
				found = append(found, fmt.Sprintf("%s: violated by %s at revision %d\n%s",
					i.says, name(now.object), now.revision, difference(before, now.object)))
			}
		}
		before = now.object
	}
	return found
}

func difference(before, now Object) string {
	old := ""
	if before != nil {
		old = metaOf(before) + statusOf(before)
	}
	text, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: difflib.SplitLines(old), B: difflib.SplitLines(metaOf(now) + statusOf(now)),
		FromFile: "before", ToFile: "now", Context: 100,
	})
	if err != nil {
		return err.Error()
	}
	return text
}

func metaOf(obj Object) string {
	return fmt.Sprintf("generation: %d\nannotations: %v\nfinalizers: %v\ndeletionTimestamp: %v\n",
		obj.GetGeneration(), obj.GetAnnotations(), obj.GetFinalizers(), obj.GetDeletionTimestamp())
}

func has(obj Object, kind string, status metav1.ConditionStatus) bool {
	c := Find(obj, kind)
	return c != nil && c.Status == status
}

func ready(obj Object) bool { return has(obj, "Ready", metav1.ConditionTrue) }

func touched(obj Object) bool { return len(obj.GetCommonStatus().Conditions) > 0 }

// foreign reports whether a status is one of aiven-operator's, which knows none of our conditions.
func foreign(obj Object) bool {
	ours := func(c metav1.Condition) bool {
		return !slices.Contains([]string{"Initialized", "Running", "Error"}, c.Type)
	}
	return touched(obj) && !slices.ContainsFunc(obj.GetCommonStatus().Conditions, ours)
}

// A status without conditions is that of a new object, or of one whose status a person has wiped.
func parentsPresent(_ *history, before Object, now sighting[Object]) bool {
	if !touched(now.object) {
		return before == nil || !touched(before) || now.object.GetCommonStatus().ObservedGeneration < 0
	}
	for _, kind := range []string{"Ready", "ConfigValid", "AuthValid", "DependenciesReachable"} {
		if Find(now.object, kind) == nil {
			return false
		}
	}
	return true
}

func readyIsClean(_ *history, _ Object, now sighting[Object]) bool {
	obj := now.object
	return !ready(obj) || Find(obj, "Stalled") == nil && Find(obj, "Reconciling") == nil &&
		has(obj, "ConfigValid", metav1.ConditionTrue) && has(obj, "AuthValid", metav1.ConditionTrue)
}

func stalledIsFailed(_ *history, _ Object, now sighting[Object]) bool {
	obj := now.object
	if Find(obj, "Stalled") == nil {
		return true
	}
	deleting := obj.GetDeletionTimestamp() != nil // which keeps the phase
	return has(obj, "Ready", metav1.ConditionFalse) && (deleting || obj.GetCommonStatus().Phase == v1alpha1.PhaseFailed)
}

func attemptsWhileReconciling(_ *history, _ Object, now sighting[Object]) bool {
	return now.object.GetCommonStatus().LastAttemptTime == nil || Find(now.object, "Reconciling") != nil
}

// The spec may have been edited since the operator observed it. Then the status is old, says so, and is not wrong.
func readyIsCurrent(_ *history, _ Object, now sighting[Object]) bool {
	evaluated := now.object.GetCommonStatus().ObservedGeneration
	return !ready(now.object) || evaluated <= now.object.GetGeneration() && Find(now.object, "Ready").ObservedGeneration == evaluated
}

// The marks of aiven-operator, whose readers know no Ready.
const (
	markProcessed = "controllers.aiven.io/generation-was-processed"
	markRunning   = "controllers.aiven.io/instance-is-running"
)

// management is the annotation of an object that only observes.
const management = "controllers.aiven.io/management-policy"

func became(before, now Object) bool { return ready(now) && (before == nil || !ready(before)) }

func readyHasMarks(_ *history, before Object, now sighting[Object]) bool {
	if !became(before, now.object) {
		return true
	}
	annotations := now.object.GetAnnotations()
	// Aiven wasn't asked for this generation, or, where an object only observes, for what Aiven never returns.
	if has(now.object, "Drifted", metav1.ConditionTrue) || annotations[management] == "Observe" {
		return annotations[markRunning] != ""
	}
	evaluated := strconv.FormatInt(now.object.GetCommonStatus().ObservedGeneration, 10)
	return annotations[markProcessed] == evaluated && annotations[markRunning] != ""
}

func readyHasSecret(h *history, before Object, now sighting[Object]) bool {
	fields, publishes := now.object.(interface{ GetSecretFields() *v1alpha1.SecretFields })
	if !publishes || !became(before, now.object) || Find(now.object, "Ready").Reason != "ReconciliationSucceeded" {
		return true
	}
	if off := fields.GetSecretFields().ConnInfoSecretTargetDisabled; off != nil && *off {
		return true
	}
	if now.object.GetAnnotations()[management] == "Observe" && Find(now.object, "SecretReady").Reason == "NotAdopted" {
		return true // its Secret is that of the owner
	}
	owned := false
	for _, secret := range h.secrets {
		owner := metav1.GetControllerOf(secret.object)
		if secret.revision < now.revision && owner != nil && owner.UID == now.object.GetUID() {
			owned = !secret.gone
		}
	}
	return owned
}

func phaseFitsReady(_ *history, _ Object, now sighting[Object]) bool {
	if !ready(now.object) || has(now.object, "DependenciesReachable", metav1.ConditionFalse) {
		return true
	}
	fine := []v1alpha1.Phase{v1alpha1.PhaseReady, v1alpha1.PhaseRunning, v1alpha1.PhaseNotAvailable}
	return slices.Contains(fine, now.object.GetCommonStatus().Phase)
}

func neverBackToPending(_ *history, before Object, now sighting[Object]) bool {
	if before == nil || now.object.GetCommonStatus().Phase != v1alpha1.PhasePending {
		return true
	}
	was := before.GetCommonStatus().Phase
	return was != v1alpha1.PhaseReady && was != v1alpha1.PhaseRunning
}

func transitionsAreTrue(_ *history, before Object, now sighting[Object]) bool {
	if before == nil {
		return true
	}
	for _, c := range now.object.GetCommonStatus().Conditions {
		old := Find(before, c.Type)
		if old == nil {
			continue
		}
		moved := !c.LastTransitionTime.Equal(&old.LastTransitionTime)
		if moved && c.Status == old.Status || c.LastTransitionTime.Before(&old.LastTransitionTime) {
			return false
		}
	}
	return true
}

// writesSaySomething allows the time of an attempt to be the only change while the object is Reconciling.
func writesSaySomething(_ *history, before Object, now sighting[Object]) bool {
	if before == nil {
		return true
	}
	a, b := before.DeepCopyObject().(Object), now.object.DeepCopyObject().(Object)
	for _, obj := range []Object{a, b} {
		obj.SetResourceVersion("")
		obj.SetManagedFields(nil)
		if Find(now.object, "Reconciling") == nil {
			obj.GetCommonStatus().LastAttemptTime = nil
		}
	}
	return !equality.Semantic.DeepEqual(a, b)
}

// planted are values that must not be seen anywhere.
type planted struct{ values []string }

// add ignores what is too short to be distinguished from ordinary text.
func (p *planted) add(value string) {
	if value = strings.TrimSpace(value); len(value) >= 8 && !slices.Contains(p.values, value) {
		p.values = append(p.values, value)
	}
}

// in reports whether a text holds one of the values.
func (p *planted) in(text string) bool {
	return slices.ContainsFunc(p.values, func(value string) bool { return strings.Contains(text, value) })
}

// within reports whether one of the values is in a text of what was JSON, or in the name of a field.
func (p *planted) within(value any) bool {
	switch value := value.(type) {
	case string:
		return p.in(value)
	case []any:
		return slices.ContainsFunc(value, p.within)
	case map[string]any:
		for field, inner := range value {
			if p.in(field) || p.within(inner) {
				return true
			}
		}
	}
	return false
}
