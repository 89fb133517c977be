package site

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// What make site has downloaded once is all that it needs: here it has no network, not even that of the machine with itself.
func TestTheSiteIsBuiltWithoutANetwork(t *testing.T) {
	if out, err := exec.Command("unshare", "--net", "true").CombinedOutput(); err != nil {
		t.Skipf("a network namespace needs more permissions: %s", out)
	}
	hugo, err := filepath.Abs(root + "/bin/hugo")
	require.NoError(t, err)
	require.FileExists(t, hugo, "make site builds it")
	bin := t.TempDir()
	require.NoError(t, os.Symlink(hugo, filepath.Join(bin, "hugo")))
	require.NoError(t, os.Mkdir(filepath.Join(bin, "site"), 0o755))
	out, err := exec.Command("unshare", "--net", "bash", root+"/site/build.sh", bin, "latest", "/", "HEAD").CombinedOutput()
	require.NoError(t, err, string(out))
	require.FileExists(t, filepath.Join(bin, "site", "latest", "index.html"))
}
