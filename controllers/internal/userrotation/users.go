package userrotation

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/connectionsecret"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/secretcontroller"
)

// users are those that a spec names, by name, without those that don't exist. The problem is why none of them may be rotated: of several
// the first one, by the order in the spec. An error means that nothing is known.
func (r *Reconciler) users(ctx context.Context, obj *aero.ServiceUserRotation) (found map[string]*v1alpha1.ServiceUser, problem, err error) {
	found = map[string]*v1alpha1.ServiceUser{}
	var first *v1alpha1.ServiceUser
	for i, ref := range obj.Spec.UserRefs {
		field, key := fmt.Sprintf("spec.userRefs[%d]", i), client.ObjectKey{Namespace: obj.Namespace, Name: ref.Name}
		user := &v1alpha1.ServiceUser{}
		err := r.Client.Get(ctx, key, user)
		switch {
		case apierrors.IsNotFound(err), err == nil && user.DeletionTimestamp != nil:
			problem = firstOf(problem, &connectionsecret.MissingError{Field: field, Target: "ServiceUser " + key.String()})
			continue
		case err != nil:
			return nil, nil, fmt.Errorf("reading ServiceUser %s: %w", key, err)
		}
		found[ref.Name] = user
		problem = firstOf(problem, unsuitable(field, user, first))
		if first == nil {
			first = user
		}
	}
	return found, problem, nil
}

func firstOf(before, next error) error {
	if before != nil {
		return before
	}
	return next
}

// unsuitable is why the password of a user can't be rotated in turn with that of another one, which is nil for none; nil if it can.
func unsuitable(field string, user, with *v1alpha1.ServiceUser) error {
	_, scheduled := user.Annotations[annotation.RotationInterval]
	switch of, other := user.Spec.ServiceDependant, ptr.Deref(with, v1alpha1.ServiceUser{}).Spec.ServiceDependant; {
	case with != nil && (of.Project != other.Project || of.ServiceName != other.ServiceName):
		return invalid(field, user, fmt.Sprintf("is of another service than ServiceUser %s. Name two users of one service", with.Name))
	case with != nil && user.GetUsername() == with.GetUsername():
		return invalid(field, user, fmt.Sprintf("is the same user at Aiven as ServiceUser %s. Name two users", with.Name))
	case user.Spec.ConnInfoSecretSource != nil:
		return invalid(field, user, "has its password from a Secret, by spec.connInfoSecretSource. Remove that field, or name another user")
	case ptr.Deref(user.Spec.ConnInfoSecretTargetDisabled, false):
		return invalid(field, user, "has no Secret of its own for a new password, by spec.connInfoSecretTargetDisabled. Create it again without that field")
	case scheduled:
		return invalid(field, user, "has the annotation "+annotation.RotationInterval+", which rotates its password while applications use it. Remove the annotation")
	default:
		return nil
	}
}

func invalid(field string, user *v1alpha1.ServiceUser, problem string) error {
	return fault.InvalidSpec(field, fmt.Sprintf("ServiceUser %s %s", user.Name, problem)) // it is the message of a condition
}

// checkConflict returns an error if an older rotation has one of the users: each of the two would rotate the password that the
// other rotation publishes.
func (r *Reconciler) checkConflict(ctx context.Context, obj *aero.ServiceUserRotation) error {
	for i, key := range secretcontroller.KeysOf(obj) {
		others, err := r.Naming(ctx, key)
		if err != nil {
			return fmt.Errorf("listing ServiceUserRotations: %w", err)
		}
		for _, other := range others {
			if of, ours := other.(rotation); ours && wins(of, obj) {
				return &connectionsecret.ConflictError{
					Field: fmt.Sprintf("spec.userRefs[%d]", i), Target: "ServiceUser " + key.Name, By: "ServiceUserRotation " + other.GetName(),
					Remedy: "Name another user, or delete one of the two ServiceUserRotations",
				}
			}
		}
	}
	return nil
}

// wins reports whether one rotation comes before another one, which may be itself: the older one. Of those of one second, the API
// server's unit, it is the one that has published, else the one with the smaller UID.
func wins(a, b rotation) bool {
	at, bt := a.GetCreationTimestamp(), b.GetCreationTimestamp()
	hasPublished, other := recordedTurn(&a.Status) != nil, recordedTurn(&b.Status) != nil
	switch {
	case a.UID == b.UID, a.DeletionTimestamp != nil:
		return false
	case !at.Equal(&bt):
		return at.Before(&bt)
	case hasPublished != other:
		return hasPublished
	default:
		return a.UID < b.UID
	}
}
