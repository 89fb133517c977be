package userconfig

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestATextInAListIsNotPrintedLikeOtherEntries(t *testing.T) {
	const description = "a network:1.1.1.1/32] map[network:10.0.0.0/8] map[description:b"
	filter := []any{map[string]any{"network": "1.2.3.4/32", "description": description}}
	found := []any{"10.0.0.0/8"}
	got := Compare("spec", map[string]any{"ip_filter": filter, "plain": "[b]"}, map[string]any{"ip_filter": found, "plain": "[a]"}).Diff
	require.Len(t, got, 2)
	assert.Equal(t, `[map[description:"`+description+`" network:1.2.3.4/32]]`, got[0].Wanted)
	assert.Equal(t, "[map[network:10.0.0.0/8]]", got[0].Found)
	assert.Equal(t, "[b]", got[1].Wanted, "a value that is a text is printed as it is")
}
