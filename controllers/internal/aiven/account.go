package aiven

import (
	"context"
	"fmt"
	"sync"
	"time"

	avngen "github.com/aiven/go-client-codegen"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/sync/singleflight"

	"github.com/aero-operator/aero/controllers/internal/tracing"
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

	cas singleflight.Group // by project

	mu       sync.Mutex
	services map[ServiceKey]*snapshot
	caCache  map[string]cachedCA
	watched  map[string]*watched // by project
}

type cachedCA struct {
	pem string
	at  time.Time
}

// String keeps what leads to the token out of logs.
func (a *Account) String() string { return "an Aiven account" }

// Client returns the generated client. Each call is one HTTP attempt that ends within Options.Timeout; errors are for
// package fault. Whoever mutates a service or anything in it calls Wrote afterwards.
func (a *Account) Client() avngen.Client { return a.client }

// CA returns the certificate, in PEM, of the authority that signs the servers of a project. It is remembered for an
// hour; failures are not.
func (a *Account) CA(ctx context.Context, project string) (string, error) {
	if pem, ok := a.rememberedCA(project); ok {
		return pem, nil
	}
	began, ours := time.Now(), false
	// The call belongs to all who wait for it, so it outlives the context of whoever began it.
	done := a.cas.DoChan(project, func() (any, error) {
		ours = true
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.door.options.Timeout)
		defer cancel()
		return a.fetchCA(ctx, project)
	})
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case result := <-done:
		pem, _ := result.Val.(string)
		if !ours {
			_, span := tracing.Join(ctx, trace.SpanContext{}, trace.WithTimestamp(began))
			return pem, span.End(result.Err)
		}
		return pem, result.Err
	}
}

func (a *Account) fetchCA(ctx context.Context, project string) (string, error) {
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

// sweep drops what nobody asked for since.
func (a *Account) sweep(since time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for key, s := range a.services {
		if s.used.Before(since) && s.flight == nil {
			delete(a.services, key)
		}
	}
}
