package aiven_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	avngen "github.com/aiven/go-client-codegen"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

var (
	chUsers = aiven.ListKey{Project: "p", Service: "s", Operation: "ServiceClickHouseUserList"}
	vpcs    = aiven.ListKey{Project: "p", Operation: "VpcList"}
)

// inventory is a list at Aiven.
type inventory struct {
	mu    sync.Mutex
	names []string
	calls int
	err   error
	hold  chan struct{}
}

func (i *inventory) source() aiven.ListSource[[]string] {
	return aiven.ListSource[[]string]{Items: aiven.IndexBy(func(name string) string { return name }), Read: func(context.Context) ([]string, error) {
		i.mu.Lock()
		i.calls++
		names, err, hold := i.names, i.err, i.hold
		i.mu.Unlock()
		if hold != nil {
			<-hold
		}
		return names, err
	}}
}

func (i *inventory) set(names ...string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.names = append([]string{}, names...)
}

// list reads it as an object does.
func (v *view) list(key aiven.ListKey, i *inventory, items ...string) []string {
	v.t.Helper()
	names, err := aiven.List(v.t.Context(), v.Client, key, i.source(), items...)
	require.NoError(v.t, err)
	return names
}

func TestP04_AThousandClickHouseUsersPolledAtRandomCostTensOfCalls(t *testing.T) {
	inBubble(t, newCloud(), func(v *view) {
		users := &inventory{}
		for n := range 1000 {
			users.names = append(users.names, fmt.Sprintf("u%d", n))
		}
		random := rand.New(rand.NewPCG(1, 2))
		polls := make([]time.Duration, 1000)
		var objects sync.WaitGroup
		for n := range polls {
			polls[n] = time.Duration(random.Float64() * float64(10*time.Minute))
			objects.Go(func() {
				pause(polls[n])
				assert.Contains(t, v.list(chUsers, users, fmt.Sprintf("u%d", n)), fmt.Sprintf("u%d", n))
			})
		}
		objects.Wait()
		assert.LessOrEqual(t, users.calls, 11)
	})
}

func TestReadersOfAListShareACall(t *testing.T) {
	inBubble(t, newCloud(), func(v *view) {
		users := &inventory{names: []string{"a"}, hold: make(chan struct{})}
		var readers sync.WaitGroup
		for range 10 {
			readers.Go(func() { v.list(chUsers, users) })
		}
		synctest.Wait()
		ctx, cancel := context.WithCancel(v.t.Context())
		cancel()
		_, err := aiven.List(ctx, v.Client, chUsers, users.source())
		require.ErrorIs(t, err, context.Canceled, "a reader that gives up doesn't wait")
		close(users.hold)
		readers.Wait()
		assert.Equal(t, 1, users.calls)
		v.list(aiven.ListKey{Project: "p", Service: "other", Operation: chUsers.Operation}, users)
		assert.Equal(t, 2, users.calls, "each scope has its own list")
	})
}

func TestAWriteOfOneItemCostsTheOthersNothing(t *testing.T) {
	inBubble(t, newCloud(), func(v *view) {
		users := &inventory{names: []string{"a"}}
		v.list(chUsers, users)
		users.set("a", "b")
		v.RecordListWrite(chUsers, "b", true)
		assert.Equal(t, []aiven.Change{{List: chUsers, Items: []string{"b"}, Known: true}}, v.heard(), "objects that wait for it are enqueued")
		v.list(chUsers, users, "a")
		assert.Equal(t, 1, users.calls)
		assert.Equal(t, []string{"a", "b"}, v.list(chUsers, users, "b"))
		assert.Equal(t, 2, users.calls)
		v.list(chUsers, users, "b")
		v.list(chUsers, users)
		assert.Equal(t, 2, users.calls)
		assert.Equal(t, []aiven.Change{{List: chUsers, Items: []string{"b"}, Known: true}}, v.heard(), "it is there")
	})
}

