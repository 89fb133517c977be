package localaiven_test

import (
	"errors"
	"testing"
	"time"

	aiven "github.com/aiven/go-client-codegen"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

const connectTime = 3 * time.Second

// statusOf is the HTTP status of an error of the public client; 200 for none.
func statusOf(t *testing.T, err error) int {
	t.Helper()
	if err == nil {
		return 200
	}
	var refused aiven.Error
	require.True(t, errors.As(err, &refused), err)
	return refused.Status
}

// TestKafkaConnectAnswers404AfterItsStart calls just before and just after the end of the window.
func TestKafkaConnectAnswers404AfterItsStart(t *testing.T) {
	for name, c := range map[string]struct {
		service string
		start   func(*testing.T, *harness)
	}{
		"enabled beside Kafka": {kafkaName, func(t *testing.T, h *harness) {
			t.Helper()
			h.configureKafka(t, map[string]any{"kafka_connect": true})
		}},
		"powered on again": {kafkaName, func(t *testing.T, h *harness) {
			t.Helper()
			h.configureKafka(t, map[string]any{"kafka_connect": true})
			h.clock.Advance(connectTime)
			for _, on := range []bool{false, true} {
				_, err := h.client.ServiceUpdate(t.Context(), proj, kafkaName, &service.ServiceUpdateIn{Powered: &on})
				require.NoError(t, err)
			}
			h.clock.Advance(provision)
		}},
		"a service of its own": {connectName, func(t *testing.T, h *harness) {
			t.Helper()
			h.service(t, proj, connectName, "kafka_connect", "startup-4")
			h.clock.Advance(provision)
			h.integrate(t, service.ServiceIntegrationCreateIn{
				IntegrationType: "kafka_connect", SourceService: ptr(kafkaName), DestService: ptr(connectName),
			})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			h := runningKafka(t, localaiven.Options{ConnectTime: connectTime})
			c.start(t, h)
			list := func() int {
				_, err := h.client.ServiceKafkaConnectList(t.Context(), proj, c.service)
				return statusOf(t, err)
			}
			create := func() int {
				_, err := h.client.ServiceKafkaConnectCreateConnector(t.Context(), proj, c.service, sink(nil))
				return statusOf(t, err)
			}
			assert.Equal(t, []int{404, 404}, []int{list(), create()}, "at once")
			h.clock.Advance(connectTime - 1)
			assert.Equal(t, []int{404, 404}, []int{list(), create()}, "just before")
			h.clock.Advance(1)
			assert.Equal(t, []int{200, 200}, []int{list(), create()}, "after the window")
		})
	}
}

func TestKafkaConnectRebalancesAfterEachChange(t *testing.T) {
	h := runningKafka(t, localaiven.Options{ConnectTime: connectTime})
	h.configureKafka(t, map[string]any{"kafka_connect": true})
	h.clock.Advance(connectTime)
	ctx := t.Context()
	edit := func() int {
		_, err := h.client.ServiceKafkaConnectEditConnector(ctx, proj, kafkaName, "to-s3", sink(nil))
		return statusOf(t, err)
	}
	remove := func() int {
		return statusOf(t, h.client.ServiceKafkaConnectDeleteConnector(ctx, proj, kafkaName, "to-s3"))
	}
	show := func() int {
		_, err := h.client.ServiceKafkaConnectGetConnectorStatus(ctx, proj, kafkaName, "to-s3")
		return statusOf(t, err)
	}
	_, err := h.client.ServiceKafkaConnectCreateConnector(ctx, proj, kafkaName, sink(nil))
	require.NoError(t, err)
	assert.Equal(t, []int{409, 409, 404}, []int{edit(), remove(), show()}, "after the creation")
	list, err := h.client.ServiceKafkaConnectList(ctx, proj, kafkaName)
	require.NoError(t, err)
	assert.Len(t, list.Connectors, 1, "it is listed all the same")
	h.clock.Advance(connectTime)
	assert.Equal(t, []int{200, 200}, []int{show(), edit()}, "after the window")
	assert.Equal(t, []int{409, 200}, []int{remove(), show()}, "after the edit, the status stays")
	h.clock.Advance(connectTime)
	assert.Equal(t, 200, remove())
	_, err = h.client.ServiceKafkaConnectCreateConnector(ctx, proj, kafkaName, sink(nil))
	assert.Equal(t, 409, statusOf(t, err), "after the deletion")
}
