package userrotation

import (
	"context"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/config"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/connectionsecret"
	"github.com/aero-operator/aero/controllers/internal/enqueue"
	events "github.com/aero-operator/aero/controllers/internal/event"
	"github.com/aero-operator/aero/controllers/internal/expectations"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/metrics"
	"github.com/aero-operator/aero/controllers/internal/queue"
	"github.com/aero-operator/aero/controllers/internal/secretcontroller"
	"github.com/aero-operator/aero/controllers/internal/tracing"
)

// What the operator reads and writes of ServiceUserRotations. Its requests are annotations of ServiceUsers, which it may patch anyway.
// +kubebuilder:rbac:groups=aero-operator.io,resources=serviceuserrotations,verbs=list;watch
// +kubebuilder:rbac:groups=aero-operator.io,resources=serviceuserrotations/status,verbs=patch
// +kubebuilder:rbac:groups=aero-operator.io,resources=serviceuserrotations/finalizers,verbs=update

// publisher publishes by the rules of all connection Secrets.
type publisher struct{ connection.Publisher }

// Annotations implements Publisher.
func (p publisher) Annotations(ctx context.Context, owner *aero.ServiceUserRotation) (map[string]string, error) {
	return p.Publisher.Annotations(ctx, owner, kind, connection.Target{Name: owner.GetSecretName(), Field: "spec.target"}) // it is the message of a condition
}

// Publish implements Publisher.
func (p publisher) Publish(ctx context.Context, owner *aero.ServiceUserRotation, secret corev1.Secret) error {
	_, err := p.PublishData(ctx, owner, kind, connection.Target{
		Name: secret.Name, Field: "spec.target", Type: secret.Type, Labels: secret.Labels, Annotations: secret.Annotations,
	}, secret.Data)
	return err // it is the message of a condition
}

// SetupWithManager adds the controller of ServiceUserRotations, after that of ServiceUsers.
func SetupWithManager(mgr ctrl.Manager, s *secretcontroller.Sources, c config.Config, fieldManager string, recorder *events.Recorder) error {
	secrets, workers := &expectations.Versions{}, c.WorkersFor("serviceuserrotation")
	naming := func(ctx context.Context, user connectionsecret.Key) ([]client.Object, error) {
		return s.Naming(ctx, kind.Kind, user)
	}
	r := &Reconciler{
		Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Known: s.Known(), Naming: naming,
		Publisher: publisher{connection.Publisher{
			Client: mgr.GetClient(), Reader: mgr.GetAPIReader(), Metadata: mgr.GetClient(), FieldManager: fieldManager, RecordWrite: secrets.Record,
		}},
	}
	loop := r.Loop(secretcontroller.OptionsOf(c, recorder))
	latency := &metrics.Latency{Kind: kind.Kind, Elected: mgr.Elected()}
	b := ctrl.NewControllerManagedBy(mgr).Named("serviceuserrotation").
		WithOptions(controller.Options{MaxConcurrentReconciles: workers, NewQueue: queue.New(kind.Kind, workers), RateLimiter: c.Backoff()}).
		For(&aero.ServiceUserRotation{}, builder.WithPredicates(latency.Predicate(), enqueue.UserChanges())).
		Owns(&corev1.Secret{}, builder.OnlyMetadata, builder.WithPredicates(connection.ExternalChangePredicate(fieldManager, secrets)))
	s.Enqueue(b, kind.Kind)
	b.Watches(&v1alpha1.ServiceUser{}, handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, user client.Object) []reconcile.Request {
		return s.Requests(ctx, kind.Kind, secretcontroller.UserKey(client.ObjectKeyFromObject(user)))
	}), builder.WithPredicates(predicate.Funcs{
		CreateFunc: func(event.CreateEvent) bool { return false }, // these two are watched as of any source
		DeleteFunc: func(event.DeleteEvent) bool { return false },
		UpdateFunc: func(e event.UpdateEvent) bool {
			return !reflect.DeepEqual(seenOf(e.ObjectOld.(*v1alpha1.ServiceUser)), seenOf(e.ObjectNew.(*v1alpha1.ServiceUser)))
		},
	}))
	b.Watches(&aero.ServiceUserRotation{}, handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, obj client.Object) []reconcile.Request {
		var sharing []reconcile.Request
		for _, user := range secretcontroller.KeysOf(obj) {
			sharing = append(sharing, s.Requests(ctx, kind.Kind, user)...)
		}
		return sharing
	}), builder.WithPredicates(predicate.Funcs{
		CreateFunc: func(event.CreateEvent) bool { return false }, // it comes after those that have published
		UpdateFunc: func(e event.UpdateEvent) bool { return e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration() },
	}))
	return b.Complete(tracing.Wrap(c.Tracing, kind.Kind, latency.Wrap(fault.HidePanics(loop)))) // it names the controller
}

// seenOf is all of a ServiceUser that a rotation depends on.
func seenOf(user *v1alpha1.ServiceUser) []any {
	return []any{
		user.Generation, user.Annotations, user.DeletionTimestamp, user.Status.ObservedGeneration, user.Status.LastHandledRotateAt,
		apimeta.FindStatusCondition(user.Status.Conditions, condition.Ready), apimeta.FindStatusCondition(user.Status.Conditions, condition.RotationBlocked),
	}
}
