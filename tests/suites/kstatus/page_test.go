package kstatus

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// page is the one whose manifests are tested, so that they are what readers copy.
func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "user", "gitops.md"))
	require.NoError(t, err)
	return string(text)
}

// manifest is the one of a kind in the page.
func manifest(t *testing.T, apiVersion, kind string) []byte {
	t.Helper()
	block := regexp.MustCompile("(?s)```yaml\n(apiVersion: " + regexp.QuoteMeta(apiVersion) + "\nkind: " + kind + "\n.*?)```")
	found := block.FindStringSubmatch(page(t))
	require.NotNil(t, found, kind)
	return []byte(found[1])
}
