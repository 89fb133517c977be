package oneshot

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	aiven "github.com/aiven/go-client-codegen"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

func TestAReadIsRepeatedWhileItsErrorPasses(t *testing.T) {
	unavailable := aiven.Error{Status: 503, Message: "unavailable"}
	limited := &fault.RateLimitError{Answer: aiven.Error{Status: 429, Message: "slow down"}, RetryAfter: 30 * time.Second}
	starting := &fault.RateLimitError{Answer: aiven.Error{OperationID: "ServiceClickHouseQuery", Status: 503}, RetryAfter: 30 * time.Second}
	missing := aiven.Error{Status: 404, Message: "not found"}
	for name, tc := range map[string]struct {
		errs []error // of the attempts, nil for a success
		want error
		took time.Duration
	}{
		"a success at once":                    {[]error{nil}, nil, 0},
		"a success after two errors":           {[]error{unavailable, unavailable, nil}, nil, 3 * time.Second},
		"an error that lasts":                  {[]error{unavailable, unavailable, unavailable, unavailable, unavailable}, unavailable, 15 * time.Second},
		"an error that doesn't pass":           {[]error{missing}, missing, 0},
		"a longer pause, if Aiven asks for it": {[]error{limited, unavailable, nil}, nil, 32 * time.Second},
		"a ClickHouse that starts":             {[]error{starting, nil}, nil, 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				attempts, began := 0, time.Now()
				found, err := Repeat(t.Context(), func(context.Context) (string, error) {
					attempts++
					return "found", tc.errs[min(attempts, len(tc.errs))-1]
				})
				require.ErrorIs(t, err, tc.want)
				assert.Equal(t, "found", found, "also with an error: the read may have seen the service")
				assert.Equal(t, len(tc.errs), attempts)
				assert.Equal(t, tc.took, time.Since(began))
			})
		})
	}
}

func TestAPauseEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		began := time.Now()
		_, err := Repeat(ctx, func(context.Context) (string, error) { return "", aiven.Error{Status: 503} })
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 2*time.Second, time.Since(began))
	})
}
