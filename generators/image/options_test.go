package main

import (
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhatCanNotBeBuiltIsRefusedInOneLineBeforeItIsCompiled(t *testing.T) {
	for name, test := range map[string]struct {
		flags []string
		says  []string
	}{
		"an unknown platform":           {[]string{"--platforms", "linux/amd46"}, []string{"--platforms", `"linux/amd46"`, "PLATFORMS", "linux/amd64,linux/arm64"}},
		"one of two is unknown":         {[]string{"--platforms", "linux/amd64,windows/amd64"}, []string{`"windows/amd64"`}},
		"no platform":                   {[]string{"--platforms", ""}, []string{"--platforms", "linux/amd64"}},
		"a target that can't be read":   {[]string{"--push", "registry.example.com/Aero:v1"}, []string{"--push", `"registry.example.com/Aero:v1"`, "REGISTRY/NAME:TAG"}},
		"a target without a registry":   {[]string{"--push", "aero:v1"}, []string{"--push", "REGISTRY/NAME:TAG"}},
		"a target without a tag":        {[]string{"--push", "registry.example.com/aero"}, []string{"--push", "registry.example.com/aero:" + version}},
		"a target that is a digest":     {[]string{"--push", "registry.example.com/aero@sha256:00"}, []string{"--push"}},
		"no version":                    {[]string{"--version", ""}, []string{"--version", "VERSION"}},
		"a version that can't be a tag": {[]string{"--version", "1.0+meta"}, []string{"--version", `"1.0+meta"`}},
		"a version with flags in it":    {[]string{"--version", "v1 -X main.other=x"}, []string{"--version"}},
		"no commit":                     {[]string{"--revision", ""}, []string{"--revision", "REVISION"}},
		"half a commit":                 {[]string{"--revision", "0123456"}, []string{"--revision", `"0123456"`, "40"}},
		"a builder that is no URL":      {[]string{"--builder", "my laptop"}, []string{"--builder", `"my laptop"`, "BUILDER"}},
		"a key that isn't there":        {[]string{"--key", "/nowhere/key.pem"}, []string{"--key", "/nowhere/key.pem"}},
		"a release of no clone":         {[]string{"--release"}, []string{"--release", "git rev-parse"}},
		"no time":                       {[]string{"--created", ""}, []string{"--created", "SOURCE_DATE_EPOCH"}},
		"a time before 1970":            {[]string{"--created", "-1"}, []string{"--created", `"-1"`}},
		"a date for a time":             {[]string{"--created", "2023-11-14"}, []string{"--created", `"2023-11-14"`}},
		"a word that is no flag":        {[]string{"linux/amd64"}, []string{`"linux/amd64"`}},
	} {
		t.Run(name, func(t *testing.T) {
			// Compiling this module would fail, with another error.
			err := run(t.Context(), arguments(t.TempDir(), t.TempDir(), test.flags...), io.Discard)
			require.Error(t, err)
			for _, says := range test.says {
				assert.ErrorContains(t, err, says)
			}
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestPlatformsKeepTheirOrder(t *testing.T) {
	o, err := parse(arguments(".", ".", "--platforms", "linux/arm64,linux/amd64,linux/arm64"))
	require.NoError(t, err)
	assert.Equal(t, "linux/amd64,linux/arm64", join(o.platforms))
}
