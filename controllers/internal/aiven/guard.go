package aiven

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

// longestAnswer bounds how much of a successful answer is read, in bytes. A proxy that answers without an end must not
// exhaust the memory.
const longestAnswer = 64 << 20

// checkPath refuses a request whose path has an empty segment or a dot segment, also a percent-encoded one. Whatever
// normalizes the path on the way would make another resource of it: the service instead of its user "..".
func checkPath(operation string, u *url.URL) error {
	for _, segment := range strings.Split(strings.TrimPrefix(u.EscapedPath(), "/"), "/") {
		name := decoded(segment)
		if name == "" || slices.ContainsFunc(strings.FieldsFunc(name, isSlash), isDots) {
			return fault.InvalidSpec("", fmt.Sprintf("%q can't be a name at Aiven: it changes the path of the call (%s)", name, operation))
		}
	}
	return nil
}

// decoded takes away all percent-encoding: some proxies decode more than once.
func decoded(segment string) string {
	for {
		name, err := url.PathUnescape(segment)
		if err != nil || name == segment {
			return segment
		}
		segment = name
	}
}

func isSlash(r rune) bool { return r == '/' || r == '\\' }

func isDots(name string) bool { return name == "." || name == ".." }

// boundedBody fails where an answer is longer than anything Aiven sends.
type boundedBody struct {
	io.ReadCloser
	operation string
	left      int64
}

func bounded(operation string, rsp *http.Response) {
	rsp.Body = &boundedBody{ReadCloser: rsp.Body, operation: operation, left: longestAnswer}
}

// Read implements io.Reader.
func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, unclear(b.operation, fmt.Sprintf("it is longer than %d MiB", longestAnswer>>20))
	}
	return n, err
}
