package secretcontroller

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/controllers/config"
	"github.com/aero-operator/aero/controllers/internal/connection"
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
	live, secrets, workers := mgr.GetAPIReader(), &expectations.Versions{}, c.WorkersFor("connectionsecret")
	r := &Reconciler{
		Client: mgr.GetClient(), Live: live, Known: s.known, Ask: s.Ask,
		Publisher: publisher{connection.Publisher{
			Client: mgr.GetClient(), Reader: live, Metadata: mgr.GetClient(), FieldManager: fieldManager, RecordWrite: secrets.Record,
		}},
	}
	granted := &grants{mapper: mgr.GetRESTMapper(), cache: mgr.GetCache(), watches: c.Watches, now: time.Now, ask: c.RequeueAsync}
	r.Grants = granted.In
	loop := r.Loop(OptionsOf(c, recorder))
	latency := &metrics.Latency{Kind: kind.Kind, Elected: mgr.Elected()}
	b := ctrl.NewControllerManagedBy(mgr).Named("connectionsecret").
		WithOptions(controller.Options{MaxConcurrentReconciles: workers, NewQueue: queue.New(kind.Kind, workers), RateLimiter: c.Backoff()}).
		For(&aero.ConnectionSecret{}, builder.WithPredicates(latency.Predicate(), enqueue.UserChanges())).
		Owns(&corev1.Secret{}, builder.OnlyMetadata, builder.WithPredicates(connection.ExternalChangePredicate(fieldManager, secrets)))
	s.watch(b)
	made, err := b.Build(tracing.Wrap(c.Tracing, kind.Kind, latency.Wrap(fault.HidePanics(loop))))
	if err != nil {
		return err // it names the controller
	}
	lister := s.Lister(kind.Kind)
	granted.start = func() error {
		return made.Watch(source.Kind(mgr.GetCache(), client.Object(aGrant()), // the caller names it
			handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, grant client.Object) []reconcile.Request {
				return lister.Requests(ctx, client.MatchingFields{namespaceIndex: grant.GetNamespace()})
			})))
	}
	if err := granted.watch(); err != nil && !errors.Is(err, ErrUnserved) {
		return err
	}
	return nil
}

// OptionsOf are those of an operator.
func OptionsOf(c config.Config, recorder *event.Recorder) Options {
	return Options{
		Report: recorder.Report, Now: time.Now, Grace: c.Degradation, FirstStatus: c.FirstStatus, Recheck: c.RequeueAsync, RecheckMax: c.BackoffMax,
	}
}

// watch adds what enqueues a ConnectionSecret besides itself.
func (s *Sources) watch(b *builder.Builder) {
	s.Enqueue(b, kind.Kind)
	lister := s.Lister(kind.Kind)
	for name, of := range s.kinds {
		if name == "Database" || name == "ClickhouseDatabase" {
			b.Watches(of.example, lister.ForName(databaseIndex), builder.WithPredicates(predicate.GenerationChangedPredicate{}))
		}
	}
	b.WatchesMetadata(&corev1.Secret{}, lister.ForName(passwordIndex))
}
