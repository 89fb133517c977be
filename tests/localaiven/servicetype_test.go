package localaiven_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

func TestATypeOfServiceHasTheSchemaOfItsOptionsAndTheDiskAndThePriceOfItsPlans(t *testing.T) {
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
	for name, plan := range map[string]string{"0.08000": "startup-4", "0.16000": "startup-8", "0.32000": "business-8"} {
		price, err := h.client.ProjectServicePlanPriceGet(ctx, proj, "pg", plan, "google-europe-west1")
		require.NoError(t, err)
		assert.Equal(t, name, price.BasePriceUsd, plan)
	}
	_, err = h.client.ProjectServicePlanPriceGet(ctx, proj, "pg", "none-4", "google-europe-west1")
	assert.ErrorContains(t, err, "Invalid plan")
	_, err = h.client.ProjectServicePlanPriceGet(ctx, proj, "pg", "startup-4", "moon-1")
	assert.ErrorContains(t, err, "Invalid cloud")
}
