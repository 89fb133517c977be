//go:build !race

package aiven_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// filler is what the middle of a long answer is made of, however much is read of it.
type filler struct{}

var block = bytes.Repeat([]byte("x"), 32<<10)

func (filler) Read(p []byte) (int, error) { return copy(p, block), nil }

// answerOf is an answer of a length that has a text of any length between a beginning and an end. It is never held as a whole.
func answerOf(length int64, begin, end string) io.Reader {
	return io.MultiReader(strings.NewReader(begin), io.LimitReader(filler{}, length-int64(len(begin)+len(end))), strings.NewReader(end))
}

// An answer at the limit is used, and one beyond it is refused without being held, however much longer it is.
func TestAnAnswerIsUsedUpToTheLimitAndRefusedBeyond(t *testing.T) {
	const (
		limit = 64 << 20
		// memory is what one answer may take in all, also if the garbage collector frees it meanwhile: the buffers that it is read into, each
		// larger than the one before, and what is decoded. With the race detector it is six times the limit.
		memory = 5 * limit
	)
	type call struct {
		operation, begin, end string
		read                  func(context.Context, *aiven.Client) error
	}
	for name, c := range map[string]call{
		"a service": {
			"ServiceGet", `{"service": {"service_name": "s", "service_type": "pg", "state": "RUNNING", "plan": "`, `"}}`,
			func(ctx context.Context, client *aiven.Client) error {
				found, err := client.Service(ctx, "p", "s")
				if err == nil {
					assert.Equal(t, "RUNNING", found.State)
				}
				return err
			},
		},
		"a list": {
			"ServiceList", `{"services": [{"service_name": "a", "service_type": "pg", "plan": "`, `"}, {"service_name": "s", "service_type": "pg"}]}`,
			func(ctx context.Context, client *aiven.Client) error {
				absent, err := client.ServiceAbsent(ctx, "p", "s")
				assert.False(t, absent, "it is the last one of the list")
				return err
			},
		},
	} {
		for size, tc := range map[string]struct {
			length  int64
			refused bool
		}{
			"a byte below the limit": {limit - 1, false},
			"at the limit":           {limit, false},
			"a byte above the limit": {limit + 1, true},
			"four times as long":     {4 * limit, true},
		} {
			t.Run(name+" "+size, func(t *testing.T) {
				client := clientFor(t, aiven.Options{BaseURL: "http://aiven.test", Transport: transportOf(func(r *http.Request) (*http.Response, error) {
					body := io.NopCloser(answerOf(tc.length, c.begin, c.end))
					return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Request: r, Body: body}, nil
				})})
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				err := c.read(t.Context(), client)
				runtime.ReadMemStats(&after)
				assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(memory))
				if !tc.refused {
					require.NoError(t, err)
					return
				}
				require.ErrorContains(t, err, "it is longer than 64 MiB ("+c.operation+")")
				assert.Equal(t, fault.Unknown, fault.Of(err).Class, "it says nothing about what exists")
			})
		}
	}
}
