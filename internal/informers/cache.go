package informers

import (
	"context"
	"fmt"
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// NewCache is a cache.NewCacheFunc.
func NewCache(config *rest.Config, options cache.Options) (cache.Cache, error) {
	inner, err := cache.New(config, options)
	if err != nil {
		return nil, fmt.Errorf("making the cache: %w", err)
	}
	return Share(inner, options.Scheme), nil
}

// Share returns a cache whose informers share their listeners. Those by GroupVersionKind don't: they are for discovery.
func Share(inner cache.Cache, scheme *runtime.Scheme) cache.Cache {
	return &sharing{Cache: inner, scheme: scheme, informers: map[key]*informer{}}
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

// RemoveInformer implements cache.Informers.
func (s *sharing) RemoveInformer(ctx context.Context, obj client.Object) error {
	k, err := s.keyOf(obj)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.informers, k)
	return s.Cache.RemoveInformer(ctx, obj)
}

func (s *sharing) keyOf(obj client.Object) (key, error) {
	kind, err := apiutil.GVKForObject(obj, s.scheme)
	if err != nil {
		return key{}, fmt.Errorf("finding the GroupVersionKind of an informer: %w", err)
	}
	return key{kind: kind, form: reflect.TypeOf(obj)}, nil
}
