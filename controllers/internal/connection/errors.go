package connection

import (
	"cmp"
	"errors"
	"fmt"
	"net"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/aero-operator/aero/controllers/internal/annotation"
)

// Refusals returns why an error of Publisher.Publish lasts until a user acts: the Secret is another owner's, or the wanted route
// doesn't exist. Neither is true of other errors, and of none.
func Refusals(err error) (foreign, noRoute bool) {
	var ownership *OwnershipError
	var route *RouteError
	return errors.As(err, &ownership), errors.As(err, &route)
}

// IsLasting reports whether an error of Publisher.Publish or DryRun lasts until a user acts. Errors of the network and of an API server that is
// busy pass by themselves.
func IsLasting(err error) bool {
	_, ofNetwork := errors.AsType[net.Error](err)
	_, isGoing := errors.AsType[*PendingError](err)
	if err == nil || ofNetwork || isGoing {
		return false
	}
	switch apierrors.ReasonForError(err) {
	case metav1.StatusReasonUnknown: // not the API server's: what the Secret is like, or the target
		_, ofServer := errors.AsType[*apierrors.StatusError](err)
		return !ofServer
	case metav1.StatusReasonForbidden, metav1.StatusReasonInvalid, metav1.StatusReasonBadRequest, metav1.StatusReasonRequestEntityTooLarge:
		return true
	default:
		return false
	}
}

// OwnershipError means that the Secret of that name belongs to another object, or to none. It was left unchanged. A
// retry is of no use before a user acts.
type OwnershipError struct {
	// Secret that was found.
	Secret types.NamespacedName
	// Object is the kind and the name of the object whose details it was to get.
	Object string
	// Owner is the kind and the name of its controller; empty if it has none.
	Owner string
	// Field is that of the target in the spec: see Target.
	Field string
}

// Error names the owner of the Secret, and what to do.
func (e *OwnershipError) Error() string {
	rename := fmt.Sprintf("choose another %s.name (immutable once set)", cmp.Or(e.Field, targetField))
	if e.Owner == "" {
		return fmt.Sprintf("Secret %s exists and has no controller. Delete it, set its annotation %s=true to have it adopted, or %s",
			e.Secret, annotation.AdoptSecret, rename)
	}
	if e.Field == "" { // a deletion of this object ends what it has at Aiven
		return fmt.Sprintf("Secret %s belongs to %s. Choose another %s.name; where it is set, remove %[3]s first", e.Secret, e.Owner, targetField)
	}
	return fmt.Sprintf("Secret %s belongs to %s. Delete %s, or %s", e.Secret, e.Owner, e.Object, rename)
}

// PendingError means that the Secret of that name is being deleted. A later retry succeeds.
type PendingError struct {
	// Secret that was found.
	Secret types.NamespacedName
	// Problem completes the sentence that begins with the name of the Secret.
	Problem string
}

// Error names what is waited for.
func (e *PendingError) Error() string {
	return fmt.Sprintf("Secret %s %s", e.Secret, e.Problem)
}
