package isolation_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/aero-operator/aero/tests/harness/controlplane"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// auditLog is that of the API server.
var auditLog string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "aero-isolation-")
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	auditLog = filepath.Join(dir, "audit.log")
	return testenv.Main(m, func(o *controlplane.Options) { o.AuditLog = auditLog })
}
