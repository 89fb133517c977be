package structure_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/modfile"
)

// requirements are the versions that a module's go.mod names, by paths.
func requirements(t *testing.T, folder string) map[string]string {
	name := filepath.Join(root, folder, "go.mod")
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	file, err := modfile.Parse(name, data, nil)
	require.NoError(t, err)
	versions := map[string]string{}
	for _, required := range file.Require {
		versions[required.Mod.Path] = required.Mod.Version
	}
	return versions
}

// A package is compiled once for each version of anything below it, and most of them import protobuf or golang.org/x: a bare
// machine would compile the clients of Kubernetes twice.
func TestTheModulesOfTheDemoAgreeOnVersions(t *testing.T) {
	tests := requirements(t, "tests")
	for _, folder := range []string{".", "tests/localaiven"} {
		for path, version := range requirements(t, folder) {
			if other, both := tests[path]; both {
				assert.Equal(t, other, version, "%s in %s/go.mod, and in tests/go.mod: go get the newer one in both", path, folder)
			}
		}
	}
}
