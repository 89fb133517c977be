package controlplane

import (
	"errors"
	"fmt"
	"os"

	"github.com/aero-operator/aero/tests/localaiven/lockeddir"
)

// dataDir is the folder of one control plane.
type dataDir struct{ *lockeddir.Folder }

// openDataDir creates and locks the folder. An empty path means a new folder
// for temporary files, which Close removes.
func openDataDir(path string) (d dataDir, err error) {
	if path == "" {
		d.Folder, err = lockeddir.Temp("aero-kube-*")
	} else {
		d.Folder, err = lockeddir.Open(path)
	}
	if err != nil {
		return d, fmt.Errorf("opening the data folder: %w", err)
	}
	for _, sub := range []string{d.etcd(), d.pki(), d.logs()} {
		if err := os.MkdirAll(sub, 0o700); err != nil {
			return d, errors.Join(fmt.Errorf("creating the data folder: %w", err), d.Close())
		}
	}
	return d, nil
}

func (d dataDir) etcd() string { return d.File("etcd") }
func (d dataDir) pki() string  { return d.File("pki") }
func (d dataDir) logs() string { return d.File("logs") }
