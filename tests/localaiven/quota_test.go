package localaiven_test

import (
	"strings"
	"testing"

	aiven "github.com/aiven/go-client-codegen"
	"github.com/aiven/go-client-codegen/handler/kafka"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

const quotaPath = kafkaPath + "/quota"

func (h *harness) setQuota(t *testing.T, in kafka.ServiceKafkaQuotaCreateIn) {
	t.Helper()
	require.NoError(t, h.client.ServiceKafkaQuotaCreate(t.Context(), proj, kafkaName, &in))
}

func (h *harness) quota(t *testing.T, of ...[2]string) kafka.ServiceKafkaQuotaDescribeOut {
	t.Helper()
	out, err := h.client.ServiceKafkaQuotaDescribe(t.Context(), proj, kafkaName, of...)
	require.NoError(t, err)
	return *out
}

func TestLifeOfAQuota(t *testing.T) {
	h := runningKafka(t, localaiven.Options{})
	ctx := t.Context()
	bob, app := kafka.ServiceKafkaQuotaDescribeUser("bob"), kafka.ServiceKafkaQuotaDescribeClientId("app")
	assert.Zero(t, h.quota(t, bob), "one that isn't there is empty")
	h.setQuota(t, kafka.ServiceKafkaQuotaCreateIn{User: ptr("bob"), ConsumerByteRate: ptr(1.0), ProducerByteRate: ptr(0.0)})
	h.setQuota(t, kafka.ServiceKafkaQuotaCreateIn{User: ptr("bob"), ClientId: ptr("app"), RequestPercentage: ptr(12.5)})
	h.setQuota(t, kafka.ServiceKafkaQuotaCreateIn{ClientId: ptr("app"), RequestPercentage: ptr(100.0)})
	assert.Equal(t, kafka.ServiceKafkaQuotaDescribeOut{User: ptr("bob"), ConsumerByteRate: ptr(1.0), ProducerByteRate: ptr(0.0)}, h.quota(t, bob))
	assert.Equal(t, kafka.ServiceKafkaQuotaDescribeOut{User: ptr("bob"), ClientId: ptr("app"), RequestPercentage: ptr(12.5)}, h.quota(t, bob, app))
	assert.Equal(t, kafka.ServiceKafkaQuotaDescribeOut{ClientId: ptr("app"), RequestPercentage: ptr(100.0)}, h.quota(t, app))

	h.setQuota(t, kafka.ServiceKafkaQuotaCreateIn{User: ptr("bob"), RequestPercentage: ptr(1.0)})
	assert.Equal(t, kafka.ServiceKafkaQuotaDescribeOut{User: ptr("bob"), RequestPercentage: ptr(1.0)}, h.quota(t, bob), "replaced as a whole")
	id := proj + "/" + kafkaName + "/"
	assert.Equal(t, []string{id + "user=,client-id=app", id + "user=bob,client-id=", id + "user=bob,client-id=app"}, h.ofType("kafka_quota"))
	list, err := h.client.ServiceKafkaQuotaList(ctx, proj, kafkaName)
	require.NoError(t, err)
	assert.Len(t, list, 3)

	require.NoError(t, h.client.ServiceKafkaQuotaDelete(ctx, proj, kafkaName, kafka.ServiceKafkaQuotaDeleteUser("bob")))
	assert.Zero(t, h.quota(t, bob))
	assert.NotZero(t, h.quota(t, bob, app))
	assert.True(t, aiven.IsNotFound(h.client.ServiceKafkaQuotaDelete(ctx, proj, kafkaName, kafka.ServiceKafkaQuotaDeleteUser("bob"))))
}

func TestRefusedQuotas(t *testing.T) {
	h := runningKafka(t, localaiven.Options{})
	for name, c := range map[string]badCall{
		"no user's":            {post, quotaPath, `{"request_percentage":1}`, 400, "user and client-id"},
		"an empty user":        {post, quotaPath, `{"user":"","client-id":"x","request_percentage":1}`, 400, "user"},
		"a user too long":      {post, quotaPath, `{"user":"` + strings.Repeat("x", 65) + `","request_percentage":1}`, 400, "64"},
		"a client id too long": {post, quotaPath, `{"client-id":"` + strings.Repeat("x", 256) + `","request_percentage":1}`, 400, "255"},
		"no limit":             {post, quotaPath, `{"user":"bob"}`, 400, "request_percentage"},
		"too much of the CPU":  {post, quotaPath, `{"user":"bob","request_percentage":100.5}`, 400, "request_percentage"},
		"less than nothing":    {post, quotaPath, `{"user":"bob","consumer_byte_rate":-1}`, 400, "consumer_byte_rate"},
		"too many bytes":       {post, quotaPath, `{"user":"bob","producer_byte_rate":1073741825}`, 400, "producer_byte_rate"},
		"a wrong type":         {post, quotaPath, `{"user":7}`, 400, "user"},
		"an unknown key":       {post, quotaPath, `{"client_id":"x"}`, 400, "client_id"},
		"describing no user's": {get, quotaPath + "/describe", "", 400, "user and client-id"},
		"deleting no user's":   {del, quotaPath, "", 400, "user and client-id"},
		"deleting none":        {del, quotaPath + "?user=bob", "", 404, "does not exist"},
		"an unknown service":   {get, servicesPath + "/nope/quota/describe?user=bob", "", 404, "Service nope does not exist"},
	} {
		t.Run(name, func(t *testing.T) { assertRefused(t, h, "x", c) })
	}
	assert.Empty(t, h.ofType("kafka_quota"))
}
