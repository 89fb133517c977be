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
// normalizes the path on the way would make another resource of it: the service instead of its user "..", and the user joe
// instead of "joe/".
func checkPath(operation string, u *url.URL) error {
	for _, segment := range strings.Split(strings.TrimPrefix(u.EscapedPath(), "/"), "/") {
		if !FitsPath(segment) {
			return fault.InvalidSpec("", fmt.Sprintf("%q can't be a name at Aiven: it changes the path of the call (%s)", decoded(segment), operation))
		}
	}
	return nil
}

// FitsPath reports whether a call can have a name in its path.
func FitsPath(name string) bool {
	return !slices.ContainsFunc(strings.Split(strings.ReplaceAll(decoded(name), `\`, "/"), "/"), disappears)
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

// disappears reports whether a part of a path is lost, or takes another one with it, where paths are normalized. Some servers
// leave out what follows a semicolon first.
func disappears(part string) bool {
	part, _, _ = strings.Cut(part, ";")
	return part == "" || part == "." || part == ".."
}

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
