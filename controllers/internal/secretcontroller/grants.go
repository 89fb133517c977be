package secretcontroller

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers/internal/connectionsecret"
)

var (
	// ErrUnserved means that the cluster doesn't serve ReferenceGrants.
	ErrUnserved = errors.New("the cluster serves no ReferenceGrants")
	// ErrUnread means that they were listed for the first time just now. A worker doesn't wait for the answer: without the permission, none comes.
	ErrUnread = errors.New("the ReferenceGrants of the cluster aren't read yet")
)

// grants are the ReferenceGrants of the cluster. It may not serve them yet when the operator starts: they are watched from when an object
// needs one and finds their CRD, then.
type grants struct {
	mapper  meta.RESTMapper
	cache   cache.Cache
	watches func(namespace string) bool
	now     func() time.Time
	// ask is for how long the cluster isn't asked again whether it serves them.
	ask time.Duration
	// start starts to enqueue what grants are about.
	start func() error

	mu      sync.Mutex
	started bool
	asked   time.Time
}

// In returns the grants of a namespace; none if it isn't watched. The error may be ErrUnserved or ErrUnread.
func (g *grants) In(ctx context.Context, namespace string) ([]unstructured.Unstructured, error) {
	if !g.watches(namespace) {
		return nil, nil
	}
	if err := g.watch(); err != nil {
		return nil, err
	}
	informer, err := g.cache.GetInformer(ctx, aGrant(), cache.BlockUntilSynced(false))
	if err != nil {
		return nil, fmt.Errorf("watching ReferenceGrants: %w", err)
	}
	if !informer.HasSynced() {
		return nil, ErrUnread
	}
	found := &unstructured.UnstructuredList{}
	found.SetGroupVersionKind(connectionsecret.GrantKind.GroupVersion().WithKind(connectionsecret.GrantKind.Kind + "List"))
	err = g.cache.List(ctx, found, client.InNamespace(namespace))
	return found.Items, err // the caller names the namespace
}

// watch starts the watch once the cluster serves grants.
func (g *grants) watch() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.started {
		return nil
	}
	if g.now().Sub(g.asked) < g.ask {
		return ErrUnserved
	}
	_, err := g.mapper.RESTMapping(connectionsecret.GrantKind.GroupKind(), connectionsecret.GrantKind.Version)
	if meta.IsNoMatchError(err) {
		g.asked = g.now()
		return ErrUnserved
	}
	if err != nil {
		return fmt.Errorf("finding out whether ReferenceGrants are served: %w", err)
	}
	if err := g.start(); err != nil {
		return fmt.Errorf("watching ReferenceGrants: %w", err)
	}
	g.started = true
	return nil
}

func aGrant() *unstructured.Unstructured {
	grant := &unstructured.Unstructured{}
	grant.SetGroupVersionKind(connectionsecret.GrantKind)
	return grant
}
