package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAMistakeInTheCommandLineEndsInOneLine(t *testing.T) {
	empty, programs := t.TempDir(), t.TempDir()
	for _, name := range []string{"manager", "localaiven", "controlplane", "k8s/kubectl"} {
		require.NoError(t, os.MkdirAll(filepath.Join(programs, name), 0o755))
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"an unknown flag":                   {[]string{"--colour"}, "not defined"},
		"a debugger without --run":          {[]string{"--debug", "127.0.0.1:0"}, "--debug needs --run"},
		"a debugger that isn't built":       {[]string{"--bin", programs, "--run", "--debug", "127.0.0.1:0"}, "run `make debug`"},
		"an argument":                       {[]string{"now"}, `unexpected argument "now"`},
		"programs that aren't built":        {[]string{"--bin", empty}, "run `make build`"},
		"a folder that isn't the project's": {[]string{"--bin", programs, "--root", empty}, "--root is the project's folder"},
		"programs that lie somewhere else":  {[]string{"--bin", programs}, "--root is the project's folder"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parse(c.args)
			require.ErrorContains(t, err, c.want)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestTheSecretAloneDecidesHowToConnect(t *testing.T) {
	t.Setenv("PGSERVICE", "elsewhere")
	t.Setenv("PAGER", "less")
	require.NoError(t, forgetPostgres())
	assert.NotContains(t, os.Environ(), "PGSERVICE=elsewhere")
	assert.Equal(t, "less", os.Getenv("PAGER"))
}
