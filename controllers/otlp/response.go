package otlp

import (
	"net/http"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

// maxMessage bounds what the log shows of a collector's message.
const maxMessage = 200

// responseError is a response without success.
type responseError struct {
	code            int
	status, message string
	retryAfter      time.Duration // 0 if the collector doesn't ask for one
}

// Error implements error.
func (e *responseError) Error() string {
	if e.message == "" {
		return "the collector answered " + e.status
	}
	return "the collector answered " + e.status + ": " + e.message
}

// temporary reports whether OTLP lets the same request be sent again.
func (e *responseError) temporary() bool {
	switch e.code {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// failure reads a response without success. Its body is a google.rpc.Status, or a text of what is between.
func (c *client) failure(response *http.Response, body []byte) error {
	e := &responseError{
		code: response.StatusCode, status: response.Status,
		retryAfter: fault.RetryAfter(response.Header.Get("Retry-After"), time.Now()),
	}
	switch kind, _, _ := strings.Cut(response.Header.Get("Content-Type"), ";"); kind {
	case protobufType:
		message, _ := field(body, 2)
		e.message = string(message)
	case "text/plain":
		e.message = strings.TrimSpace(string(body))
	}
	e.message = c.hide.Replace(e.message)
	if len(e.message) > maxMessage {
		e.message = strings.ToValidUTF8(e.message[:maxMessage], "") + "…"
	}
	return e
}

// partialSuccess reads an ExportTraceServiceResponse, whose Go type links gRPC.
func partialSuccess(body []byte) (rejected uint64, message string) {
	partial, _ := field(body, 1)
	_, rejected = field(partial, 1)
	text, _ := field(partial, 2)
	return rejected, string(text)
}

// field returns a field of a protobuf message, as bytes or as a number; zero values if it isn't there.
func field(message []byte, wanted protowire.Number) (content []byte, number uint64) {
	for len(message) > 0 {
		found, kind, size := protowire.ConsumeTag(message)
		if size < 0 {
			return content, number
		}
		message = message[size:]
		if size = protowire.ConsumeFieldValue(found, kind, message); size < 0 {
			return content, number
		}
		switch {
		case found != wanted:
		case kind == protowire.BytesType:
			content, _ = protowire.ConsumeBytes(message)
		case kind == protowire.VarintType:
			number, _ = protowire.ConsumeVarint(message)
		}
		message = message[size:]
	}
	return content, number
}
