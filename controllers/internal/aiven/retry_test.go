package aiven_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"syscall"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

func TestG07_X24_AGetWhoseConnectionFailsIsTriedOnceMore(t *testing.T) {
	get := func(ctx context.Context, c *aiven.Client) error {
		_, err := c.API().ServiceGet(ctx, "p", "s")
		return err
	}
	remove := func(ctx context.Context, c *aiven.Client) error { return c.API().ServiceDelete(ctx, "p", "s") }
	for name, tc := range map[string]struct {
		do    func(context.Context, *aiven.Client) error
		err   error
		slow  time.Duration
		stop  bool
		fails int
		calls int
	}{
		"refused":                   {get, syscall.ECONNREFUSED, 0, false, 1, 2},
		"reset":                     {get, fmt.Errorf("read: %w", syscall.ECONNRESET), 0, false, 1, 2},
		"ended":                     {get, io.EOF, 0, false, 1, 2},
		"refused twice":             {get, syscall.ECONNREFUSED, 0, false, 2, 2},
		"a deadline":                {get, context.DeadlineExceeded, 0, false, 1, 1},
		"a failure that came late":  {get, io.EOF, 2 * time.Second, false, 1, 1},
		"a failure in time":         {get, io.EOF, 899 * time.Millisecond, false, 1, 2},
		"a failure just too late":   {get, io.EOF, 900 * time.Millisecond, false, 1, 1},
		"a deletion":                {remove, syscall.ECONNREFUSED, 0, false, 1, 1},
		"while the operator closes": {get, syscall.ECONNREFUSED, 0, true, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				clients := aiven.New(aiven.Options{BaseURL: "http://aiven.test", Transport: transportOf(func(r *http.Request) (*http.Response, error) {
					if calls++; calls <= tc.fails {
						<-time.After(tc.slow)
						return nil, tc.err
					}
					return inMemory(func(w http.ResponseWriter, _ *http.Request) { replyService(w, aiven.StateRunning) }).RoundTrip(r)
				})})
				if tc.stop {
					ctx, cancel := context.WithCancel(t.Context())
					cancel()
					require.NoError(t, clients.Start(ctx))
					synctest.Wait()
				}
				c, err := clients.ForToken(token)
				require.NoError(t, err)
				begin := time.Now()
				err = tc.do(t.Context(), c)
				assert.Equal(t, tc.calls, calls)
				assert.LessOrEqual(t, time.Since(begin), tc.slow+time.Second)
				if tc.calls > tc.fails {
					require.NoError(t, err)
					return
				}
				require.Error(t, err)
				assert.Contains(t, []fault.Class{fault.Network, fault.Timeout}, fault.Of(err).Class)
			})
		})
	}
}

// What failed after the headers was answered: Aiven has done the work, and counts the call.
func TestG07_NothingIsTriedAgainAfterTheHeadersOfAnAnswer(t *testing.T) {
	for name, tc := range map[string]struct {
		status int
		class  fault.Class
		wait   time.Duration
	}{
		"a success":         {http.StatusOK, fault.Network, 0},
		"a rate limit":      {http.StatusTooManyRequests, fault.RateLimited, 28 * time.Second},
		"a full service":    {http.StatusServiceUnavailable, fault.Server, 28 * time.Second},
		"an error of Aiven": {http.StatusInternalServerError, fault.Network, 0},
		"a missing thing":   {http.StatusNotFound, fault.Network, 0},
	} {
		for _, failure := range []error{io.ErrUnexpectedEOF, syscall.ECONNRESET} {
			t.Run(name+", "+failure.Error(), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					calls := 0
					clients := aiven.New(aiven.Options{BaseURL: "http://aiven.test", QPS: 10, Burst: 10, Transport: transportOf(func(*http.Request) (*http.Response, error) {
						calls++
						header := http.Header{"Content-Type": {"application/json"}}
						if tc.wait > 0 {
							header.Set("Retry-After", "28")
						}
						return &http.Response{StatusCode: tc.status, Header: header, Body: io.NopCloser(iotest.ErrReader(failure))}, nil
					})})
					c, err := clients.ForToken(token)
					require.NoError(t, err)
					_, err = c.API().ServiceGet(t.Context(), "p", "s")
					require.Error(t, err)
					assert.Equal(t, tc.class, fault.Of(err).Class)
					assert.Equal(t, tc.wait, fault.Of(err).RetryAfter)
					assert.Equal(t, 1, calls)
					_, err = c.API().ServiceGet(t.Context(), "p", "s")
					require.Error(t, err)
					if tc.class == fault.RateLimited {
						assert.Equal(t, 1, calls, "the user waits as long as Aiven says")
					}
				})
			})
		}
	}
}
