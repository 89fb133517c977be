package structure_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/modfile"
)

const (
	root = "../../.."

	maxFile         = 300  // lines
	maxKindFile     = 250  // lines
	maxEngine       = 1450 // lines; why it isn't 900 is in docs/decisions/0011-the-size-of-the-engine.md
	maxDependencies = 24   // direct ones of the operator
)

// sources gives the lines of each hand-written Go file below a folder, tests left out.
func sources(t *testing.T, folder string) map[string]int {
	t.Helper()
	lines := map[string]int{}
	err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil && !bytes.Contains(data, []byte("DO NOT EDIT.")) {
			lines[path] = bytes.Count(data, []byte("\n"))
		}
		return err
	})
	require.NoError(t, err)
	require.NotEmpty(t, lines, "no source found below %s", folder)
	return lines
}

func TestFilesStayReadable(t *testing.T) {
	for path, lines := range sources(t, "") {
		assert.LessOrEqual(t, lines, maxFile, "%s is long: which second thing does it do?", path)
	}
}

func TestAKindIsASmallFile(t *testing.T) {
	for path, lines := range sources(t, "controllers/kinds") {
		assert.LessOrEqual(t, lines, maxKindFile, "%s is long: what of it is common to its family?", path)
	}
}

func TestTheEngineStaysSmall(t *testing.T) {
	sum := 0
	for path, lines := range sources(t, "controllers") {
		if filepath.Dir(path) == filepath.Join(root, "controllers") {
			sum += lines
		}
	}
	assert.LessOrEqual(t, sum, maxEngine, "the engine has grown: what of it belongs to a floor below?")
}

func TestDependenciesStayFew(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	file, err := modfile.Parse("go.mod", data, nil)
	require.NoError(t, err)
	var direct []string
	for _, module := range file.Require {
		if !module.Indirect {
			direct = append(direct, module.Mod.Path)
		}
	}
	assert.NotEmpty(t, direct)
	assert.LessOrEqual(t, len(direct), maxDependencies, "direct dependencies: %v", direct)
}
