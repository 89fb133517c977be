package localaiven_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"testing"
	"time"

	"github.com/aiven/go-client-codegen/handler/postgresql"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/postgres"
)

// dial connects as an application would: with the published URI, and the project CA as the only one it trusts.
func dial(ctx context.Context, t *testing.T, ca, uri string) (*pgx.Conn, error) {
	t.Helper()
	config, err := pgx.ParseConfig(uri)
	require.NoError(t, err)
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM([]byte(ca)))
	config.TLSConfig = &tls.Config{RootCAs: roots, ServerName: config.Host, MinVersion: tls.VersionTLS12}
	config.Fallbacks = nil
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol // pools in transaction mode know no prepared statements
	return pgx.ConnectConfig(ctx, config)
}

func TestPublishedURIsConnectToPostgreSQL(t *testing.T) {
	pg := postgres.New()
	if err := pg.Available(); err != nil {
		t.Skip("this machine has no PostgreSQL: ", err)
	}
	h := running(t, localaiven.Options{Engines: []engine.Engine{pg}})
	require.Eventually(t, func() bool { return h.state(t) == "RUNNING" }, time.Minute, 10*time.Millisecond)
	ctx := t.Context()
	ca, err := h.client.ProjectKmsGetCA(ctx, proj)
	require.NoError(t, err)
	require.NoError(t, h.client.ServiceDatabaseCreate(ctx, proj, svcName, &service.ServiceDatabaseCreateIn{Database: "orders"}))
	require.NoError(t, createUser(t, h))
	require.NoError(t, h.client.ServicePGBouncerCreate(ctx, proj, svcName, &postgresql.ServicePGBouncerCreateIn{
		PoolName: "pool", Database: "orders", Username: ptr("bob"),
	}))

	query := func(uri string) (string, error) {
		conn, err := dial(ctx, t, ca, uri)
		if err != nil {
			return "", err
		}
		defer func() { assert.NoError(t, conn.Close(ctx)) }()
		var where string
		err = conn.QueryRow(ctx, "SELECT current_user || '@' || current_database()").Scan(&where)
		return where, err
	}
	got := h.get(t)
	where, err := query(got.ServiceUri)
	require.NoError(t, err)
	assert.Equal(t, "avnadmin@defaultdb", where)
	pool := got.ConnectionPools[0].ConnectionUri
	where, err = query(pool)
	require.NoError(t, err)
	assert.Equal(t, "bob@orders", where)

	_, err = h.client.ServiceUserCredentialsModify(ctx, proj, svcName, "bob", &service.ServiceUserCredentialsModifyIn{Operation: "reset-credentials"})
	require.NoError(t, err)
	_, err = query(pool)
	require.Error(t, err, "the old password is worthless")
	where, err = query(h.get(t).ConnectionPools[0].ConnectionUri)
	require.NoError(t, err)
	assert.Equal(t, "bob@orders", where)

	require.NoError(t, h.client.ServiceDelete(ctx, proj, svcName))
	require.NoError(t, h.Close())
	_, err = query(got.ServiceUri)
	require.Error(t, err, "no listener any more")
}
