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
	"golang.org/x/mod/modfile"
)

const project = "github.com/aero-operator/aero"

// notInstallable lists why `go install <module>/cmd/...@latest` fails for a module: Go refuses replaced modules, and the
// others of this project have no versions.
func notInstallable(file *modfile.File) (reasons []string) {
	for _, replaced := range file.Replace {
		reasons = append(reasons, "replaces "+replaced.Old.Path)
	}
	for _, excluded := range file.Exclude {
		reasons = append(reasons, "excludes "+excluded.Mod.Path)
	}
	for _, required := range file.Require {
		if belongsTo(required.Mod.Path, project) {
			reasons = append(reasons, "requires "+required.Mod.Path)
		}
	}
	return reasons
}

func belongsTo(imported, module string) bool {
	return imported == module || strings.HasPrefix(imported, module+"/")
}

func TestTheLocalAivenCanBeInstalledByItself(t *testing.T) {
	const folder = "tests/localaiven"
	data, err := os.ReadFile(filepath.Join(root, folder, "go.mod"))
	require.NoError(t, err)
	file, err := modfile.Parse("go.mod", data, nil)
	require.NoError(t, err)
	assert.Equal(t, project+"/"+folder, file.Module.Mod.Path)
	assert.Empty(t, notInstallable(file))
	assert.FileExists(t, filepath.Join(root, folder, "cmd/localaiven/main.go"))

	files := 0
	err = filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		files++
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, spec := range parsed.Imports {
			imported := strings.Trim(spec.Path.Value, `"`)
			assert.False(t, belongsTo(imported, project) && !belongsTo(imported, project+"/"+folder),
				"%s imports %s: the module can't require what has no version", path, imported)
		}
		return nil
	})
	require.NoError(t, err)
	assert.Greater(t, files, 100)
}

func TestModulesThatCannotBeInstalledAreFound(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		want []string
	}{
		"what others publish":              {"require github.com/stretchr/testify v1.11.1", nil},
		"a module in another folder":       {"replace example.com/a => ../a", []string{"replaces example.com/a"}},
		"a version that is left out":       {"exclude example.com/a v1.0.0", []string{"excludes example.com/a"}},
		"the operator":                     {"require " + project + " v0.0.0", []string{"requires " + project}},
		"another module of the project":    {"require " + project + "/tests v0.0.0", []string{"requires " + project + "/tests"}},
		"a module whose name begins alike": {"require " + project + "-charts v0.0.0", nil},
	} {
		t.Run(name, func(t *testing.T) {
			file, err := modfile.Parse("go.mod", []byte("module example.com/m\n"+tc.text), nil)
			require.NoError(t, err)
			assert.Equal(t, tc.want, notInstallable(file))
		})
	}
}
