package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// krew knows a plugin by the name without kubectl-, and refuses a manifest with other fields.
type krewPlugin struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Version          string         `json:"version"`
		Homepage         string         `json:"homepage"`
		ShortDescription string         `json:"shortDescription"`
		Description      string         `json:"description"`
		Caveats          string         `json:"caveats"`
		Platforms        []krewPlatform `json:"platforms"`
	} `json:"spec"`
}

type krewPlatform struct {
	Selector struct {
		MatchLabels map[string]string `json:"matchLabels"`
	} `json:"selector"`
	URI    string `json:"uri"`
	SHA256 string `json:"sha256"`
	Bin    string `json:"bin"`
}

func TestTheManifestForKrewNamesTheProgram(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "config", "krew", "aero.yaml"))
	require.NoError(t, err)
	var plugin krewPlugin
	require.NoError(t, yaml.UnmarshalStrict(text, &plugin))
	folder, err := filepath.Abs(".")
	require.NoError(t, err)
	program := filepath.Base(folder)
	assert.Equal(t, "krew.googlecontainertools.github.com/v1alpha2", plugin.APIVersion)
	assert.Equal(t, "Plugin", plugin.Kind)
	assert.Equal(t, program, "kubectl-"+plugin.Metadata.Name)
	assert.Equal(t, "${VERSION}", plugin.Spec.Version)
	assert.LessOrEqual(t, len(plugin.Spec.ShortDescription), 50, "krew's list cuts it")
	require.Len(t, plugin.Spec.Platforms, 5)
	for _, platform := range plugin.Spec.Platforms {
		of := platform.Selector.MatchLabels
		bin, archive := program, ".tar.gz"
		if of["os"] == "windows" {
			bin, archive = program+".exe", ".zip"
		}
		assert.Equal(t, bin, platform.Bin)
		assert.True(t, strings.HasSuffix(platform.URI, "/${VERSION}/"+program+"_"+of["os"]+"_"+of["arch"]+archive), platform.URI)
		assert.Equal(t, "${SHA256_"+strings.ToUpper(of["os"]+"_"+of["arch"])+"}", platform.SHA256)
	}
}
