package controllers

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/credentials"
	"github.com/aero-operator/aero/controllers/internal/enqueue"
	"github.com/aero-operator/aero/controllers/internal/expectations"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/reference"
)

// watches adds what enqueues an object besides its own spec and annotations: its Secret, its token, what it refers to,
// what it depends on at Aiven, and the end of another object with the same identity.
func (k Kind[T]) watches(s *setup, b *ctrl.Builder, lister enqueue.Lister, secrets *expectations.Versions) *ctrl.Builder {
	for _, other := range s.kinds {
		if obj, value, same := other.sharesIdentity(k.group()); same {
			b = b.Watches(obj, lister.OnPreviousValue(ownership.Index, value))
		}
	}
	b = b.WatchesMetadata(&corev1.Secret{}, lister.ForName(credentials.TokenIndex), builder.WithPredicates(credentials.Changes()))
	if _, publishes := any(k.Object).(publisher); publishes {
		b = b.Owns(&corev1.Secret{}, builder.OnlyMetadata, builder.WithPredicates(connection.ExternalChangePredicate(fieldManager, secrets)))
	}
	for _, declaration := range k.References {
		if target := newTarget(s, declaration); target != nil {
			b = b.WatchesMetadata(target, handler.EnqueueRequestsFromMapFunc(declaration.Requests(lister)),
				builder.WithPredicates(predicate.ResourceVersionChangedPredicate{}))
		}
	}
	return b.WatchesRawSource(enqueue.RemoteChanges(s.clients, lister))
}

// guards are the references of other objects that hold back the deletion of this kind's.
func (k Kind[T]) guards(s *setup, gvk schema.GroupVersionKind) ([]guard, error) {
	var guards []guard
	for _, other := range s.kinds {
		for _, declaration := range other.references() {
			if !declaration.BlocksDeletion || declaration.Kind != gvk {
				continue
			}
			lister, err := enqueue.NewLister(s.mgr, other.GetObject())
			if err != nil {
				return nil, err
			}
			guards = append(guards, guard{declaration: declaration, referrers: lister, example: other.GetObject()})
		}
	}
	return guards, nil
}

func (k Kind[T]) references() []reference.Declaration { return k.References }

// sharesIdentity returns what finds the identity of the kind's objects, and whether they can have one of a group.
func (k Kind[T]) sharesIdentity(group string) (client.Object, func(client.Object) string, bool) {
	return k.Object, k.identity, k.group() == group
}

// newTarget is an empty object of the kind that a reference leads to, or nil if the operator doesn't serve it: a watch
// on a kind that the cluster may not have would keep the operator from starting.
func newTarget(s *setup, d reference.Declaration) client.Object {
	if !s.mgr.GetScheme().Recognizes(d.Kind) {
		return nil
	}
	target := &metav1.PartialObjectMetadata{}
	target.SetGroupVersionKind(d.Kind)
	return target
}

// index registers the fields that objects are found by.
func (k Kind[T]) index(s *setup) error {
	indexes := map[string]client.IndexerFunc{
		credentials.TokenIndex: tokenIndex, ownership.Index: k.identityIndex, enqueue.RemoteIndex: k.remoteIndex,
	}
	for _, declaration := range k.References {
		indexes[declaration.IndexKey()] = declaration.IndexFunc()
	}
	for name, extract := range indexes {
		if err := s.mgr.GetFieldIndexer().IndexField(context.Background(), k.Object, name, extract); err != nil {
			return fmt.Errorf("indexing %s: %w", name, err)
		}
	}
	return nil
}

// services are those of an object; none for a kind outside of services.
func (k Kind[T]) services(obj client.Object) []aiven.ServiceKey {
	if k.Services == nil {
		return nil
	}
	return k.Services(obj.(T))
}

// remoteIndex is what an object has to do with its services and with shared lists. Whatever lives in a service reads the
// service itself.
func (k Kind[T]) remoteIndex(obj client.Object) []string {
	if k.IsService {
		return enqueue.ServiceValues(k.services(obj))
	}
	var entries []aiven.Entry
	var own aiven.Item
	var items []aiven.Item
	if k.Reads != nil {
		entries = k.Reads(obj.(T))
	}
	if k.Item != nil {
		own = k.Item(obj.(T))
	}
	if k.ReadsItems != nil {
		items = k.ReadsItems(obj.(T))
	}
	return append(enqueue.EntryValues(k.services(obj), k.Identity(obj.(T)).Entry, entries), enqueue.ItemValues(own, items)...)
}

func tokenIndex(obj client.Object) []string {
	if name := credentials.TokenName(obj); name != "" {
		return []string{name}
	}
	return nil
}
