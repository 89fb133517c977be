package userconfig_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven/userconfig"
)

func TestSettingsAreMergedAndHaveDefaults(t *testing.T) {
	logs := userconfig.OfIntegration("logs")
	got, err := logs.Apply(map[string]any{"elasticsearch_index_prefix": "mine"}, map[string]any{"elasticsearch_index_days_max": 7})
	require.NoError(t, err)
	assert.Equal(t, "mine", got["elasticsearch_index_prefix"])
	assert.EqualValues(t, 7, got["elasticsearch_index_days_max"])
	got, err = logs.Apply(got, map[string]any{"elasticsearch_index_prefix": nil})
	require.NoError(t, err)
	assert.Equal(t, "logs", got["elasticsearch_index_prefix"], "null resets to the default")
	_, err = logs.Apply(nil, map[string]any{"elasticsearch_index_days_max": 0})
	require.ErrorContains(t, err, "Invalid input for user_config.elasticsearch_index_days_max: must be at least 1")
}

func TestTypesWithoutADescription(t *testing.T) {
	assert.Nil(t, userconfig.OfEndpoint("magic"))
	_, err := userconfig.OfIntegration("magic").Apply(nil, map[string]any{"a": 1})
	require.EqualError(t, err, "Invalid user_config: 'a' was unexpected")
}

func TestSecretsAreHidden(t *testing.T) {
	shown := userconfig.OfEndpoint("prometheus").Hide(map[string]any{"basic_auth_username": "u", "basic_auth_password": "p"})
	assert.Equal(t, map[string]any{"basic_auth_username": "u", "basic_auth_password": userconfig.Redacted}, shown)
}
