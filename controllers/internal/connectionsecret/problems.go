package connectionsecret

import (
	"fmt"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
)

// GrantError means that an object may not read its source. It says nothing about whether the source exists.
type GrantError struct {
	// Object is the one that refers to the source.
	Object *aero.ConnectionSecret
}

// Error names the grant that is needed.
func (e *GrantError) Error() string {
	source := e.Object.Spec.SourceRef
	return fmt.Sprintf("spec.sourceRef needs a ReferenceGrant in the namespace %s, from ConnectionSecret of aero-operator.io in the namespace %s to %s of aiven.io",
		e.Object.GetSourceNamespace(), e.Object.Namespace, source.Kind)
}

// MissingError means that an object or a key doesn't exist that the spec names.
type MissingError struct {
	// Field is the one in the spec, Target what it names: "ServiceUser data/orders".
	Field, Target string
}

// Error names both.
func (e *MissingError) Error() string {
	return fmt.Sprintf("%s: %s doesn't exist. Create it, or correct the name", e.Field, e.Target)
}

// WaitError means that a later reconcile will find what is missing now. What changes enqueues the object.
type WaitError struct {
	// For completes the sentence "Waiting for".
	For string
}

// Error names what is waited for.
func (e *WaitError) Error() string { return "Waiting for " + e.For }