func TestWhatWasWrittenAndIsNotSeenIsPending(t *testing.T) {
	inBubble(t, newCloud(), func(v *view) {
		users := &inventory{names: []string{"a"}}
		v.list(chUsers, users)
		v.RecordListWrite(chUsers, "refused", false)
		assert.False(t, v.BeginReads().ListWritePending(chUsers, "refused"))
		v.RecordListWrite(chUsers, "b", true)
		assert.NotContains(t, v.list(chUsers, users, "b"), "b", "Aiven is slow to show it")
		assert.True(t, v.BeginReads().ListWritePending(chUsers, "b"))
		assert.False(t, v.BeginReads().ListWritePending(chUsers, "a"))
		v.InvalidateList(chUsers)
		assert.True(t, v.BeginReads().ListWritePending(chUsers, "b"), "a requested read may be as late as any")
		v.heard()
		pause(lag)
		assert.False(t, v.BeginReads().ListWritePending(chUsers, "b"))
		users.set("a", "b")
		assert.Contains(t, v.list(chUsers, users, "b"), "b", "what was read within the lag is trusted no longer")
		assert.Equal(t, []aiven.Change{{List: chUsers, Items: []string{"b"}}}, v.heard())
	})
}

// A read may take longer than the lag. Who asks after it needs a read that began after it.
func TestAReadThatOutlastsTheLagIsNoProofForThoseWhoAskAfterIt(t *testing.T) {
	inBubble(t, newCloud(), func(v *view) {
		users := &inventory{names: []string{"a"}}
		v.list(chUsers, users)
		v.RecordListWrite(chUsers, "b", true)
		users.hold = make(chan struct{})
		hold := users.hold
		reads := v.BeginReads()
		var early sync.WaitGroup
		early.Go(func() { v.list(chUsers, users, "b") })
		synctest.Wait()
		users.mu.Lock()
		users.hold = nil
		users.mu.Unlock()
		users.set("a", "b")
		pause(lag)
		assert.True(t, reads.ListWritePending(chUsers, "b"), "for reads that began within the lag")
		assert.Contains(t, v.list(chUsers, users, "b"), "b", "it doesn't join a read that may not show it")
		close(hold)
		early.Wait()
		assert.Contains(t, v.list(chUsers, users, "b"), "b", "the overtaken answer is dropped")
	})
}

func TestAListThatBeganBeforeAWriteIsNotItsProof(t *testing.T) {
	inBubble(t, newCloud(), func(v *view) {
		users := &inventory{names: []string{}, hold: make(chan struct{})}
		var early sync.WaitGroup
		early.Go(func() { v.list(chUsers, users) })
		synctest.Wait()
		hold := users.hold
		users.mu.Lock()
		users.hold = nil
		users.mu.Unlock()
		users.set("b")
		v.RecordListWrite(chUsers, "b", true)
		assert.Equal(t, []string{"b"}, v.list(chUsers, users, "b"), "it doesn't join the read that began before")
		close(hold)
		early.Wait()
		assert.Equal(t, []string{"b"}, v.list(chUsers, users, "b"), "the overtaken answer is dropped")
		users.set()
		v.InvalidateList(chUsers)
		assert.Empty(t, v.list(chUsers, users))
		assert.Equal(t, 3, users.calls)
	})
}

func TestAFailedListSaysNothingAboutItsItems(t *testing.T) {
	for name, tc := range map[string]struct {
		names []string
		err   error
		want  string
	}{
		"404":                  {nil, avngen.Error{OperationID: "X", Status: 404, Message: "Not found", Errors: []any{}}, "a list can't be missing"},
		"503":                  {nil, avngen.Error{OperationID: "X", Status: 503, Message: "busy"}, "busy"},
		"garbage":              {nil, errors.New("invalid character '<'"), "invalid character"},
		"a 200 without a list": {nil, nil, "wrong shape"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, newCloud(), func(v *view) {
				users := &inventory{names: []string{"a"}}
				v.list(chUsers, users)
				pause(3 * watchInterval)
				users.names, users.err = tc.names, tc.err
				for range 2 {
					_, err := aiven.List(v.t.Context(), v.Client, chUsers, users.source())
					require.ErrorContains(t, err, tc.want)
					assert.False(t, fault.Is(err, fault.NotFound))
				}
				assert.Equal(t, 3, users.calls, "failures aren't kept")
				assert.Empty(t, v.heard(), "nothing is thought to have gone")
				users.err = nil
				users.set("a")
				v.list(chUsers, users)
				assert.Empty(t, v.heard())
			})
		})
	}
}

func TestAListOfAnUnknownProjectSaysSo(t *testing.T) {
	inBubble(t, newCloud(), func(v *view) {
		missing := &inventory{err: avngen.Error{OperationID: "X", Status: 404, Message: "Project does not exist"}}
		_, err := aiven.List(v.t.Context(), v.Client, vpcs, missing.source())
		require.ErrorIs(t, err, aiven.ErrUnknownProject)
		assert.False(t, fault.Is(err, fault.NotFound))
		_, err = aiven.List(v.t.Context(), v.Client, chUsers, missing.source())
		assert.NotErrorIs(t, err, aiven.ErrUnknownProject, "it may be the service that is unknown")
	})
}

