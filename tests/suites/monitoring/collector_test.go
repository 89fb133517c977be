package monitoring_test

import (
	"crypto/tls"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	collectorv1 "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonv1 "go.opentelemetry.io/proto/otlp/common/v1"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
)

// collector receives spans as an OpenTelemetry collector does, by OTLP over HTTP, and keeps them.
type collector struct {
	address string

	mu      sync.Mutex
	taken   []*tracev1.ResourceSpans
	headers http.Header // of the last call
}

// collect starts a collector at an address of this machine, which ends with the test; with a certificate, it speaks TLS.
func collect(t *testing.T, address string, certificates ...tls.Certificate) *collector {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address)
	require.NoError(t, err)
	c := &collector{address: listener.Addr().String()}
	server := httptest.NewUnstartedServer(c)
	require.NoError(t, server.Listener.Close())
	server.Listener = listener
	if len(certificates) > 0 {
		server.TLS = &tls.Config{Certificates: certificates, MinVersion: tls.VersionTLS12}
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	return c
}

// ServeHTTP implements http.Handler.
func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	request := &collectorv1.ExportTraceServiceRequest{} // OTLP's own type, which the operator doesn't link
	if r.Method != http.MethodPost || r.URL.Path != "/v1/traces" || err != nil || proto.Unmarshal(body, request) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
	c.mu.Lock()
	defer c.mu.Unlock()
	c.taken = append(c.taken, request.GetResourceSpans()...)
	c.headers = r.Header
	response, err := proto.Marshal(&collectorv1.ExportTraceServiceResponse{PartialSuccess: &collectorv1.ExportTracePartialSuccess{}})
	if err == nil {
		_, _ = w.Write(response) // the operator sees an error
	}
}

// text is all that was ever sent.
func (c *collector) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all strings.Builder
	for _, taken := range c.taken {
		all.WriteString(prototext.Format(taken))
	}
	return all.String()
}

// header is what the last call had under a name.
func (c *collector) header(name string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.headers.Values(name)
}

// resource is what the sender says of itself.
func (c *collector) resource() map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.taken) == 0 {
		return nil
	}
	return attributesOf(c.taken[0].GetResource().GetAttributes())
}

// span is one that was sent, with those below it in the order in which they began.
type span struct {
	*tracev1.Span
	attrs map[string]string
	below []*span
}

// traces are the spans that have no parent, in the order in which they began. A span whose parent is missing fails the
// test.
func (c *collector) traces(t *testing.T) []*span {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	all := map[string]*span{}
	var order []*span
	for _, taken := range c.taken {
		for _, scope := range taken.GetScopeSpans() {
			for _, sent := range scope.GetSpans() {
				s := &span{Span: sent, attrs: attributesOf(sent.GetAttributes())}
				all[id(sent.GetTraceId(), sent.GetSpanId())] = s
				order = append(order, s)
			}
		}
	}
	slices.SortStableFunc(order, func(a, b *span) int { return int(a.GetStartTimeUnixNano()) - int(b.GetStartTimeUnixNano()) })
	var roots []*span
	for _, s := range order {
		if len(s.GetParentSpanId()) == 0 {
			roots = append(roots, s)
			continue
		}
		parent := all[id(s.GetTraceId(), s.GetParentSpanId())]
		require.NotNil(t, parent, "the parent of %s was never sent", s.GetName())
		parent.below = append(parent.below, s)
	}
	return roots
}

func id(trace, span []byte) string { return hex.EncodeToString(trace) + "/" + hex.EncodeToString(span) }

func attributesOf(attributes []*commonv1.KeyValue) map[string]string {
	out := map[string]string{}
	for _, a := range attributes {
		value := a.GetValue()
		switch value.GetValue().(type) {
		case *commonv1.AnyValue_StringValue:
			out[a.GetKey()] = value.GetStringValue()
		case *commonv1.AnyValue_IntValue:
			out[a.GetKey()] = fmt.Sprint(value.GetIntValue())
		default:
			out[a.GetKey()] = value.String()
		}
	}
	return out
}

// find is the first span below this one that has a path of names, or nil.
func (s *span) find(path ...string) *span {
	if len(path) == 0 {
		return s
	}
	for _, child := range s.below {
		if child.GetName() == path[0] {
			if found := child.find(path[1:]...); found != nil {
				return found
			}
		}
	}
	return nil
}

// each calls fn with the span and all that are below it, and how deep they are.
func (s *span) each(fn func(s *span, depth int), depth int) {
	fn(s, depth)
	for _, child := range s.below {
		child.each(fn, depth+1)
	}
}

// tree shows a trace as text, with the time that each span took.
func (s *span) tree() string {
	var lines []string
	s.each(func(s *span, depth int) {
		took := float64(s.GetEndTimeUnixNano()-s.GetStartTimeUnixNano()) / 1e6
		detail := ""
		for _, key := range []string{"aero.name", "aero.conclusion.row", "http.request.method", "url.template", "http.response.status_code"} {
			if value := s.attrs[key]; value != "" {
				detail += " " + value
			}
		}
		lines = append(lines, fmt.Sprintf("%8.1f ms  %s%s%s", took, strings.Repeat("  ", depth), s.GetName(), detail))
	}, 0)
	return strings.Join(lines, "\n")
}
