// Package secretcontroller reconciles ConnectionSecrets. It makes no call to Aiven: what it publishes was observed by the reconcile of the
// source.
//
//	controller.go  the steps of a reconcile
//	inputs.go      what a spec refers to: the source, a database, the password of key stores
//	publisher.go   the Secret, as those of the other kinds are published
//	setup.go       sources that ConnectionSecrets name, and the controller with its indexes and watches
package secretcontroller

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/connectionsecret"
	"github.com/aero-operator/aero/controllers/internal/event"
	"github.com/aero-operator/aero/controllers/internal/expectations"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// kind is that of the objects.
var kind = aero.GroupVersion.WithKind("ConnectionSecret")

// Publisher writes the Secret of an object, if it differs. Its errors are those of connection.Publisher.
type Publisher interface {
	Publish(ctx context.Context, owner *aero.ConnectionSecret, secretType corev1.SecretType, data map[string][]byte) error
}

// Reconciler publishes the Secrets of ConnectionSecrets.
type Reconciler struct {
	// Client reads objects from the cache, and writes statuses.
	Client client.Client
	// Live reads Secrets, one by one.
	Live client.Reader
	// Grants lists the ReferenceGrants of a namespace; none, if the cluster doesn't serve them.
	Grants func(ctx context.Context, namespace string) ([]unstructured.Unstructured, error)
	// Known is what sources were observed to connect with.
	Known *connectionsecret.Known
	// Publisher writes Secrets.
	Publisher Publisher
	// Report queues an event.
	Report func(ctx context.Context, obj client.Object, gvk schema.GroupVersionKind, e event.Event)
	// Now is the time, and Grace how long what a spec names may be missing before that is an error. FirstStatus is how long a new object
	// may have no status, if it waits: a source that is named for the first time is known soon.
	Now                func() time.Time
	Grace, FirstStatus time.Duration

	written expectations.Versions // of objects, with a status of ours
}

// cacheLag is after how long the cache is read again that doesn't show our latest write yet.
const cacheLag = 50 * time.Millisecond

// Reconcile publishes the Secret of one object. What it waits for enqueues the object, so it asks for a requeue only where a wait becomes
// an error. Errors of the API server are returned, and tried again.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	obj := &aero.ConnectionSecret{}
	if err := r.Client.Get(ctx, request.NamespacedName, obj); err != nil {
		r.written.Forget(request.NamespacedName)
		return ctrl.Result{}, client.IgnoreNotFound(err) //nolint:wrapcheck // the queue's log names the object
	}
	if r.written.IsStale(obj) {
		return ctrl.Result{RequeueAfter: cacheLag}, nil // its status would be written again, and refused
	}
	if obj.DeletionTimestamp != nil {
		return ctrl.Result{}, nil // the garbage collector removes the Secret
	}
	if policy.IsPaused(obj) {
		return ctrl.Result{}, r.writeStatus(ctx, obj, connectionsecret.Paused(obj, r.Now()))
	}
	values, failed := r.publish(ctx, obj)
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctrl.Result{}, nil // the operator is stopping
	}
	if isNew := len(obj.Status.Conditions) == 0 && r.Now().Sub(obj.CreationTimestamp.Time) < r.FirstStatus; isNew && connectionsecret.Waits(failed) {
		return ctrl.Result{RequeueAfter: r.FirstStatus}, nil
	}
	status := connectionsecret.Conclude(obj, values, failed, r.Now(), r.Grace)
	log.FromContext(ctx).V(1).Info("Concluded", "generation", annotation.FormatGeneration(obj.Generation), "ready", status.Conditions[0].Reason)
	if err := r.writeStatus(ctx, obj, status); err != nil {
		return ctrl.Result{}, err
	}
	if e := connectionsecret.EventOf(obj.Status, status); e != nil {
		r.Report(ctx, obj, kind, *e)
	}
	if connectionsecret.Retries(failed) {
		return ctrl.Result{}, failed
	}
	if connectionsecret.Outlasts(status, failed) {
		return ctrl.Result{RequeueAfter: r.Grace}, nil
	}
	return ctrl.Result{}, nil
}

// publish returns what is published now. After an error, that is what was.
func (r *Reconciler) publish(ctx context.Context, obj *aero.ConnectionSecret) (connectionsecret.Values, error) {
	none := connectionsecret.Values{}
	source, err := r.source(ctx, obj)
	if err != nil {
		return none, err
	}
	database, err := r.database(ctx, obj)
	if err != nil {
		return none, err
	}
	values, err := connectionsecret.ValuesOf(source, &obj.Spec, database)
	if err != nil {
		return none, err //nolint:wrapcheck // it is the message of a condition
	}
	data, err := connectionsecret.Render(&obj.Spec, values)
	if err != nil {
		return none, err //nolint:wrapcheck // it is the message of a condition
	}
	stores, err := r.keystores(ctx, obj, values)
	if err != nil {
		return none, err
	}
	maps.Copy(data, stores)
	if err := checkSize(data); err != nil {
		return none, err
	}
	if err := r.Publisher.Publish(ctx, obj, connectionsecret.TypeOf(&obj.Spec, values), data); err != nil {
		return none, fmt.Errorf("publishing: %w", err)
	}
	return values, nil
}

// writeStatus writes a status that differs.
func (r *Reconciler) writeStatus(ctx context.Context, obj *aero.ConnectionSecret, status aero.ConnectionSecretStatus) error {
	if equality.Semantic.DeepEqual(obj.Status, status) {
		return nil
	}
	changed := obj.DeepCopy()
	changed.Status = status
	patch := client.MergeFromWithOptions(obj, client.MergeFromWithOptimisticLock{})
	if err := r.Client.Status().Patch(ctx, changed, patch); err != nil {
		return client.IgnoreNotFound(fmt.Errorf("writing the status: %w", err))
	}
	r.written.Record(client.ObjectKeyFromObject(obj), changed.ResourceVersion)
	return nil
}

// checkSize applies the limit of Kubernetes: the values together, keys not counted.
func checkSize(data map[string][]byte) error {
	size := 0
	for _, value := range data {
		size += len(value)
	}
	if size > corev1.MaxSecretSize {
		return fault.InvalidSpec("spec.data", fmt.Sprintf("the values have %d bytes together, and Kubernetes allows %d in a Secret", size, corev1.MaxSecretSize))
	}
	return nil
}
