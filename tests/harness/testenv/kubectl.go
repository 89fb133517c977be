package testenv

import (
	"os"
	"os/exec"
	"path/filepath"

	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/harness/controlplane"
)

// Kubectl runs kubectl in the namespace of the test, and returns what it prints.
func (e *Env) Kubectl(args ...string) string {
	e.T.Helper()
	assets, err := controlplane.FindAssets()
	require.NoError(e.T, err)
	args = append([]string{"--kubeconfig", e.KubeconfigFile(), "--namespace", e.Namespace}, args...)
	out, err := exec.CommandContext(e.T.Context(), filepath.Join(assets, "kubectl"), args...).CombinedOutput()
	require.NoError(e.T, err, string(out))
	return string(out)
}

// KubeconfigFile is the path of a file with Kubeconfig.
func (e *Env) KubeconfigFile() string {
	e.T.Helper()
	path := filepath.Join(e.T.TempDir(), "kubeconfig")
	require.NoError(e.T, os.WriteFile(path, Kubeconfig(), 0o600))
	return path
}
