package clickhouse_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	aiven "github.com/aiven/go-client-codegen"
	"github.com/aiven/go-client-codegen/handler/clickhouse"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
	"github.com/aero-operator/aero/tests/localaiven/engine"
	engineclickhouse "github.com/aero-operator/aero/tests/localaiven/engine/clickhouse"
)

const (
	proj        = "my-project"
	name        = "my-clickhouse"
	testTimeout = 20 * time.Second
)

// house is a local Aiven with a service that the engine runs, as clients see it.
type house struct {
	t      *testing.T
	client aiven.Client
}

func start(t *testing.T) house {
	t.Helper()
	server, err := localaiven.New(localaiven.Options{Engines: []engine.Engine{engineclickhouse.New()}})
	require.NoError(t, err)
	web := httptest.NewServer(server)
	t.Cleanup(func() {
		web.Close()
		require.NoError(t, server.Close())
	})
	client, err := aiven.NewClient(aiven.HostOpt(web.URL), aiven.TokenOpt("x"), aiven.DebugOpt(false), aiven.EnableSingleFlightOpt(false))
	require.NoError(t, err)
	h := house{t, client}
	_, err = client.ServiceCreate(t.Context(), proj, &service.ServiceCreateIn{ServiceName: name, ServiceType: "clickhouse", Plan: "startup-16"})
	require.NoError(t, err)
	require.Eventually(t, func() bool { return h.get().State == "RUNNING" }, testTimeout, 5*time.Millisecond)
	return h
}

func (h house) get() *service.ServiceGetOut {
	h.t.Helper()
	out, err := h.client.ServiceGet(h.t.Context(), proj, name, service.ServiceGetIncludeSecrets(true))
	require.NoError(h.t, err)
	return out
}

func (h house) address() string {
	h.t.Helper()
	for _, c := range h.get().Components {
		if c.Component == "clickhouse" {
			return net.JoinHostPort(c.Host, strconv.Itoa(c.Port))
		}
	}
	h.t.Fatal("there is no component")
	return ""
}

func (h house) trusted() *tls.Config {
	h.t.Helper()
	pem, err := h.client.ProjectKmsGetCA(h.t.Context(), proj)
	require.NoError(h.t, err)
	roots := x509.NewCertPool()
	require.True(h.t, roots.AppendCertsFromPEM([]byte(pem)))
	return &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
}

// connect returns a client, which logs in when it is used first.
func (h house) connect(user, password string, more ...func(*driver.Options)) driver.Conn {
	h.t.Helper()
	options := &driver.Options{
		Addr: []string{h.address()}, Auth: driver.Auth{Username: user, Password: password}, TLS: h.trusted(), DialTimeout: testTimeout,
	}
	for _, change := range more {
		change(options)
	}
	conn, err := driver.Open(options)
	require.NoError(h.t, err)
	h.t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// admin is a client of the first user.
func (h house) admin(more ...func(*driver.Options)) driver.Conn {
	h.t.Helper()
	params := h.get().ServiceUriParams
	return h.connect(params["user"], params["password"], more...)
}

// user creates one, and returns its id and its password.
func (h house) user(name string) (id, password string) {
	h.t.Helper()
	out, err := h.client.ServiceClickHouseUserCreate(h.t.Context(), proj, "my-clickhouse", &clickhouse.ServiceClickHouseUserCreateIn{Name: name})
	require.NoError(h.t, err)
	return out.Uuid, *out.Password
}

// query runs one by the API.
func (h house) query(queries ...string) {
	h.t.Helper()
	for _, query := range queries {
		_, err := h.client.ServiceClickHouseQuery(h.t.Context(), proj, name, &clickhouse.ServiceClickHouseQueryIn{Database: "default", Query: query})
		require.NoError(h.t, err, query)
	}
}

// value runs a query on a connection for one value.
func value[T any](t *testing.T, conn driver.Conn, query string, args ...any) T {
	t.Helper()
	var out T
	require.NoError(t, conn.QueryRow(t.Context(), query, args...).Scan(&out), query)
	return out
}

// within bounds a test that waits.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	t.Cleanup(cancel)
	return ctx
}
