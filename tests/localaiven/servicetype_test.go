package localaiven_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

func TestATypeOfServiceHasTheSchemaOfItsOptionsAndTheDiskOfItsPlans(t *testing.T) {
	h := start(t, localaiven.Options{})
	ctx := t.Context()
	found, err := h.client.ProjectServiceTypesGet(ctx, proj, "kafka")
	require.NoError(t, err)
	properties := found.UserConfigSchema["properties"].(map[string]any)
	assert.Equal(t, false, properties["kafka_connect"].(map[string]any)["default"])
	assert.Contains(t, properties["kafka"].(map[string]any)["properties"], "auto_create_topics_enable")
	plan, err := h.client.ProjectServicePlanSpecsGet(ctx, proj, "pg", "startup-4")
	require.NoError(t, err)
	assert.Equal(t, 80*1024, plan.DiskSpaceMb)
	_, err = h.client.ProjectServiceTypesGet(ctx, proj, "none")
	assert.ErrorContains(t, err, "404")
	_, err = h.client.ProjectServicePlanSpecsGet(ctx, proj, "pg", "none-4")
	assert.ErrorContains(t, err, "Invalid plan")
}
