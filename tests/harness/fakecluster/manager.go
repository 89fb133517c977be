package fakecluster

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// collector is the manager that the controllers are added to. It starts none of them. The methods that it doesn't have panic.
type collector struct {
	manager.Manager

	scheme      *runtime.Scheme
	mapper      meta.RESTMapper
	client      client.Client
	lists       *lists
	controllers []reconcile.Reconciler // in the order in which they were added
	recorder    manager.Runnable       // of events
}

func (c *collector) GetScheme() *runtime.Scheme           { return c.scheme }
func (c *collector) GetRESTMapper() meta.RESTMapper       { return c.mapper }
func (c *collector) GetClient() client.Client             { return c.client }
func (c *collector) GetAPIReader() client.Reader          { return c.client }
func (c *collector) GetCache() cache.Cache                { return syncedCache{} }
func (c *collector) GetLogger() logr.Logger               { return logr.Discard() }
func (c *collector) GetFieldIndexer() client.FieldIndexer { return c }
func (c *collector) Elected() <-chan struct{}             { return nil }
func (c *collector) GetControllerOptions() config.Controller {
	return config.Controller{SkipNameValidation: new(true)}
}

// Add implements manager.Manager.
func (c *collector) Add(runnable manager.Runnable) error {
	if controller, ok := runnable.(reconcile.Reconciler); ok {
		c.controllers = append(c.controllers, controller)
	}
	if fmt.Sprintf("%T", runnable) == "*event.Recorder" {
		c.recorder = runnable
	}
	return nil
}

// IndexField implements client.FieldIndexer.
func (c *collector) IndexField(_ context.Context, obj client.Object, field string, extract client.IndexerFunc) error {
	c.lists.index(obj, field, extract)
	return nil
}

// newMapper knows a resource for each kind that a scheme has. Their plurals matter to no one here.
func newMapper(scheme *runtime.Scheme) meta.RESTMapper {
	mapper := meta.NewDefaultRESTMapper(nil)
	for gvk := range scheme.AllKnownTypes() {
		if !strings.HasSuffix(gvk.Kind, "List") {
			mapper.Add(gvk, meta.RESTScopeNamespace)
		}
	}
	return mapper
}

// syncedCache only says that it has all objects: the client has them.
type syncedCache struct{ cache.Cache }

// GetInformer implements cache.Informers.
func (syncedCache) GetInformer(context.Context, client.Object, ...cache.InformerGetOption) (cache.Informer, error) {
	return syncedInformer{}, nil
}

type syncedInformer struct{ cache.Informer }

// HasSynced implements cache.Informer.
func (syncedInformer) HasSynced() bool { return true }
