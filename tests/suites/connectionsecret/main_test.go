package connectionsecret_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/aero-operator/aero/tests/harness/controlplane"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// classes is the folder of compiled programs in Java.
var classes string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "aero-connectionsecret-")
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	classes = dir
	return testenv.Main(m, func(o *controlplane.Options) {
		o.CRDDirs = append(o.CRDDirs, "../../harness/controlplane/crds")
	})
}
