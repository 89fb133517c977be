package aiven

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/tracing"
)

const (
	keyOperation = attribute.Key("aero.aiven.operation")
	keyProject   = attribute.Key("aero.aiven.project")
	keyWait      = attribute.Key("aero.wait_s")
	// readBy is followed by what answered a read: snapshot, joined or call.
	readBy = "aero.read."
	// longestHeader bounds what a span holds of a header, in bytes.
	longestHeader = 64
)

// called begins the span of one attempt, or returns nil where nothing is recorded. Nothing of it is sent along: Aiven has
// no use for the ids of our traces.
func called(operation string, req *http.Request) *tracing.Span {
	if !tracing.IsRecording(req.Context()) {
		return nil
	}
	attributes := []attribute.KeyValue{
		keyOperation.String(operation), semconv.HTTPRequestMethodKey.String(req.Method), semconv.URLTemplate(template(req.URL.EscapedPath())),
		semconv.ServerAddress(req.URL.Hostname()), semconv.ServerPort(port(req)),
	}
	name := operation
	if name == "" {
		name = req.Method
	}
	_, span := tracing.Start(req.Context(), name, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attributes...))
	return span
}

func port(req *http.Request) int {
	if n, err := strconv.Atoi(req.URL.Port()); err == nil {
		return n
	}
	if req.URL.Scheme == "http" {
		return 80
	}
	return 443
}

// answered adds Aiven's answer to a span, and ends it when the answer was read. That there is nothing to read or to delete
// is no failure.
func answered(span *tracing.Span, rsp *http.Response) {
	if span == nil {
		return
	}
	span.SetAttributes(semconv.HTTPResponseStatusCode(rsp.StatusCode))
	if asked := rsp.Header.Get("Retry-After"); asked != "" {
		span.SetAttributes(semconv.HTTPResponseHeader("retry-after", fault.Redact(asked[:min(len(asked), longestHeader)])))
	}
	missing := rsp.StatusCode == http.StatusNotFound && slices.Contains([]string{http.MethodGet, http.MethodDelete}, rsp.Request.Method)
	if rsp.StatusCode >= http.StatusMultipleChoices && !missing {
		span.Refused(strconv.Itoa(rsp.StatusCode))
	}
	rsp.Body = &tracedBody{ReadCloser: rsp.Body, span: span}
}

// tracedBody ends a span when it is closed.
type tracedBody struct {
	io.ReadCloser
	span *tracing.Span
	err  error
}

// Read implements io.Reader.
func (b *tracedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		b.err = err
	}
	return n, err
}

// Close implements io.Closer.
func (b *tracedBody) Close() error {
	err := b.ReadCloser.Close()
	b.span.End(errors.Join(b.err, err)) // the reader has it, too
	return err
}

// The words of the paths of the API, by whether a name or an id follows. Any other part of a path is taken for a name.
var (
	followed = map[string]string{
		"project": "{project}", "service": "{service}", "user": "{user}", "db": "{database}", "topic": "{topic}",
		"connection_pool": "{pool}", "acl": "{acl}", "vpcs": "{vpc}", "task": "{task}",
	}
	alone = []string{"v1", "v2", "kms", "ca", "kafka", "tags", "backups", "migration"}
)

// template is a path with the names and ids in it replaced by what they are: /v1/project/{project}/service.
func template(path string) string {
	parts := strings.Split(path, "/")
	name := "" // what this part is, where the one before says so
	for i, part := range parts {
		next, known := followed[part]
		switch {
		case name != "" && part != "":
			parts[i], name = name, ""
		case known:
			name = next
		case part != "" && !slices.Contains(alone, part):
			parts[i] = "{}"
		}
	}
	return strings.Join(parts, "/")
}
