package rotation

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/plan"
	"github.com/aero-operator/aero/controllers/internal/policy"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// keyPassword is the key of the password in the layout of every kind that publishes one.
const keyPassword = "PASSWORD"

// Object is an object whose status has what was handled.
type Object interface {
	client.Object
	GetCommonStatus() *v1alpha1.CommonStatus
}

// PasswordSetter is a controller of a kind whose objects publish a password. O is what it observes.
type PasswordSetter[T Object, O any] interface {
	// SetPassword sets the password of the user whose password is published, and returns the state after the call: with this
	// password, or without connection details. It MUST be safe to repeat.
	SetPassword(ctx context.Context, obj T, seen O, password string) (O, error)
}

// Setting is the call of a kind's PasswordSetter.
func Setting[T Object, O any](kind any, obj T, seen O, password string) func(context.Context) (O, error) {
	return func(ctx context.Context) (O, error) {
		setter, sets := kind.(PasswordSetter[T, O])
		if !sets {
			return seen, fmt.Errorf("objects of the kind %T publish a password that nothing sets", obj)
		}
		return setter.SetPassword(ctx, obj, seen, password)
	}
}

// Rotation is that of one object, in one reconcile.
type Rotation struct {
	Publisher connection.Publisher
	Object    Object // as it was read
	Kind      schema.GroupVersionKind
	Policies  policy.Defaults // that hold for it
	Plan      plan.Action
	Details   connection.Info // as Aiven shows them
	// Acknowledge is the call of a kind's RenewalAcknowledger; nil if it has none.
	Acknowledge func(context.Context) error
}

// Next is what is due now: a rotation is taken a step further, or else the renewal of a certificate is acknowledged. It returns the password
// that is to be set at Aiven now; empty for none. It sets facts.Rotation, and facts.Problem if Kubernetes has failed.
func (r Rotation) Next(ctx context.Context, facts *status.Facts) string {
	password := r.next(ctx, facts)
	if password == "" && facts.Problem == nil {
		r.acknowledge(ctx, facts)
	}
	return password
}

// next takes the rotation a step further in Kubernetes.
func (r Rotation) next(ctx context.Context, facts *status.Facts) string {
	target, publishes := connection.TargetOf(r.Object, r.Kind.Kind, r.Policies)
	step := &step{Rotation: r, target: target, owner: connection.OwnerOf(r.Object, r.Kind), facts: facts, out: &status.Rotation{}}
	facts.Rotation = step.out
	step.request = r.Object.GetAnnotations()[annotation.RotateRequested]
	if step.request == r.Object.GetCommonStatus().LastHandledRotateAt {
		step.request = ""
	}
	_, step.scheduled = r.Object.GetAnnotations()[annotation.RotationInterval]
	step.pending = publishes && r.Publisher.MayBePending(ctx, step.owner, target)
	ready := status.ProvenReady(r.Object, r.Object.GetCommonStatus())
	switch {
	case !step.asked() && !step.pending:
		return ""
	case !ready && step.request != "": // it has its first password, was applied again elsewhere, or restored
		step.out.Request = step.request
		return ""
	case !ready:
		return ""
	case r.Plan != plan.None && r.Plan != plan.Report:
		step.out.After = facts.Timings.RequeueAsync
		return ""
	}
	password, err := step.take(ctx, publishes)
	facts.Problem = err
	facts.Secrets.Add(password)
	return password
}

// step is one step of a rotation.
type step struct {
	Rotation
	target  connection.Target
	owner   connection.Owner
	facts   *status.Facts
	out     *status.Rotation
	request string // that isn't handled yet; empty for none
	// scheduled means that a user wants a rotation by the clock.
	scheduled bool
	pending   bool // by the cache, which may be behind
}

// asked reports whether a user wants a rotation, now or later.
func (s *step) asked() bool { return s.request != "" || s.scheduled }

// block records why nothing takes place.
func (s *step) block(reason, message string) (string, error) {
	s.out.Reason, s.out.Message = reason, message
	return "", nil
}

func (s *step) refuse(message string) (string, error) {
	return s.block(condition.ReasonRotationRefused, "The password isn't rotated: "+message)
}

func (s *step) take(ctx context.Context, publishes bool) (string, error) {
	why := s.unwritable(publishes)
	if why != "" && s.asked() {
		return s.refuse(why)
	}
	if due, _, _ := s.due(); !due && !s.pending {
		return s.takeWith(ctx, nil) // without a read of the Secret, at rest
	}
	pending, err := s.Publisher.Pending(ctx, s.owner, s.target)
	switch foreign, is := s.foreign(err); {
	case is && s.asked():
		return s.refuse(foreign)
	case is, why != "":
		return "", nil
	case err != nil:
		return "", err
	}
	return s.takeWith(ctx, pending)
}

