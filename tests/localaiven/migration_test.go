package localaiven_test

import (
	"net"
	"testing"
	"time"

	aiven "github.com/aiven/go-client-codegen"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/postgres"
)

// migrating is a local Aiven with the service svcName, and with another one, from which data is migrated.
type migrating struct {
	*harness
	ca  string
	old *service.ServiceGetOut
}

func withSource(t *testing.T) migrating {
	t.Helper()
	pg := postgres.New()
	if err := pg.Available(); err != nil {
		t.Skip("this machine has no PostgreSQL: ", err)
	}
	m := migrating{harness: running(t, localaiven.Options{Engines: []engine.Engine{pg}})}
	m.makes(t, "old-pg", nil)
	m.runs(t, svcName)
	var err error
	m.ca, err = m.client.ProjectKmsGetCA(t.Context(), proj)
	require.NoError(t, err)
	m.old = m.read(t, "old-pg", withSecrets)
	for _, name := range []string{"orders", "scratch"} {
		require.NoError(t, m.client.ServiceDatabaseCreate(t.Context(), proj, "old-pg", &service.ServiceDatabaseCreateIn{Database: name}))
	}
	m.asks(t, m.old.ServiceUri, "orders", "CREATE TABLE notes AS SELECT 'kept' AS note")
	return m
}

// makes creates a service, and lets it be built.
func (m migrating) makes(t *testing.T, name string, options map[string]any) {
	t.Helper()
	_, err := m.client.ServiceCreate(t.Context(), proj, &service.ServiceCreateIn{
		ServiceName: name, ServiceType: "pg", Plan: "startup-4", UserConfig: &options,
	})
	require.NoError(t, err)
	m.clock.Advance(provision)
	m.runs(t, name)
}

func (m migrating) runs(t *testing.T, name string) {
	t.Helper()
	require.Eventually(t, func() bool { return m.read(t, name).State == service.ServiceStateTypeRunning }, time.Minute, 10*time.Millisecond)
}

// asks runs a statement in a database of the service with this URI, and returns the first value of its answer.
func (m migrating) asks(t *testing.T, uri, database, statement string) (answer string) {
	t.Helper()
	conn, err := dial(t.Context(), t, m.ca, uri)
	require.NoError(t, err)
	config := conn.Config()
	require.NoError(t, conn.Close(t.Context()))
	config.Database = database
	conn, err = pgx.ConnectConfig(t.Context(), config)
	require.NoError(t, err)
	rows, err := conn.Query(t.Context(), statement)
	require.NoError(t, err)
	for rows.Next() {
		require.NoError(t, rows.Scan(&answer))
	}
	require.NoError(t, rows.Err())
	require.NoError(t, conn.Close(t.Context()))
	return answer
}

// option is the one with which the databases of the source but for these are migrated.
func (m migrating) option(password, ignored string) map[string]any {
	at := m.old.Components[0]
	return map[string]any{"migration": map[string]any{
		"host": at.Host, "port": at.Port, "username": "avnadmin", "password": password, "dbname": "defaultdb", "ignore_dbs": ignored,
	}}
}

// ends waits until a migration is over, and returns its status.
func (m migrating) ends(t *testing.T, name string) *service.ServiceGetMigrationStatusOut {
	t.Helper()
	var out *service.ServiceGetMigrationStatusOut
	require.Eventually(t, func() bool {
		var err error
		out, err = m.client.ServiceGetMigrationStatus(t.Context(), proj, name)
		require.NoError(t, err)
		return out.Migration.Status != service.MigrationStatusTypeRunning
	}, time.Minute, 10*time.Millisecond)
	return out
}

