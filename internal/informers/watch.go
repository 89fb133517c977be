package informers

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"
)

// newSharedInformer is a NewInformer of cache.Options.
func newSharedInformer(
	source toolscache.ListerWatcher, obj runtime.Object, resync time.Duration, indexers toolscache.Indexers,
) toolscache.SharedIndexInformer {
	if lists, is := source.(*toolscache.ListWatch); is && lists.WatchFuncWithContext != nil {
		start := lists.WatchFuncWithContext
		lists.WatchFuncWithContext = func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			started, err := start(ctx, options)
			if err != nil {
				return nil, err // it is the informer's, which knows the errors of the API server
			}
			return drained{started}, nil
		}
	}
	return toolscache.NewSharedIndexInformer(source, obj, resync, indexers)
}

// drained is a watch that is read to its end once it is stopped. controller-runtime filters the watches of metadata, and the filter of
// apimachinery never ends while it has an event that is not received: the watch and all that it holds would stay for good.
type drained struct{ watch.Interface }

// Stop implements watch.Interface.
func (d drained) Stop() {
	d.Interface.Stop()
	go func() {
		for range d.ResultChan() {
			continue
		}
	}()
}
