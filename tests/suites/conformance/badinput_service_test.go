package conformance_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/aero-operator/aero/tests/harness/testenv"
)

// refusedSettings are settings that only Aiven can refuse.
var refusedSettings = map[string]struct {
	path  []string
	value any
	shows string
}{
	"plan":   {[]string{"plan"}, "startup-5", "Aiven rejected spec.plan: Invalid plan 'startup-5'"},
	"cloud":  {[]string{"cloudName"}, "mars-north1", "Aiven rejected spec.cloudName: Invalid cloud 'mars-north1'"},
	"window": {[]string{"maintenanceWindowTime"}, "25:00:00", "Aiven rejected spec.maintenanceWindowTime: Invalid maintenance.time '25:00:00'"},
	"disk":   {[]string{"disk_space"}, "1GiB", "Aiven rejected spec.disk_space: Invalid disk_space_mb 1024"},
	"filter": {
		[]string{"userConfig", "ip_filter"}, []any{map[string]any{"network": "10.0.0.0/33"}},
		"Aiven rejected spec.userConfig.ip_filter.0.network: Invalid input for user_config.ip_filter.0.network: '10.0.0.0/33'",
	},
}

func TestE04_WhatAivenRefusesOfAServiceNamesItsFieldOnce(t *testing.T) {
	t.Parallel()
	var services []kind
	var names []string
	for _, k := range allKinds {
		if k.resource == "service" {
			services, names = append(services, k), append(names, k.name)
		}
	}
	e := testenv.New(t, testenv.Options{Kinds: names, Config: testenv.OnlyWatches})
	objects := map[testenv.Object]string{}
	for _, k := range services {
		for says, tc := range refusedSettings {
			if k.name == "KafkaConnect" && says == "disk" {
				continue // it has none
			}
			obj := e.Example(k.example)
			obj.SetName(strings.ToLower(k.name) + "-" + says)
			content := loose(e, obj)
			require.NoError(t, unstructured.SetNestedField(content.Object, tc.value, slices.Concat([]string{"spec"}, tc.path)...))
			require.NoError(t, e.Client.Create(t.Context(), content), obj.GetName())
			objects[obj] = tc.shows
		}
	}
	for obj, shows := range objects {
		e.Wait(obj, isInvalid(shows)...)
	}
	e.Rest(0)
	assert.Len(t, e.Aiven.Writes(0), len(objects), "one request for each")
	for obj := range objects {
		warnedOnce(e, obj)
	}
}
