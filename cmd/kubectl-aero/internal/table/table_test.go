package table

import (
	"encoding/json"
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

func TestTextOfTheClusterControlsNoTerminal(t *testing.T) {
	for text, want := range map[string]string{
		"Grüße, 世界 └─ \\n 'x'": "Grüße, 世界 └─ \\n 'x'",
		"a\nb\tc\rd\x00":       `a\nb\tc\rd\x00`,
		"\x1b[2J\x7f":          `\x1b[2J\x7f`,
		"\u0085\u009b31m":      `\u0085\u009b31m`,
		"\u202eko\u2066\u200b": `\u202eko\u2066\u200b`,
		"\u2028\u2029\ufeff":   `\u2028\u2029\ufeff`,
		"\U000e0041":           `\U000e0041`,
		"\x9b31m\xff":          "\ufffd31m\ufffd",
	} {
		assert.Equal(t, want, Escape(text))
		assert.Equal(t, want, Escape(want), "a text is escaped once")
	}
}

func TestNoCellControlsTheTerminal(t *testing.T) {
	var out strings.Builder
	w := &Writer{Out: &out, Colored: true}
	require.NoError(t, w.Rows([]Cell{{Text: "a\x1b[1m\n", Color: Red}, {Text: "b"}}, []Cell{{Text: "c"}, {Text: "\u202ed"}}))
	require.NoError(t, w.Line(Cell{Text: "e\x1b[2J"}, Cell{Text: "f\n", Color: Bold}))
	assert.Equal(t, "\x1b[31m"+`a\x1b[1m\n`+"\x1b[0m   b\nc"+strings.Repeat(" ", 12)+`\u202ed`+"\n"+`e\x1b[2J`+"\x1b[1m"+`f\n`+"\x1b[0m\n", out.String())
}

func TestOtherProgramsReadWhatWasEscaped(t *testing.T) {
	for _, text := range []string{"a\u009b\u202e\U000e0041", "\x7f\u0085\u2028", "Grüße\t世界"} {
		marshaled, err := json.MarshalIndent(map[string]string{"a": text}, "", "    ")
		require.NoError(t, err)
		escaped := EscapeJSON(string(marshaled))
		assert.NotRegexp(t, "[\\x7f\\p{Cf}\u0080-\u009f\u2028]", escaped)
		assert.Contains(t, escaped, "{\n    ")
		var read map[string]string
		require.NoError(t, json.Unmarshal([]byte(escaped), &read))
		assert.Equal(t, text, read["a"])
	}
}
