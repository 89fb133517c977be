package informers

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// NewCache is a cache.NewCacheFunc.
func NewCache(config *rest.Config, options cache.Options) (cache.Cache, error) {
	if options.NewInformer == nil {
		options.NewInformer = newSharedInformer
	}
	inner, err := cache.New(config, options)
	if err != nil {
		return nil, fmt.Errorf("making the cache: %w", err)
	}
	return Share(inner, options.Scheme), nil
}

// Share returns a cache whose informers share their listeners. Those by GroupVersionKind don't: they are for discovery.
func Share(inner cache.Cache, scheme *runtime.Scheme) cache.Cache {
	return &sharing{Cache: inner, scheme: scheme, informers: map[key]*informer{}, indexed: map[reflect.Type]indexed{}}
}

// key distinguishes the informers of a kind: its objects may be typed, or metadata alone.
type key struct {
	kind schema.GroupVersionKind
	form reflect.Type
}

type sharing struct {
	cache.Cache
	scheme *runtime.Scheme

	mu        sync.Mutex
	informers map[key]*informer
	// indexed are by the type of the kind's list. A cache of several namespaces has none.
	indexed map[reflect.Type]indexed
}

// indexed is an informer of all objects of a kind.
type indexed struct {
	key
	toolscache.SharedIndexInformer
}

// GetInformer implements cache.Informers.
func (s *sharing) GetInformer(ctx context.Context, obj client.Object, options ...cache.InformerGetOption) (cache.Informer, error) {
	k, err := s.keyOf(obj)
	if err != nil {
		return nil, err
	}
	inner, err := s.Cache.GetInformer(ctx, obj, options...) // may wait until it has synced
	if err != nil {
		return nil, fmt.Errorf("getting the informer of %s: %w", k.kind.Kind, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.informers[k] == nil {
		s.informers[k] = newInformer(inner)
	}
	return s.informers[k], nil
}

// What the readers of controller-runtime's caches add to the name of a field's index, and to a value that is sought in all namespaces.
const (
	indexPrefix   = "field:"
	allNamespaces = "__all_namespaces/"
)

var errNotInNamespace = errors.New("an index of a field finds objects in all namespaces: a list by it has no namespace")

// IndexField implements client.FieldIndexer. An object is found in all namespaces only: to be found in its own as well, it would be in
// each index twice.
func (s *sharing) IndexField(ctx context.Context, obj client.Object, field string, extract client.IndexerFunc) error {
	inner, err := s.Cache.GetInformer(ctx, obj, cache.BlockUntilSynced(false))
	if err != nil {
		return fmt.Errorf("getting the informer to index by %s: %w", field, err)
	}
	err = inner.AddIndexers(toolscache.Indexers{indexPrefix + field: func(indexed any) ([]string, error) {
		o, is := indexed.(client.Object)
		if !is {
			return nil, fmt.Errorf("indexing by %s: a %T is no object", field, indexed)
		}
		values := extract(o)
		keys := make([]string, len(values))
		for i, value := range values {
			keys[i] = allNamespaces + value
		}
		return keys, nil
	}})
	if err != nil {
		return fmt.Errorf("indexing by %s: %w", field, err)
	}
	return s.recordIndexed(obj, inner)
}

func (s *sharing) recordIndexed(obj client.Object, inner cache.Informer) error {
	informer, ofAll := inner.(toolscache.SharedIndexInformer)
	if _, metadata := obj.(*metav1.PartialObjectMetadata); !ofAll || metadata { // all kinds have the same list of metadata
		return nil
	}
	k, err := s.keyOf(obj)
	if err != nil {
		return err
	}
	list, err := s.scheme.New(k.kind.GroupVersion().WithKind(k.kind.Kind + "List"))
	if err != nil {
		return fmt.Errorf("making a list of %s: %w", k.kind.Kind, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.indexed[reflect.TypeOf(list)] = indexed{k, informer}
	return nil
}

// finds reports whether a list may have objects. Most lists by a field have none, as each event concerns few kinds: they cost a lookup
// here, and a copy of an empty object in the cache below.
func (s *sharing) finds(list client.ObjectList, options *client.ListOptions) bool {
	if options.FieldSelector == nil {
		return true
	}
	s.mu.Lock()
	informer, is := s.indexed[reflect.TypeOf(list)]
	s.mu.Unlock()
	required := options.FieldSelector.Requirements()
	if !is || len(required) != 1 || required[0].Operator != selection.Equals || !informer.HasSynced() {
		return true
	}
	keys, err := informer.GetIndexer().IndexKeys(indexPrefix+required[0].Field, allNamespaces+required[0].Value)
	return err != nil || len(keys) > 0
}

// List implements client.Reader.
func (s *sharing) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	chosen := (&client.ListOptions{}).ApplyOptions(options)
	if chosen.Namespace != "" && chosen.FieldSelector != nil && !chosen.FieldSelector.Empty() {
		return fmt.Errorf("listing %T: %w", list, errNotInNamespace)
	}
	if !s.finds(list, chosen) {
		return meta.SetList(list, nil)
	}
	return s.Cache.List(ctx, list, options...)
}

// RemoveInformer implements cache.Informers.
func (s *sharing) RemoveInformer(ctx context.Context, obj client.Object) error {
	k, err := s.keyOf(obj)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.informers, k)
	maps.DeleteFunc(s.indexed, func(_ reflect.Type, i indexed) bool { return i.key == k })
	return s.Cache.RemoveInformer(ctx, obj)
}

func (s *sharing) keyOf(obj client.Object) (key, error) {
	kind, err := apiutil.GVKForObject(obj, s.scheme)
	if err != nil {
		return key{}, fmt.Errorf("finding the GroupVersionKind of an informer: %w", err)
	}
	return key{kind: kind, form: reflect.TypeOf(obj)}, nil
}
