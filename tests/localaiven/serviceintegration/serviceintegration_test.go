package serviceintegration_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven/serviceintegration"
)

func TestAnIntegrationIsStartingUntilItIsReady(t *testing.T) {
	now := time.Now()
	made := serviceintegration.Integration{
		Active: true, Ready: now.Add(time.Minute), IntegrationStatus: serviceintegration.StatusOf("running", "", nil),
	}
	early, late := made.At(now), made.At(now.Add(time.Minute))
	assert.Equal(t, []any{false, "starting"}, []any{early.Active, early.IntegrationStatus.State.Status})
	assert.Equal(t, []any{true, "running"}, []any{late.Active, late.IntegrationStatus.State.Status})
}

func TestAChangeAtTheConsoleEndsTheStart(t *testing.T) {
	now, failed := time.Now(), "failed"
	change := serviceintegration.Change{Status: &failed, Errors: []string{"no such topic"}}
	require.NoError(t, change.Check())
	got := change.On(serviceintegration.Integration{Active: true, Ready: now.Add(time.Minute)}).At(now)
	assert.True(t, got.Active, "what the change doesn't name stays")
	assert.Equal(t, []any{failed, change.Errors}, []any{got.IntegrationStatus.State.Status, got.IntegrationStatus.State.Errors})

	unknown := "fine"
	require.ErrorContains(t, serviceintegration.Change{Status: &unknown}.Check(), "Invalid status 'fine'")
}

func TestEndsOfAnIntegration(t *testing.T) {
	type end = serviceintegration.End
	source := serviceintegration.EndsOf("kafka_connect").Source
	for name, c := range map[string]struct {
		takes []string
		end   end
		want  string
	}{
		"a service":                         {source, end{Role: "source", Service: "k"}, ""},
		"an endpoint":                       {source, end{Role: "source", Endpoint: "e"}, ""},
		"both":                              {source, end{Role: "source", Service: "k", Endpoint: "e"}, "only one of source_service and source_endpoint_id"},
		"neither":                           {source, end{Role: "source"}, "source_service or source_endpoint_id is required"},
		"an endpoint in place of a service": {[]string{"kafka"}, end{Role: "dest", Endpoint: "e"}, "takes dest_service, not dest_endpoint_id"},
		"a service in place of an endpoint": {[]string{"@datadog"}, end{Role: "dest", Service: "s"}, "takes dest_endpoint_id, not dest_service"},
		"no service":                        {[]string{"kafka"}, end{Role: "dest"}, "dest_service is required"},
		"no endpoint":                       {[]string{"@datadog"}, end{Role: "dest"}, "dest_endpoint_id is required"},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.end.Check(c.takes)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
		})
	}
	assert.True(t, serviceintegration.Takes(source, "kafka"))
	assert.True(t, serviceintegration.Takes(source, serviceintegration.EndpointMark+"external_kafka"))
	assert.False(t, serviceintegration.Takes(source, "pg"))
}
