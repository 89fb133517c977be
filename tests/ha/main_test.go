package ha_test

import (
	"os"
	"testing"

	"github.com/aero-operator/aero/tests/env"
)

func TestMain(m *testing.M) { os.Exit(env.Main(m)) }
