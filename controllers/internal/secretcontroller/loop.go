package secretcontroller

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/connectionsecret"
	"github.com/aero-operator/aero/controllers/internal/event"
	"github.com/aero-operator/aero/controllers/internal/expectations"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// Options are those of a Loop.
type Options struct {
	// Report queues an event.
	Report func(ctx context.Context, obj client.Object, gvk schema.GroupVersionKind, e event.Event)
	// Now is the time, and Grace how long what a spec names may be missing before that is an error. FirstStatus is how long a new object
	// may have no status, if it waits: a source that is named for the first time is known soon.
	Now                func() time.Time
	Grace, FirstStatus time.Duration
	// Recheck and RecheckMax bound the wait for a Secret of another to go.
	Recheck, RecheckMax time.Duration
}

// Loop reconciles objects that make a Secret of what was observed of others.
type Loop[T connectionsecret.Object] struct {
	Options

	// Client reads objects from the cache, and writes statuses. Live reads Secrets.
	Client client.Client
	Live   client.Reader
	// Kind is that of the objects, and New makes an empty one.
	Kind schema.GroupVersionKind
	New  func() T
	// Publish brings the Secret of an object in line.
	Publish func(ctx context.Context, obj T) (Outcome[T], error)

	written expectations.Versions // of objects, with a status of ours
}

// Outcome is what is published, and what else there is to show or to do.
type Outcome[T any] struct {
	// Values are those that are published now. They don't count after an error.
	Values connectionsecret.Values
	// Show completes the status of a copy of the object, also after an error; nil for nothing.
	Show func(obj T)
	// Event is one that has nothing to do with the condition Ready; nil for none.
	Event *event.Event
	// After is when the next step is due; 0 for never.
	After time.Duration
}

// cacheLag is after how long the cache is read again that doesn't show our latest write yet.
const cacheLag = 50 * time.Millisecond

// Reconcile publishes the Secret of one object. What it waits for enqueues the object, so it asks for a requeue only where a wait becomes
// an error, or for a time. Errors of the API server are returned, and tried again.
func (l *Loop[T]) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	obj := l.New()
	if err := l.Client.Get(ctx, request.NamespacedName, obj); err != nil {
		l.written.Forget(request.NamespacedName)
		return ctrl.Result{}, client.IgnoreNotFound(err) // the queue's log names the object
	}
	if l.written.IsStale(obj) {
		return ctrl.Result{RequeueAfter: cacheLag}, nil // its status would be written again, and refused
	}
	if obj.GetDeletionTimestamp() != nil {
		return ctrl.Result{}, nil // the garbage collector removes the Secret
	}
	next := obj.DeepCopyObject().(T)
	if policy.IsPaused(obj) {
		*next.GetSecretStatus() = connectionsecret.Paused(obj, l.Now())
		return ctrl.Result{}, l.writeStatus(ctx, obj, next)
	}
	outcome, failed := l.Publish(ctx, obj)
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctrl.Result{}, nil // the operator is stopping
	}
	if isNew := len(obj.GetSecretStatus().Conditions) == 0 && l.Now().Sub(obj.GetCreationTimestamp().Time) < l.FirstStatus; isNew && connectionsecret.Waits(failed) {
		return ctrl.Result{RequeueAfter: l.FirstStatus}, nil
	}
	failed, err := l.whetherGone(ctx, obj, failed)
	if err != nil {
		return ctrl.Result{}, err
	}
	if err := l.conclude(ctx, obj, next, outcome, failed); err != nil {
		return ctrl.Result{}, err
	}
	recheck := connectionsecret.Recheck(*next.GetSecretStatus(), failed, l.Now(), l.Recheck, l.RecheckMax)
	switch {
	case recheck > 0:
		return ctrl.Result{RequeueAfter: recheck}, nil
	case connectionsecret.Retries(failed):
		return ctrl.Result{}, failed
	case connectionsecret.Outlasts(*next.GetSecretStatus(), failed):
		return ctrl.Result{RequeueAfter: l.Grace}, nil
	default:
		return ctrl.Result{RequeueAfter: outcome.After}, nil
	}
}

// whetherGone adds to an error that the Secret which was published isn't there, or is another's: the status names it no longer.
func (l *Loop[T]) whetherGone(ctx context.Context, obj T, failed error) (error, error) {
	if failed == nil || obj.GetSecretStatus().Binding == nil {
		return failed, nil
	}
	secret := &metav1.PartialObjectMetadata{}
	secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	err := l.Live.Get(ctx, client.ObjectKey{Namespace: obj.GetNamespace(), Name: obj.GetSecretName()}, secret)
	switch {
	case apierrors.IsNotFound(err), err == nil && !metav1.IsControlledBy(secret, obj):
		return &connectionsecret.GoneError{Err: failed}, nil
	case err != nil:
		return nil, fmt.Errorf("reading Secret %s/%s: %w", obj.GetNamespace(), obj.GetSecretName(), err)
	default:
		return failed, nil
	}
}

// conclude writes the status of what was done into next, and reports events.
func (l *Loop[T]) conclude(ctx context.Context, obj, next T, outcome Outcome[T], failed error) error {
	*next.GetSecretStatus() = connectionsecret.Conclude(obj, outcome.Values, failed, l.Now(), l.Grace)
	if outcome.Show != nil {
		outcome.Show(next)
	}
	after := *next.GetSecretStatus()
	log.FromContext(ctx).V(1).Info("Concluded", "generation", annotation.FormatGeneration(obj.GetGeneration()), "ready", after.Conditions[0].Reason)
	if err := l.writeStatus(ctx, obj, next); err != nil {
		return err
	}
	for _, e := range []*event.Event{outcome.Event, connectionsecret.EventOf(*obj.GetSecretStatus(), after)} {
		if e != nil {
			l.Report(ctx, obj, l.Kind, *e)
		}
	}
	return nil
}

// writeStatus writes a status that differs.
func (l *Loop[T]) writeStatus(ctx context.Context, obj, next T) error {
	if equality.Semantic.DeepEqual(obj, next) {
		return nil
	}
	patch := client.MergeFromWithOptions(obj, client.MergeFromWithOptimisticLock{})
	if err := l.Client.Status().Patch(ctx, next, patch); err != nil {
		return client.IgnoreNotFound(fmt.Errorf("writing the status: %w", err))
	}
	l.written.Record(client.ObjectKeyFromObject(obj), next.GetResourceVersion())
	return nil
}
