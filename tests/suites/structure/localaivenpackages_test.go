package structure_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const localAiven = "tests/localaiven"

// maxAdapter is how many lines of the local Aiven's server may connect it with a package of its own: as many as fit into one
// file. Finding the service of a call, decoding its body and passing a refusal on fits; what an API decides or remembers
// doesn't.
const maxAdapter = maxFile

// localAivenPackages are parts of the local Aiven that are packages of their own, and how the names of the server's files
// about them begin.
var localAivenPackages = map[string][]string{
	"clickhousesql":      {"clickhouse"},
	"schemaregistry":     {"schemaregistry"},
	"serviceintegration": {"endpoint", "integration"},
}

// adapterLines sums up the lines of the files in a folder itself whose names begin with one of the prefixes.
func adapterLines(lines map[string]int, folder string, prefixes []string) (sum int) {
	for path, n := range lines {
		named := slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(filepath.Base(path), prefix) })
		if filepath.Dir(path) == folder && named {
			sum += n
		}
	}
	return sum
}

func TestPartsOfTheLocalAivenArePackagesOfTheirOwn(t *testing.T) {
	folder := filepath.Join(root, localAiven)
	lines := sources(t, localAiven)
	for name, prefixes := range localAivenPackages {
		sum := adapterLines(lines, folder, prefixes)
		assert.Positive(t, sum, "no file of the server is about %s: what are its names?", name)
		assert.LessOrEqual(t, sum, maxAdapter, "files %v of the server: what of them belongs into %s?", prefixes, name)

		own := adapterLines(lines, filepath.Join(folder, name), []string{""})
		assert.Greater(t, own, sum, "%s has less than what connects it with the server", name)
	}
}

// TestTheServerImportsItsPackages finds a part that came back into the server, whose package would be left unused.
func TestTheServerImportsItsPackages(t *testing.T) {
	imported := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(root, localAiven, "*.go"))
	require.NoError(t, err)
	for _, path := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, spec := range parsed.Imports {
			imported[strings.Trim(spec.Path.Value, `"`)] = true
		}
	}
	for name := range localAivenPackages {
		assert.True(t, imported[project+"/"+localAiven+"/"+name], "the server doesn't use %s", name)
	}
}

func TestLinesOfAdaptersAreCounted(t *testing.T) {
	lines := map[string]int{"a/registry.go": 10, "a/registryweb.go": 5, "a/registry/registry.go": 100, "a/other.go": 1, "b/registry.go": 1000}
	assert.Equal(t, 15, adapterLines(lines, "a", []string{"registry"}))
	assert.Equal(t, 16, adapterLines(lines, "a", []string{"registry", "other"}))
	assert.Equal(t, 100, adapterLines(lines, "a/registry", []string{""}))
}
