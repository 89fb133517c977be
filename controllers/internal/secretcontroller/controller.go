// Package secretcontroller reconciles ConnectionSecrets. It makes no call to Aiven: what it publishes was observed by the reconcile of the
// source. No controller runs it yet.
//
//	controller.go  the steps of a reconcile
//	inputs.go      what a spec refers to: the source, a database, the password of key stores
package secretcontroller

import (
	"context"
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/connectionsecret"
)

// Publisher writes the Secret of an object, if it differs. Its errors are those of connection.Publisher.
type Publisher interface {
	Publish(ctx context.Context, owner *aero.ConnectionSecret, secretType corev1.SecretType, data map[string][]byte) error
}

// Sources are what is known of sources: connectionsecret.Known.
type Sources interface {
	Of(key connectionsecret.Key, uid SourceUID) (connectionsecret.Source, bool)
}

// Reconciler publishes the Secrets of ConnectionSecrets.
type Reconciler struct {
	// Client reads objects from the cache, and writes statuses.
	Client client.Client
	// Live reads Secrets, one by one.
	Live client.Reader
	// Grants lists the ReferenceGrants of a namespace; none, if the cluster doesn't serve them.
	Grants func(ctx context.Context, namespace string) ([]unstructured.Unstructured, error)
	// Sources are what is known of sources.
	Sources Sources
	// Publisher writes Secrets.
	Publisher Publisher
	// Now is the time.
	Now func() time.Time
}

// Reconcile publishes the Secret of one object. What it waits for enqueues the object, so it asks for no requeue; errors of the API server
// are returned, and tried again.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	obj := &aero.ConnectionSecret{}
	if err := r.Client.Get(ctx, request.NamespacedName, obj); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err) //nolint:wrapcheck // the queue's log names the object
	}
	if obj.DeletionTimestamp != nil {
		return ctrl.Result{}, nil // the garbage collector removes the Secret
	}
	values, failed := r.publish(ctx, obj)
	status := connectionsecret.Conclude(obj, values, failed, r.Now())
	if err := r.writeStatus(ctx, obj, status); err != nil {
		return ctrl.Result{}, err
	}
	if connectionsecret.Retries(failed) {
		return ctrl.Result{}, failed
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
	if err := client.IgnoreNotFound(r.Client.Status().Patch(ctx, changed, patch)); err != nil {
		return fmt.Errorf("writing the status: %w", err)
	}
	return nil
}
