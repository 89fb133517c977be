package conformance_test

import (
	"os"
	"testing"

	"github.com/aero-operator/aero/tests/harness/testenv"
)

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }
