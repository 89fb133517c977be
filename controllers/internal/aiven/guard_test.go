package aiven_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

func TestNoRequestLeavesWithADotOrEmptySegment(t *testing.T) {
	for name, tc := range map[string]struct {
		user    string
		refused bool
	}{
		"nothing":              {"", true},
		"a dot":                {".", true},
		"two dots (review H1)": {"..", true},
		"encoded dots":         {"%2e%2E", true},
		"twice encoded dots":   {"%252e%252e", true},
		"half encoded dots":    {".%2e", true},
		"a slash":              {"/", true},
		"a slash at its end":   {"joe/", true},
		"an encoded one":       {"joe%2f", true},
		"a slash before it":    {"/joe", true},
		"two slashes in it":    {"a//b", true},
		"dots with a matrix":   {"..;x", true},
		"a semicolon in it":    {"a;b", false},
		"dots within a name":   {"a/../b", true},
		"dots and a backslash": {`..\a`, true},
		"a name with dots":     {"a..b", false},
		"three dots":           {"...", false},
		"a name with a slash":  {"a/b", false},
		"a percent sign":       {"100%", false},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			a := clientFor(t, aiven.Options{BaseURL: "http://aiven.test", Transport: inMemory(func(w http.ResponseWriter, _ *http.Request) {
				calls++
				reply(w, http.StatusOK, map[string]any{"message": "deleted"})
			})})
			err := a.API().ServiceUserDelete(t.Context(), "p", "s", tc.user)
			if !tc.refused {
				require.NoError(t, err)
				assert.Equal(t, 1, calls)
				return
			}
			assert.Zero(t, calls)
			assert.Equal(t, fault.Invalid, fault.Of(err).Class)
			require.ErrorContains(t, err, "can't be a name at Aiven: it changes the path of the call (ServiceUserDelete)")
			assert.False(t, aiven.MayHaveApplied(err))
		})
	}
}

// endless is an answer without an end.
type endless struct{ read *int }

func (e endless) Read(p []byte) (int, error) {
	*e.read += len(p)
	return len(p), nil
}

func (endless) Close() error { return nil }

type transportOf func(*http.Request) (*http.Response, error)

func (f transportOf) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestAnAnswerWithoutAnEndIsCutOff(t *testing.T) {
	for name, status := range map[string]int{"a success": http.StatusOK, "an error": http.StatusBadGateway} {
		t.Run(name, func(t *testing.T) {
			read := 0
			a := clientFor(t, aiven.Options{BaseURL: "http://aiven.test", Transport: transportOf(func(r *http.Request) (*http.Response, error) {
				body := struct {
					io.Reader
					io.Closer
				}{io.MultiReader(strings.NewReader("{"), endless{&read}), endless{}}
				return &http.Response{StatusCode: status, Header: http.Header{}, Request: r, Body: body}, nil
			})})
			_, err := a.API().ServiceGet(t.Context(), "p", "s")
			for _, err := range []error{err, a.API().ServiceDelete(t.Context(), "p", "s")} {
				require.Error(t, err)
				assert.Less(t, read, 200<<20)
				assert.Contains(t, []fault.Class{fault.Unknown, fault.Server}, fault.Of(err).Class)
			}
		})
	}
}

func TestACompressedAnswerIsBoundedByWhatItHolds(t *testing.T) {
	bomb := compressed(t, "{"+strings.Repeat(" ", 65<<20))
	w := newWire([]byte("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + bomb))
	_, err := clientFor(t, aiven.Options{BaseURL: "http://aiven.test", Transport: w}).API().ServiceGet(t.Context(), "p", "s")
	require.ErrorContains(t, err, "it is longer than 64 MiB (ServiceGet)")
}
