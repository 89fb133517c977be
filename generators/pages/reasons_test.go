package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/reason"
)

func TestTheListOfReasonsHasThoseOfReadyAndTheCausesOfEachWarning(t *testing.T) {
	page := reasons([]reason.Reason{
		{Name: "Fine", Ready: "True", Means: "all is well"},
		{Name: "Refused", Ready: "False", Warnings: []string{"Failed", "Lost"}, Means: "a|b", Remedy: "set `c`"},
		{Name: "Waiting", Ready: "Unknown", Warnings: []string{"Failed"}, Means: "it waits"},
		{Name: "Lost", Warnings: []string{"Lost"}, Means: "it was lost"},
	})
	for _, row := range []string{
		"| [`Fine`](Fine.md) | True | all is well |  |\n| [`Refused`](Refused.md) | False | a\\|b | set `c` |\n| [`Waiting`](Waiting.md) | Unknown | it waits |  |\n\n",
		"| `Failed` | [`Refused`](Refused.md), [`Waiting`](Waiting.md) |  |\n| [`Lost`](Lost.md) | [`Refused`](Refused.md) | it was lost |\n",
	} {
		assert.Contains(t, page, row)
	}
}

func TestThePageOfAllReasonsIsWrittenBesideThoseOfEach(t *testing.T) {
	root := repository(t)
	one := filepath.Join(root, reasonsFolder, "Fine.md")
	require.NoError(t, os.WriteFile(one, []byte("by hand"), 0o600))
	require.NoError(t, run(root, ofThing))
	assert.FileExists(t, filepath.Join(root, reasonsFolder, "README.md"))
	assert.FileExists(t, one)
}
