package localaiven_test

import (
	"testing"

	"github.com/aiven/go-client-codegen/handler/clickhouse"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

const (
	clickHouseName = "my-clickhouse"
	clickHousePath = "/v1/project/" + proj + "/service/" + clickHouseName + "/clickhouse"
)

// house is a local Aiven with a ClickHouse service that runs.
type house struct {
	*harness
	t *testing.T
}

func runningClickHouse(t *testing.T, options localaiven.Options) house {
	t.Helper()
	options.ProvisionTime = provision
	h := house{start(t, options), t}
	h.createClickHouse()
	h.clock.Advance(provision)
	return h
}

func (h house) createClickHouse() {
	h.t.Helper()
	_, err := h.client.ServiceCreate(h.t.Context(), proj, &service.ServiceCreateIn{
		ServiceName: clickHouseName, ServiceType: "clickhouse", Plan: "startup-16",
	})
	require.NoError(h.t, err)
}

func (h house) getClickHouse() *service.ServiceGetOut {
	h.t.Helper()
	out, err := h.client.ServiceGet(h.t.Context(), proj, clickHouseName, withSecrets)
	require.NoError(h.t, err)
	return out
}

// user creates one, and returns its id and its password.
func (h house) user(name string) (id, password string) {
	h.t.Helper()
	out, err := h.client.ServiceClickHouseUserCreate(h.t.Context(), proj, clickHouseName, &clickhouse.ServiceClickHouseUserCreateIn{Name: name})
	require.NoError(h.t, err)
	require.NotNil(h.t, out.Password)
	return out.Uuid, *out.Password
}

func (h house) database(name string) {
	h.t.Helper()
	require.NoError(h.t, h.client.ServiceClickHouseDatabaseCreate(h.t.Context(), proj, clickHouseName,
		&clickhouse.ServiceClickHouseDatabaseCreateIn{Database: name}))
}

func (h house) query(query string) (*clickhouse.ServiceClickHouseQueryOut, error) {
	return h.client.ServiceClickHouseQuery(h.t.Context(), proj, clickHouseName, &clickhouse.ServiceClickHouseQueryIn{Database: "default", Query: query})
}

// data runs a query that succeeds.
func (h house) data(query string) [][]any {
	h.t.Helper()
	out, err := h.query(query)
	require.NoError(h.t, err, query)
	return out.Data
}

func (h house) users() map[string]clickhouse.UserOut {
	h.t.Helper()
	list, err := h.client.ServiceClickHouseUserList(h.t.Context(), proj, clickHouseName)
	require.NoError(h.t, err)
	out := map[string]clickhouse.UserOut{}
	for _, u := range list {
		out[u.Name] = u
	}
	return out
}
