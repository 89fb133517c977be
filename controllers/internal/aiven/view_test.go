package aiven_test

import (
	"fmt"
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
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// cloud is an Aiven with one project, whose services are what a test says.
type cloud struct {
	mu       sync.Mutex
	services map[string]map[string]any
	topics   []string
	noBatch  int // status of the call for many topics, 0 to serve it
	down     int // status of every call, 0 to serve it
	calls    []string
	hold     chan struct{} // each call waits for it, after it was answered inside
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

// RoundTrip implements http.RoundTripper.
func (c *cloud) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	hold := c.hold
	serve := c.answer(r)
	c.mu.Unlock()
	if hold != nil {
		<-hold
	}
	return inMemory(serve).RoundTrip(r)
}

// answer decides at once, and answers when it is asked to.
func (c *cloud) answer(r *http.Request) http.HandlerFunc {
	path := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	c.calls = append(c.calls, strings.Join(path[3:], "/"))
	fail := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { replyError(w, status, "no") }
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
		all := []any{}
		for _, name := range c.topics {
			all = append(all, map[string]any{"topic_name": name, "state": "ACTIVE"})
		}
		return give(map[string]any{"topics": all})
	case !slices.Contains(c.topics, path[6]):
		return fail(http.StatusNotFound)
	default:
		return give(map[string]any{"topic": map[string]any{"topic_name": path[6], "state": "ACTIVE"}})
	}
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

// view is an account of a cloud, with a clock of the test's bubble.
type view struct {
	*aiven.Account
	*cloud
	t    *testing.T
	door *aiven.Door
	mu   sync.Mutex
	news []aiven.Change
}

const (
	watchInterval = time.Minute
	unsettled     = 2 * time.Second
)

func newView(t *testing.T, c *cloud) *view {
	t.Helper()
	v := &view{cloud: c, t: t, door: aiven.New(aiven.Options{
		Transport: c, WatchInterval: watchInterval, UnsettledInterval: unsettled, Lag: 2 * time.Second,
		Random: func() float64 { return 0 },
	})}
	var err error
	v.Account, err = v.door.Account(token)
	require.NoError(t, err)
	v.door.OnChange(func(change aiven.Change) {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.news = append(v.news, change)
	})
	return v
}

// users are the names of the users of service s, for a reader of parts.
func (v *view) users(parts ...aiven.Part) []string {
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

// heard is the news since the last time.
func (v *view) heard() []aiven.Change {
	v.t.Helper()
	synctest.Wait()
	v.mu.Lock()
	defer v.mu.Unlock()
	news := v.news
	v.news = nil
	return news
}

// watch runs the watch for a while.
func (v *view) watch(d time.Duration) {
	ctx, cancel := contextFor(v.t, d)
	defer cancel()
	assert.NoError(v.t, v.door.Start(ctx))
	synctest.Wait()
}

var theService = aiven.ServiceKey{Project: "p", Service: "s"}

func user(name string) *aiven.User {
	return &aiven.User{Username: name, Type: "normal", Password: "pw-" + name}
}

func inBubble(t *testing.T, c *cloud, check func(*view)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { check(newView(t, c)) })
}

func TestP04_ManyReadersCostOneCall(t *testing.T) {
	inBubble(t, newCloud(aService("s", "RUNNING", "a")), func(v *view) {
		for range 100 {
			v.users(aiven.UserPart("a"), aiven.DatabasePart("x"))
		}
		assert.Equal(t, []string{"service/s"}, v.made())
		pause(watchInterval * 2)
		v.users()
		assert.Equal(t, []string{"service/s"}, v.made(), "what is too old is read again")
	})
}

func TestP04_WhatIsMissingIsAskedForOnce(t *testing.T) {
	inBubble(t, newCloud(), func(v *view) {
		for range 300 {
			_, err := v.Service(v.t.Context(), "p", "s")
			require.True(t, fault.Is(err, fault.NotFound))
		}
		assert.Equal(t, []string{"service/s"}, v.made())
	})
}

func TestAServiceThatIsBeingBuiltIsSoonOutOfDate(t *testing.T) {
	inBubble(t, newCloud(aService("s", "REBUILDING")), func(v *view) {
		v.users()
		pause(unsettled + time.Millisecond)
		v.users()
		assert.Len(t, v.made(), 2)
	})
}

func TestTroubleIsNotRemembered(t *testing.T) {
	c := newCloud(aService("s", "RUNNING"))
	inBubble(t, c, func(v *view) {
		c.down = http.StatusServiceUnavailable
		_, err := v.Service(v.t.Context(), "p", "s")
		require.Error(t, err)
		c.down = 0
		v.users()
	})
}

func TestAWriteIsSeenByItsReadersAndCostsTheOthersNothing(t *testing.T) {
	c := newCloud(aService("s", "RUNNING", "a"))
	inBubble(t, c, func(v *view) {
		v.users()
		v.made()
		c.put(aService("s", "RUNNING", "a", "b"))
		v.Wrote("p", "s", aiven.UserPart("b"), aiven.Answer{})
		assert.Equal(t, []string{"a"}, v.users(aiven.UserPart("a")), "others read on")
		assert.Empty(t, v.made())
		assert.Equal(t, []string{"a", "b"}, v.users(aiven.UserPart("b")))
		assert.Equal(t, []string{"service/s"}, v.made())
		v.users(aiven.UserPart("b"))
		assert.Empty(t, v.made(), "once is enough")
		assert.Equal(t, []aiven.Change{{Key: theService, Parts: []aiven.Part{aiven.UserPart("b")}, Known: true}}, v.heard())
	})
}

func TestWhatAivenToldAboutAWriteNeedsNoCall(t *testing.T) {
	inBubble(t, newCloud(aService("s", "RUNNING", "a")), func(v *view) {
		before, err := v.Service(v.t.Context(), "p", "s")
		require.NoError(t, err)
		v.made()
		v.Wrote("p", "s", aiven.UserPart("b"), aiven.Answer{User: user("b")})
		v.Wrote("p", "s", aiven.DatabasePart("x"), aiven.Answer{Database: true})
		v.Wrote("p", "s", aiven.ACLPart("read", "a", "t"), aiven.Answer{ACLs: []aiven.ACL{{Permission: "read", Username: "a", Topic: "t"}}})
		v.Wrote("p", "s", aiven.UserPart("a"), aiven.Answer{Gone: true})
		after, err := v.Service(v.t.Context(), "p", "s", aiven.UserPart("a"), aiven.UserPart("b"), aiven.DatabasePart("x"))
		require.NoError(t, err)
		assert.Len(t, after.Users, 1)
		assert.True(t, after.HasDatabase("x"))
		assert.Len(t, after.ACLs, 1)
		assert.Empty(t, v.made())
		assert.Len(t, before.Users, 1, "what readers hold never changes")
		_, there := before.User("a")
		assert.True(t, there)
		for _, change := range v.heard() {
			assert.True(t, change.Known)
		}
	})
}

func TestEveryPartCanGo(t *testing.T) {
	full := aService("s", "RUNNING", "a")
	full["connection_pools"] = []any{map[string]any{"pool_name": "pool"}}
	full["topics"] = []any{map[string]any{"topic_name": "t"}}
	full["acl"] = []any{
		map[string]any{"permission": "read", "username": "a", "topic": "t"},
		map[string]any{"permission": "write", "username": "a", "topic": "t"},
	}
	inBubble(t, newCloud(full), func(v *view) {
		v.users()
		for _, part := range []aiven.Part{
			aiven.UserPart("a"), aiven.DatabasePart("defaultdb"), aiven.PoolPart("pool"), aiven.TopicPart("t"), aiven.ACLPart("read", "a", "t"),
		} {
			v.Wrote("p", "s", part, aiven.Answer{Gone: true})
			assert.Equal(t, []aiven.Change{{Key: theService, Parts: []aiven.Part{part}, Known: true}}, v.heard())
			v.Wrote("p", "s", part, aiven.Answer{Gone: true})
			assert.Empty(t, v.heard(), "gone is gone")
		}
		left, err := v.Service(v.t.Context(), "p", "s")
		require.NoError(t, err)
		assert.Empty(t, left.Users)
		assert.Empty(t, left.Databases)
		assert.Empty(t, left.Pools)
		assert.Empty(t, left.Topics)
		assert.Len(t, left.ACLs, 1)
	})
}

func TestAReadThatBeganBeforeAWriteDoesNotUndoIt(t *testing.T) {
	c := newCloud(aService("s", "RUNNING", "a"))
	inBubble(t, c, func(v *view) {
		v.users()
		pause(watchInterval * 2)
		c.hold = make(chan struct{})
		early := make(chan []string, 1)
		go func() { early <- v.users() }()
		synctest.Wait()
		v.Wrote("p", "s", aiven.UserPart("b"), aiven.Answer{User: user("b")})
		v.Wrote("p", "s", aiven.UserPart("c"), aiven.Answer{})
		close(c.hold)
		c.hold = nil
		assert.Equal(t, []string{"a", "b"}, <-early, "what was told is kept")
		c.put(aService("s", "RUNNING", "a", "b", "c"))
		assert.Equal(t, []string{"a", "b", "c"}, v.users(aiven.UserPart("c")), "what wasn't is read")
	})
}

func TestAReadThatLagsBehindAWriteDoesNotUndoIt(t *testing.T) {
	inBubble(t, newCloud(aService("s", "RUNNING", "a")), func(v *view) {
		v.users()
		v.Wrote("p", "s", aiven.UserPart("b"), aiven.Answer{User: user("b")})
		pause(time.Second)
		v.Wrote("p", "s", aiven.PoolPart("x"), aiven.Answer{})
		assert.Equal(t, []string{"a", "b"}, v.users(aiven.PoolPart("x")), "Aiven may be slow to show it")
		pause(5 * time.Second)
		v.Wrote("p", "s", aiven.PoolPart("x"), aiven.Answer{})
		assert.Equal(t, []string{"a"}, v.users(aiven.PoolPart("x")), "but not for ever")
	})
}

func TestANewServiceIsKnownFromTheAnswerToItsCreation(t *testing.T) {
	inBubble(t, newCloud(), func(v *view) {
		_, err := v.Service(v.t.Context(), "p", "s")
		require.Error(t, err)
		v.Wrote("p", "s", "", aiven.Answer{Service: &aiven.Service{Project: "p", Name: "s", State: "REBUILDING"}})
		found, err := v.Service(v.t.Context(), "p", "s")
		require.NoError(t, err)
		assert.Equal(t, "REBUILDING", found.State)
		assert.Equal(t, []aiven.Change{{Key: theService, Known: true}}, v.heard(), "what waits for it hears of it")
		found, err = v.Look(v.t.Context(), "p", "s")
		require.NoError(t, err, "Aiven may be slow to show it")
		assert.Equal(t, "REBUILDING", found.State)
	})
}

func TestALookIsAlwaysACall(t *testing.T) {
	c := newCloud(aService("s", "RUNNING"))
	inBubble(t, c, func(v *view) {
		for range 3 {
			_, err := v.Look(v.t.Context(), "p", "s")
			require.NoError(t, err)
		}
		assert.Len(t, v.made(), 3)
		c.put(aService("s", "POWEROFF"))
		_, err := v.Look(v.t.Context(), "p", "s")
		require.NoError(t, err)
		assert.Equal(t, []aiven.Change{{Key: theService, Known: true}}, v.heard(), "who looked knows")
	})
}

func TestI03_AChangeNamesWhatChanged(t *testing.T) {
	c := newCloud(aService("s", "RUNNING", "a", "b", "c"))
	inBubble(t, c, func(v *view) {
		v.users()
		changed := aService("s", "RUNNING", "b", "c", "d")
		changed["users"].([]any)[0].(map[string]any)["password"] = "changed at the console"
		changed["update_time"] = "2030-02-02T00:00:00Z"
		changed["node_states"] = []any{}
		c.put(changed)
		v.watch(watchInterval + time.Second)
		news := v.heard()
		require.Len(t, news, 1)
		assert.False(t, news[0].Known)
		assert.ElementsMatch(t, []aiven.Part{aiven.UserPart("a"), aiven.UserPart("b"), aiven.UserPart("d")}, news[0].Parts)
	})
}

func TestTheWatchCostsOneCallForAProject(t *testing.T) {
	c := newCloud()
	for n := range 20 {
		c.put(aService(fmt.Sprintf("s%d", n), "RUNNING", "a"))
	}
	inBubble(t, c, func(v *view) {
		for n := range 10 {
			_, err := v.Service(v.t.Context(), "p", fmt.Sprintf("s%d", n))
			require.NoError(t, err)
		}
		v.made()
		v.watch(10*watchInterval + time.Second)
		assert.Equal(t, slices.Repeat([]string{"service"}, 10), v.made())
		for n := range 10 {
			_, err := v.Service(v.t.Context(), "p", fmt.Sprintf("s%d", n))
			require.NoError(t, err)
		}
		assert.Empty(t, v.made(), "what the watch has seen is young")
		_, err := v.Service(v.t.Context(), "p", "s11")
		require.NoError(t, err)
		assert.Equal(t, []string{"service/s11"}, v.made(), "what nobody used wasn't kept")
	})
}

func TestTheWatchLooksOftenWhileSomethingIsGoingOn(t *testing.T) {
	c := newCloud(aService("s", "REBUILDING"))
	inBubble(t, c, func(v *view) {
		v.users()
		v.made()
		v.watch(11 * time.Second)
		assert.InDelta(t, 5, len(v.made()), 1)
		assert.Empty(t, v.heard())
		c.put(aService("s", "RUNNING"))
		v.watch(3 * time.Second)
		assert.Equal(t, []aiven.Change{{Key: theService}}, v.heard())
	})
}

func TestTheWatchSeesWhatCameAndWent(t *testing.T) {
	c := newCloud(aService("s", "RUNNING", "a"))
	inBubble(t, c, func(v *view) {
		v.users()
		c.drop("s")
		v.watch(watchInterval + time.Second)
		assert.Equal(t, []aiven.Change{{Key: theService}}, v.heard())
		v.made()
		_, err := v.Service(v.t.Context(), "p", "s")
		require.True(t, fault.Is(err, fault.NotFound))
		assert.Empty(t, v.made())
		c.put(aService("s", "RUNNING", "a"))
		v.watch(watchInterval + time.Second)
		assert.Equal(t, []aiven.Change{{Key: theService}}, v.heard())
	})
}

func TestWhatTheListLeavesOutIsFilledIn(t *testing.T) {
	c := newCloud(aService("s", "RUNNING", "a"))
	inBubble(t, c, func(v *view) {
		v.users()
		v.made()
		bare := aService("s", "RUNNING")
		delete(bare, "users")
		c.put(bare)
		v.watch(watchInterval + time.Second)
		assert.Equal(t, []string{"service", "service/s"}, v.made())
	})
}

func TestAWatchInTroubleHidesNothingAndGoesOn(t *testing.T) {
	c := newCloud(aService("s", "RUNNING", "a"))
	inBubble(t, c, func(v *view) {
		v.users()
		c.down = http.StatusForbidden
		v.watch(3 * watchInterval)
		assert.Empty(t, v.heard(), "nothing is thought to have gone")
		assert.GreaterOrEqual(t, len(v.made()), 3)
		_, err := v.Service(v.t.Context(), "p", "s")
		require.Error(t, err, "what is too old isn't shown")
		c.down = 0
		c.put(aService("s", "RUNNING", "a", "b"))
		v.watch(watchInterval + time.Second)
		assert.Len(t, v.heard(), 1)
	})
}

func TestWithoutAWatchEveryReadIsACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCloud(aService("s", "RUNNING"))
		door := aiven.New(aiven.Options{Transport: c})
		a, err := door.Account(token)
		require.NoError(t, err)
		for range 3 {
			_, err := a.Service(t.Context(), "p", "s")
			require.NoError(t, err)
		}
		assert.Len(t, c.made(), 3)
		ctx, cancel := contextFor(t, time.Hour)
		defer cancel()
		require.NoError(t, door.Start(ctx))
		assert.Empty(t, c.made())
	})
}

