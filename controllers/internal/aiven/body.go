package aiven

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
)

// bodyKey is where a context has the buffer of WithBody.
type bodyKey struct{}

// WithBody returns a context for one call of API, and a buffer that has the body of a successful answer afterwards. It is
// for answers whose generated types don't distinguish null from zero.
func WithBody(ctx context.Context) (context.Context, *bytes.Buffer) {
	body := &bytes.Buffer{}
	return context.WithValue(ctx, bodyKey{}, body), body
}

// HasField reports whether a body is an object with a field, be it null.
func HasField(body []byte, name string) bool {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(body, &fields) // what is no object has none
	_, has := fields[name]
	return has
}

// Confirms reports whether a body is Aiven's answer to a request that returns nothing else: an object whose message is a text.
func Confirms(body []byte) bool {
	var answer struct {
		Message *string `json:"message"`
	}
	return json.Unmarshal(body, &answer) == nil && answer.Message != nil
}

// keepBody copies the body of an answer, as it is read, for a caller that asks for it.
func keepBody(ctx context.Context, rsp *http.Response) {
	if body, asked := ctx.Value(bodyKey{}).(*bytes.Buffer); asked {
		rsp.Body = struct {
			io.Reader
			io.Closer
		}{io.TeeReader(rsp.Body, body), rsp.Body}
	}
}
