package isolation_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// request is a line of the audit log.
type request struct {
	Verb       string
	RequestURI string
	UserAgent  string
	ObjectRef  struct{ Namespace, Name, Resource, Subresource string }
}

func (r request) writes() bool { return !slices.Contains([]string{"get", "list", "watch"}, r.Verb) }

// auditMark is the end of the audit log.
func auditMark(t *testing.T) int64 {
	t.Helper()
	info, err := os.Stat(auditLog)
	require.NoError(t, err)
	return info.Size()
}

// auditedSince are the requests of a client since a mark.
func auditedSince(t *testing.T, mark int64, userAgent string) []request {
	t.Helper()
	file, err := os.Open(auditLog)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	_, err = file.Seek(mark, io.SeekStart)
	require.NoError(t, err)
	var all []request
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var one request
		if json.Unmarshal(lines.Bytes(), &one) == nil && one.UserAgent == userAgent { // the line of another client may be half written
			all = append(all, one)
		}
	}
	require.NoError(t, lines.Err())
	require.NotEmpty(t, all, "the operator must have made requests")
	return all
}
