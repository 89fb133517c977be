package userrotation

import (
	"context"
	"fmt"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// blockage is why a rotation that is due doesn't take place. The zero value is none.
type blockage struct{ reason, message string }

// prepare brings about that the user whose turn is next gets another password, and reports whether it has one. What it waits for
// enqueues the rotation.
func (r *Reconciler) prepare(ctx context.Context, obj *aero.ServiceUserRotation, now Turn, next *v1alpha1.ServiceUser) (bool, blockage, error) {
	request := now.Request(obj)
	asked := next.Annotations[annotation.RotateRequested] == request
	if why := blockageOf(next, asked); why.reason != "" {
		return false, why, nil
	}
	ready := apimeta.FindStatusCondition(next.Status.Conditions, condition.Ready)
	switch {
	case ready == nil || ready.Status != metav1.ConditionTrue || next.Status.ObservedGeneration != next.Generation:
		return false, blockage{}, nil
	case !asked:
		return false, blockage{}, r.ask(ctx, next, request)
	default:
		return next.Status.LastHandledRotateAt == request, blockage{}, nil
	}
}

// ask writes the request for a rotation into a ServiceUser.
func (r *Reconciler) ask(ctx context.Context, user *v1alpha1.ServiceUser, request string) error {
	asking := user.DeepCopy()
	policy.Annotate(asking, annotation.RotateRequested, request)
	if err := r.Client.Patch(ctx, asking, client.MergeFrom(user)); err != nil {
		return fmt.Errorf("asking ServiceUser %s for a rotation: %w", user.Name, err)
	}
	return nil
}

// blockageOf is what keeps a user from getting another password.
func blockageOf(user *v1alpha1.ServiceUser, asked bool) blockage {
	refused := apimeta.FindStatusCondition(user.Status.Conditions, condition.RotationBlocked)
	ready := apimeta.FindStatusCondition(user.Status.Conditions, condition.Ready)
	prefix := fmt.Sprintf("ServiceUser %s has its turn, and its password isn't rotated: ", user.Name)
	switch {
	case policy.IsPaused(user):
		return blockage{condition.ReasonUserNotReady, prefix + "it is paused. Remove the annotation " + annotation.Paused}
	case asked && refused != nil && refused.Reason != condition.ReasonRenewalNotAcknowledged:
		return blockage{refused.Reason, fmt.Sprintf("ServiceUser %s has its turn. %s", user.Name, refused.Message)}
	case ready != nil && (ready.Status == metav1.ConditionFalse || ready.Status == metav1.ConditionUnknown && !isBrief(ready.Reason)):
		return blockage{condition.ReasonUserNotReady, prefix + "it isn't ready. Its own status has the reason, which is " + ready.Reason}
	default:
		return blockage{}
	}
}

// isBrief reports whether a ServiceUser with this reason of Ready is about to be ready, as it is in each rotation. Others, such as a service
// that is powered off, last until a user acts.
func isBrief(reason string) bool {
	return reason == condition.ReasonProgressing || reason == condition.ReasonRetrying
}

// show writes why a rotation doesn't take place into conditions.
func (b blockage) show(m *condition.Manager) {
	if b.reason == "" {
		m.Delete(condition.RotationBlocked)
		return
	}
	m.True(condition.RotationBlocked, b.reason, b.message)
}