func TestAListWithAnItemWithoutANameIsAnError(t *testing.T) {
	inBubble(t, newCloud(), func(v *view) {
		_, err := aiven.List(v.t.Context(), v.Client, chUsers, (&inventory{names: []string{"a", ""}}).source(), "b")
		require.ErrorContains(t, err, "wrong shape: an item has no name (ServiceClickHouseUserList)")
	})
}

func TestAPanicIsTheErrorOfItsRead(t *testing.T) {
	inBubble(t, newCloud(), func(v *view) {
		odd := aiven.ListSource[[]string]{Read: func(context.Context) ([]string, error) { panic("odd") }}
		_, err := aiven.List(v.t.Context(), v.Client, chUsers, odd)
		require.ErrorContains(t, err, "panic")
		odd = (&inventory{names: []string{"a"}}).source()
		odd.Items = func([]string) map[string]any { panic("odd") }
		_, err = aiven.List(v.t.Context(), v.Client, chUsers, odd)
		require.ErrorContains(t, err, "panic")
		v.clients.OnChange(func(aiven.Change) { panic("odd") })
		v.RecordListWrite(chUsers, "a", true)
		assert.Len(t, v.heard(), 1, "the other subscribers go on")
		assert.Equal(t, []string{"a"}, v.list(chUsers, &inventory{names: []string{"a"}}))
	})
}

func TestOneKeyHasOneType(t *testing.T) {
	inBubble(t, newCloud(), func(v *view) {
		v.list(chUsers, &inventory{names: []string{"a"}})
		_, err := aiven.List(v.t.Context(), v.Client, chUsers, aiven.ListSource[[]int]{})
		require.ErrorContains(t, err, "read as []string, and asked for as []int")
	})
}

func TestListsOfAProjectAreWatchedWhileTheyAreUsed(t *testing.T) {
	inBubble(t, newCloud(), func(v *view) {
		networks, users := &inventory{names: []string{"a", "b"}}, &inventory{names: []string{"u"}}
		organization := &inventory{names: []string{"o"}}
		v.list(vpcs, networks)
		v.list(chUsers, users)
		v.list(aiven.ListKey{Organization: "org", Operation: "UserGroupsList"}, organization)
		networks.set("b", "c")
		v.watch(10*watchInterval + time.Second)
		changes := v.heard()
		require.Len(t, changes, 1)
		assert.Equal(t, vpcs, changes[0].List)
		assert.ElementsMatch(t, []string{"a", "c"}, changes[0].Items)
		assert.Equal(t, 11, networks.calls, "once a minute")
		assert.Equal(t, 11, organization.calls)
		assert.Equal(t, 1, users.calls, "a list in a service is read when an object asks")
		v.list(vpcs, networks)
		assert.Equal(t, 11, networks.calls, "what the watch has read is young")
		pause(time.Hour)
		networks.calls = 0
		v.watch(10 * watchInterval)
		assert.Zero(t, networks.calls, "no object uses it")
	})
}

func TestAListIsReadOnceAMinuteHoweverShortTheWatchIntervalIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := viewWith(t, newCloud(), func(o *aiven.Options) { o.WatchInterval = 10 * time.Second })
		networks := &inventory{names: []string{"a"}}
		v.list(vpcs, networks)
		v.watch(5*time.Minute + time.Second)
		assert.Equal(t, 6, networks.calls)
	})
}

func TestAFailedListIsWatchedOn(t *testing.T) {
	inBubble(t, newCloud(), func(v *view) {
		networks := &inventory{names: []string{"a"}}
		v.list(vpcs, networks)
		networks.err = avngen.Error{Status: http.StatusForbidden}
		v.watch(2*watchInterval + time.Second)
		networks.err = nil
		networks.set("b")
		v.watch(watchInterval)
		assert.Equal(t, 4, networks.calls)
		assert.Len(t, v.heard(), 1)
	})
}

func TestWithoutAWatchEveryListIsACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := newClock()
		clients := aiven.New(aiven.Options{Now: clock.Now})
		c, err := clients.ForToken(token)
		require.NoError(t, err)
		networks := &inventory{names: []string{"a"}}
		for range 3 {
			_, err := aiven.List(t.Context(), c, vpcs, networks.source())
			require.NoError(t, err)
		}
		assert.Equal(t, 3, networks.calls)
	})
}
