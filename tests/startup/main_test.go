package startup_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/aero-operator/aero/tests/env"
	"github.com/aero-operator/aero/tests/kube"
)

// root is the folder of the project.
const root = "../.."

// auditLog is that of the API server.
var auditLog string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "aero-startup-")
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	auditLog = filepath.Join(dir, "audit.log")
	return env.Main(m, func(o *kube.Options) { o.AuditLog = auditLog })
}
