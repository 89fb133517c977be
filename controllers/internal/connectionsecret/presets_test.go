package connectionsecret_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/connectionsecret"
)

var update = flag.Bool("update", false, "write the golden files")

var allPresets = []aero.Preset{aero.PresetServiceBinding, aero.PresetCloudNativePG, aero.PresetLibpq, aero.PresetKafkaProperties, aero.PresetKafkaEnv}

// golden is what a source is made into.
type golden struct {
	Values  map[string]any               `json:"values"`
	Presets map[string]map[string]string `json:"presets,omitempty"`
	Errors  map[string]string            `json:"errors,omitempty"`
}

func TestEachTypeOfServiceHasItsValuesAndPresets(t *testing.T) {
	for name, source := range sources() {
		t.Run(name, func(t *testing.T) {
			values, err := connectionsecret.ValuesOf(source, &aero.SecretContents{}, "")
			require.NoError(t, err)
			got := golden{Values: values.Data(), Presets: map[string]map[string]string{}, Errors: map[string]string{}}
			delete(got.Values, "Endpoints") // all of them are in sources
			for _, preset := range allPresets {
				keys, err := values.Preset(preset)
				if err != nil {
					got.Errors[string(preset)] = err.Error()
					continue
				}
				got.Presets[string(preset)] = keys
			}
			data, err := yaml.Marshal(got)
			require.NoError(t, err)
			file := filepath.Join("testdata", name+".yaml")
			if *update {
				require.NoError(t, os.WriteFile(file, data, 0o600))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Equal(t, string(want), string(data))
		})
	}
	files, err := filepath.Glob("testdata/*.yaml")
	require.NoError(t, err)
	assert.Len(t, files, len(sources()), "each golden file is of a source")
}

func TestAKeyThatIsInSeveralPresetsHasTheSameValueInEach(t *testing.T) {
	shared := 0
	for name, source := range sources() {
		values, err := connectionsecret.ValuesOf(source, &aero.SecretContents{}, "")
		require.NoError(t, err)
		all := map[string]string{}
		for _, preset := range allPresets {
			keys, _ := values.Preset(preset)
			for key, value := range keys {
				if before, is := all[key]; is {
					shared++
					assert.Equal(t, before, value, "%s of %s", key, name)
				}
				all[key] = value
			}
		}
	}
	assert.NotZero(t, shared)
}

func TestAPresetIsForTheComponentThatItsClientsSpeakTo(t *testing.T) {
	for name, tc := range map[string]struct {
		source   connectionsecret.Source
		endpoint aero.EndpointSelector
		preset   aero.Preset
		says     string
	}{
		"the brokers":       {kafka(), aero.EndpointSelector{Component: "kafka"}, aero.PresetKafkaEnv, ""},
		"a schema registry": {kafka(), aero.EndpointSelector{Component: "schema_registry"}, aero.PresetKafkaEnv, "the preset KafkaEnv is for the component kafka, and spec.endpoint selects schema_registry"},
		"PgBouncer":         {postgres(), aero.EndpointSelector{Component: "pgbouncer"}, aero.PresetLibpq, ""},
		"any component":     {kafka(), aero.EndpointSelector{Component: "schema_registry"}, aero.PresetServiceBinding, ""},
		"an unknown preset": {kafka(), aero.EndpointSelector{}, "JDBC", `the preset "JDBC" isn't known. Use one of: CloudNativePG, KafkaEnv, KafkaProperties, Libpq, ServiceBinding`},
	} {
		t.Run(name, func(t *testing.T) {
			values, err := connectionsecret.ValuesOf(tc.source, &aero.SecretContents{Endpoint: &tc.endpoint}, "")
			require.NoError(t, err)
			keys, err := values.Preset(tc.preset)
			if tc.says != "" {
				assert.ErrorContains(t, err, tc.says)
				return
			}
			require.NoError(t, err)
			assert.NotEmpty(t, keys)
		})
	}
}
