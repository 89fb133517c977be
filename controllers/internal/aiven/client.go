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

// Client is Aiven as one token sees it. Get it from Door.Account. It is safe for concurrent use.
type Client struct {
	clients *Clients
	api     avngen.Client
	used    time.Time // guarded by the door's lock

	cas singleflight.Group // by project

	mu       sync.Mutex
	services map[ServiceKey]*snapshot
	caCache  map[string]caEntry
	watched  map[string]*watched // by project
}

type caEntry struct {
	pem string
	at  time.Time
}

// String keeps what leads to the token out of logs.
func (a *Client) String() string { return "an Aiven account" }

// API returns the generated client. Each call is one HTTP attempt that ends within Options.Timeout; errors are for
// package fault. Whoever mutates a service or anything in it calls Wrote afterwards.
func (a *Client) API() avngen.Client { return a.api }

// CA returns the certificate, in PEM, of the authority that signs the servers of a project. It is remembered for an
// hour; failures are not.
func (a *Client) CA(ctx context.Context, project string) (string, error) {
	if pem, ok := a.cachedCA(project); ok {
		return pem, nil
	}
	began, ours := time.Now(), false
	// The call belongs to all who wait for it, so it outlives the context of whoever began it.
	done := a.cas.DoChan(project, func() (any, error) {
		ours = true
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.clients.options.Timeout)
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

func (a *Client) fetchCA(ctx context.Context, project string) (string, error) {
	// A caller that missed the memory may arrive when the call that filled it is already over.
	if pem, ok := a.cachedCA(project); ok {
		return pem, nil
	}
	pem, err := a.api.ProjectKmsGetCA(ctx, project)
	if err != nil {
		return "", fmt.Errorf("reading project CA: %w", err)
	}
	a.cacheCA(project, pem)
	return pem, nil
}

func (a *Client) cachedCA(project string) (string, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	known, ok := a.caCache[project]
	if !ok || a.clients.options.Now().Sub(known.at) >= idleTTL {
		return "", false
	}
	return known.pem, true
}

func (a *Client) cacheCA(project, pem string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.caCache == nil {
		a.caCache = map[string]caEntry{}
	}
	a.caCache[project] = caEntry{pem: pem, at: a.clients.options.Now()}
}

// evict drops what nobody asked for since.
func (a *Client) evict(since time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for key, s := range a.services {
		if s.used.Before(since) && s.inflight == nil {
			delete(a.services, key)
		}
	}
}
