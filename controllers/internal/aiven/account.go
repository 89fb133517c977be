package aiven

import (
	"context"
	"fmt"
	"sync"
	"time"

	avngen "github.com/aiven/go-client-codegen"
	"golang.org/x/sync/singleflight"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

// ServiceKey names a service. Names of projects are unique in all of Aiven.
type ServiceKey struct{ Project, Service string }

// String is project/service.
func (k ServiceKey) String() string { return k.Project + "/" + k.Service }

// Account is Aiven as one token sees it. Get it from Door.Account. It is safe for concurrent use.
type Account struct {
	door   *Door
	client avngen.Client
	used   time.Time // guarded by the door's lock

	services flights[ServiceKey, *Service]
	cas      flights[string, string]

	mu      sync.Mutex
	caCache map[string]cachedCA
}

type cachedCA struct {
	pem string
	at  time.Time
}

// String keeps what leads to the token out of logs.
func (a *Account) String() string { return "an Aiven account" }

// Client returns the generated client. Each call is one HTTP attempt that ends within Options.Timeout; errors are for
// package fault. Whoever mutates a service or anything in it calls Forget afterwards.
func (a *Account) Client() avngen.Client { return a.client }

// Service reads a service with its secrets. Readers of the same service share one call and its answer, which therefore
// must not be changed. Only a call that began after the last Forget is shared. The error of a service that isn't there
// is of class NotFound. A caller that gives up leaves the others their answer.
func (a *Account) Service(ctx context.Context, project, service string) (*Service, error) {
	key := ServiceKey{Project: project, Service: service}
	return a.services.join(ctx, key, a.door.options.Timeout, func(ctx context.Context) (*Service, error) {
		return a.fetchService(ctx, key)
	})
}

func (a *Account) fetchService(ctx context.Context, key ServiceKey) (*Service, error) {
	look := a.door.changes.begin()
	out, err := a.client.ServiceGet(ctx, key.Project, key.Service, [2]string{"include_secrets", "true"})
	switch {
	case fault.Is(err, fault.NotFound):
		a.door.changes.saw(sighted{a, key}, sight{look: look})
		return nil, fmt.Errorf("reading service: %w", err)
	case err != nil:
		return nil, fmt.Errorf("reading service: %w", err)
	}
	found := FromGet(key.Project, out)
	a.door.changes.saw(sighted{a, key}, sight{look: look, exists: true, usable: found.Operational()})
	return found, nil
}

// CA returns the certificate, in PEM, of the authority that signs the servers of a project. It is remembered for an
// hour; failures are not.
func (a *Account) CA(ctx context.Context, project string) (string, error) {
	if pem, ok := a.rememberedCA(project); ok {
		return pem, nil
	}
	return a.cas.join(ctx, project, a.door.options.Timeout, func(ctx context.Context) (string, error) {
		// A caller that missed the memory may arrive when the call that filled it is already over.
		if pem, ok := a.rememberedCA(project); ok {
			return pem, nil
		}
		pem, err := a.client.ProjectKmsGetCA(ctx, project)
		if err != nil {
			return "", fmt.Errorf("reading project CA: %w", err)
		}
		a.rememberCA(project, pem)
		return pem, nil
	})
}

func (a *Account) rememberedCA(project string) (string, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	known, ok := a.caCache[project]
	if !ok || a.door.options.Now().Sub(known.at) >= memory {
		return "", false
	}
	return known.pem, true
}

func (a *Account) rememberCA(project, pem string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.caCache == nil {
		a.caCache = map[string]cachedCA{}
	}
	a.caCache[project] = cachedCA{pem: pem, at: a.door.options.Now()}
}

// Forget says that a service, or something in it, was changed: what was read or is being read is stale from now on.
// Readers that wait already still get the older answer.
func (a *Account) Forget(project, service string) {
	a.services.forget(ServiceKey{Project: project, Service: service})
}

// flights lets callers that ask for the same key at the same time share one call.
type flights[K comparable, V any] struct{ group singleflight.Group }

// join starts the call or waits for the one under way. The call belongs to all of them, so it outlives the context of
// whoever began it, but not the timeout.
func (f *flights[K, V]) join(
	ctx context.Context, key K, timeout time.Duration, call func(context.Context) (V, error),
) (V, error) {
	done := f.group.DoChan(name(key), func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
		defer cancel()
		return call(ctx)
	})
	var none V
	select {
	case <-ctx.Done():
		return none, ctx.Err()
	case result := <-done:
		if result.Err != nil {
			return none, result.Err
		}
		return result.Val.(V), nil
	}
}

// forget makes the next caller start a new call.
func (f *flights[K, V]) forget(key K) { f.group.Forget(name(key)) }

// name quotes its parts, so that no two keys have one name.
func name(key any) string { return fmt.Sprintf("%q", key) }
