package testenv

import (
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"
)

type roundTripFunc func(*http.Request) (*http.Response, error)

func (f roundTripFunc) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

func TestOnlyAReadWhoseStreamWasResetIsRepeated(t *testing.T) {
	reset := http2.StreamError{StreamID: 1, Code: http2.ErrCodeProtocol}
	for name, tc := range map[string]struct {
		method string
		err    error
		tries  int
	}{
		"a read that is answered": {http.MethodGet, nil, 1},
		"a read that is reset":    {http.MethodGet, reset, 2},
		"a read that fails":       {http.MethodGet, errors.New("no route"), 1},
		"a write that is reset":   {http.MethodPost, reset, 1},
	} {
		t.Run(name, func(t *testing.T) {
			tries := 0
			transport := again{roundTripFunc(func(*http.Request) (*http.Response, error) {
				if tries++; tries == 1 {
					return nil, tc.err
				}
				return nil, nil
			})}
			request, err := http.NewRequestWithContext(t.Context(), tc.method, "https://kubernetes.test", nil)
			require.NoError(t, err)
			_, _ = transport.RoundTrip(request) //nolint:bodyclose // there is none
			assert.Equal(t, tc.tries, tries)
		})
	}
}
