package lists

import (
	"encoding/json"
	"testing"

	avnclickhouse "github.com/aiven/go-client-codegen/handler/clickhouse"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAnIdentifierIsQuotedWhateverItHolds(t *testing.T) {
	for name, want := range map[string]string{
		"role":            "`role`",
		"my role":         "`my role`",
		"röle 🙂":          "`röle 🙂`",
		"a`b":             "`a\\`b`",
		`a\b`:             "`a\\\\b`",
		`a\`:              "`a\\\\`",
		"x`; DROP ROLE y": "`x\\`; DROP ROLE y`",
		"a\x00b\nc\x7fd":  "`a\\x00b\\x0Ac\\x7Fd`",
		"'\"":             "`'\"`",
		"":                "``",
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, want, Quote(name)) })
	}
}

// row has a column of each type that the system tables have.
type row struct {
	Name    string   `json:"name"`
	Partial int      `json:"partial"`
	Table   *string  `json:"table"`
	Aliases []string `json:"aliases"`
}

func TestRowsAreDecodedByTheNamesOfTheirColumns(t *testing.T) {
	columns := []string{"name", "partial", "table", "aliases"}
	meta := `"meta":[{"name":"name"},{"name":"partial"},{"name":"table"},{"name":"aliases"}]`
	table := "t"
	for name, tc := range map[string]struct {
		answer string
		want   []row
		fails  string
	}{
		"rows": {
			answer: `{` + meta + `,"data":[["a",1,null,["x"]],["b",0,"t",[]]]}`,
			want:   []row{{"a", 1, nil, []string{"x"}}, {"b", 0, &table, []string{}}},
		},
		"no rows":                         {answer: `{` + meta + `,"data":[]}`, want: []row{}},
		"an answer without a list":        {answer: `{` + meta + `}`},
		"an answer without columns":       {answer: `{"data":[]}`, fails: "has the columns"},
		"an answer with another column":   {answer: `{"meta":[{"name":"other"}],"data":[["a"]]}`, fails: `"other"`},
		"a row that is too short":         {answer: `{` + meta + `,"data":[["a"]]}`, fails: "row 0 of the answer has 1 columns"},
		"a value of another type":         {answer: `{` + meta + `,"data":[[1,1,null,[]]]}`, fails: "decoding row 0"},
		"a number that isn't a whole one": {answer: `{` + meta + `,"data":[["a",0.5,null,[]]]}`, fails: "decoding row 0"},
	} {
		t.Run(name, func(t *testing.T) {
			var answer avnclickhouse.ServiceClickHouseQueryOut
			require.NoError(t, json.Unmarshal([]byte(tc.answer), &answer))
			rows, err := decodeRows[row](&answer, columns)
			if tc.fails != "" {
				assert.ErrorContains(t, err, tc.fails)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.want, rows)
		})
	}
}
