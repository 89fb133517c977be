package controlplane_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/harness/controlplane"
)

func TestMissingProgramsAreNamedWithTheRemedy(t *testing.T) {
	t.Run("in the folder of KUBEBUILDER_ASSETS", func(t *testing.T) {
		t.Setenv("KUBEBUILDER_ASSETS", t.TempDir())
		_, err := controlplane.FindAssets()
		require.ErrorContains(t, err, "run `make build`")
	})
	t.Run("above the working folder", func(t *testing.T) {
		t.Setenv("KUBEBUILDER_ASSETS", "")
		t.Chdir(t.TempDir())
		_, err := controlplane.FindAssets()
		require.ErrorContains(t, err, "run `make build`")
	})
	t.Run("in the folder of the options", func(t *testing.T) {
		_, err := controlplane.Start(t.Context(), controlplane.Options{AssetsDir: t.TempDir()})
		require.ErrorContains(t, err, "run `make build`")
	})
}
