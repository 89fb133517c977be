package structure_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/modfile"
)

const (
	root = "../../.."

	maxFile         = 300 // lines
	maxKind         = 250 // lines
	maxKindFiles    = 2
	maxEngine       = 950 // lines; see docs/decisions/0011-the-size-of-the-engine.md
	maxDependencies = 24  // direct ones of the operator and of its plugin for kubectl
)

// sources returns the lines of each hand-written Go file below a folder, tests left out.
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

func TestAKindIsSmall(t *testing.T) {
	list, err := os.ReadFile(filepath.Join(root, "controllers/kinds/kinds.go"))
	require.NoError(t, err)
	// A kind is a variable of its family: postgres.Pool.
	kinds := regexp.MustCompile(`(?m)^\t\t(\w+)\.(\w+),`).FindAllStringSubmatch(string(list), -1)
	require.Len(t, kinds, len(allKinds(t)), "controllers/kinds/kinds.go lists the kinds one a line")
	families := map[string][]string{}
	for _, kind := range kinds {
		families[kind[1]] = append(families[kind[1]], kind[2])
	}
	sizes := sources(t, "controllers/kinds")
	for name, kinds := range families {
		folder := filepath.Join(root, "controllers/kinds", name)
		for kind, files := range parseFamily(t, contents(t, folder, sizes)).filesOf(t, kinds) {
			lines := 0
			for _, file := range files {
				lines += sizes[filepath.Join(folder, file)]
			}
			assert.LessOrEqual(t, len(files), maxKindFiles, "%s.%s has the files %v", name, kind, files)
			assert.LessOrEqual(t, lines, maxKind, "%s.%s is long (%v): what is common to its family, or computes without I/O?",
				name, kind, files)
		}
	}
}

// contents are those of the files of a folder itself, by their names.
func contents(t *testing.T, folder string, files map[string]int) map[string]string {
	t.Helper()
	found := map[string]string{}
	for path := range files {
		if filepath.Dir(path) == folder {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			found[filepath.Base(path)] = string(data)
		}
	}
	return found
}

// allKinds are the CRDs, one for each kind of aiven.io.
func allKinds(t *testing.T) []string {
	t.Helper()
	crds, err := filepath.Glob(filepath.Join(root, "config/crd/bases/aiven.io_*.yaml"))
	require.NoError(t, err)
	return crds
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

func TestDependenciesAreFewAndHaveReasons(t *testing.T) {
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
	assert.LessOrEqual(t, len(direct), maxDependencies, "direct dependencies: %v", direct)

	const page = "docs/contributor/architecture.md"
	_, table, found := strings.Cut(readPage(t, page), "\n## Dependencies\n")
	require.True(t, found)
	var named []string
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\S+)` \\| \\S.* \\|$").FindAllStringSubmatch(table, -1) {
		named = append(named, row[1])
	}
	assert.ElementsMatch(t, direct, named, "go.mod, and the table in %s: what is the reason for it?", page)
}
