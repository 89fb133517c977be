package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel"
	commonv1 "go.opentelemetry.io/proto/otlp/common/v1"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// batch is what the tests upload.
func batch() []*tracev1.ResourceSpans {
	return []*tracev1.ResourceSpans{{ScopeSpans: []*tracev1.ScopeSpans{{
		Scope: &commonv1.InstrumentationScope{Name: "test"}, Spans: []*tracev1.Span{{Name: "observe"}, {Name: "apply"}},
	}}}}
}

// answer is a response of a collector; without a status, the connection fails.
type answer struct {
	status                 int
	retryAfter, kind, body string
}

// answers is a transport that answers tries in turn, the last answer again and again.
type answers struct {
	turns []answer
	times []time.Time // of the tries
}

func (a *answers) RoundTrip(*http.Request) (*http.Response, error) {
	turn := a.turns[min(len(a.times), len(a.turns)-1)]
	a.times = append(a.times, time.Now())
	if turn.status == 0 {
		return nil, errors.New("connection refused")
	}
	return &http.Response{
		StatusCode: turn.status, Status: fmt.Sprint(turn.status, " ", http.StatusText(turn.status)), Body: io.NopCloser(strings.NewReader(turn.body)),
		Header: http.Header{"Content-Type": {turn.kind}, "Retry-After": {turn.retryAfter}},
	}, nil
}

// rpcStatus is a google.rpc.Status.
func rpcStatus(message string) string {
	code := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 3)
	return string(protowire.AppendString(protowire.AppendTag(code, 2, protowire.BytesType), message))
}

func TestOnlyFailuresThatMayPassAreRetriedAndNotForLong(t *testing.T) {
	ok, refused := answer{status: http.StatusOK, kind: protobufType}, answer{}
	for name, tc := range map[string]struct {
		turns  []answer
		tries  int           // 0 for several
		after  time.Duration // at least, before the second try
		within time.Duration // until the end
		want   string        // "" for success
	}{
		"accepted":                          {turns: []answer{ok}, tries: 1},
		"429":                               {turns: []answer{{status: 429}, ok}, tries: 2, after: firstDelay, within: time.Second},
		"502":                               {turns: []answer{{status: 502}, ok}, tries: 2, after: firstDelay, within: time.Second},
		"503":                               {turns: []answer{{status: 503}, ok}, tries: 2, after: firstDelay, within: time.Second},
		"504":                               {turns: []answer{{status: 504}, ok}, tries: 2, after: firstDelay, within: time.Second},
		"a connection that fails":           {turns: []answer{refused, refused, ok}, tries: 3, after: firstDelay, within: 3 * time.Second},
		"Retry-After in seconds":            {turns: []answer{{status: 503, retryAfter: "7"}, ok}, tries: 2, after: 7 * time.Second, within: 7 * time.Second},
		"Retry-After as a date":             {turns: []answer{{status: 429, retryAfter: "Sat, 01 Jan 2000 00:00:04 GMT"}, ok}, tries: 2, after: 4 * time.Second, within: 4 * time.Second},
		"Retry-After behind the deadline":   {turns: []answer{{status: 429, retryAfter: "60"}}, tries: 1, want: "the collector answered 429 Too Many Requests"},
		"Retry-After without a meaning":     {turns: []answer{{status: 429, retryAfter: "soon"}, ok}, tries: 2, after: firstDelay, within: time.Second},
		"a collector that stays down":       {turns: []answer{refused}, within: defaultTimeout, want: "connection refused"},
		"a collector that stays overloaded": {turns: []answer{{status: 503}}, within: defaultTimeout, want: "503 Service Unavailable"},
		"400 with a status of RPC":          {turns: []answer{{status: 400, kind: protobufType, body: rpcStatus("no such field")}}, tries: 1, want: "400 Bad Request: no such field"},
		"401 with a text":                   {turns: []answer{{status: 401, kind: "text/plain; charset=utf-8", body: "who?\n"}}, tries: 1, want: "401 Unauthorized: who?"},
		"403 with the header's token":       {turns: []answer{{status: 403, kind: "text/plain", body: "unknown key s3cret"}}, tries: 1, want: "unknown key ***"},
		"404 with a page":                   {turns: []answer{{status: 404, kind: "text/html", body: "<html>"}}, tries: 1, want: "answered 404 Not Found"},
		"500":                               {turns: []answer{{status: 500, retryAfter: "1"}}, tries: 1, want: "500 Internal Server Error"},
		"a long text":                       {turns: []answer{{status: 400, kind: "text/plain", body: strings.Repeat("é", 500)}}, tries: 1, want: strings.Repeat("é", maxMessage/2) + "…"},
		"a status that is garbage":          {turns: []answer{{status: 400, kind: protobufType, body: "\xff\xff\xff"}}, tries: 1, want: "400 Bad Request"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // its clock begins with the year 2000, and waits take no time
				transport := &answers{turns: tc.turns}
				c := newClient("http://c:4318/v1/traces", "v1", settings{timeout: defaultTimeout, headers: map[string]string{"authorization": "Bearer s3cret"}})
				c.http.Transport = transport
				began := time.Now()
				err := c.UploadTraces(t.Context(), batch())
				if tc.want == "" {
					require.NoError(t, err)
				} else {
					require.ErrorContains(t, err, tc.want)
				}
				assert.LessOrEqual(t, time.Since(began), tc.within)
				if tc.tries == 0 {
					assert.Greater(t, len(transport.times), 2)
					return
				}
				require.Len(t, transport.times, tc.tries)
				if tc.tries > 1 {
					assert.GreaterOrEqual(t, transport.times[1].Sub(began), tc.after)
				}
			})
		})
	}
}

