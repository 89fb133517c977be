package clickhousesql_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAQuotedNameIsReadWithItsEscapes(t *testing.T) {
	for text, want := range map[string]string{
		"`a b`":           "a b",
		"`a``b`":          "a`b",
		"`a\\`b`":         "a`b",
		"`a\\\\`":         `a\`,
		"`a\\nb\\0c`":     "a\nb\x00c",
		"`a\\x41\\x0Ab`":  "aA\nb",
		"`a\\x4`":         `a\x4`,
		"`a\\xZZ`":        `a\xZZ`,
		"`100\\%`":        `100\%`,
		"`r\\xC3\\xB6le`": "röle",
	} {
		t.Run(text, func(t *testing.T) {
			c := catalog(t)
			c.do("DROP ROLE writer", "CREATE ROLE "+text)
			require.Equal(t, want, c.Roles()[0].Name)
		})
	}
}
