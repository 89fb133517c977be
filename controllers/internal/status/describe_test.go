package status

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/condition"
)

// mostCopies of a text are one in Ready, one in its cause, and one in a summary.
const mostCopies = 3

// summaries are the conditions that have the text of Ready: kstatus shows that of Reconciling and Stalled, and tools for
// aiven-operator that of Running and Error.
var summaries = []string{condition.Ready, condition.Reconciling, condition.Stalled, condition.LegacyRunning, condition.LegacyError}

// TestDescribeShowsATextWhereItIsTheCause is about kubectl describe, which shows all conditions with their messages.
func TestDescribeShowsATextWhereItIsTheCause(t *testing.T) {
	text, err := os.ReadFile(rowsFile)
	require.NoError(t, err)
	var rows []situationRow
	require.NoError(t, json.Unmarshal(text, &rows))
	require.NotEmpty(t, rows)
	for _, row := range rows {
		copies, causes := map[string]int{}, map[string][]string{}
		for _, c := range row.Status.Conditions {
			copies[c.Message]++
			if !slices.Contains(summaries, c.Type) && !strings.HasPrefix(c.Message, "Not checked") {
				causes[c.Message] = append(causes[c.Message], c.Type)
			}
		}
		for text, types := range causes {
			assert.LessOrEqual(t, copies[text], mostCopies, "%s: %q", row.Situation, text)
			assert.Len(t, types, 1, "%s: %q", row.Situation, text)
		}
	}
}