// unwritable is why nothing may be written.
func (s *step) unwritable(publishes bool) string {
	_, fits := connection.PendingName(s.target)
	switch {
	case !publishes:
		return "objects of this kind publish none. Remove the annotation"
	case s.facts.ObserveOnly:
		return "annotation " + annotation.Management + " allows no change at Aiven. Remove it, or remove the request"
	case s.target.Disabled:
		return "spec.connInfoSecretTargetDisabled is set, so there is no Secret that could have the new one. Create the object again without the field"
	case !fits:
		return "spec.connInfoSecretTarget.name leaves no room for \"-pending\". Create the object again with a shorter name"
	default:
		return ""
	}
}

// foreign reports whether the Secret for the pending password is another's, and says so.
func (s *step) foreign(err error) (string, bool) {
	if _, is := errors.AsType[*connection.OwnershipError](err); !is {
		return "", false
	}
	name, _ := connection.PendingName(s.target)
	return "Secret " + name + " isn't this object's, which needs the name for the new password. Delete the Secret", true
}

// takeWith is take for what is pending, or for nil.
func (s *step) takeWith(ctx context.Context, pending *connection.Pending) (string, error) {
	due, refusal, unknown := false, "", ""
	if pending == nil {
		due, refusal, unknown = s.due()
	}
	switch {
	case refusal != "":
		return s.refuse(refusal)
	case unknown != "":
		return s.block(condition.ReasonPasswordUnknown, "The password isn't rotated: "+unknown)
	}
	published, err := s.published(ctx, pending)
	if err != nil {
		return "", err
	}
	facts := Facts{Due: due, Aiven: s.password(), Published: published, Handled: s.Object.GetCommonStatus().LastHandledRotateAt}
	if pending != nil {
		facts.Pending = &Pending{Password: pending.Password, Request: pending.Request, Replaces: pending.Replaces}
		s.facts.Secrets.Add(pending.Password)
	}
	return s.act(ctx, facts.Next(), pending)
}

func (s *step) act(ctx context.Context, action Action, pending *connection.Pending) (string, error) {
	switch action {
	case Unknown:
		return s.block(condition.ReasonPasswordUnknown, "The password isn't rotated: Aiven doesn't show the present one. "+
			"Check that the token has the permission to read secrets")
	case Begin:
		return s.begin(ctx)
	case Set:
		if !s.wanted(pending) {
			return "", nil
		}
		if blocked, err := s.isUnpublishable(ctx); blocked {
			return "", err
		}
		return s.set(pending), nil
	case Finish:
		s.out.Request, s.out.Publishes, s.out.Tidies = pending.Request, true, true
		return "", nil
	case Forget:
		if err := s.Publisher.DropPending(ctx, pending); err != nil {
			return "", err
		}
		return s.takeWith(ctx, nil)
	default:
		return "", nil
	}
}

// wanted reports whether the object asks for what is pending: who may write Secrets, and not the object, changes no password at Aiven.
func (s *step) wanted(pending *connection.Pending) bool {
	if pending.Request != "" {
		return s.request != ""
	}
	due, _, _ := s.due()
	return due
}

// password is the one at Aiven; empty if it isn't known.
func (s *step) password() string {
	if s.Details.Password == connection.Missing {
		return ""
	}
	return connection.Shown(s.Details.Password)
}

// published is the password in the connection Secret. It is read while one is pending only.
func (s *step) published(ctx context.Context, pending *connection.Pending) (string, error) {
	if pending == nil {
		return "", nil
	}
	published, err := s.Publisher.Published(ctx, s.Object, s.Kind, s.target)
	if err != nil {
		return "", err
	}
	value, _ := published.Value(keyPassword, s.Details.IssuedFor)
	return value, nil
}

// due reports whether a rotation is to begin, or why it can't: because of what users have set, or because Aiven doesn't show something.
func (s *step) due() (due bool, refusal, unknown string) {
	interval, err := policy.RotationOf(s.Object)
	_, hasPassword := s.Details.Layout.Prefixed[keyPassword]
	switch {
	case s.request == "" && interval == 0 && err == nil:
		return false, "", ""
	case s.Details.Fixed != "":
		return false, s.Details.Fixed, ""
	case !s.Details.Empty() && !hasPassword:
		return false, "the connection Secret of this object has none. Remove the annotation", ""
	case s.request != "":
		return true, "", ""
	case err != nil:
		return false, err.Error(), ""
	}
	if s.Details.Credentials == nil || s.Details.Credentials.PasswordUpdatedAt == nil {
		return false, "", "Aiven doesn't report since when there is the present one, so annotation " + annotation.RotationInterval +
			" has no effect. Use annotation " + annotation.RotateRequested
	}
	left := s.Details.Credentials.PasswordUpdatedAt.Add(interval).Sub(s.facts.Now)
	s.out.After = max(left, 0)
	return left <= 0, "", ""
}
