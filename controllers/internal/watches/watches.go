package watches

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/credentials"
	"github.com/aero-operator/aero/controllers/internal/enqueue"
	"github.com/aero-operator/aero/controllers/internal/namespace"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/internal/secretcontroller"
	"github.com/aero-operator/aero/controllers/internal/userrotation"
)

// Registry has the kinds that know of each other. A kind is added before the first Watch.
type Registry struct {
	Clients      *aiven.Clients
	FieldManager string // under which fields of connection Secrets are ours
	// Namespaces have settings for their objects, and OperatorNamespace has the Secrets that those name.
	Namespaces        namespace.Reader
	OperatorNamespace string
	DefaultToken      *credentials.Default // of objects that name none
	Cluster           Cluster
	Sources           *secretcontroller.Sources // of what makes Secrets of what others connect with
	kinds             []Kind
}

// Cluster reads CRDs. The zero value is for an operator without permissions outside of namespaces.
type Cluster struct {
	Live   client.Reader
	Mapper meta.RESTMapper
}

// New returns a Registry of an operator that reads what isn't in a namespace, or doesn't.
func New(mgr manager.Manager, clients *aiven.Clients, fieldManager string, tokens credentials.Resolver, clusterScope bool) Registry {
	r := Registry{
		Clients: clients, FieldManager: fieldManager, OperatorNamespace: tokens.Namespace, DefaultToken: tokens.Default,
		Namespaces: namespace.NewReader(mgr, clusterScope), Sources: secretcontroller.NewSources(userrotation.SetupWithManager),
	}
	if clusterScope {
		r.Cluster = Cluster{Live: mgr.GetAPIReader(), Mapper: mgr.GetRESTMapper()}
	}
	return r
}

// Add registers a kind, and the fields that its objects are found by.
func (r *Registry) Add(kind Kind, indexer client.FieldIndexer) error {
	indexes := map[string]client.IndexerFunc{
		credentials.TokenIndex: tokenIndex, ownership.Index: kind.IdentityIndex, enqueue.RemoteIndex: kind.remoteIndex,
		SharedIndex: kind.Shares, projectIndex: kind.projectKeys, protectedIndex: kind.protectedIndex,
	}
	for _, declaration := range kind.References {
		indexes[declaration.IndexKey()] = declaration.IndexFunc()
	}
	for name, extract := range indexes {
		if err := indexer.IndexField(context.Background(), kind.Object, name, extract); err != nil {
			return fmt.Errorf("indexing %s: %w", name, err)
		}
	}
	r.kinds = append(r.kinds, kind)
	return nil
}

// KindOf is the kind that was added with this empty object.
func (r *Registry) KindOf(object client.Object) Kind {
	return r.kinds[slices.IndexFunc(r.kinds, func(kind Kind) bool { return kind.Object == object })]
}

// Objects are empty objects of the kinds.
func (r *Registry) Objects() []client.Object {
	objects := make([]client.Object, 0, len(r.kinds))
	for _, kind := range r.kinds {
		objects = append(objects, kind.Object)
	}
	return objects
}

// Watch adds to the controller of a kind what enqueues an object besides its own spec and annotations: its Secret, its
// token, what it refers to, what it depends on at Aiven, the end of another object with the same identity, an object that
// shares something with it, and the end of what holds back its deletion. secrets are the versions that our own writes of
// Secrets have led to.
func (r *Registry) Watch(b *builder.Builder, kind Kind, secrets connection.Versions) {
	for _, other := range r.kinds {
		if other.Group() == kind.Group() {
			b.Watches(other.Object, kind.Lister.OnPreviousValue(ownership.Index, other.IdentityOf))
		}
	}
	b.WatchesMetadata(&corev1.Secret{}, kind.Lister.ForName(credentials.TokenIndex), builder.WithPredicates(credentials.Changes()))
	b.WatchesRawSource(r.defaultTokenChanges(kind))
	r.watchNamespace(b, kind)
	if kind.Publishes {
		b.Owns(&corev1.Secret{}, builder.OnlyMetadata,
			builder.WithPredicates(connection.ExternalChangePredicate(r.FieldManager, secrets)))
	}
	for _, declaration := range kind.References {
		if target := declaration.Example(kind.Lister.Scheme); target != nil {
			b.Watches(target, handler.EnqueueRequestsFromMapFunc(declaration.Requests(kind.Lister)), builder.WithPredicates(declaration.Changes()))
		}
	}
	b.WatchesRawSource(enqueue.RemoteChanges(r.Clients, kind.Lister))
	r.Sources.Watch(b, kind.Lister.Kind.Kind, kind.Object)
	b.Watches(kind.Object, kind.Lister.ForSiblings(SharedIndex, kind.Shares))
	r.eachGuard(kind, func(referrer Kind, declaration reference.Declaration) {
		b.Watches(referrer.Object, declaration.Released())
	})
	if kind.IsService {
		for _, other := range r.kinds {
			b.Watches(other.Object, kind.Lister.OnPreviousValue(ownership.Index, other.protects))
		}
	}
	if kind.Group() == ownership.ProjectGroup {
		for _, other := range r.kinds {
			b.Watches(other.Object, r.emptied(kind, other))
		}
	}
}

// SecretUsers names the objects that have their token in a Secret or need a value of it, sorted. It knows all kinds.
func (r *Registry) SecretUsers(ctx context.Context, secret types.NamespacedName) ([]string, error) {
	var users []string
	for _, kind := range r.kinds {
		indexes := []client.MatchingFields{{credentials.TokenIndex: secret.String()}}
		for _, declaration := range kind.References {
			if declaration.Kind == reference.SecretKind {
				indexes = append(indexes, client.MatchingFields{declaration.IndexKey(): secret.String()})
			}
		}
		for _, index := range indexes {
			found, err := kind.Lister.List(ctx, index)
			if err != nil {
				return nil, fmt.Errorf("searching for what needs Secret %s: %w", secret, err)
			}
			for _, user := range found {
				users = append(users, kind.Lister.Kind.Kind+" "+client.ObjectKeyFromObject(user).String())
			}
		}
	}
	slices.Sort(users)
	return slices.Compact(users), nil
}

// eachGuard calls do with each declaration that holds back the deletion of a kind's objects.
func (r *Registry) eachGuard(kind Kind, do func(referrer Kind, declaration reference.Declaration)) {
	for _, other := range r.kinds {
		for _, declaration := range other.References {
			if declaration.BlocksDeletion && declaration.Kind == kind.Lister.Kind {
				do(other, declaration)
			}
		}
	}
}
