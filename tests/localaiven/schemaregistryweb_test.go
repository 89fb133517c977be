package localaiven_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"testing"

	"github.com/aiven/go-client-codegen/handler/kafkaschemaregistry"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/sr"
)

// served starts a server with a service of Kafka whose Schema Registry is real, and a client of its first user.
func served(t *testing.T) (*harness, *sr.Client) {
	t.Helper()
	h := brokered(t, &broker{}, map[string]any{"schema_registry": true})
	return h, h.registryClient(t, "avnadmin", h.getKafka(t).Users[0].Password)
}

func (h *harness) registryAt(t *testing.T) string {
	t.Helper()
	for _, c := range h.getKafka(t).Components {
		if c.Component == "schema_registry" {
			return net.JoinHostPort(c.Host, strconv.Itoa(c.Port))
		}
	}
	t.Fatal("there is no Schema Registry")
	return ""
}

// registryClient trusts the project's CA only.
func (h *harness) registryClient(t *testing.T, username, password string) *sr.Client {
	t.Helper()
	ca, err := h.client.ProjectKmsGetCA(t.Context(), proj)
	require.NoError(t, err)
	authority := x509.NewCertPool()
	require.True(t, authority.AppendCertsFromPEM([]byte(ca)))
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: authority, MinVersion: tls.VersionTLS12}}
	t.Cleanup(transport.CloseIdleConnections)
	client, err := sr.NewClient(sr.URLs("https://"+h.registryAt(t)), sr.BasicAuth(username, password), sr.HTTPClient(&http.Client{Transport: transport}))
	require.NoError(t, err)
	return client
}

// registryUser makes a service user, and returns a client of it.
func (h *harness) registryUser(t *testing.T, name string) *sr.Client {
	t.Helper()
	made, err := h.client.ServiceUserCreate(t.Context(), proj, kafkaName, &service.ServiceUserCreateIn{Username: name})
	require.NoError(t, err)
	return h.registryClient(t, name, made.Password)
}

func assertRegistry(t *testing.T, err error, status, code int, why string) {
	t.Helper()
	var fail *sr.ResponseError
	require.ErrorAs(t, err, &fail, why)
	assert.Equal(t, []int{status, code}, []int{fail.StatusCode, fail.ErrorCode}, why)
}

func TestARecordPassesThroughTheRegistry(t *testing.T) {
	h, client := served(t)
	ctx := t.Context()
	made, err := client.CreateSchema(ctx, "orders-value", sr.Schema{Schema: order})
	require.NoError(t, err)
	assert.Equal(t, []any{"orders-value", 1}, []any{made.Subject, made.Version})
	assert.Equal(t, made.ID, h.posted(t, "orders-value", avro(order)), "the API has the same")

	type record struct{ ID byte }
	var serde sr.Serde
	serde.Register(made.ID, record{},
		sr.EncodeFn(func(v any) ([]byte, error) { return []byte{v.(record).ID}, nil }),
		sr.DecodeFn(func(b []byte, v any) error { v.(*record).ID = b[0]; return nil }))
	message, err := serde.Encode(record{42})
	require.NoError(t, err)
	id, payload, err := serde.DecodeID(message)
	require.NoError(t, err)
	assert.Equal(t, []byte{42}, payload)
	schema, err := client.SchemaByID(ctx, id)
	require.NoError(t, err)
	assert.JSONEq(t, order, schema.Schema, "the reader finds the writer's schema by the id in the message")
	var read record
	require.NoError(t, serde.Decode(message, &read))
	assert.Equal(t, record{42}, read)
}

