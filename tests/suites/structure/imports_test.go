package structure_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a kind would need to write conditions, events, annotations or Secrets by itself.
var engineOnly = []string{
	"controllers/internal/condition", "controllers/internal/event", "controllers/internal/credentials", "controllers/internal/policy",
	"k8s.io/client-go",
}

func TestP16_NoKindCanWriteConditionsEventsOrSecrets(t *testing.T) {
	files := 0
	err := filepath.WalkDir(filepath.Join(root, "controllers", "kinds"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files++
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, imported := range parsed.Imports {
			for _, forbidden := range engineOnly {
				assert.NotContains(t, imported.Path.Value, forbidden, path)
			}
		}
		return nil
	})
	require.NoError(t, err)
	assert.Greater(t, files, 8)
}
