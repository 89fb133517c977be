package localaiven_test

import (
	"testing"

	"github.com/aiven/go-client-codegen/handler/kafka"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

func TestServicesOfKafkaShowAllTheirACLs(t *testing.T) {
	for name, omitted := range map[string]bool{"usually": false, "unless they are left out": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := runningKafka(t, localaiven.Options{Variants: localaiven.Variants{OmitACLs: omitted}})
			native, err := h.client.ServiceKafkaNativeAclAdd(t.Context(), proj, kafkaName, &kafka.ServiceKafkaNativeAclAddIn{
				Operation: "Read", PatternType: "LITERAL", PermissionType: "ALLOW", Principal: "User:bob", ResourceName: "orders", ResourceType: "Topic",
			})
			require.NoError(t, err)
			id := h.addRegistryACL(t, "bob", "Subject:orders", "schema_registry_read")
			listed, err := h.client.ServiceList(t.Context(), proj)
			require.NoError(t, err)
			got := h.getKafka(t)
			if omitted {
				assert.Nil(t, got.Acl)
				assert.Nil(t, got.KafkaAcl)
				assert.Nil(t, got.SchemaRegistryAcl)
				assert.Nil(t, listed[0].KafkaAcl)
				return
			}
			require.Len(t, got.KafkaAcl, 1)
			assert.Equal(t, native.Id, got.KafkaAcl[0].Id)
			require.Len(t, got.SchemaRegistryAcl, 3)
			assert.Equal(t, id, *got.SchemaRegistryAcl[2].Id)
			assert.Equal(t, got.KafkaAcl, listed[0].KafkaAcl)
			assert.Equal(t, got.SchemaRegistryAcl, listed[0].SchemaRegistryAcl)
		})
	}
}

func TestConnectionInfoCanBeNull(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		null     []string
		uri, all bool
	}{
		"a field":                    {[]string{"mysql_replica_uri"}, true, false},
		"a field of another service": {[]string{"kafka_rest_uri"}, false, false},
		"the whole":                  {[]string{"all"}, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := start(t, localaiven.Options{Variants: localaiven.Variants{NullConnectionInfo: c.null}})
			_, err := h.client.ServiceCreate(t.Context(), proj, &service.ServiceCreateIn{ServiceName: svcName, ServiceType: "mysql", Plan: "startup-4"})
			require.NoError(t, err)
			got := h.get(t)
			assert.Equal(t, "RUNNING", string(got.State))
			assert.NotEmpty(t, got.ServiceUri)
			if c.all {
				assert.Nil(t, got.ConnectionInfo)
				return
			}
			assert.Equal(t, c.uri, got.ConnectionInfo.MysqlReplicaUri == nil)
			assert.NotEmpty(t, got.ConnectionInfo.Mysql)
		})
	}
}

func TestSomeServicesHaveNoBackups(t *testing.T) {
	t.Parallel()
	h := start(t, localaiven.Options{Variants: localaiven.Variants{NoBackups: []string{"grafana"}}})
	for kind, want := range map[string]int{"pg": 1, "grafana": 0, "kafka_connect": 0, "flink": 1} {
		_, err := h.client.ServiceCreate(t.Context(), proj, &service.ServiceCreateIn{ServiceName: "s-" + kind[:2], ServiceType: kind, Plan: "startup-4"})
		require.NoError(t, err)
		got := h.read(t, "s-"+kind[:2])
		assert.Len(t, got.Backups, want, kind)
		backups, err := h.client.ServiceBackupsGet(t.Context(), proj, "s-"+kind[:2])
		require.NoError(t, err)
		assert.Len(t, backups.Backups, want, kind)
	}
}

