package aiven_test

import (
	"encoding/json"
	"testing"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
)

// full has a value for every field of Service.
const full = `{
	"service_name": "s", "service_type": "kafka", "plan": "startup-2", "cloud_name": "google-europe-west1", "state": "RUNNING",
	"disk_space_mb": 1024, "project_vpc_id": "vpc", "termination_protection": true,
	"maintenance": {"dow": "monday", "time": "10:00:00", "enabled": true, "updates": []},
	"tags": {"a": "b"}, "tech_emails": [{"email": "a@example.org"}, {"email": "b@example.org"}],
	"user_config": {"kafka_version": "3.9", "n": 1}, "metadata": {"end_of_life_time": "2031-01-01"},
	"service_uri": "s.example.org:1", "service_uri_params": {"host": "s.example.org", "port": "1"},
	"connection_info": {"kafka": ["s.example.org:1"], "kafka_access_key": "K", "pg_params": [{"host": "h", "port": "1"}]},
	"components": [
		{"component": "kafka", "host": "p", "port": 1, "route": "public", "usage": "primary"},
		{"component": "kafka", "host": "d", "port": 2, "route": "dynamic", "usage": "primary"},
		{"component": "kafka_rest", "host": "r", "port": 3, "route": "private", "usage": "replica"}
	],
	"node_states": [{"name": "n1", "state": "running"}],
	"service_integrations": [{"service_integration_id": "i", "integration_type": "kafka_logs"}],
	"users": [{"username": "u", "password": "p", "type": "normal"}],
	"databases": ["d"], "topics": [{"topic_name": "t", "state": "ACTIVE", "partitions": 3}],
	"connection_pools": [{"pool_name": "pool", "connection_uri": "postgres://x", "database": "d", "pool_mode": "session", "pool_size": 3}],
	"acl": [{"username": "u", "topic": "t", "permission": "read"}],
	"kafka_acl": [{"principal": "User:u", "resource_name": "t"}],
	"schema_registry_acl": [{"username": "u", "resource": "Subject:t", "permission": "schema_registry_read"}],
	"create_time": "2030-01-01T00:00:00Z", "update_time": "2030-01-02T00:00:00Z"
}`

func decode[T any](t *testing.T, text string) *T {
	t.Helper()
	out := new(T)
	require.NoError(t, json.Unmarshal([]byte(text), out))
	return out
}

func TestEveryAnswerGivesTheSameService(t *testing.T) {
	for name, text := range map[string]string{
		"with everything": full,
		"with nothing":    `{"service_name": "s", "service_type": "pg"}`,
		"with nulls":      `{"service_name": "s", "service_type": "pg", "users": null, "service_uri_params": {"host": null}, "connection_info": null, "maintenance": null}`,
		"with empty ones": `{"service_name": "s", "service_type": "pg", "users": [], "databases": [], "connection_pools": [], "acl": [], "service_uri_params": {}, "connection_info": {}}`,
	} {
		t.Run(name, func(t *testing.T) {
			want := aiven.FromGet("p", decode[service.ServiceGetOut](t, text))
			listed, err := aiven.From("p", decode[service.ServiceOut](t, text))
			require.NoError(t, err)
			created, err := aiven.From("p", decode[service.ServiceCreateOut](t, text))
			require.NoError(t, err)
			updated, err := aiven.From("p", decode[service.ServiceUpdateOut](t, text))
			require.NoError(t, err)
			assert.Equal(t, want, listed)
			assert.Equal(t, want, created)
			assert.Equal(t, want, updated)
		})
	}
}

func TestTheFullAnswerFillsEveryField(t *testing.T) {
	got := aiven.FromGet("p", decode[service.ServiceGetOut](t, full))
	assertNoZeroField(t, *got)
	assertNoZeroField(t, got.Maintenance)
	assert.Equal(t, []string{"a@example.org", "b@example.org"}, got.TechEmails)
	assert.Equal(t, aiven.Maintenance{Dow: "monday", Time: "10:00:00"}, got.Maintenance)
	assert.Equal(t, 1024, got.DiskSpaceMB)
	assert.True(t, got.HasDatabase("d"))
	assert.False(t, got.HasDatabase("x"))

	user, ok := got.User("u")
	assert.True(t, ok)
	assert.Equal(t, "p", user.Password)
	pool, ok := got.Pool("pool")
	assert.True(t, ok)
	assert.Equal(t, "postgres://x", pool.ConnectionUri)
	_, ok = got.User("x")
	assert.False(t, ok)

	kafka, ok := got.Component("kafka")
	assert.True(t, ok)
	assert.Equal(t, "d", kafka.Host, "the dynamic route is preferred")
	rest, ok := got.Component("kafka_rest")
	assert.True(t, ok)
	assert.Equal(t, "r", rest.Host, "any endpoint is better than none")
	_, ok = got.Component("schema_registry")
	assert.False(t, ok)
}

func TestNoListIsNotAnEmptyList(t *testing.T) {
	none := aiven.FromGet("p", decode[service.ServiceGetOut](t, `{}`))
	assert.Nil(t, none.Users)
	assert.Nil(t, none.Databases)
	assert.Nil(t, none.Pools)
	empty := aiven.FromGet("p", decode[service.ServiceGetOut](t, `{"users": [], "databases": [], "connection_pools": []}`))
	assert.NotNil(t, empty.Users)
	assert.NotNil(t, empty.Databases)
	assert.NotNil(t, empty.Pools)
}

func TestAConnectionInfoOfAnotherShapeIsAnError(t *testing.T) {
	_, err := aiven.From("p", decode[service.ServiceOut](t, `{"service_name": "s", "connection_info": {"kafka": 5}}`))
	require.ErrorContains(t, err, "decoding service s of project p")
}

func TestOperationalStates(t *testing.T) {
	for state, want := range map[string]bool{
		aiven.StateRunning: true, aiven.StateRebalancing: true, aiven.StateRebuilding: false, aiven.StatePoweroff: false, "NEW": false,
	} {
		assert.Equal(t, want, (&aiven.Service{State: state}).Operational(), state)
	}
}

func TestSingleUsersConvert(t *testing.T) {
	created, read := service.ServiceUserCreateOut{Username: "u"}, service.ServiceUserGetOut{Username: "u"}
	assert.Equal(t, aiven.User(created), aiven.User(read))
}
