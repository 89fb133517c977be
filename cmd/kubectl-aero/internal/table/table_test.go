package table

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestColumnsAreAlignedWithAndWithoutColors(t *testing.T) {
	rows := [][]Cell{{{Text: "NAME"}, {Text: "READY"}, {Text: "AGE"}}, {{Text: "├─ a"}, Status("False"), {Text: "1m"}}, {{Text: "b"}, {}, {}}}
	for colored, want := range map[bool]string{
		false: "NAME   READY   AGE\n├─ a   False   1m\nb\n",
		true:  "NAME   READY   AGE\n├─ a   \x1b[31mFalse\x1b[0m   1m\nb\n",
	} {
		var out strings.Builder
		require.NoError(t, (&Writer{Out: &out, Colored: colored}).Rows(rows...))
		assert.Equal(t, want, out.String())
	}
}