func TestAnAutoscalerKeepsTheDiskToItself(t *testing.T) {
	t.Parallel()
	h := running(t, localaiven.Options{})
	e, err := h.client.ServiceIntegrationEndpointCreate(t.Context(), proj, &service.ServiceIntegrationEndpointCreateIn{
		EndpointName: "scale", EndpointType: "autoscaler", UserConfig: map[string]any{
			"autoscaling": []any{map[string]any{"type": "autoscale_disk", "cap_gb": 200}},
		},
	})
	require.NoError(t, err)
	h.update(t, service.ServiceUpdateIn{DiskSpaceMb: ptr(90 * 1024)})
	_, err = h.client.ServiceIntegrationCreate(t.Context(), proj, &service.ServiceIntegrationCreateIn{
		IntegrationType: "autoscaler", SourceService: ptr(svcName), DestEndpointId: &e.EndpointId,
	})
	require.NoError(t, err)
	h.update(t, service.ServiceUpdateIn{DiskSpaceMb: ptr(90 * 1024)})
	assertRefused(t, h, "x", badCall{put, servicePath, `{"disk_space_mb":102400}`, 400, "autoscaler"})
	require.NoError(t, h.Patch(proj, svcName, map[string]any{"disk_space_mb": 120 * 1024}), "the autoscaler itself")
	assert.Equal(t, 120*1024, *h.get(t).DiskSpaceMb)
}

func TestEndpointsOfDifferentTypesCanShareAName(t *testing.T) {
	t.Parallel()
	h := start(t, localaiven.Options{Variants: localaiven.Variants{EndpointNamesByType: true}})
	h.endpoint(t, "dd", "datadog", map[string]any{"datadog_api_key": datadogKey})
	h.endpoint(t, "dd", "prometheus", nil)
	assertRefused(t, h, "x", badCall{post, endpointsPath, `{"endpoint_name":"dd","endpoint_type":"prometheus","user_config":{}}`, 409, "already exists"})
}

func TestSecretsOfEndpointsCanStayRedacted(t *testing.T) {
	t.Parallel()
	h := start(t, localaiven.Options{Variants: localaiven.Variants{RedactEndpoints: true}})
	id := h.endpoint(t, "dd", "datadog", map[string]any{"datadog_api_key": datadogKey, "site": "datadoghq.eu"})
	got, err := h.client.ServiceIntegrationEndpointGet(t.Context(), proj, id, service.ServiceIntegrationEndpointGetIncludeSecrets(true))
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"datadog_api_key": "<redacted>", "site": "datadoghq.eu"}, got.UserConfig)
}

func TestQuotasCanBeMerged(t *testing.T) {
	t.Parallel()
	h := runningKafka(t, localaiven.Options{Variants: localaiven.Variants{MergeQuotas: true}})
	h.setQuota(t, kafka.ServiceKafkaQuotaCreateIn{User: ptr("bob"), ConsumerByteRate: ptr(1.0), ProducerByteRate: ptr(2.0)})
	h.setQuota(t, kafka.ServiceKafkaQuotaCreateIn{User: ptr("bob"), ConsumerByteRate: ptr(0.0), RequestPercentage: ptr(3.0)})
	assert.Equal(t, kafka.ServiceKafkaQuotaDescribeOut{
		User: ptr("bob"), ConsumerByteRate: ptr(0.0), ProducerByteRate: ptr(2.0), RequestPercentage: ptr(3.0),
	}, h.quota(t, kafka.ServiceKafkaQuotaDescribeUser("bob")))
}

func TestIdenticalStepsCanBeAcceptedAndAPageHasAMaximum(t *testing.T) {
	t.Parallel()
	h := start(t, localaiven.Options{Variants: localaiven.Variants{DuplicateSteps: true}})
	for _, name := range []string{"a", "b"} {
		_, err := h.client.ServiceCreate(t.Context(), proj, &service.ServiceCreateIn{ServiceName: name, ServiceType: "pg", Plan: "startup-4"})
		require.NoError(t, err)
	}
	for range 101 {
		h.createStep(t, "a", "b")
	}
	page := h.listSteps(t) // with the limit of 999 that the client adds
	assert.Len(t, page.Steps, 100)
	assert.Equal(t, 101, *page.TotalCount)
	assert.NotNil(t, page.Next)
	assert.NotEqual(t, page.Steps[0].StepId, page.Steps[1].StepId)
}
