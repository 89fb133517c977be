package aiven

import (
	"maps"
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
	cas      map[string]*kept[string] // by project
	prices   map[PriceKey]*kept[float64]
	watched  map[string]*watched // by project
	listing  map[string]*listing // by project
}

// String keeps what leads to the token out of logs.
func (c *Client) String() string { return "an Aiven client" }

// API returns the generated client. Each call ends within Options.Timeout; errors are for package fault. After a mutation
// of a service or of anything in it, call RecordWrite, and after one of an item of a shared list RecordListWrite.
func (c *Client) API() avngen.Client { return c.api }

// Now is the time by the clock of the options.
func (c *Client) Now() time.Time { return c.clients.options.Now() }

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
	now := c.Now()
	maps.DeleteFunc(c.cas, func(_ string, ca *kept[string]) bool { return ca.ended(now) })
	maps.DeleteFunc(c.prices, func(_ PriceKey, price *kept[float64]) bool { return price.ended(now) })
}