func TestTwoAccountsShareNothingButDoubt(t *testing.T) {
	c := newCloud(aService("s", "REBUILDING", "a"))
	inBubble(t, c, func(v *view) {
		other, err := v.door.Account("another-token")
		require.NoError(t, err)
		v.users()
		_, err = other.Service(v.t.Context(), "p", "s")
		require.NoError(t, err)
		assert.Len(t, v.made(), 2, "each has its own snapshot")
		c.put(aService("s", "RUNNING", "a"))
		_, err = v.Look(v.t.Context(), "p", "s")
		require.NoError(t, err)
		v.made()
		found, err := other.Service(v.t.Context(), "p", "s")
		require.NoError(t, err)
		assert.Equal(t, "RUNNING", found.State)
		assert.Len(t, v.made(), 1, "what one saw change, the other looks at again")
	})
}

func TestTopicsAreReadTogether(t *testing.T) {
	c := newCloud(aService("s", "RUNNING"))
	for n := range 250 {
		c.topics = append(c.topics, fmt.Sprintf("t%d", n))
	}
	inBubble(t, c, func(v *view) {
		readAll := func() {
			for _, name := range c.topics {
				found, err := v.Topic(v.t.Context(), "p", "s", name)
				require.NoError(t, err)
				require.Equal(t, name, found.TopicName)
			}
		}
		readAll()
		v.made()
		pause(2 * watchInterval)
		readAll()
		assert.Len(t, v.made(), 3, "in chunks of a hundred")
		v.Wrote("p", "s", aiven.TopicPart("t7"), aiven.Answer{})
		readAll()
		assert.Len(t, v.made(), 1, "only what was written is read again")
	})
}

