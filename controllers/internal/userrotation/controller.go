package userrotation

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/connectionsecret"
	"github.com/aero-operator/aero/controllers/internal/event"
	"github.com/aero-operator/aero/controllers/internal/secretcontroller"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// kind is that of the objects.
var kind = aero.GroupVersion.WithKind("ServiceUserRotation")

// Publisher reads and writes the Secret of an object. Its errors are those of connection.Publisher.
type Publisher interface {
	// Annotations are those of the Secret that are ours; nil if there is none.
	Annotations(ctx context.Context, owner *aero.ServiceUserRotation) (map[string]string, error)
	// Publish writes the Secret, if it differs.
	Publish(ctx context.Context, owner *aero.ServiceUserRotation, secret corev1.Secret) error
}

// Reconciler publishes the Secrets of ServiceUserRotations.
type Reconciler struct {
	// Client reads objects from the cache, and writes statuses, and requests into ServiceUsers. Live reads Secrets.
	Client client.Client
	Live   client.Reader
	// Known is what ServiceUsers were observed to connect with.
	Known *connectionsecret.Known
	// Naming lists the ServiceUserRotations that name a user, from the cache.
	Naming func(ctx context.Context, user connectionsecret.Key) ([]client.Object, error)
	// Publisher writes Secrets.
	Publisher Publisher
}

type (
	rotation = *aero.ServiceUserRotation
	outcome  = secretcontroller.Outcome[rotation]
)

// Loop is a loop whose objects are ServiceUserRotations.
func (r *Reconciler) Loop(o secretcontroller.Options) *secretcontroller.Loop[rotation] {
	return &secretcontroller.Loop[rotation]{
		Options: o, Client: r.Client, Live: r.Live, Kind: kind, New: func() rotation { return &aero.ServiceUserRotation{} },
		Publish: func(ctx context.Context, obj rotation) (outcome, error) {
			if err := r.checkConflict(ctx, obj); err != nil {
				return outcome{}, err
			}
			return r.publish(ctx, obj, o.Now())
		},
	}
}

// publish publishes the login of the user whose turn it is, and ends the turn if that is due. The login that is published is kept up to
// date whatever is wrong with the users, so that it stays valid.
func (r *Reconciler) publish(ctx context.Context, obj rotation, now time.Time) (outcome, error) {
	users, problem, err := r.users(ctx, obj)
	if err != nil {
		return outcome{}, err
	}
	annotations, err := r.Publisher.Annotations(ctx, obj)
	if err != nil {
		return outcome{}, fmt.Errorf("reading what is published: %w", err)
	}
	facts := Facts{
		Stored: storedTurn(annotations), Recorded: recordedTurn(&obj.Status), Request: obj.Annotations[annotation.RotateRequested],
		Interval: obj.Spec.RotationInterval.Duration, Now: now,
	}
	for _, ref := range obj.Spec.UserRefs {
		facts.Users = append(facts.Users, ref.Name)
	}
	turn := facts.Current()
	active, exists := users[turn.User]
	if problem != nil && (facts.Stored == nil && facts.Recorded == nil || !exists) {
		return outcome{}, problem
	}
	out, lost := outcome{Show: shows(turn, blockage{}, now)}, checkLogin(active)
	switch {
	case lost == nil:
		if out.Values, err = r.write(ctx, obj, active, turn); err != nil {
			return outcome{}, err
		}
	case !facts.IsPublished(turn):
		return outcome{}, lost
	}
	if problem != nil {
		return out, problem
	}
	if out.After = facts.Wait(turn); out.After > 0 {
		return out, lost
	}
	return r.advance(ctx, obj, users, facts, out)
}

// checkLogin returns an error if the login of a user is of no use, because it is gone at Aiven, or its service is.
func checkLogin(user *v1alpha1.ServiceUser) error {
	return secretcontroller.CheckLogin(secretcontroller.UserKey(client.ObjectKeyFromObject(user)), user)
}

// advance ends a turn: the password of the other user is rotated, and its login is published then. Until then, that of the user whose turn
// it is has to be of use.
func (r *Reconciler) advance(ctx context.Context, obj rotation, users map[string]*v1alpha1.ServiceUser, facts Facts, out outcome) (outcome, error) {
	turn := facts.Current()
	next := facts.Next(turn)
	user := users[next.User]
	rotated, why, err := r.prepare(ctx, obj, turn, user)
	if err != nil {
		return out, err
	}
	if why.reason != "" {
		out.Show = shows(turn, why, facts.Now)
		out.Event = blockedEvent(obj, why)
	}
	if _, err := r.Known.Of(secretcontroller.UserKey(client.ObjectKeyFromObject(user)), user.UID); !rotated || err != nil {
		return out, checkLogin(users[turn.User]) // what is rotated is published once it is known
	}
	values, err := r.write(ctx, obj, user, next)
	if err != nil {
		return out, err
	}
	return outcome{
		Values: values, Show: shows(next, blockage{}, facts.Now), After: facts.Interval,
		Event: &event.Event{
			Type: corev1.EventTypeNormal, Reason: status.EventRotated, Action: status.ActionReconcile,
			Note: fmt.Sprintf("Published the login of ServiceUser %s, with another password. The login of %s, which the Secret had, is valid until the next rotation",
				next.User, turn.User),
		},
	}, nil
}

// write publishes the login of a user, together with the turn.
func (r *Reconciler) write(ctx context.Context, obj rotation, user *v1alpha1.ServiceUser, turn Turn) (connectionsecret.Values, error) {
	none := connectionsecret.Values{}
	source, err := r.Known.Of(secretcontroller.UserKey(client.ObjectKeyFromObject(user)), user.UID)
	if err != nil {
		return none, err // it names the source
	}
	contents := &obj.Spec.SecretContents
	values, data, err := connectionsecret.ContentsOf(source, contents, contents.Database)
	if err != nil {
		return none, err // it is the message of a condition
	}
	secret := corev1.Secret{Type: connectionsecret.TypeOf(contents, values), Data: data}
	secret.Name, secret.Labels, secret.Annotations = obj.GetSecretName(), contents.Target.Labels, turn.annotated(contents.Target.Annotations)
	if err := r.Publisher.Publish(ctx, obj, secret); err != nil {
		return none, fmt.Errorf("publishing: %w", err)
	}
	return values, nil
}

// shows completes a status.
func shows(turn Turn, why blockage, now time.Time) func(rotation) {
	return func(obj rotation) {
		turn.record(&obj.Status, obj.Spec.RotationInterval.Duration)
		m := condition.NewManager(obj.Status.Conditions, obj.Generation, now)
		why.show(m)
		obj.Status.Conditions = m.Conditions()
	}
}

// blockedEvent is nil if the status says the same already.
func blockedEvent(obj rotation, why blockage) *event.Event {
	if was := apimeta.FindStatusCondition(obj.Status.Conditions, condition.RotationBlocked); was != nil && was.Reason == why.reason && was.Message == why.message {
		return nil
	}
	return &event.Event{Type: corev1.EventTypeWarning, Reason: status.EventRotationBlocked, Action: status.ActionReconcile, Note: why.message}
}
