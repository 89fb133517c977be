package localaiven_test

import (
	"testing"

	aiven "github.com/aiven/go-client-codegen"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
	"github.com/aero-operator/aero/tests/localaiven/admin"
)

// withLogs makes an integration of the services svcName and kafkaName.
func withLogs(t *testing.T, h *harness) *service.ServiceIntegrationCreateOut {
	t.Helper()
	made, err := h.client.ServiceIntegrationCreate(t.Context(), proj, &service.ServiceIntegrationCreateIn{
		IntegrationType: "kafka_logs", SourceService: ptr(svcName), DestService: ptr(kafkaName),
		UserConfig: &map[string]any{"kafka_topic": "logs"},
	})
	require.NoError(t, err)
	return made
}

func (h *harness) integration(t *testing.T, id string) *service.ServiceIntegrationGetOut {
	t.Helper()
	got, err := h.client.ServiceIntegrationGet(t.Context(), proj, id)
	require.NoError(t, err)
	return got
}

func TestAnIntegrationTakesItsTimeToBeActive(t *testing.T) {
	h := runningKafka(t, localaiven.Options{IntegrationTime: provision})
	h.create(t, service.ServiceCreateIn{})
	made := withLogs(t, h)
	assert.False(t, made.Active)
	assert.EqualValues(t, "starting", made.IntegrationStatus.State.Status)
	assert.False(t, h.integration(t, made.ServiceIntegrationId).Active)
	assert.False(t, h.getKafka(t).ServiceIntegrations[0].Active)
	h.clock.Advance(provision)
	for _, shown := range []service.ServiceIntegrationOut{h.getKafka(t).ServiceIntegrations[0], h.get(t).ServiceIntegrations[0]} {
		assert.True(t, shown.Active)
		assert.EqualValues(t, "running", shown.IntegrationStatus.State.Status)
	}
	assert.True(t, h.integration(t, made.ServiceIntegrationId).Active)
}

func TestAnIntegrationIsChangedAtTheConsole(t *testing.T) {
	h := runningKafka(t, localaiven.Options{IntegrationTime: provision})
	h.create(t, service.ServiceCreateIn{})
	id := withLogs(t, h).ServiceIntegrationId
	console := admin.Client{URL: h.url}
	require.NoError(t, console.PatchIntegration(t.Context(), proj, id, map[string]any{
		"active": false, "enabled": false, "status": "failed", "status_user_desc": "No such topic", "errors": []string{"one"},
		"user_config": map[string]any{"kafka_topic": "changed"},
	}))
	got := h.integration(t, id)
	assert.False(t, got.Active)
	assert.False(t, got.Enabled)
	assert.EqualValues(t, "failed", got.IntegrationStatus.State.Status)
	assert.Equal(t, []string{"one"}, got.IntegrationStatus.State.Errors)
	assert.Equal(t, "No such topic", got.IntegrationStatus.StatusUserDesc)
	assert.Equal(t, "changed", got.UserConfig["kafka_topic"])
	assert.Equal(t, "changed", h.getKafka(t).ServiceIntegrations[0].UserConfig["kafka_topic"])
	require.NoError(t, h.PatchIntegration(proj, id, map[string]any{"active": true}))
	assert.True(t, h.integration(t, id).Active)

	require.Error(t, h.PatchIntegration(proj, "nope", map[string]any{"active": true}))
	require.Error(t, h.PatchIntegration(proj, id, map[string]any{"status": "fine"}))
	require.Error(t, h.PatchIntegration(proj, id, map[string]any{"colour": 1}))
}

func TestAnIntegrationIsReadLate(t *testing.T) {
	h := runningKafka(t, localaiven.Options{Eventual: lag})
	h.create(t, service.ServiceCreateIn{})
	h.clock.Advance(lag)
	id := withLogs(t, h).ServiceIntegrationId
	_, err := h.client.ServiceIntegrationGet(t.Context(), proj, id)
	require.True(t, aiven.IsNotFound(err), err)
	h.clock.Advance(lag)
	assert.Equal(t, "logs", h.integration(t, id).UserConfig["kafka_topic"])
	require.NoError(t, h.client.ServiceIntegrationDelete(t.Context(), proj, id))
	h.integration(t, id)
	h.clock.Advance(lag)
	_, err = h.client.ServiceIntegrationGet(t.Context(), proj, id)
	require.True(t, aiven.IsNotFound(err), err)
}
