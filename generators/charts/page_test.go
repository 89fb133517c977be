package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const values = `# About the file.

# Pods.
replicaCount: 2
image:
  # Its name, in
  # two lines | or more.
  tag: ""
  # Said in full.
  policy: Always
# One value.
resources:
  limits: {memory: 1Mi}
`

const wanted = `
| value | default | meaning |
|---|---|---|
| ` + "`replicaCount` | `2`" + ` | Pods. |
| ` + "`image.tag` | `\"\"`" + ` | Its name, in two lines \| or more. |
| ` + "`image.policy` | `Always`" + ` | Said in full. |
| ` + "`resources` | `{\"limits\":{\"memory\":\"1Mi\"}}`" + ` | One value. |

`

func chartOf(t *testing.T, page, values string) string {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "README.md"), []byte(page), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "values.yaml"), []byte(values), 0o600))
	return folder
}

func TestThePageHasARowForEachValue(t *testing.T) {
	got, err := newPage(chartOf(t, "before\n"+tableBegin+"old\n"+tableEnd+"after\n", values))
	require.NoError(t, err)
	assert.Equal(t, "before\n"+tableBegin+wanted+tableEnd+"after\n", got)

	again, err := newPage(chartOf(t, got, values))
	require.NoError(t, err)
	assert.Equal(t, got, again)
}

func TestAPageThatCanNotBeMadeIsAnError(t *testing.T) {
	for name, tc := range map[string]struct{ page, values, says string }{
		"a value without a comment": {tableBegin + tableEnd, "image:\n  tag: a\n", "line 2: write a comment above image.tag"},
		"no place for the table":    {"page", values, "must have a line"},
		"an end without a begin":    {tableEnd, values, "must have a line"},
		"values that are a list":    {tableBegin + tableEnd, "[a]", "must be a map"},
		"no YAML":                   {tableBegin + tableEnd, "{", "reading the values"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := newPage(chartOf(t, tc.page, tc.values))
			assert.ErrorContains(t, err, tc.says)
		})
	}
}
