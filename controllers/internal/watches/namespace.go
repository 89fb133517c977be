package watches

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/aero-operator/aero/controllers/internal/credentials"
	"github.com/aero-operator/aero/controllers/internal/namespace"
)

// watchNamespace enqueues the objects of a Namespace when its settings change, or the token Secret that it names.
func (r *Registry) watchNamespace(b *builder.Builder, kind Kind) {
	if r.Namespaces.Metadata == nil {
		return
	}
	b.WatchesMetadata(&corev1.Namespace{}, handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, obj client.Object) []reconcile.Request {
		return kind.Lister.Requests(ctx, client.InNamespace(obj.GetName()))
	}), builder.WithPredicates(namespace.Changes()))
	b.WatchesMetadata(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(r.usersOfToken(kind)), builder.WithPredicates(credentials.Changes(),
		predicate.NewPredicateFuncs(func(secret client.Object) bool { return secret.GetNamespace() == r.OperatorNamespace })))
}

// defaultTokenChanges enqueues all objects of a kind when the default token changes. Those with a token of their own change nothing then.
func (r *Registry) defaultTokenChanges(kind Kind) source.Source {
	return source.Func(func(ctx context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		r.DefaultToken.OnChange(func() {
			for _, request := range kind.Lister.Requests(ctx) {
				queue.Add(request)
			}
		})
		return nil
	})
}

func (r *Registry) usersOfToken(kind Kind) handler.MapFunc {
	return func(ctx context.Context, secret client.Object) []reconcile.Request {
		names, err := r.Namespaces.WithToken(ctx, secret.GetName())
		if err != nil {
			log.FromContext(ctx).Error(err, "Could not list the Namespaces to enqueue: their objects are reconciled at their next poll")
		}
		var requests []reconcile.Request
		for _, name := range names { // objects with a token of their own change nothing then
			requests = append(requests, kind.Lister.Requests(ctx, client.InNamespace(name))...)
		}
		return requests
	}
}
