package monitoring_test

import (
	"os"
	"testing"

	"github.com/aero-operator/aero/tests/harness/testenv"
)

// root is the folder of the project.
const root = "../../.."

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }
