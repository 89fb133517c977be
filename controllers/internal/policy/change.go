package policy

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers/internal/annotation"
)

// Values of the policy for changes.
const (
	Auto           = "Auto"           // the default: changes are made
	HoldDisruptive = "HoldDisruptive" // those that may disturb the users of a resource wait for approval
	HoldAll        = "HoldAll"        // all wait for approval
)

// Changes lists the values, from the one that holds nothing to the one that holds all.
func Changes() []string { return []string{Auto, HoldDisruptive, HoldAll} }

// ChangeOf returns which changes of an object's resource wait for approval. A value that isn't known holds all: a typo must not let
// through what was to be held.
func ChangeOf(obj client.Object, defaults Defaults) string {
	switch value, _ := defaults.of(obj, annotation.ChangePolicy, defaults.Change); value {
	case Auto, "":
		return Auto
	case HoldDisruptive:
		return HoldDisruptive
	default:
		return HoldAll
	}
}

// ApprovedChanges is the hash of the changes that are approved; empty for none.
func ApprovedChanges(obj client.Object) string {
	return obj.GetAnnotations()[annotation.ApprovedChanges]
}
