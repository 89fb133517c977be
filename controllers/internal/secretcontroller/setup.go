package secretcontroller

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/controllers/config"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/connectionsecret"
	"github.com/aero-operator/aero/controllers/internal/enqueue"
	"github.com/aero-operator/aero/controllers/internal/event"
	"github.com/aero-operator/aero/controllers/internal/expectations"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/metrics"
	"github.com/aero-operator/aero/controllers/internal/queue"
	"github.com/aero-operator/aero/controllers/internal/tracing"
)

// What the operator reads and writes of ConnectionSecrets, and reads of grants, if the cluster serves them.
// +kubebuilder:rbac:groups=aero-operator.io,resources=connectionsecrets,verbs=list;watch
// +kubebuilder:rbac:groups=aero-operator.io,resources=connectionsecrets/status,verbs=patch
// +kubebuilder:rbac:groups=aero-operator.io,resources=connectionsecrets/finalizers,verbs=update
// +kubebuilder:rbac:groups=gateway.networking.k8s.io,resources=referencegrants,verbs=list;watch

// Indexes over ConnectionSecrets.
const (
	namespaceIndex = "aero.sourceNamespace" // the namespace of a source in another one
	databaseIndex  = "aero.database"        // the database, as namespace/name
	passwordIndex  = "aero.keystore"        // the Secret with the password of key stores, as namespace/name
)

func indexes() map[string]client.IndexerFunc {
	of := func(value func(*aero.ConnectionSecret) string) client.IndexerFunc {
		return func(obj client.Object) []string {
			if found := value(obj.(*aero.ConnectionSecret)); found != "" {
				return []string{found}
			}
			return nil
		}
	}
	return map[string]client.IndexerFunc{
		namespaceIndex: of(func(obj *aero.ConnectionSecret) string {
			if obj.GetSourceNamespace() == obj.Namespace {
				return ""
			}
			return obj.GetSourceNamespace()
		}),
		databaseIndex: of(func(obj *aero.ConnectionSecret) string {
			if obj.Spec.DatabaseRef == nil {
				return ""
			}
			return obj.GetSourceNamespace() + "/" + obj.Spec.DatabaseRef.Name
		}),
		passwordIndex: of(func(obj *aero.ConnectionSecret) string {
			if obj.Spec.Keystore == nil {
				return ""
			}
			return obj.Namespace + "/" + obj.Spec.Keystore.PasswordSecretRef.Name
		}),
	}
}

// setUpSecrets adds the controller of ConnectionSecrets.
func (s *Sources) setUpSecrets(mgr ctrl.Manager, c config.Config, fieldManager string, recorder *event.Recorder) error {
	for name, extract := range indexes() {
		if err := mgr.GetFieldIndexer().IndexField(context.Background(), &aero.ConnectionSecret{}, name, extract); err != nil {
			return fmt.Errorf("indexing %s: %w", name, err)
		}
	}
	granted, err := served(mgr)
	if err != nil {
		return err
	}
	live, secrets, workers := mgr.GetAPIReader(), &expectations.Versions{}, c.WorkersFor("connectionsecret")
	r := &Reconciler{
		Client: mgr.GetClient(), Live: live, Known: s.known, Ask: s.Ask,
		Publisher: publisher{connection.Publisher{
			Client: mgr.GetClient(), Reader: live, Metadata: mgr.GetClient(), FieldManager: fieldManager, RecordWrite: secrets.Record,
		}},
	}
	if granted {
		r.Grants = list(mgr.GetCache(), c.Watches)
	}
	loop := r.Loop(OptionsOf(c, recorder))
	latency := &metrics.Latency{Kind: kind.Kind, Elected: mgr.Elected()}
	b := ctrl.NewControllerManagedBy(mgr).Named("connectionsecret").
		WithOptions(controller.Options{MaxConcurrentReconciles: workers, NewQueue: queue.New(kind.Kind, workers), RateLimiter: c.Backoff()}).
		For(&aero.ConnectionSecret{}, builder.WithPredicates(latency.Predicate(), enqueue.UserChanges())).
		Owns(&corev1.Secret{}, builder.OnlyMetadata, builder.WithPredicates(connection.ExternalChangePredicate(fieldManager, secrets)))
	s.watch(b, granted)
	return b.Complete(tracing.Wrap(c.Tracing, kind.Kind, latency.Wrap(fault.HidePanics(loop)))) //nolint:wrapcheck // it names the controller
}

// OptionsOf are those of an operator.
func OptionsOf(c config.Config, recorder *event.Recorder) Options {
	return Options{
		Report: recorder.Report, Now: time.Now, Grace: c.Degradation, FirstStatus: c.FirstStatus, Recheck: c.RequeueAsync, RecheckMax: c.BackoffMax,
	}
}

// watch adds what enqueues a ConnectionSecret besides itself.
func (s *Sources) watch(b *builder.Builder, granted bool) {
	s.Enqueue(b, kind.Kind)
	lister := s.Lister(kind.Kind)
	for name, of := range s.kinds {
		if name == "Database" || name == "ClickhouseDatabase" {
			b.Watches(of.example, lister.ForName(databaseIndex), builder.WithPredicates(predicate.GenerationChangedPredicate{}))
		}
	}
	b.WatchesMetadata(&corev1.Secret{}, lister.ForName(passwordIndex))
	if granted {
		b.Watches(aGrant(), handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, grant client.Object) []reconcile.Request {
			return lister.Requests(ctx, client.MatchingFields{namespaceIndex: grant.GetNamespace()})
		}))
	}
}

func aGrant() *unstructured.Unstructured {
	grant := &unstructured.Unstructured{}
	grant.SetGroupVersionKind(connectionsecret.GrantKind)
	return grant
}

// served reports whether the cluster has grants. One that gets them later needs a restart of the operator.
func served(mgr ctrl.Manager) (bool, error) {
	_, err := mgr.GetRESTMapper().RESTMapping(connectionsecret.GrantKind.GroupKind(), connectionsecret.GrantKind.Version)
	if meta.IsNoMatchError(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("finding out whether ReferenceGrants are served: %w", err)
	}
	return true, nil
}

// list lists the grants of a namespace from the cache. One that isn't watched has none that counts.
func list(cached client.Reader, watches func(namespace string) bool) func(context.Context, string) ([]unstructured.Unstructured, error) {
	return func(ctx context.Context, namespace string) ([]unstructured.Unstructured, error) {
		if !watches(namespace) {
			return nil, nil
		}
		found := &unstructured.UnstructuredList{}
		found.SetGroupVersionKind(connectionsecret.GrantKind.GroupVersion().WithKind(connectionsecret.GrantKind.Kind + "List"))
		err := cached.List(ctx, found, client.InNamespace(namespace))
		return found.Items, err //nolint:wrapcheck // the caller names the namespace
	}
}
