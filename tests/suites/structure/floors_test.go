package structure_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ofFamilies are packages that the table names together: those of kinds.
var ofFamilies = regexp.MustCompile(`^controllers/kinds/[^/]+$`)

// floors are the packages that the table of architecture.md names, with the floor of each.
func floors(t *testing.T) map[string]int {
	t.Helper()
	_, table, found := strings.Cut(readPage(t, "docs/contributor/architecture.md"), "\n## Floors\n")
	require.True(t, found)
	table, _, found = strings.Cut(table, "\n## ")
	require.True(t, found)
	floors := map[string]int{}
	for _, row := range regexp.MustCompile(`(?m)^\| (\d) \| (.*?) \|`).FindAllStringSubmatch(table, -1) {
		folder := ""
		for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[2], -1) {
			if !strings.Contains(name[1], "/") && folder != "" {
				name[1] = folder + "/" + name[1] // cmd/kubectl-aero/internal/explain, tree, table
			}
			folder, floors[name[1]] = filepath.Dir(name[1]), int(row[1][0]-'0')
		}
	}
	return floors
}

func TestEachPackageIsOnAFloor(t *testing.T) {
	named := floors(t)
	packages := 0
	for _, top := range []string{"controllers", "internal", "cmd"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, top), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.IsDir() {
				return err
			}
			files, err := filepath.Glob(filepath.Join(path, "*.go"))
			folder, _ := filepath.Rel(root, path)
			if len(files) > 0 && !ofFamilies.MatchString(folder) {
				packages++
				assert.Contains(t, named, folder, "the table of floors has no row for %s", folder)
			}
			return err
		}))
	}
	assert.Greater(t, packages, 30)
	for name := range named {
		if strings.Contains(name, "/") && !strings.Contains(name, "<") {
			info, err := os.Stat(filepath.Join(root, name))
			assert.True(t, err == nil && info.IsDir(), "the table of floors has a row for %s, which doesn't exist", name)
		}
	}
}

// States of objects are collected from the cache: setup.go connects that, and the times of reconciles.
func TestTheFilesOfTheEngineCountOnlyRecreations(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "controllers/*.go"))
	require.NoError(t, err)
	used := map[string]bool{}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") || filepath.Base(path) == "setup.go" {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "metrics" {
					used[s.Sel.Name] = true
				}
			}
			return true
		})
	}
	assert.Equal(t, map[string]bool{"CountCreation": true}, used)
}
