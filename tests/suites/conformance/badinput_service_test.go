package conformance_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/aero-operator/aero/api/v1alpha1"
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

// Aiven would take such a name in the body of a creation. The object gets no finalizer, so it can be deleted.
func TestANameThatNoPathCanHoldIsRefusedBeforeTheCreation(t *testing.T) {
	t.Parallel()
	const name = "reports/"
	for kindName, spoil := range map[string]func(testenv.Object) string{
		"ServiceUser": func(obj testenv.Object) string {
			obj.(*v1alpha1.ServiceUser).Spec.Username = name
			return "spec.username"
		},
		"KafkaTopic": func(obj testenv.Object) string {
			obj.(*v1alpha1.KafkaTopic).Spec.TopicName = name
			return "spec.topicName"
		},
		"KafkaSchema": func(obj testenv.Object) string {
			obj.(*v1alpha1.KafkaSchema).Spec.SubjectName = name
			return "spec.subjectName"
		},
		"ClickhouseDatabase": func(obj testenv.Object) string {
			obj.(*v1alpha1.ClickhouseDatabase).Spec.DatabaseName = name
			return "spec.databaseName"
		},
	} {
		t.Run(kindName, func(t *testing.T) {
			t.Parallel()
			s := newCase(t, entryOf(t, kindName), testenv.Options{}, false)
			field := spoil(s.obj)
			s.Create(s.obj)
			s.Wait(s.obj, isInvalid(field, name)...)
			assert.Empty(t, s.Aiven.Writes(0))
			assert.Empty(t, s.obj.GetFinalizers())
			s.Delete(s.obj)
			s.WaitGone(s.obj)
		})
	}
}
