package controllers

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/credentials"
	"github.com/aero-operator/aero/controllers/internal/enqueue"
)

// serviceKeyOf gives the function that names the service of an object, or nil for kinds that have none.
func serviceKeyOf(kind client.Object) func(client.Object) aiven.ServiceKey {
	switch kind.(type) {
	case dependent:
		return func(obj client.Object) aiven.ServiceKey {
			d := obj.(dependent).GetServiceDependant()
			return aiven.ServiceKey{Project: d.Project, Service: d.ServiceName}
		}
	case service:
		return func(obj client.Object) aiven.ServiceKey {
			return aiven.ServiceKey{Project: obj.(service).GetProjectDependant().Project, Service: obj.GetName()}
		}
	default:
		return nil
	}
}

// What an object has to do with a part of its service.
const (
	isEntry    = "is"
	readsEntry = "reads"
)

// entryValue is a value of the index of parts.
func entryValue(key aiven.ServiceKey, relation string, part aiven.Entry) string {
	return key.String() + "/" + relation + "/" + string(part)
}

// entryIndex is what an object has to do with the service that it is or lives in.
func (k Kind[T]) entryIndex(obj client.Object) []string {
	key := serviceKeyOf(k.Object)(obj)
	if _, isService := obj.(service); isService {
		return []string{entryValue(key, isEntry, "")}
	}
	values := []string{entryValue(key, readsEntry, "")}
	if k.Parts == nil {
		return values
	}
	for i, part := range k.Parts(obj.(T)) {
		relation := isEntry
		if i > 0 {
			relation = readsEntry
		}
		values = append(values, entryValue(key, relation, part))
	}
	return values
}

// remoteChanges wakes whom a change at Aiven concerns, whoever has seen it. A write of our own is no news to the object
// that it was made for.
func remoteChanges(door *aiven.Clients, finder enqueue.Lister) source.Source {
	return source.Func(func(ctx context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		door.OnChange(func(change aiven.Change) {
			for _, value := range affected(change) {
				for _, request := range finder.Requests(ctx, client.MatchingFields{indexEntry: value}) {
					queue.Add(request)
				}
			}
		})
		return nil
	})
}

// affected are the values of the index of parts that a change is about.
func affected(change aiven.Change) []string {
	parts := change.Entries
	if len(parts) == 0 {
		parts = []aiven.Entry{""}
	}
	var values []string
	for _, part := range parts {
		values = append(values, entryValue(change.Key, readsEntry, part))
		if !change.Known {
			values = append(values, entryValue(change.Key, isEntry, part))
		}
	}
	return values
}

// tokenIndex is the name of the Secret that an object's token is in.
func tokenIndex(obj client.Object) []string {
	if ref := obj.(Object).GetAuthSecretRef(); ref != nil {
		return []string{ref.Name}
	}
	return nil
}

// watchTokens adds the controller that lets a token Secret go when no object names it any longer.
func (s *setup) watchTokens(kinds []Registration) error {
	keeper := credentials.SecretReconciler{
		Finalizer: credentials.SecretFinalizer{Client: s.mgr.GetClient(), Live: s.mgr.GetAPIReader()}, Index: indexToken,
	}
	b := ctrl.NewControllerManagedBy(s.mgr).Named("token-secret").
		For(&corev1.Secret{}, builder.OnlyMetadata, builder.WithPredicates(predicate.NewPredicateFuncs(credentials.Protected))).
		WatchesMetadata(&corev1.Secret{}, s.tokens.Deletions())
	for _, kind := range kinds {
		gvk, err := apiutil.GVKForObject(kind.GetObject(), s.mgr.GetScheme())
		if err != nil {
			return fmt.Errorf("finding the kind of %s: %w", kindName(kind.GetObject()), err)
		}
		keeper.Users = append(keeper.Users, s.lister(gvk))
		b = b.Watches(kind.GetObject(), enqueue.ForPreviousName(func(obj client.Object) string {
			return strings.Join(tokenIndex(obj), "")
		}))
	}
	return b.Complete(keeper)
}
