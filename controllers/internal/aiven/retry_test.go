package aiven_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"syscall"
	"testing"
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
