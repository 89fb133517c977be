package aiven

import (
	"cmp"
	"crypto/sha256"
	"crypto/tls"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	avngen "github.com/aiven/go-client-codegen"
	"go.opentelemetry.io/otel/trace"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

const (
	defaultURL       = "https://api.aiven.io"
	defaultTimeout   = 20 * time.Second
	defaultUnsettled = time.Second
	// idleTTL is how long unused clients, snapshots of services and CA certificates are kept.
	idleTTL = time.Hour
	// evictInterval is the least time between two searches for things to forget.
	evictInterval = 5 * time.Minute
)

// Options of Clients. The zero value works.
type Options struct {
	// BaseURL of the API, with scheme and without a path. Empty means AIVEN_WEB_URL, and Aiven itself if that is empty or not set.
	BaseURL string
	// UserAgent follows the name of the generated client in the header of that name.
	UserAgent string
	// Timeout of one call with its answer read. 0 means 20 s.
	Timeout time.Duration
	// Transport carries the calls. Nil means one with keep-alive, TLS 1.2 or newer, and proxies from the environment.
	Transport http.RoundTripper
	// Now is the clock by which things are forgotten, rate limits refill and dates in headers are read. Nil means time.Now.
	Now func() time.Time
	// QPS is how many calls a second the tokens of a user may make on average, as long as Aiven refuses none. 0 means any
	// number, also after a refusal.
	QPS float64
	// Burst is how many calls the tokens of a user may make at once. 0 means a second's worth.
	Burst int
	// RateWindow is what Aiven counts calls in when it limits their rate. 0 means a minute.
	RateWindow time.Duration
	// WatchInterval is the time between two polls of all services of a project. 0 means no watch, and that every read is
	// a call.
	WatchInterval time.Duration
	// ListInterval is the time between two reads of a list of a project or an organization. 0 means WatchInterval, and at
	// least a minute.
	ListInterval time.Duration
	// UnsettledInterval is the first time between two polls of a service that Aiven is working on. 0 means 1 s.
	UnsettledInterval time.Duration
	// ReadLag is how long reads of Aiven may show a state from before a write. 0 means that they don't.
	ReadLag time.Duration
	// Tracing makes a trace of each poll of a project. Nil makes none. What a reader does is within the trace of that
	// reader.
	Tracing trace.TracerProvider
	// Random spreads the polls of several projects, from 0 to 1. Nil means math/rand.
	Random func() float64
}

// Clients holds what all clients share. Make one a process with New. It is safe for concurrent use.
type Clients struct {
	options Options
	http    *http.Client
	changes changes
	seq     atomic.Uint64 // of reads and writes
	closing atomic.Bool   // the operator is shutting down
	pending pendingWrites

	mu       sync.Mutex
	clients  map[[sha256.Size]byte]*Client
	made     int              // clients so far
	users    map[string]*user // by Aiven's id of the user, as far as known
	nextUser int
	swept    time.Time
	firstUse time.Time // a process that waits to be the leader uses no client
}

// IgnoreSettings removes from the environment of the process the settings of the generated client that Options override.
// The generated client parses them before its options, and one that doesn't parse fails every client of New. It is for
// the start of a process.
func IgnoreSettings() {
	for _, name := range []string{
		"AIVEN_DEBUG", "AIVEN_CLIENT_RETRY_MAX", "AIVEN_CLIENT_RETRY_WAIT_MIN", "AIVEN_CLIENT_RETRY_WAIT_MAX",
		"AIVEN_CLIENT_ENABLE_SINGLE_FLIGHT",
	} {
		_ = os.Unsetenv(name) // can't fail for a valid name
	}
}

// New returns Clients that makes no call until one is asked for.
func New(options Options) *Clients {
	if options.Timeout <= 0 {
		options.Timeout = defaultTimeout
	}
	if options.BaseURL == "" {
		options.BaseURL = cmp.Or(os.Getenv("AIVEN_WEB_URL"), defaultURL) // the generated client takes an empty variable for an address
	}
	if options.Transport == nil {
		options.Transport = newTransport()
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.UnsettledInterval <= 0 {
		options.UnsettledInterval = defaultUnsettled
	}
	if options.RateWindow <= 0 {
		options.RateWindow = defaultWindow
	}
	if options.ListInterval <= 0 {
		options.ListInterval = max(options.WatchInterval, time.Minute)
	}
	if options.Random == nil {
		options.Random = rand.Float64
	}
	if options.Burst < 1 {
		options.Burst = max(1, int(math.Ceil(options.QPS)))
	}
	return &Clients{
		options: options,
		http: &http.Client{
			Transport: options.Transport,
			Timeout:   options.Timeout,
			// The API never redirects. A redirect comes from a proxy and must not get the token.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		clients: map[[sha256.Size]byte]*Client{}, users: map[string]*user{},
		swept: options.Now(),
	}
}

func newTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dialer.DialContext,
		TLSClientConfig:       &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:   10 * time.Second,
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          256,
		MaxIdleConnsPerHost:   64,
		IdleConnTimeout:       90 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
}

// ForToken returns the one client of a token. White space around the token is ignored, as files and Secrets tend to end
// with a newline. A token that can't be one gives an error of class Unauthorized. A client that was not asked
// for within an hour is forgotten; it still works for those that hold it.
func (c *Clients) ForToken(token string) (*Client, error) {
	token = strings.TrimSpace(token)
	switch {
	case token == "":
		return nil, fault.UnusableToken("it is empty")
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, fault.UnusableToken("it holds white space or characters that no token has")
	}
	key := sha256.Sum256([]byte(token))

	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.options.Now()
	if c.firstUse.IsZero() {
		c.firstUse = now
	}
	c.evict(now)
	if known, ok := c.clients[key]; ok {
		known.used = now
		return known, nil
	}
	client, err := c.newClient(token)
	if err != nil {
		return nil, err
	}
	client.used = now
	c.clients[key] = client
	return client, nil
}

func (c *Clients) newClient(token string) (*Client, error) {
	c.made++
	client := &Client{clients: c, id: c.made, identifyAt: c.options.Now()}
	client.doer = &doer{http: c.http, secrets: secretsWith(token), now: c.options.Now, identify: client.identify, closing: c.closing.Load}
	options := []avngen.Option{
		avngen.HostOpt(c.options.BaseURL),
		avngen.TokenOpt(token),
		avngen.DoerOpt(client.doer),
		// Its key has no token, and lets a reader join a read that began before a write.
		avngen.EnableSingleFlightOpt(false),
		avngen.DebugOpt(false),
	}
	if c.options.UserAgent != "" {
		options = append(options, avngen.UserAgentOpt(c.options.UserAgent))
	}
	var err error
	if client.api, err = avngen.NewClient(options...); err != nil {
		return nil, fmt.Errorf("building the Aiven client: %w", err)
	}
	if c.options.QPS > 0 {
		c.acquire(client, &user{limiter: newRateLimiter(c.options)})
	}
	return client, nil
}

// evict forgets what was not used for long. The caller holds the lock.
func (c *Clients) evict(now time.Time) {
	if now.Sub(c.swept) < evictInterval {
		return
	}
	c.swept = now
	for key, client := range c.clients {
		if now.Sub(client.used) >= idleTTL {
			c.drop(key)
		} else {
			client.evict(now.Add(-idleTTL))
		}
	}
	c.evictUsers(now)
}

// Forget ends all that is done with a token: its Secret is gone, or holds another one. What was read with it is dropped,
// and nothing is polled with it. A Secret with an equal token is served by a new client.
func (c *Clients) Forget(token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(sha256.Sum256([]byte(strings.TrimSpace(token))))
}

// drop forgets a client. The caller holds the lock.
func (c *Clients) drop(key [sha256.Size]byte) {
	client, ok := c.clients[key]
	if !ok {
		return
	}
	delete(c.clients, key)
	c.release(client)
	client.mu.Lock()
	defer client.mu.Unlock()
	client.unwatch()
	client.services, client.lists = nil, nil
}

// nextSeq is the next sequence number.
func (c *Clients) nextSeq() uint64 { return c.seq.Add(1) }

// invalidateOthers makes a service stale for all clients but one, which has seen it change.
func (c *Clients) invalidateOthers(who *Client, key ServiceKey) {
	for _, client := range c.all() {
		if client != who {
			client.mu.Lock()
			if s, ok := client.services[key]; ok {
				s.staleBefore = c.nextSeq()
			}
			client.mu.Unlock()
		}
	}
}

func (c *Clients) all() []*Client {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Collect(maps.Values(c.clients))
}

// OnChange registers fn for changes in services and lists that objects read, as seen in any answer to any client, or
// written by one. The first read of a service is no change. Each call is a goroutine of its own, so fn may block, but
// must be safe for concurrent use, and two changes may arrive in any order: a call means "read again".
func (c *Clients) OnChange(fn func(Change)) { c.changes.subscribe(fn) }