// canceling is a transport that cancels the upload it belongs to.
type canceling struct {
	cancel context.CancelFunc
	http.RoundTripper
}

func (c canceling) RoundTrip(r *http.Request) (*http.Response, error) {
	c.cancel()
	return c.RoundTripper.RoundTrip(r)
}

func TestAnUploadThatIsCanceledIsNotRetried(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	transport := &answers{turns: []answer{{}}}
	c := newClient("http://c:4318/v1/traces", "v1", settings{timeout: time.Hour})
	c.http.Transport = canceling{cancel, transport}
	require.ErrorContains(t, c.UploadTraces(ctx, batch()), "connection refused")
	assert.Len(t, transport.times, 1)
}

func TestSpansArriveWithTheHeadersOfTheEnvironment(t *testing.T) {
	for _, compression := range []string{"", "gzip", "none"} {
		t.Run("compression "+compression, func(t *testing.T) {
			t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "api-key=other")
			t.Setenv("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "api-key = s3cret%20key , x=y=z,")
			t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", compression)
			var header http.Header
			var path string
			taken := &tracev1.TracesData{}
			server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				header, path = r.Header, r.URL.Path
				body, err := io.ReadAll(r.Body)
				assert.NoError(t, err)
				if compression == "gzip" {
					reader, err := gzip.NewReader(bytes.NewReader(body))
					assert.NoError(t, err)
					body, err = io.ReadAll(reader)
					assert.NoError(t, err)
				}
				assert.NoError(t, proto.Unmarshal(body, taken))
			}))
			t.Cleanup(server.Close)
			s, err := readSettings(false)
			require.NoError(t, err)
			c := newClient(server.URL+"/v1/traces", "v1.2.3", s)
			require.NoError(t, c.UploadTraces(t.Context(), batch()))
			require.NoError(t, c.Stop(t.Context()))

			assert.True(t, proto.Equal(&tracev1.TracesData{ResourceSpans: batch()}, taken))
			assert.Equal(t, "/v1/traces", path)
			assert.Equal(t, "s3cret key", header.Get("api-key"))
			assert.Equal(t, "y=z", header.Get("x"))
			assert.Equal(t, protobufType, header.Get("Content-Type"))
			assert.Equal(t, "aero/v1.2.3", header.Get("User-Agent"))
			assert.Equal(t, compression == "gzip", header.Get("Content-Encoding") == "gzip")
		})
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another host has the headers") }))
	t.Cleanup(other.Close)
	server := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	t.Cleanup(server.Close)
	c := newClient(server.URL, "v1", settings{timeout: defaultTimeout, headers: map[string]string{"api-key": "s3cret"}})
	require.ErrorContains(t, c.UploadTraces(t.Context(), batch()), "the collector answered 307 Temporary Redirect")
}

func TestSpansThatACollectorRejectsAmongOthersAreReported(t *testing.T) {
	partial := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 3)
	partial = protowire.AppendString(protowire.AppendTag(partial, 2, protowire.BytesType), "too large")
	body := string(protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), partial))
	for name, tc := range map[string]struct {
		body string
		want []string
	}{
		"some":             {body, []string{"the collector rejected 3 spans: too large"}},
		"none":             {"", nil},
		"an empty message": {"\x0a\x00", nil},
		"garbage":          {"\xff\xff\xff", nil},
		"a field cut off":  {body[:3], nil},
	} {
		t.Run(name, func(t *testing.T) {
			var reported []string
			otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { reported = append(reported, err.Error()) }))
			c := newClient("http://c:4318/v1/traces", "v1", settings{timeout: defaultTimeout})
			c.http.Transport = &answers{turns: []answer{{status: 200, kind: protobufType, body: tc.body}}}
			require.NoError(t, c.UploadTraces(t.Context(), batch()), "the others were accepted")
			assert.Equal(t, tc.want, reported)
		})
	}
}
