package status

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
)

// Rotation is how far a rotation of the password came. The zero value is none.
type Rotation struct {
	// Reason and Message are why none takes place, or why a renewal isn't acknowledged, although a user asks for it; empty if nothing is in
	// the way.
	Reason, Message string
	// Request is the value of the annotation that is handled; empty for none, and for a rotation by the clock.
	Request string
	// Publishes means that it is handled as soon as the connection Secret has what Aiven has.
	Publishes bool
	// Tidies means that a pending password is still to be removed after that.
	Tidies bool
	// Acknowledged means that the renewal of the client certificate was acknowledged at Aiven.
	Acknowledged bool
	// After is how long nothing is due; 0 for ever.
	After time.Duration
}

const rotatedNote = "Set another password at Aiven, by the annotation " + annotation.RotateRequested + " or " + annotation.RotationInterval +
	". New logins need it from now on"

// RotationRequested reports whether a user asks, by an annotation, for a rotation that wasn't made yet and that nothing blocks.
func RotationRequested(obj metav1.Object, before *v1alpha1.CommonStatus) bool {
	asked := obj.GetAnnotations()[annotation.RotateRequested]
	blocked := slices.ContainsFunc(before.Conditions, func(c metav1.Condition) bool {
		return c.Type == condition.RotationBlocked && c.Reason != condition.ReasonRenewalNotAcknowledged
	})
	return asked != "" && asked != before.LastHandledRotateAt && !blocked
}

// rotationBlocked sets the condition of a rotation that doesn't take place. It stays as it is while that isn't known.
func (e *evaluator) rotationBlocked(m *condition.Manager) {
	switch r := e.facts.Rotation; {
	case r == nil:
	case r.Reason != "":
		m.True(condition.RotationBlocked, r.Reason, r.Message)
	default:
		m.Delete(condition.RotationBlocked)
	}
}

// rotationBlockedNow reports whether that has changed.
func (e *evaluator) rotationBlockedNow() bool {
	r, old := e.facts.Rotation, e.previous(condition.RotationBlocked)
	return r != nil && r.Reason != "" && (old == nil || old.Reason != r.Reason || old.Message != e.text(r.Message))
}

// rotated reports whether the connection Secret has the password of a rotation that was begun.
func (e *evaluator) rotated() bool {
	return e.facts.Rotation.Publishes && e.facts.MutateErr == nil && e.facts.Secret.Published
}

// rotationHandled reports whether nothing is left to do for the request.
func (e *evaluator) rotationHandled() bool {
	r := e.facts.Rotation
	return r != nil && r.Request != "" && (!r.Publishes || e.rotated())
}

// untilRotation is when the next step of a rotation is due; 0 for never.
func (e *evaluator) untilRotation() time.Duration {
	switch r := e.facts.Rotation; {
	case r == nil:
		return 0
	case r.Tidies && e.rotated():
		return time.Millisecond
	default:
		return r.After
	}
}
