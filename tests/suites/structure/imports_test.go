package structure_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
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

// importsOf calls check with each import of the Go files below a folder, tests left out, and returns the number of files.
func importsOf(t *testing.T, folder string, check func(path, imported string)) (files int) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files++
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, imported := range parsed.Imports {
			check(path, strings.Trim(imported.Path.Value, `"`))
		}
		return nil
	})
	require.NoError(t, err)
	return files
}

func TestP16_NoKindCanWriteConditionsEventsOrSecrets(t *testing.T) {
	files := importsOf(t, "controllers/kinds", func(path, imported string) {
		for _, forbidden := range engineOnly {
			assert.NotContains(t, imported, forbidden, path)
		}
	})
	assert.Greater(t, files, 8)
}

func TestAFamilyOfKindsDoesNotImportAnother(t *testing.T) {
	const kinds = "controllers/kinds"
	families, err := os.ReadDir(filepath.Join(root, kinds))
	require.NoError(t, err)
	files := 0
	for _, family := range families {
		if !family.IsDir() {
			continue
		}
		files += importsOf(t, filepath.Join(kinds, family.Name()), func(path, imported string) {
			if _, other, isKind := strings.Cut(imported, "/aero/"+kinds+"/"); isKind {
				assert.Equal(t, family.Name(), strings.SplitN(other, "/", 2)[0], "%s: what families share belongs to resource or service", path)
			}
		})
	}
	assert.Greater(t, files, 8)
}

func TestTheRootHoldsMainGoAndNoOtherGoFile(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "*.go"))
	require.NoError(t, err)
	assert.Equal(t, []string{filepath.Join(root, "main.go")}, files)
}
