package migrate

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/harness/controlplane"
	"github.com/aero-operator/aero/tests/harness/kubectl"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// root is the folder of the project.
const root = "../../.."

// tools is a folder with the programs that the page uses, access the kubeconfig that they find, and served the kubectl that runs most commands.
var (
	tools, access string
	served        *kubectl.Server
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "aero-migrate-")
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	tools, access = filepath.Join(dir, "tools"), filepath.Join(dir, "kubeconfig")
	if err := gather(filepath.Join(dir, "kubectl.log")); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = served.Stop() }()
	// The kinds come from charts.
	return testenv.Main(m, func(o *controlplane.Options) { o.CRDDirs = nil })
}

// gather puts kubectl and helm into one folder, and starts the kubectl.
func gather(log string) error {
	helm, err := filepath.Abs(filepath.Join(root, "bin", "helm"))
	if err != nil {
		return err
	}
	_, missing := exec.LookPath(helm)
	if missing != nil {
		missing = fmt.Errorf("make helm builds it: %w", missing)
	}
	if err := errors.Join(missing, os.MkdirAll(tools, 0o700), os.Symlink(helm, filepath.Join(tools, "helm"))); err != nil {
		return err
	}
	served, err = kubectl.Serve(tools, log, os.Environ())
	return err
}

// newShell is a shell in a folder of its own, in which charts and manifests are where the page has them.
func newShell(t *testing.T) *shell {
	t.Helper()
	require.NoError(t, os.WriteFile(access, testenv.Kubeconfig(), 0o600))
	s := &shell{t: t, dir: t.TempDir(), page: readPage(t, "migrate.md")}
	for _, name := range []string{"charts", "config"} {
		folder, err := filepath.Abs(filepath.Join(root, name))
		require.NoError(t, err)
		require.NoError(t, os.Symlink(folder, filepath.Join(s.dir, name)))
	}
	s.names = s.page["Names"][0]
	return s
}
