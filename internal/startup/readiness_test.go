package startup_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/internal/startup"
)

func get(t *testing.T, readiness *startup.Readiness, path string) (int, string) {
	t.Helper()
	answer := httptest.NewRecorder()
	readiness.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
	return answer.Code, answer.Body.String()
}

func TestProbesReturnTheReason(t *testing.T) {
	var readiness startup.Readiness
	expect := func(path string, code int, body string) {
		t.Helper()
		gotCode, gotBody := get(t, &readiness, path)
		assert.Equal(t, code, gotCode, path)
		assert.Equal(t, body, gotBody, path)
	}
	expect("/readyz", http.StatusInternalServerError, "not ready: the manager is starting\n")
	expect("/healthz", http.StatusOK, "ok\n")
	readiness.SetCheck(func(context.Context) error { return errors.New("something is missing") })
	expect("/readyz", http.StatusInternalServerError, "not ready: something is missing\n")
	expect("/healthz", http.StatusOK, "ok\n")
	readiness.SetCheck(func(context.Context) error { return nil })
	expect("/readyz", http.StatusOK, "ok\n")
	expect("/other", http.StatusNotFound, "404 page not found\n")
}

func TestAnAddressInUseIsNamedWithItsFlag(t *testing.T) {
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	const remedy = "(choose another address, or 0 to disable it)"
	for flag, err := range map[string]error{
		"--health-probe-bind-address=": new(startup.Readiness).Serve(t.Context(), address),
		"--metrics-bind-address=":      startup.CheckPortFree(t.Context(), "metrics-bind-address", address),
	} {
		require.ErrorContains(t, err, flag+address+": ")
		require.ErrorContains(t, err, "address already in use")
		require.ErrorContains(t, err, remedy)
	}
	require.NoError(t, listener.Close())
	require.NoError(t, startup.CheckPortFree(t.Context(), "metrics-bind-address", address), "the listener is closed")
	ctx, stop := context.WithCancel(t.Context())
	require.NoError(t, new(startup.Readiness).Serve(ctx, address))
	require.Error(t, startup.CheckPortFree(t.Context(), "metrics-bind-address", address))
	stop()
	require.Eventually(t, func() bool { return startup.CheckPortFree(t.Context(), "metrics-bind-address", address) == nil }, time.Minute, time.Millisecond)
}

func TestTheAddress0DisablesAServer(t *testing.T) {
	for _, address := range []string{"", "0"} {
		require.NoError(t, new(startup.Readiness).Serve(t.Context(), address))
		require.NoError(t, startup.CheckPortFree(t.Context(), "metrics-bind-address", address))
	}
}

// logBook collects the lines of a log.
type logBook struct {
	mu    sync.Mutex
	lines []string
}

func (b *logBook) logger() logr.Logger {
	return funcr.New(func(_, line string) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.lines = append(b.lines, line)
	}, funcr.Options{})
}

// take returns the lines since it was called last.
func (b *logBook) take() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	lines := b.lines
	b.lines = nil
	return lines
}

func TestAReasonIsLoggedWhenItChangesAndOnceAMinuteWhileItLasts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		var readiness startup.Readiness
		var log logBook
		go readiness.Log(ctx, log.logger())
		reason := func(text string) {
			readiness.SetCheck(func(context.Context) error {
				if text == "" {
					return nil
				}
				return errors.New(text)
			})
		}
		wait := func(d time.Duration) []string {
			<-time.After(d)
			synctest.Wait()
			return log.take()
		}
		reason("a")
		assert.Equal(t, []string{`"msg"="Not ready: a" "error"=null`}, wait(50*time.Second))
		assert.Equal(t, []string{`"msg"="Not ready: a" "error"=null`}, wait(time.Minute))
		reason("b")
		assert.Equal(t, []string{`"msg"="Not ready: b" "error"=null`}, wait(5*time.Second))
		reason("")
		assert.Equal(t, []string{`"level"=0 "msg"="Ready"`}, wait(10*time.Minute))
		stop()
		synctest.Wait()
	})
}

func TestAGoodStartIsLoggedWithoutAnError(t *testing.T) {
	for name, syncing := range map[string]time.Duration{"ready at once": 0, "ready after its caches have synced": 2500 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancel(t.Context())
				var readiness startup.Readiness
				var log logBook
				synced := time.Now().Add(syncing)
				readiness.SetCheck(func(context.Context) error {
					if time.Now().Before(synced) {
						return errors.New("the caches have not synced")
					}
					return nil
				})
				go readiness.Log(ctx, log.logger())
				<-time.After(time.Minute)
				stop()
				synctest.Wait()
				assert.Equal(t, []string{`"level"=0 "msg"="Ready"`}, log.take())
			})
		})
	}
}

func TestChecksAreRepeatedUntilEachHasPassedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var readiness startup.Readiness
		var attempts []string
		check := func(name string, failures int) startup.Check {
			return startup.Check{Name: name, Run: func(context.Context) error {
				attempts = append(attempts, name)
				if failures--; failures >= 0 {
					return errors.New(name + " is missing")
				}
				return nil
			}}
		}
		done := make(chan error)
		go func() { done <- startup.Await(t.Context(), &readiness, check("first", 1), check("second", 2)) }()
		for _, want := range []string{"first is missing", "second is missing", "second is missing"} {
			synctest.Wait()
			require.EqualError(t, readiness.Reason(t.Context()), want)
			<-time.After(2 * time.Second)
		}
		require.NoError(t, <-done)
		assert.Equal(t, []string{"first", "first", "second", "second", "second"}, attempts)
		require.Error(t, readiness.Reason(t.Context()), "passed checks alone don't make it ready")
	})
}

func TestAwaitEndsWithItsContextOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		attempts := 0
		err := startup.Await(ctx, &startup.Readiness{}, startup.Check{Run: func(context.Context) error {
			attempts++
			return assert.AnError
		}})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Greater(t, attempts, 100)
	})
}
