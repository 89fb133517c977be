package aiven_test

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
)

// cloud is an Aiven with one project, whose services are what a test says.
type cloud struct {
	mu       sync.Mutex
	services map[string]map[string]any
	calls    []string
	down     int    // status of every call, 0 to serve it
	says     string // message of errors, "no" if empty

	topics      []string
	configuring bool     // is what the topics are
	noBatch     int      // status of the call for many topics, 0 to serve it
	more        []string // topics that the call for many returns unasked

	aloneOnly bool          // reads of single services alone are held
	hold      chan struct{} // calls wait for it with the answer that they began with
}

func aService(name, state string, users ...string) map[string]any {
	list := []any{}
	for _, user := range users {
		list = append(list, map[string]any{"username": user, "type": "normal", "password": "pw-" + user})
	}
	return map[string]any{
		"service_name": name, "service_type": "pg", "state": state, "users": list, "databases": []any{"defaultdb"},
		"create_time": "2030-01-01T00:00:00Z", "update_time": "2030-01-01T00:00:00Z",
	}
}

func newCloud(services ...map[string]any) *cloud {
	c := &cloud{services: map[string]map[string]any{}}
	for _, s := range services {
		c.put(s)
	}
	return c
}

func (c *cloud) put(s map[string]any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.services[s["service_name"].(string)] = s
}

func (c *cloud) drop(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.services, name)
}

// stall keeps answers back until they are released.
func (c *cloud) stall() (release func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	hold := make(chan struct{})
	c.hold = hold
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.hold = nil
		close(hold)
	}
}

// stallServices keeps the answers to reads of single services back.
func (c *cloud) stallServices() (release func()) {
	c.aloneOnly = true
	return c.stall()
}

// RoundTrip implements http.RoundTripper.
func (c *cloud) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path == "/v1/me" {
		return inMemory(func(w http.ResponseWriter, _ *http.Request) { replyError(w, http.StatusForbidden, "no") }).RoundTrip(r)
	}
	c.mu.Lock()
	hold := c.hold
	serve := c.answer(r)
	c.mu.Unlock()
	if hold != nil && (!c.aloneOnly || strings.Contains(r.URL.Path, "/service/")) {
		<-hold
	}
	return inMemory(serve).RoundTrip(r)
}

// answer decides at once, and answers when it is asked to.
func (c *cloud) answer(r *http.Request) http.HandlerFunc {
	path := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	c.calls = append(c.calls, strings.Join(path[3:], "/"))
	fail := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { replyError(w, status, cmp.Or(c.says, "no")) }
	}
	give := func(body map[string]any) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusOK, body) }
	}
	switch found, exists := c.find(path); {
	case c.down != 0:
		return fail(c.down)
	case len(path) == 4:
		all := []any{}
		for _, s := range c.services {
			all = append(all, s)
		}
		return give(map[string]any{"services": all})
	case !exists:
		return fail(http.StatusNotFound)
	case len(path) == 5:
		return give(map[string]any{"service": found})
	case len(path) == 6 && c.noBatch != 0:
		return fail(c.noBatch)
	case len(path) == 6:
		var in struct {
			Names []string `json:"topic_names"`
		}
		_ = json.NewDecoder(r.Body).Decode(&in)
		all := []any{}
		for _, name := range in.Names {
			if !slices.Contains(c.topics, name) {
				return fail(http.StatusNotFound) // all of it for one
			}
			all = append(all, c.topic(name))
		}
		for _, name := range c.more {
			all = append(all, c.topic(name))
		}
		return give(map[string]any{"topics": all})
	case !slices.Contains(c.topics, path[6]):
		return fail(http.StatusNotFound)
	default:
		return give(map[string]any{"topic": c.topic(path[6])})
	}
}

func (c *cloud) topic(name string) map[string]any {
	state := "ACTIVE"
	if c.configuring {
		state = "CONFIGURING"
	}
	return map[string]any{"topic_name": name, "state": state}
}

func (c *cloud) find(path []string) (map[string]any, bool) {
	if len(path) < 5 {
		return nil, true
	}
	found, exists := c.services[path[4]]
	return found, exists
}

// made are the calls since the last time, in the words of their paths behind the project.
func (c *cloud) made() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	calls := c.calls
	c.calls = nil
	return calls
}

// view is a client of a cloud, with a clock of the test's bubble.
type view struct {
	*aiven.Client
	*cloud
	t       *testing.T
	clients *aiven.Clients
	mu      sync.Mutex
	changes []aiven.Change
}

const (
	watchInterval = time.Minute
	unsettled     = 2 * time.Second
	lag           = 2 * time.Second
)

func viewWith(t *testing.T, c *cloud, change func(*aiven.Options)) *view {
	t.Helper()
	options := aiven.Options{
		Transport: c, WatchInterval: watchInterval, UnsettledInterval: unsettled, ReadLag: lag,
		Random: func() float64 { return 0 },
	}
	change(&options)
	v := &view{cloud: c, t: t, clients: aiven.New(options)}
	var err error
	v.Client, err = v.clients.ForToken(token)
	require.NoError(t, err)
	v.clients.OnChange(func(change aiven.Change) {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.changes = append(v.changes, change)
	})
	return v
}

// users are the names of the users of service s, for a reader of parts.
func (v *view) users(parts ...aiven.Entry) []string {
	v.t.Helper()
	found, err := v.Service(v.t.Context(), "p", "s", parts...)
	require.NoError(v.t, err)
	names := []string{}
	for name := range found.Users {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// heard returns the changes since the last call.
func (v *view) heard() []aiven.Change {
	v.t.Helper()
	synctest.Wait()
	v.mu.Lock()
	defer v.mu.Unlock()
	changes := v.changes
	v.changes = nil
	return changes
}

// watch runs the watch for a while.
func (v *view) watch(d time.Duration) {
	ctx, cancel := contextFor(v.t, d+unsettled/16) // it ends between two ticks
	defer cancel()
	assert.NoError(v.t, v.clients.Start(ctx))
	synctest.Wait()
}

var theService = aiven.ServiceKey{Project: "p", Service: "s"}

func user(name string) *aiven.User {
	return &aiven.User{Username: name, Type: "normal", Password: "pw-" + name}
}

func inBubble(t *testing.T, c *cloud, check func(*view)) {
	t.Helper()
	inBubbleWith(t, c, func(*aiven.Options) {}, check)
}

func inBubbleWith(t *testing.T, c *cloud, change func(*aiven.Options), check func(*view)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { check(viewWith(t, c, change)) })
}
