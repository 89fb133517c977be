package structure_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEachStationHasOneNameInCodeAndPages(t *testing.T) {
	code, err := os.ReadFile(filepath.Join(root, "controllers/reconciler.go"))
	require.NoError(t, err)
	stations := regexp.MustCompile(`\{"(\w+)", r\.(\w+)\}`).FindAllSubmatch(code, -1)
	require.Greater(t, len(stations), 20)
	for _, page := range []string{"docs/user/tracing.md", "docs/contributor/architecture.md"} {
		text, err := os.ReadFile(filepath.Join(root, page))
		require.NoError(t, err)
		for _, station := range stations {
			assert.Equal(t, string(station[2]), string(station[1]), "the name of a station is that of its function")
			assert.Regexp(t, `\b`+string(station[1])+`\b`, string(text), "%s doesn't have the station", page)
		}
	}
}
