package connection

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	"github.com/aero-operator/aero/controllers/internal/annotation"
)

// OwnershipError means that a Secret of the wanted name belongs to somebody else. It was left unchanged, and trying
// again is of no use before somebody acts.
type OwnershipError struct {
	// Secret that was found.
	Secret types.NamespacedName
	// Owner is the kind and the name of its controller; empty if it has none.
	Owner string
}

// Error says whose Secret it is and what to do about it.
func (e *OwnershipError) Error() string {
	if e.Owner == "" {
		return fmt.Sprintf("Secret %s exists and has no controller: choose another name, delete it, or let it be taken over with the annotation %s: \"true\"",
			e.Secret, annotation.AdoptSecret)
	}
	return fmt.Sprintf("Secret %s belongs to %s", e.Secret, e.Owner)
}

// PendingError means that a Secret of the wanted name is on its way out. Trying again later helps.
type PendingError struct {
	// Secret that was found.
	Secret types.NamespacedName
	// Problem completes the sentence that begins with the name of the Secret.
	Problem string
}

// Error says what is waited for.
func (e *PendingError) Error() string {
	return fmt.Sprintf("Secret %s %s", e.Secret, e.Problem)
}
