package connectionsecret_test

import (
	"os"
	"testing"

	"github.com/aero-operator/aero/tests/harness/controlplane"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

func TestMain(m *testing.M) {
	os.Exit(testenv.Main(m, func(o *controlplane.Options) {
		o.CRDDirs = append(o.CRDDirs, "../../harness/controlplane/crds")
	}))
}
