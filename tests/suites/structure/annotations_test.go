package structure_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The admission policy that warns has its own list of annotations: one that is missing there would be warned of, although it has an effect.
func TestNoAnnotationOfThePagesIsWarnedOf(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "user", "policies.md"))
	require.NoError(t, err)
	policies, err := os.ReadFile(filepath.Join(root, "config", "admission", "policies.yaml"))
	require.NoError(t, err)
	known := regexp.MustCompile(`(?s)name: known\s+expression: >-(.*?)- name: ineffective`).FindSubmatch(policies)
	require.NotNil(t, known)
	rows := regexp.MustCompile("(?m)^\\| `(?:controllers.aiven.io/)?([a-z-]+)` \\|").FindAllSubmatch(page, -1)
	require.Greater(t, len(rows), 15)
	for _, row := range rows {
		assert.Contains(t, string(known[1]), "'"+string(row[1])+"'")
	}
}
