package aiven

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

func TestAnAnswerMayBeAsLongAsTheBound(t *testing.T) {
	read := func(answer string, left int64) (string, error) {
		got, err := io.ReadAll(&boundedBody{ReadCloser: io.NopCloser(strings.NewReader(answer)), operation: "ServiceGet", left: left})
		return string(got), err
	}
	got, err := read("abc", 3)
	require.NoError(t, err)
	assert.Equal(t, "abc", got)
	_, err = read("abcd", 3)
	require.ErrorContains(t, err, "longer than 64 MiB")
	assert.Equal(t, fault.Unknown, fault.Of(err).Class)
}
