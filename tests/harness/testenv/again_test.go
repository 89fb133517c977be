package testenv

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"
)

type roundTripFunc func(*http.Request) (*http.Response, error)

func (f roundTripFunc) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

func TestOnlyWhatMayBeDoneTwiceIsRepeatedWhenItsStreamWasReset(t *testing.T) {
	reset := http2.StreamError{StreamID: 1, Code: http2.ErrCodeProtocol}
	for name, tc := range map[string]struct {
		method string
		err    error
		tries  int
	}{
		"a read that is answered":  {http.MethodGet, nil, 1},
		"a read that is reset":     {http.MethodGet, reset, 2},
		"a read that fails":        {http.MethodGet, errors.New("no route"), 1},
		"a patch that is reset":    {http.MethodPatch, reset, 2},
		"a patch that fails":       {http.MethodPatch, errors.New("no route"), 1},
		"a deletion that is reset": {http.MethodDelete, reset, 2},
		"a deletion that fails":    {http.MethodDelete, errors.New("no route"), 1},
		"a creation that is reset": {http.MethodPost, reset, 1},
	} {
		t.Run(name, func(t *testing.T) {
			tries := 0
			transport := again{roundTripFunc(func(request *http.Request) (*http.Response, error) {
				body, err := io.ReadAll(request.Body)
				require.NoError(t, err)
				assert.Equal(t, "changes", string(body))
				if tries++; tries == 1 {
					return nil, tc.err
				}
				return nil, nil
			})}
			request, err := http.NewRequestWithContext(t.Context(), tc.method, "https://kubernetes.test", strings.NewReader("changes"))
			require.NoError(t, err)
			_, _ = transport.RoundTrip(request) //nolint:bodyclose // there is none
			assert.Equal(t, tc.tries, tries)
		})
	}
}
