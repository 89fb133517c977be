// Package secretcontroller reconciles ConnectionSecrets. It makes no call to Aiven: what it publishes was observed by the reconcile of the
// source.
//
//	loop.go        a reconcile of any kind that makes a Secret of what was observed of others
//	controller.go  what a ConnectionSecret publishes
//	inputs.go      what a spec refers to: the source, a database, the password of key stores
//	grants.go      the ReferenceGrants of the cluster, whose CRD may come late
//	publisher.go   the Secret, as those of the other kinds are published
//	sources.go     the objects that are named, whose reconcile hands over what they connect with
//	setup.go       the controller with its indexes and watches
package secretcontroller

import (
	"context"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/connectionsecret"
)

// kind is that of the objects.
var kind = aero.GroupVersion.WithKind("ConnectionSecret")

// Publisher writes the Secret of an object, if it differs. Its errors are those of connection.Publisher.
type Publisher interface {
	Publish(ctx context.Context, owner *aero.ConnectionSecret, secretType corev1.SecretType, data map[string][]byte) error
}

// Reconciler publishes the Secrets of ConnectionSecrets.
type Reconciler struct {
	// Client reads objects from the cache, and Live Secrets, one by one.
	Client client.Client
	Live   client.Reader
	// Grants lists the ReferenceGrants of a namespace; none, if it isn't watched. Its error may be ErrUnserved or ErrUnread.
	Grants func(ctx context.Context, namespace string) ([]unstructured.Unstructured, error)
	// Ask makes the reconcile of a source hand over what it connects with.
	Ask func(source connectionsecret.Key)
	// Known is what sources were observed to connect with.
	Known *connectionsecret.Known
	// Publisher writes Secrets.
	Publisher Publisher
}

// Loop is a loop whose objects are ConnectionSecrets.
func (r *Reconciler) Loop(o Options) *Loop[*aero.ConnectionSecret] {
	return &Loop[*aero.ConnectionSecret]{
		Options: o, Client: r.Client, Live: r.Live, Kind: kind, New: func() *aero.ConnectionSecret { return &aero.ConnectionSecret{} },
		Publish: func(ctx context.Context, obj *aero.ConnectionSecret) (Outcome[*aero.ConnectionSecret], error) {
			values, err := r.publish(ctx, obj)
			return Outcome[*aero.ConnectionSecret]{Values: values}, err
		},
	}
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
	values, data, err := connectionsecret.ContentsOf(source, &obj.Spec.SecretContents, database)
	if err != nil {
		return none, err // it is the message of a condition
	}
	stores, err := r.keystores(ctx, obj, values)
	if err != nil {
		return none, err
	}
	maps.Copy(data, stores)
	if err := connectionsecret.CheckSize(data); err != nil {
		return none, err // it is the message of a condition
	}
	if err := r.Publisher.Publish(ctx, obj, connectionsecret.TypeOf(&obj.Spec.SecretContents, values), data); err != nil {
		return none, fmt.Errorf("publishing: %w", err)
	}
	return values, nil
}
