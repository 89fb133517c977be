package status

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
)

var update = flag.Bool("update", false, "update the golden file")

// rowsFile has a status for each situation, with the word that kstatus must find for it. The library itself drags in much,
// so it is asked in a module of the tests.
const rowsFile = "testdata/rows.json"

// word is what kstatus must say about an object whose status was concluded by a row.
var word = map[string]string{
	"deletion policy unknown":               "Failed",
	"deletion running":                      "Terminating",
	"spec rejected":                         "Failed",
	"token missing or rejected":             "InProgress",
	"owned by another object":               "InProgress",
	"not owned, or missing":                 "Failed",
	"data loss not confirmed":               "Failed",
	"project not allowed":                   "InProgress",
	"reference absent":                      "InProgress",
	"quota or billing refusal":              "InProgress",
	"no turn yet":                           "InProgress",
	"transient refusal of a mutation":       "InProgress",
	"infrastructure error within the grace": "Current",
	"infrastructure error":                  "InProgress",
	"wanted route not there":                "InProgress",
	"Secret not published":                  "InProgress",
	"reference not ready":                   "InProgress",
	"service powered off":                   "InProgress",
	"service missing or not ready":          "InProgress",
	"nothing there to observe":              "InProgress",
	"needs what is gone":                    "InProgress",
	"failed at Aiven":                       "InProgress",
	"members partly down":                   "InProgress",
	"changes not approved":                  "InProgress",
	"powered off, not corrected":            "InProgress",
	"created or updating":                   "InProgress",
	"powered off on request":                "Current",
	"in sync":                               "Current",
}

// situationRow is one entry of the golden file.
type situationRow struct {
	Situation  string
	Row        string
	Generation int64
	Deleting   bool
	Status     v1alpha1.CommonStatus
	Kstatus    string
}

func TestX02_C12_TheRowsForKstatusAreCurrent(t *testing.T) {
	var rows []situationRow
	known := map[string]bool{"paused": true}
	for _, table := range []map[string]situation{
		approvalSituations, conflictSituations, consentSituations, deletionSituations, dependencySituations, progressSituations, rejectionSituations, secretSituations,
		transientRefusalSituations, errorSituations, turnSituations, waitSituations,
	} {
		for _, name := range slices.Sorted(maps.Keys(table)) {
			s := table[name]
			o := newObject(s.service)
			for _, m := range s.given {
				o.now = o.now.Add(m.after)
				o.reconcile(t, m.finds)
			}
			if s.edited {
				o.generation++
			}
			o.now = o.now.Add(s.when.after)
			c := o.reconcile(t, s.when.finds)
			row := situationRow{
				Situation: name, Row: c.Row, Generation: o.generation, Status: o.status, Kstatus: word[c.Row],
				Deleting: o.facts(s.when.finds).Deleting,
			}
			if row.Deleting {
				row.Kstatus = "Terminating"
			}
			if c.Row == "no turn yet" && c.Status.Conditions[0].Status == metav1.ConditionTrue {
				row.Kstatus = "Current" // as it was
			}
			require.NotEmpty(t, row.Kstatus, "row %q needs a word", c.Row)
			known[c.Row] = true
			rows = append(rows, row)
		}
	}
	for _, r := range rules {
		assert.True(t, known[r.name], "no situation leads to the row %q", r.name)
	}
	text, err := json.MarshalIndent(rows, "", " ")
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(rowsFile, text, 0o600))
	}
	golden, err := os.ReadFile(rowsFile)
	require.NoError(t, err)
	assert.Equal(t, string(golden), string(text), "run the test with -update, and review the diff")
}