func TestAMigrationCopiesTheDatabasesOfItsSource(t *testing.T) {
	m := withSource(t)
	option := m.option(m.old.Users[0].Password, "scratch,others")
	copied := service.ServiceGetMigrationStatusOut{
		Migration: service.MigrationOut{Method: "pg_dump", Status: "done"},
		MigrationDetail: []service.MigrationDetailOut{
			{Dbname: "defaultdb", Method: "pg_dump", Status: "done"}, {Dbname: "orders", Method: "pg_dump", Status: "done"},
		},
	}
	for how, name := range map[string]string{"by an update": svcName, "at creation": "another"} {
		t.Run(how, func(t *testing.T) {
			if name == svcName {
				m.update(t, service.ServiceUpdateIn{UserConfig: &option})
			} else {
				m.makes(t, name, option)
			}
			assert.Equal(t, copied, *m.ends(t, name))
			got := m.read(t, name, withSecrets)
			assert.Equal(t, []string{"defaultdb", "orders"}, got.Databases)
			assert.Equal(t, "kept", m.asks(t, got.ServiceUri, "orders", "SELECT note FROM notes"))
		})
	}

	m.update(t, service.ServiceUpdateIn{UserConfig: &option, Powered: ptr(true)})
	assert.Equal(t, copied, *m.ends(t, svcName), "the same option doesn't begin again")
	m.update(t, service.ServiceUpdateIn{UserConfig: &map[string]any{"migration": nil}})
	_, err := m.client.ServiceGetMigrationStatus(t.Context(), proj, svcName)
	assert.True(t, aiven.IsNotFound(err))
	m.update(t, service.ServiceUpdateIn{UserConfig: &option})
	again := m.ends(t, svcName)
	require.NotNil(t, again.Migration.Error)
	assert.Contains(t, *again.Migration.Error, "copying database orders: ")
	assert.Contains(t, *again.Migration.Error, "already exists")
	assert.EqualValues(t, "done", again.MigrationDetail[0].Status)
	assert.EqualValues(t, "failed", again.MigrationDetail[1].Status)
}

func TestAMigrationThatFailedIsTriedAgainWithAnotherOption(t *testing.T) {
	m := withSource(t)
	wrong, right := m.option("of-another", ""), m.option(m.old.Users[0].Password, "")
	m.update(t, service.ServiceUpdateIn{UserConfig: &wrong})
	failed := m.ends(t, svcName)
	assert.EqualValues(t, "failed", failed.Migration.Status)
	require.NotNil(t, failed.Migration.Error)
	assert.Contains(t, *failed.Migration.Error, `password authentication failed for user "avnadmin"`)
	assert.NotContains(t, *failed.Migration.Error, "of-another")
	assert.Empty(t, failed.MigrationDetail)

	m.update(t, service.ServiceUpdateIn{UserConfig: &right})
	assert.EqualValues(t, "done", m.ends(t, svcName).Migration.Status)
	assert.Equal(t, []string{"defaultdb", "orders", "scratch"}, m.get(t).Databases)
}

func TestAMigrationEndsWithItsService(t *testing.T) {
	m := withSource(t)
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, silent.Close()) })
	at := silent.Addr().(*net.TCPAddr)
	option := map[string]any{"migration": map[string]any{"host": at.IP.String(), "port": at.Port}}
	for _, name := range []string{svcName, "old-pg"} {
		_, err := m.client.ServiceUpdate(t.Context(), proj, name, &service.ServiceUpdateIn{UserConfig: &option})
		require.NoError(t, err)
		got, err := m.client.ServiceGetMigrationStatus(t.Context(), proj, name)
		require.NoError(t, err)
		assert.EqualValues(t, "running", got.Migration.Status)
	}
	m.update(t, service.ServiceUpdateIn{Powered: ptr(false)})
	m.update(t, service.ServiceUpdateIn{Powered: ptr(true)})
	m.clock.Advance(provision)
	m.runs(t, svcName)
	assert.EqualValues(t, "failed", m.ends(t, svcName).Migration.Status, "it doesn't begin again")
	require.NoError(t, m.client.ServiceDelete(t.Context(), proj, "old-pg"))
	require.NoError(t, m.Close())
}
