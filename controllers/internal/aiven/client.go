package aiven

import (
	"context"
	"fmt"
	"sync"
	"time"

	avngen "github.com/aiven/go-client-codegen"
)

// ServiceKey names a service. Names of projects are unique in all of Aiven.
type ServiceKey struct{ Project, Service string }

// String is project/service.
func (k ServiceKey) String() string { return k.Project + "/" + k.Service }

// Client is Aiven as one token sees it. Get it from Clients.ForToken. It is safe for concurrent use.
type Client struct {
	clients *Clients
	api     avngen.Client
	doer    *doer
	id      int // unique in the process

	// The lock of clients guards these.
	used       time.Time
	user       *user     // nil without a rate limiter, and once the client is forgotten
	identifyAt time.Time // when to ask whose token it is; zero for never again

	mu       sync.Mutex
	services map[ServiceKey]*snapshot
	lists    map[ListKey]*sharedList
	cas      map[string]*projectCA // by project
	watched  map[string]*watched   // by project
	listing  map[string]*listing   // by project
}

// projectCA is the CA of a project.
type projectCA struct {
	pem      string
	at       time.Time
	inflight *inflight[string]
}

// String keeps what leads to the token out of logs.
func (c *Client) String() string { return "an Aiven client" }

// API returns the generated client. Each call ends within Options.Timeout; errors are for package fault. After a mutation
// of a service or of anything in it, call RecordWrite, and after one of an item of a shared list RecordListWrite.
func (c *Client) API() avngen.Client { return c.api }

// Now is the time by the clock of the options.
func (c *Client) Now() time.Time { return c.clients.options.Now() }

// CA returns the certificate, in PEM, of the authority that signs the servers of a project. It is cached for an hour;
// failures are not.
func (c *Client) CA(ctx context.Context, project string) (string, error) {
	c.mu.Lock()
	known, ok := c.cas[project]
	if !ok {
		known = &projectCA{}
		if c.cas == nil {
			c.cas = map[string]*projectCA{}
		}
		c.cas[project] = known
	}
	if known.pem != "" && c.clients.options.Now().Sub(known.at) < idleTTL {
		defer c.mu.Unlock()
		return known.pem, nil
	}
	if joined := known.inflight; joined.running(0) {
		c.mu.Unlock()
		return joined.join(ctx)
	}
	started := newInflight[string](ctx, c)
	known.inflight = started
	c.mu.Unlock()
	fetch := func(ctx context.Context) (string, error) { return c.fetchCA(ctx, project) }
	go started.run(ctx, c.clients.options.Timeout, fetch, func(pem string, err error) (string, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if err == nil {
			known.pem, known.at = pem, started.began
		}
		return pem, err
	})
	return started.wait(ctx)
}

// InvalidateCA makes the CA of a project be read again, by all clients: the project was created again, and has another one.
func (c *Client) InvalidateCA(project string) {
	for _, client := range c.clients.all() {
		client.mu.Lock()
		delete(client.cas, project)
		client.mu.Unlock()
	}
}

func (c *Client) fetchCA(ctx context.Context, project string) (string, error) {
	pem, err := c.api.ProjectKmsGetCA(ctx, project)
	switch {
	case err != nil:
		return "", fmt.Errorf("reading project CA: %w", err)
	case pem == "":
		return "", wrongShape("ProjectKmsGetCA", "it holds no certificate")
	}
	return pem, nil
}

// evict drops what no object has read since.
func (c *Client) evict(since time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, s := range c.services {
		if s.used.Before(since) && !s.inflight.running(0) {
			delete(c.services, key)
		}
	}
	for key, l := range c.lists {
		if l.used.Before(since) && !l.inflight.running(0) {
			delete(c.lists, key)
		}
	}
	for project, ca := range c.cas {
		if ca.at.Before(since) && !ca.inflight.running(0) {
			delete(c.cas, project)
		}
	}
}
