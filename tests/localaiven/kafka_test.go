package localaiven_test

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"strconv"
	"testing"

	aiven "github.com/aiven/go-client-codegen"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

func (h *harness) configureKafka(t *testing.T, config map[string]any) {
	t.Helper()
	_, err := h.client.ServiceUpdate(t.Context(), proj, kafkaName, &service.ServiceUpdateIn{UserConfig: &config})
	require.NoError(t, err)
}

func TestKafkaReturnsConnectionDetails(t *testing.T) {
	h := runningKafka(t, localaiven.Options{})
	got := h.getKafka(t)
	assert.EqualValues(t, "RUNNING", got.State)
	require.Len(t, got.Components, 1, "only what is enabled has a component")
	first := got.Components[0]
	assert.Equal(t, "kafka", first.Component)
	assert.EqualValues(t, "certificate", first.KafkaAuthenticationMethod)
	assert.Equal(t, net.JoinHostPort(first.Host, strconv.Itoa(first.Port)), got.ServiceUri)
	assert.Equal(t, map[string]string{
		"host": first.Host, "port": strconv.Itoa(first.Port), "user": "avnadmin", "password": got.Users[0].Password,
	}, got.ServiceUriParams)
	info := got.ConnectionInfo
	assert.Equal(t, []string{got.ServiceUri}, info.Kafka)
	assert.Equal(t, got.Users[0].AccessCert, info.KafkaAccessCert)
	assert.Equal(t, got.Users[0].AccessKey, info.KafkaAccessKey)
	assert.NotEmpty(t, *info.KafkaRestUri)
	assert.NotEmpty(t, *info.SchemaRegistryUri)
	assert.Nil(t, info.KafkaConnectUri)

	h.configureKafka(t, map[string]any{
		"kafka_authentication_methods": map[string]any{"sasl": true},
		"kafka_rest":                   true, "schema_registry": true, "kafka_connect": true,
	})
	got = h.getKafka(t)
	var names []string
	ports := map[int]bool{}
	for _, c := range got.Components {
		names = append(names, c.Component+" "+string(c.KafkaAuthenticationMethod))
		ports[c.Port] = true
	}
	assert.Equal(t, []string{"kafka certificate", "kafka sasl", "kafka_rest ", "schema_registry ", "kafka_connect "}, names)
	assert.Len(t, ports, 5, "each has a port of its own")
	assert.NotEmpty(t, *got.ConnectionInfo.KafkaConnectUri)

	h.configureKafka(t, map[string]any{"kafka_authentication_methods": map[string]any{"certificate": false}})
	got = h.getKafka(t)
	assert.EqualValues(t, "sasl", got.Components[0].KafkaAuthenticationMethod)
	assert.Equal(t, got.ServiceUriParams["port"], strconv.Itoa(got.Components[0].Port), "the URI is of the way that is left")
}

func TestKafkaComesWithItsDefaults(t *testing.T) {
	h := runningKafka(t, localaiven.Options{})
	got := h.getKafka(t)
	assert.Equal(t, "4.2", got.UserConfig["kafka_version"])
	assert.Equal(t, []any{"0.0.0.0/0", "::/0"}, got.UserConfig["ip_filter"])
	assert.Equal(t, []service.AclOut{{Id: ptr("default"), Permission: "admin", Topic: "*", Username: "avnadmin"}}, got.Acl)
	assert.Empty(t, got.Topics)
	assert.Empty(t, got.Databases)
	assert.NotEmpty(t, got.Backups)
	require.Len(t, got.NodeStates, 3)
	for _, node := range got.NodeStates {
		assert.EqualValues(t, "running", node.State)
		assert.Empty(t, node.Role, "no node is first")
	}
	assert.Equal(t, []localaiven.Resource{
		{Type: "service", ID: proj + "/" + kafkaName},
		{Type: "user", ID: proj + "/" + kafkaName + "/avnadmin", Builtin: true},
		{Type: "kafka_acl", ID: proj + "/" + kafkaName + "/avnadmin/*/admin#default", Builtin: true},
		{Type: "schema_registry_acl", ID: proj + "/" + kafkaName + "/avnadmin/Config:/schema_registry_write#default-sr-admin-config", Builtin: true},
		{Type: "schema_registry_acl", ID: proj + "/" + kafkaName + "/avnadmin/Subject:*/schema_registry_write#default-sr-admin-subject", Builtin: true},
	}, h.Resources())

	require.NoError(t, h.Patch(proj, kafkaName, map[string]any{"node_states": []map[string]string{{"name": kafkaName + "-2", "state": "syncing_data"}}}))
	assert.EqualValues(t, "syncing_data", h.getKafka(t).NodeStates[1].State)
	require.NoError(t, h.client.ServiceDelete(t.Context(), proj, kafkaName))
	assert.Empty(t, h.Resources())
}

