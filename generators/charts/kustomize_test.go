package main

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

func TestKustomizeGetsWhatTheChartRenders(t *testing.T) {
	files, err := kustomize("../../" + chartFolder)
	require.NoError(t, err)
	var list struct{ Resources []string }
	require.NoError(t, yaml.Unmarshal([]byte(files[manifests+"/kustomization.yaml"]), &list))
	delete(files, manifests+"/kustomization.yaml")
	assert.Contains(t, list.Resources, "deployment.yaml")
	assert.Len(t, list.Resources, len(files))
	for _, name := range list.Resources {
		assert.Contains(t, files, manifests+"/"+name)
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		assert.NotContains(t, files[path], "Helm", path)
		assert.Contains(t, files[path], "\nkind: ", "%s: what renders to nothing is no file", path)
	}
}
