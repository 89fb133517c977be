// Package explain finds out why an object isn't ready, from the object alone, and writes what to do. It has no I/O but the writer.
package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/controllers/reason"
	"github.com/aero-operator/aero/controllers/view"
)

// Explanation is what is known of an object's readiness.
type Explanation struct {
	Kind      string                 `json:"kind"`
	Namespace string                 `json:"namespace,omitempty"`
	Name      string                 `json:"name"`
	Ready     metav1.ConditionStatus `json:"ready"`
	Reason    string                 `json:"reason,omitempty"`
	Message   string                 `json:"message,omitempty"`
	Since     *metav1.Time           `json:"since,omitempty"`
	// Deleting is the deletion of the object, which goes on.
	Deleting bool `json:"deleting,omitempty"`
	// Condition is the one that decides: a component, or Ready itself.
	Condition *metav1.Condition `json:"condition,omitempty"`
	Cause     string            `json:"cause,omitempty"`
	Fix       string            `json:"fix,omitempty"`
	Page      string            `json:"page,omitempty"`
	// Notes are about what isn't the cause: a pause, drift, a blocked rotation, an edit that isn't reconciled yet.
	Notes []string `json:"notes,omitempty"`
}

// What is reported of an object without a status.
const (
	unseenCause = "The operator hasn't reconciled the object yet. If that lasts, it doesn't run, or doesn't watch this namespace"
	unseenFix   = "Wait some seconds, then check the pods of the operator, and its WATCHED_NAMESPACES"
	unseenPage  = "https://github.com/aero-operator/aero/blob/main/docs/user/troubleshooting.md#nothing-happens"
)

// Of explains an object.
func Of(o *view.Object) Explanation {
	ready, cause := o.Ready(), o.Cause()
	e := Explanation{
		Kind: o.Kind, Namespace: o.Namespace, Name: o.Name,
		Ready: ready.Status, Reason: ready.Reason, Message: ready.Message, Notes: notes(o),
		Deleting: o.DeletionTimestamp != nil,
	}
	if since := &ready.LastTransitionTime; !since.IsZero() {
		e.Since = since
		if o.DeletionTimestamp != nil && o.DeletionTimestamp.After(since.Time) { // the reason may have changed with it, the status of Ready hasn't
			e.Since = o.DeletionTimestamp
		}
	}
	if ready.Reason == "" {
		e.Cause, e.Fix, e.Page = unseenCause, unseenFix, unseenPage
		return e
	}
	e.Condition = &cause
	if known, is := reason.Of(o.Explaining()); is {
		e.Cause, e.Fix, e.Page = sentence(known.Means), sentence(known.Remedy), known.Page()
	}
	return e
}

// notes are about what Ready doesn't show.
func notes(o *view.Object) (notes []string) {
	if o.Paused() {
		notes = append(notes, "Paused: the status is from before. `kubectl aero resume` ends the pause")
	}
	if o.Ready().Reason != "" && !o.Current() {
		notes = append(notes, fmt.Sprintf("The operator hasn't reconciled the latest edit yet: the status is that of generation %d, the spec has %d",
			o.Status.ObservedGeneration, o.Generation))
	}
	if o.Status.PendingChanges != nil {
		notes = append(notes, fmt.Sprintf("Changes wait for approval. `kubectl aero approve %s` shows and approves them", o))
	}
	for _, beside := range []*metav1.Condition{o.Drifted(), o.RotationBlocked(), o.CredentialsExpiring()} {
		if beside != nil && beside.Type != o.Cause().Type && beside.Message != o.Ready().Message {
			notes = append(notes, beside.Message)
		}
	}
	return notes
}

// sentence is a text of a page, for a terminal: with a capital letter, and without the quotes of code.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	if !strings.HasPrefix(text, "`") {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	return strings.ReplaceAll(text, "`", "")
}

// IsReady reports whether there is nothing to explain.
func (e *Explanation) IsReady() bool { return e.Ready == metav1.ConditionTrue }

// urgency is the order of a list: what needs an action, what waits, what is ready.
var urgency = map[metav1.ConditionStatus]int{metav1.ConditionFalse: -2, metav1.ConditionUnknown: -1}

// Sort puts what needs an action first.
func Sort(list []Explanation) {
	slices.SortFunc(list, func(a, b Explanation) int {
		return cmp.Or(
			cmp.Compare(urgency[a.Ready], urgency[b.Ready]),
			strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Kind, b.Kind), strings.Compare(a.Name, b.Name),
		)
	})
}