func TestATopicThatIsGoneIsNotFound(t *testing.T) {
	c := newCloud(aService("s", "RUNNING"))
	c.topics = []string{"t"}
	inBubble(t, c, func(v *view) {
		_, err := v.Topic(v.t.Context(), "p", "s", "gone")
		assert.True(t, fault.Is(err, fault.NotFound))
		pause(2 * watchInterval)
		c.down = http.StatusTooManyRequests
		_, err = v.Topic(v.t.Context(), "p", "s", "t")
		assert.True(t, fault.Is(err, fault.RateLimited))
	})
}

func TestWithoutTheCallForManyTopicsEachIsAskedFor(t *testing.T) {
	for _, status := range []int{http.StatusNotImplemented, http.StatusForbidden, http.StatusNotFound} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			c := newCloud(aService("s", "RUNNING"))
			c.topics, c.noBatch = []string{"t", "u"}, status
			inBubble(t, c, func(v *view) {
				for _, name := range c.topics {
					_, err := v.Topic(v.t.Context(), "p", "s", name)
					require.NoError(t, err)
					_, err = v.Topic(v.t.Context(), "p", "s", name)
					require.NoError(t, err)
				}
				calls := v.made()
				assert.Contains(t, calls, "service/s/topic/t")
				assert.Contains(t, calls, "service/s/topic/u")
			})
		})
	}
}

func BenchmarkWriteOfOneUserAmongAThousand(b *testing.B) {
	names := make([]string, 1000)
	for n := range names {
		names[n] = fmt.Sprintf("user-%d", n)
	}
	door := aiven.New(aiven.Options{Transport: newCloud(aService("s", "RUNNING", names...)), WatchInterval: time.Hour})
	a, err := door.Account(token)
	require.NoError(b, err)
	_, err = a.Service(b.Context(), "p", "s")
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		a.Wrote("p", "s", aiven.UserPart("user-7"), aiven.Answer{User: user("user-7")})
	}
}

func BenchmarkReadOfASnapshot(b *testing.B) {
	door := aiven.New(aiven.Options{Transport: newCloud(aService("s", "RUNNING", "a")), WatchInterval: time.Hour})
	a, err := door.Account(token)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := a.Service(b.Context(), "p", "s", aiven.UserPart("a")); err != nil {
			b.Fatal(err)
		}
	}
}
