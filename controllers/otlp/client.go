package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/avast/retry-go/v5"
	"go.opentelemetry.io/otel"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

const (
	protobufType = "application/x-protobuf"
	// firstDelay is the delay before the second try; it doubles with each try. Jitter comes on top.
	firstDelay, maxJitter = 500 * time.Millisecond, 250 * time.Millisecond
	// minSecret is the length of a word in a header from which a collector's message is searched for it.
	minSecret = 6
	// maxResponse bounds what is read of a response.
	maxResponse = 64 << 10
)

// client sends spans by OTLP over HTTP. It is an otlptrace.Client, as the one of otlptracehttp is, which would link gRPC:
// see docs/decisions/0020-traces-over-http.md.
type client struct {
	http *http.Client
	url  string
	settings
	userAgent string
	hide      *strings.Replacer // of the values of headers
}

// newClient returns a client that posts to a URL, for a version of the operator.
func newClient(url, version string, s settings) *client {
	transport := http.DefaultTransport.(*http.Transport).Clone() // it knows HTTPS_PROXY and NO_PROXY
	transport.TLSClientConfig = s.tls
	var hidden []string
	for _, value := range s.headers {
		for word := range strings.FieldsSeq(value) {
			if len(word) >= minSecret {
				hidden = append(hidden, word, "***")
			}
		}
	}
	return &client{
		// A redirect could send the headers, and the tokens in them, to another host.
		http: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		url:  url, settings: s, userAgent: "aero/" + version, hide: strings.NewReplacer(hidden...),
	}
}

// Start implements otlptrace.Client. The collector isn't called before there are spans.
func (c *client) Start(context.Context) error { return nil }

// Stop implements otlptrace.Client.
func (c *client) Stop(context.Context) error {
	c.http.CloseIdleConnections()
	return nil
}

// UploadTraces implements otlptrace.Client. TracesData has the same encoding as the request of OTLP, whose Go type links gRPC.
func (c *client) UploadTraces(ctx context.Context, spans []*tracev1.ResourceSpans) error {
	body, err := proto.Marshal(&tracev1.TracesData{ResourceSpans: spans})
	if err != nil {
		return fmt.Errorf("encoding spans: %w", err)
	}
	if c.gzip {
		if body, err = compress(body); err != nil {
			return fmt.Errorf("compressing spans: %w", err)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	var last error
	err = retry.New(
		retry.Context(ctx), retry.UntilSucceeded(), retry.Delay(firstDelay), retry.MaxJitter(maxJitter), retry.DelayType(delay),
		retry.RetryIf(func(err error) bool { return worthRetrying(ctx, err) }),
	).Do(func() error {
		last = c.post(ctx, body)
		return last
	})
	if last != nil {
		return last // rather than that the time is over
	}
	return err
}

// post makes one try.
func (c *client) post(ctx context.Context, body []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("making a request: %w", err)
	}
	request.Header.Set("User-Agent", c.userAgent)
	for key, value := range c.headers {
		request.Header.Set(key, value)
	}
	request.Header.Set("Content-Type", protobufType)
	if c.gzip {
		request.Header.Set("Content-Encoding", "gzip")
	}
	response, err := c.http.Do(request)
	if err != nil {
		return err // it names the method and the URL
	}
	defer func() { _ = response.Body.Close() }() // it was read
	content, err := io.ReadAll(io.LimitReader(response.Body, maxResponse))
	if err != nil {
		return fmt.Errorf("reading the response of the collector: %w", err)
	}
	if response.StatusCode/100 != 2 {
		return c.failure(response, content)
	}
	if rejected, message := partialSuccess(content); rejected != 0 || message != "" {
		otel.Handle(fmt.Errorf("the collector rejected %d spans: %s", rejected, c.hide.Replace(message)))
	}
	return nil
}

// delay is the Retry-After of the collector, or else an exponential backoff.
func delay(n uint, err error, config retry.DelayContext) time.Duration {
	if failure := (*responseError)(nil); errors.As(err, &failure) && failure.retryAfter > 0 {
		return failure.retryAfter
	}
	return retry.CombineDelay(retry.BackOffDelay, retry.RandomDelay)(n, err, config)
}

// worthRetrying reports whether another try may succeed within the deadline of ctx.
func worthRetrying(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	failure := (*responseError)(nil)
	if !errors.As(err, &failure) {
		return true // the connection failed
	}
	deadline, _ := ctx.Deadline()
	return failure.temporary() && failure.retryAfter < time.Until(deadline)
}

func compress(body []byte) ([]byte, error) {
	var out bytes.Buffer
	writer := gzip.NewWriter(&out)
	_, err := writer.Write(body)
	err = errors.Join(err, writer.Close()) // it writes the rest
	return out.Bytes(), err
}