func TestTheRegistryOfClients(t *testing.T) {
	h, client := served(t)
	ctx := t.Context()
	id := h.posted(t, "orders", avro(order))
	found, err := client.LookupSchema(ctx, "orders", sr.Schema{Schema: order})
	require.NoError(t, err)
	assert.Equal(t, []int{id, 1}, []int{found.ID, found.Version})
	_, err = client.LookupSchema(ctx, "orders", sr.Schema{Schema: orderMust})
	assertRegistry(t, err, 404, 40403, "no such schema")
	_, err = client.CreateSchema(ctx, "orders", sr.Schema{Schema: orderMust})
	assertRegistry(t, err, 409, 409, "it can't read the older one")
	_, err = client.CreateSchema(ctx, "orders", sr.Schema{Schema: "{"})
	assertRegistry(t, err, 422, 42201, "no schema")
	check, err := client.CheckCompatibility(ctx, "orders", -1, sr.Schema{Schema: orderMust})
	require.NoError(t, err)
	assert.False(t, check.Is)
	_, err = client.CreateSchema(ctx, "orders", sr.Schema{Schema: orderNote})
	require.NoError(t, err)
	latest, err := client.SchemaByVersion(ctx, "orders", -1)
	require.NoError(t, err)
	assert.Equal(t, 2, latest.Version)
	text, err := client.SchemaTextByVersion(ctx, "orders", 1)
	require.NoError(t, err)
	assert.JSONEq(t, order, text)
	numbers, err := client.SubjectVersions(ctx, "orders")
	require.NoError(t, err)
	assert.Equal(t, []int{1, 2}, numbers)

	assertRegistry(t, client.Compatibility(ctx, "orders")[0].Err, 404, 40408, "none of its own")
	require.NoError(t, client.SetCompatibility(ctx, sr.SetCompatibility{Level: sr.CompatFull}, "orders")[0].Err)
	assert.Equal(t, sr.CompatFull, client.Compatibility(ctx, "orders")[0].Level)
	require.NoError(t, client.ResetCompatibility(ctx, "orders")[0].Err)
	assert.Equal(t, sr.CompatBackward, client.Compatibility(sr.WithParams(ctx, sr.DefaultToGlobal), "orders")[0].Level)
	assert.Equal(t, sr.CompatBackward, client.Compatibility(ctx)[0].Level)
	require.NoError(t, client.SetCompatibility(ctx, sr.SetCompatibility{Level: sr.CompatNone})[0].Err)
	types, err := client.SupportedTypes(ctx)
	require.NoError(t, err)
	assert.Len(t, types, 3)

	require.NoError(t, client.DeleteSchema(ctx, "orders", 1, sr.SoftDelete))
	gone, err := client.DeleteSubject(ctx, "orders", sr.SoftDelete)
	require.NoError(t, err)
	assert.Equal(t, []int{2}, gone)
	_, err = client.SchemaByID(ctx, id)
	require.NoError(t, err, "messages with it can still be read")
	gone, err = client.DeleteSubject(ctx, "orders", sr.HardDelete)
	require.NoError(t, err)
	assert.Equal(t, []int{1, 2}, gone)
	_, err = client.SchemaByID(ctx, id)
	assertRegistry(t, err, 404, 40403, "gone for good")
	_, err = client.SubjectVersions(ctx, "orders")
	assertRegistry(t, err, 404, 40401, "gone for good")
}

func TestStrangersAreRefused(t *testing.T) {
	h, admin := served(t)
	ctx := t.Context()
	for name, client := range map[string]*sr.Client{
		"a wrong password": h.registryClient(t, "avnadmin", "wrong"),
		"no password":      h.registryClient(t, "avnadmin", ""),
		"an unknown user":  h.registryClient(t, "nobody", h.getKafka(t).Users[0].Password),
	} {
		_, err := client.Subjects(ctx)
		assertRegistry(t, err, 401, 401, name)
	}
	stranger, err := sr.NewClient(sr.URLs("https://" + h.registryAt(t)))
	require.NoError(t, err)
	_, err = stranger.Subjects(ctx)
	var unknown x509.UnknownAuthorityError
	require.ErrorAs(t, err, &unknown, "who doesn't know the project's CA doesn't trust the server")
	_, err = admin.Subjects(ctx)
	require.NoError(t, err)
}

