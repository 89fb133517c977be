package aiven_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
)

func TestSubscribersHearOfEachTransitionOnce(t *testing.T) {
	const absent = "absent"
	for name, row := range map[string]struct {
		states []string
		want   int
	}{
		"the first read is no change":      {[]string{aiven.StateRunning}, 0},
		"what stays as it is is no change": {[]string{aiven.StateRunning, aiven.StateRunning, aiven.StateRunning}, 0},
		"it became usable":                 {[]string{aiven.StateRebuilding, aiven.StateRebuilding, aiven.StateRunning, aiven.StateRunning}, 1},
		"it went off and on":               {[]string{aiven.StateRunning, aiven.StatePoweroff, aiven.StateRebalancing}, 2},
		"it moved, and has arrived":        {[]string{aiven.StateRunning, aiven.StateRebalancing, aiven.StateRunning}, 2},
		"it appeared, and became usable":   {[]string{absent, absent, aiven.StateRebuilding, aiven.StateRunning}, 2},
		"it went":                          {[]string{aiven.StateRunning, absent, absent}, 1},
		"a failure changes nothing":        {[]string{aiven.StateRunning, "fails", aiven.StateRunning}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				state := ""
				clients := aiven.New(aiven.Options{Transport: inMemory(func(w http.ResponseWriter, _ *http.Request) {
					switch state {
					case absent:
						replyError(w, http.StatusNotFound, "Service does not exist")
					case "fails":
						replyError(w, http.StatusInternalServerError, "no")
					default:
						replyService(w, state)
					}
				})})
				var heard, also atomic.Int32
				clients.OnChange(func(change aiven.Change) {
					assert.Equal(t, aiven.Change{Key: aiven.ServiceKey{Project: "p", Service: "s"}}, change)
					heard.Add(1)
				})
				clients.OnChange(func(aiven.Change) { also.Add(1) })
				for _, state = range row.states {
					read(t, clients, token)
				}
				synctest.Wait()
				assert.EqualValues(t, row.want, heard.Load())
				assert.EqualValues(t, row.want, also.Load(), "every subscriber hears it")
			})
		})
	}
}

func TestTwoTokensWithDifferentPermissionsAreNoChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clients := aiven.New(aiven.Options{Transport: inMemory(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") == "aivenv1 stranger" {
				replyError(w, http.StatusNotFound, "Service does not exist")
				return
			}
			replyService(w, aiven.StateRunning)
		})})
		var heard atomic.Int32
		clients.OnChange(func(aiven.Change) { heard.Add(1) })
		for range 3 {
			read(t, clients, "owner")
			read(t, clients, "stranger")
		}
		synctest.Wait()
		assert.Zero(t, heard.Load())
	})
}

func TestAServiceUnreadForLongIsReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		state := aiven.StateRebuilding
		clock := newClock()
		clients := aiven.New(aiven.Options{Now: clock.Now, Transport: inMemory(func(w http.ResponseWriter, _ *http.Request) {
			replyService(w, state)
		})})
		var heard atomic.Int32
		clients.OnChange(func(aiven.Change) { heard.Add(1) })
		read(t, clients, token)
		clock.Move(2 * time.Hour)
		state = aiven.StateRunning
		read(t, clients, token)
		synctest.Wait()
		assert.Zero(t, heard.Load())
	})
}

func TestAResponseThatWasOvertakenIsNoChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var calls atomic.Int32
		clients := aiven.New(aiven.Options{Transport: inMemory(func(w http.ResponseWriter, _ *http.Request) {
			switch calls.Add(1) {
			case 1:
				<-release
				replyService(w, aiven.StateRunning)
			case 2:
				replyService(w, aiven.StateRebuilding)
			default:
				replyService(w, aiven.StateRunning)
			}
		})})
		var heard atomic.Int32
		clients.OnChange(func(aiven.Change) { heard.Add(1) })
		go read(t, clients, token)
		synctest.Wait()
		a, err := clients.ForToken(token)
		require.NoError(t, err)
		a.Invalidate("p", "s")
		read(t, clients, token)
		close(release)
		synctest.Wait()
		assert.Zero(t, heard.Load())
		read(t, clients, token)
		synctest.Wait()
		assert.EqualValues(t, 1, heard.Load(), "the overtaken answer didn't hide the transition")
	})
}

func TestASubscriberThatBlocksDelaysNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		state := aiven.StateRebuilding
		clients := aiven.New(aiven.Options{Transport: inMemory(func(w http.ResponseWriter, _ *http.Request) { replyService(w, state) })})
		blocked := make(chan aiven.Change)
		clients.OnChange(func(change aiven.Change) { blocked <- change })
		read(t, clients, token)
		state = aiven.StateRunning
		read(t, clients, token)
		read(t, clients, token)
		assert.Equal(t, aiven.ServiceKey{Project: "p", Service: "s"}, (<-blocked).Key)
	})
}

// read reads the service once, whatever the answer is.
func read(t *testing.T, clients *aiven.Clients, token string) {
	a, err := clients.ForToken(token)
	if assert.NoError(t, err) {
		_, _ = a.Service(t.Context(), "p", "s")
	}
}