func TestUsersOfKafkaHaveCertificatesOfTheProject(t *testing.T) {
	h := runningKafka(t, localaiven.Options{})
	ctx := t.Context()
	made, err := h.client.ServiceUserCreate(ctx, proj, kafkaName, &service.ServiceUserCreateIn{Username: "bob"})
	require.NoError(t, err)
	pair, err := tls.X509KeyPair([]byte(*made.AccessCert), []byte(*made.AccessKey))
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(pair.Certificate[0])
	require.NoError(t, err)
	assert.Equal(t, "bob", cert.Subject.CommonName)
	assert.True(t, cert.NotAfter.Equal(*made.AccessCertNotValidAfterTime))

	ca, err := h.client.ProjectKmsGetCA(ctx, proj)
	require.NoError(t, err)
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM([]byte(ca)))
	_, err = cert.Verify(x509.VerifyOptions{Roots: roots, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	require.NoError(t, err)

	_, err = h.client.ServiceUserCredentialsModify(ctx, proj, kafkaName, "bob", &service.ServiceUserCredentialsModifyIn{
		Operation: "reset-credentials", NewPassword: ptr("chosen-password"),
	})
	require.NoError(t, err)
	bob, err := h.client.ServiceUserGet(ctx, proj, kafkaName, "bob")
	require.NoError(t, err)
	assert.Equal(t, "chosen-password", bob.Password)
	assert.Equal(t, made.AccessCert, bob.AccessCert)
	require.NoError(t, h.client.ServiceUserDelete(ctx, proj, kafkaName, "bob"))
	_, err = h.client.ServiceUserGet(ctx, proj, kafkaName, "bob")
	assert.True(t, aiven.IsNotFound(err))

	require.NoError(t, h.Patch(proj, kafkaName, map[string]any{"users": []map[string]any{{"username": "eve"}}}))
	assert.NotEmpty(t, h.getKafka(t).Users[1].AccessCert, "one from the console has a certificate, too")
}

func TestKeysOfKafkaAreShownOnRequestOnly(t *testing.T) {
	h := runningKafka(t, localaiven.Options{})
	open := h.getKafka(t)
	closed, err := h.client.ServiceGet(t.Context(), proj, kafkaName)
	require.NoError(t, err)
	for _, shown := range []*string{
		closed.Users[0].AccessCert, closed.Users[0].AccessKey, closed.ConnectionInfo.KafkaAccessCert,
		closed.ConnectionInfo.KafkaAccessKey, &closed.Users[0].Password, ptr(closed.ServiceUriParams["password"]),
	} {
		assert.Equal(t, "<redacted>", *shown)
	}
	assert.Contains(t, *open.ConnectionInfo.KafkaRestUri, open.Users[0].Password)
	assert.NotContains(t, *closed.ConnectionInfo.KafkaRestUri, open.Users[0].Password)
}

func TestRefusedForKafka(t *testing.T) {
	with := func(fields string) string {
		return `{"service_name":"other","service_type":"kafka","plan":"business-4","project_vpc_id":null` + fields + `}`
	}
	for name, c := range map[string]badCall{
		"a plan of PostgreSQL":                  {post, servicesPath, `{"service_name":"other","service_type":"kafka","plan":"hobbyist"}`, 400, "hobbyist"},
		"a user_config of PostgreSQL":           {post, servicesPath, with(`,"user_config":{"work_mem":8}`), 400, "'work_mem'"},
		"an unknown key below kafka":            {post, servicesPath, with(`,"user_config":{"kafka":{"colour":1}}`), 400, "'colour'"},
		"a number above the maximum":            {post, servicesPath, with(`,"user_config":{"kafka":{"num_partitions":100000}}`), 400, "num_partitions"},
		"a version that isn't there":            {post, servicesPath, with(`,"user_config":{"kafka_version":"0.8"}`), 400, "0.8"},
		"an older version":                      {put, kafkaPath, `{"user_config":{"kafka_version":"3.9"}}`, 400, "4.2 to 3.9"},
		"a create_only key in an update":        {put, kafkaPath, `{"user_config":{"inkless":{"enabled":true}}}`, 400, "user_config.inkless"},
		"access control of PostgreSQL":          {post, kafkaPath + "/user", `{"username":"bob","access_control":{"pg_allow_replication":true}}`, 400, "access_control"},
		"databases":                             {get, kafkaPath + "/db", "", 400, "'kafka' does not support"},
		"connection pools":                      {post, kafkaPath + "/connection_pool", `{}`, 400, "'kafka' does not support"},
		"an upgrade check to no version":        {post, kafkaPath + "/task", `{"task_type":"upgrade_check","target_version":"9"}`, 400, "target_version"},
		"tiered storage, which isn't simulated": {get, kafkaPath + "/kafka/tiered-storage/summary", "", 501, "tiered-storage"},
		"a version 2 that isn't there":          {get, "/v2/project/" + proj + "/service/" + kafkaName, "", 501, "/v2"},
		"topics of an unknown service":          {get, servicesPath + "/nope/topic", "", 404, "Service nope does not exist"},
		"an ACL entry of another service":       {post, servicesPath + "/nope/acl", `{}`, 404, "Service nope does not exist"},
	} {
		t.Run(name, func(t *testing.T) { assertRefused(t, runningKafka(t, localaiven.Options{}), "x", c) })
	}
	t.Run("topics of PostgreSQL", func(t *testing.T) {
		assertRefused(t, running(t, localaiven.Options{}), "x", badCall{get, servicePath + "/topic", "", 400, "'pg' does not support"})
	})
}
