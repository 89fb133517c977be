package aiven_test

import (
	"context"
	"net/http"
	"path"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

func TestAMissingServiceIsNotFound(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		replyError(w, http.StatusNotFound, "Service does not exist")
	})
	_, err := clientFor(t, aiven.Options{BaseURL: url}).Service(t.Context(), "p", "s")
	assert.Equal(t, fault.NotFound, fault.Of(err).Class)
}

func TestReadersOfOneServiceShareACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int32
		release := make(chan struct{})
		a := clientFor(t, aiven.Options{Transport: inMemory(func(w http.ResponseWriter, _ *http.Request) {
			calls.Add(1)
			<-release
			replyService(w, aiven.StateRunning)
		})})
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan error, 1)
		go func() {
			_, err := a.Service(ctx, "p", "s")
			gone <- err
		}()
		synctest.Wait()

		var done sync.WaitGroup
		for range 100 {
			done.Go(func() {
				got, err := a.Service(t.Context(), "p", "s")
				if assert.NoError(t, err) {
					assert.Equal(t, aiven.StateRunning, got.State)
				}
			})
		}
		synctest.Wait()
		cancel()
		assert.Equal(t, fault.Canceled, fault.Of(<-gone).Class, "who gives up doesn't wait")
		close(release)
		done.Wait()
		assert.EqualValues(t, 1, calls.Load(), "the others get the answer of the call that the first one began")
	})
}

func TestASharedCallEndsWithItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := clientFor(t, aiven.Options{Timeout: 3 * time.Second, Transport: hanging{}})
		start := time.Now()
		_, err := a.Service(t.Context(), "p", "s")
		assert.Equal(t, fault.Timeout, fault.Of(err).Class, "%v", err)
		assert.Equal(t, 3*time.Second, time.Since(start))
	})
}

// hanging never answers.
type hanging struct{}

func (hanging) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestServicesAndTokensNeverShareACall(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]int{}
	var arrived sync.WaitGroup
	arrived.Add(4)
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen[r.Header.Get("Authorization")+r.URL.Path]++
		mu.Unlock()
		arrived.Done()
		arrived.Wait()
		reply(w, http.StatusOK, map[string]any{"service": aService(path.Base(r.URL.Path), aiven.StateRunning)})
	})
	clients := aiven.New(aiven.Options{BaseURL: url})
	var done sync.WaitGroup
	for _, token := range []string{"one", "two"} {
		a, err := clients.ForToken(token)
		require.NoError(t, err)
		for _, key := range []aiven.ServiceKey{{Project: "a", Service: "b c"}, {Project: "a b", Service: "c"}} {
			done.Go(func() {
				_, err := a.Service(t.Context(), key.Project, key.Service)
				assert.NoError(t, err)
			})
		}
	}
	done.Wait()
	assert.Len(t, seen, 4)
}

func TestAReadAfterForgetIsANewOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int32
		release := make(chan struct{})
		a := clientFor(t, aiven.Options{Transport: inMemory(func(w http.ResponseWriter, _ *http.Request) {
			if calls.Add(1) == 1 {
				<-release
				replyService(w, aiven.StatePoweroff)
				return
			}
			replyService(w, aiven.StateRunning)
		})})
		early := make(chan *aiven.Service, 1)
		go func() {
			got, err := a.Service(t.Context(), "p", "s")
			assert.NoError(t, err)
			early <- got
		}()
		synctest.Wait()

		a.Invalidate("p", "other")
		a.Invalidate("p", "s")
		got, err := a.Service(t.Context(), "p", "s")
		require.NoError(t, err)
		assert.Equal(t, aiven.StateRunning, got.State, "it didn't join the read that began before")
		close(release)
		assert.Equal(t, aiven.StateRunning, (<-early).State, "who waits for an answer that was overtaken gets the later one")
	})
}

func TestTheCAIsReadOnceAnHour(t *testing.T) {
	clock := newClock()
	var calls atomic.Int32
	var healthy atomic.Bool
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		if !healthy.Load() {
			replyError(w, http.StatusInternalServerError, "no")
			return
		}
		reply(w, http.StatusOK, map[string]any{"certificate": "PEM"})
	})
	a := clientFor(t, aiven.Options{BaseURL: url, Now: clock.Now})
	_, err := a.CA(t.Context(), "p")
	require.Error(t, err)
	healthy.Store(true)
	calls.Store(0)

	var done sync.WaitGroup
	for range 100 {
		done.Go(func() {
			pem, err := a.CA(t.Context(), "p")
			assert.NoError(t, err)
			assert.Equal(t, "PEM", pem)
		})
	}
	done.Wait()
	assert.EqualValues(t, 1, calls.Load(), "a failure isn't remembered, and a hundred readers cost one call")

	_, err = a.CA(t.Context(), "other")
	require.NoError(t, err)
	assert.EqualValues(t, 2, calls.Load(), "each project has its own")
	clock.Move(59 * time.Minute)
	_, err = a.CA(t.Context(), "p")
	require.NoError(t, err)
	assert.EqualValues(t, 2, calls.Load())
	clock.Move(time.Minute)
	_, err = a.CA(t.Context(), "p")
	require.NoError(t, err)
	assert.EqualValues(t, 3, calls.Load())
}

func TestTheCAOfAProjectThatWasCreatedAgainIsReadByAllClients(t *testing.T) {
	var made atomic.Int32
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		reply(w, http.StatusOK, map[string]any{"certificate": r.URL.Path + strconv.Itoa(int(made.Load()))})
	})
	clients := aiven.New(aiven.Options{BaseURL: url})
	of := func(token, project string) string {
		client, err := clients.ForToken(token)
		require.NoError(t, err)
		pem, err := client.CA(t.Context(), project)
		require.NoError(t, err)
		return pem
	}
	old, kept := of("one", "p"), of("one", "other")
	assert.Equal(t, old, of("two", "p"))
	made.Add(1)
	client, err := clients.ForToken("two")
	require.NoError(t, err)
	client.InvalidateCA("p")
	assert.NotEqual(t, old, of("one", "p"))
	assert.Equal(t, of("one", "p"), of("two", "p"))
	assert.Equal(t, kept, of("one", "other"))
}