func TestUsersNeedACLsOfTheRegistry(t *testing.T) {
	h, admin := served(t)
	ctx := t.Context()
	made, err := admin.CreateSchema(ctx, "orders", sr.Schema{Schema: order})
	require.NoError(t, err)
	_, err = admin.CreateSchema(ctx, "salaries", sr.Schema{Schema: orderNote})
	require.NoError(t, err)
	bob := h.registryUser(t, "bob")
	may := func(client *sr.Client) []bool {
		_, reads := client.SchemaByVersion(ctx, "orders", 1)
		_, byID := client.SchemaByID(ctx, made.ID)
		_, writes := client.CreateSchema(ctx, "orders", sr.Schema{Schema: order})
		config := client.SetCompatibility(ctx, sr.SetCompatibility{Level: sr.CompatBackward})[0].Err
		for _, err := range []error{reads, byID, writes, config} {
			if err != nil {
				assertRegistry(t, err, 403, 403, "refused")
			}
		}
		return []bool{reads == nil, byID == nil, writes == nil, config == nil}
	}
	assert.Equal(t, []bool{false, false, false, false}, may(bob))
	subjects, err := bob.Subjects(ctx)
	require.NoError(t, err)
	assert.Empty(t, subjects)
	h.addRegistryACL(t, "b*", "Subject:ord*", "schema_registry_read")
	assert.Equal(t, []bool{true, true, false, false}, may(bob))
	subjects, err = bob.Subjects(ctx)
	require.NoError(t, err)
	assert.Equal(t, []string{"orders"}, subjects)
	h.addRegistryACL(t, "bob", "Subject:orders", "schema_registry_write")
	assert.Equal(t, []bool{true, true, true, false}, may(bob))
	h.addRegistryACL(t, "bob", "Config:", "schema_registry_write")
	assert.Equal(t, []bool{true, true, true, true}, may(bob))

	eve := h.registryUser(t, "eve")
	authorize := func(on bool) {
		_, err := h.client.ServiceUpdate(ctx, proj, kafkaName, &service.ServiceUpdateIn{SchemaRegistryAuthz: &on})
		require.NoError(t, err)
	}
	authorize(false)
	assert.Equal(t, []bool{true, true, true, true}, may(eve), "without authorization any user of the service may")
	authorize(true)
	assert.Equal(t, []bool{false, false, false, false}, may(eve))
}

func TestTheRegistryLivesAsLongAsItsService(t *testing.T) {
	h, client := served(t)
	ctx := t.Context()
	_, err := h.client.ServiceSchemaRegistryGlobalConfigPut(ctx, proj, kafkaName,
		&kafkaschemaregistry.ServiceSchemaRegistryGlobalConfigPutIn{Compatibility: "FULL"})
	require.NoError(t, err)
	assert.Equal(t, sr.CompatFull, client.Compatibility(ctx)[0].Level)
	at := h.registryAt(t)
	h.configureKafka(t, map[string]any{"schema_registry": false})
	_, err = client.Subjects(ctx)
	assertRegistry(t, err, 503, 503, "it is switched off")
	require.NoError(t, h.client.ServiceDelete(ctx, proj, kafkaName))
	eventually(t, func() bool {
		dialer := net.Dialer{}
		connection, err := dialer.DialContext(context.WithoutCancel(ctx), "tcp", at)
		if err == nil {
			_ = connection.Close()
		}
		return errors.Is(err, syscall.ECONNREFUSED)
	})
}

func TestTheRegistryRefusesWhatIsNoRequest(t *testing.T) {
	_, client := served(t)
	var out []byte
	assertRegistry(t, client.Do(t.Context(), http.MethodGet, "/contexts", nil, &out), 404, 404, "an unknown path")
	assertRegistry(t, client.Do(t.Context(), http.MethodPost, "/subjects/x/versions", []int{1}, &out), 422, 422, "no object")
	assertRegistry(t, client.Do(t.Context(), http.MethodPut, "/config", map[string]string{"compatibility": "SOME"}, &out), 422, 42203, "no level")
	assertRegistry(t, client.Do(t.Context(), http.MethodGet, "/schemas/ids/x", nil, &out), 404, 40403, "no id")
}
