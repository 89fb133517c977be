package controlplane

import (
	"fmt"
	"os"
	"path/filepath"
)

// assetsEnv names the folder of the programs, as other test tools do.
const assetsEnv = "KUBEBUILDER_ASSETS"

// FindAssets finds the folder that holds etcd, kube-apiserver and
// kube-controller-manager: KUBEBUILDER_ASSETS where set, else the first
// bin/k8s in the working folder or above it, which is where a test of this
// project finds what `make build` built.
func FindAssets() (string, error) {
	if dir := os.Getenv(assetsEnv); dir != "" {
		return dir, checkAssets(dir)
	}
	start, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("finding the control plane's programs: %w", err)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		assets := filepath.Join(dir, "bin", "k8s")
		if checkAssets(assets) == nil {
			return assets, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no control plane programs in bin/k8s of %s or above: run `make build`", start)
		}
	}
}

// checkAssets says which program is missing in dir.
func checkAssets(dir string) error {
	for _, name := range []string{etcdName, apiServerName, controllersName} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("no %s in %s: run `make build`", name, dir)
		}
	}
	return nil
}
