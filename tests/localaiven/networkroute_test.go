package localaiven_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/mysql"
	"github.com/aero-operator/aero/tests/localaiven/engine/postgres"
	"github.com/aero-operator/aero/tests/localaiven/engine/valkey"
	"github.com/aero-operator/aero/tests/localaiven/process"
)

// routesOf are the hosts of a component by route.
func routesOf(s *service.ServiceGetOut, component string) map[string]string {
	hosts := map[string]string{}
	for _, c := range s.Components {
		if c.Component == component {
			hosts[string(c.Route)] = c.Host
		}
	}
	return hosts
}

func TestAComponentIsOnTheRoutesThatItsServiceEnables(t *testing.T) {
	h := running(t, localaiven.Options{})
	assert.Equal(t, map[string]string{"dynamic": "127.0.0.1"}, routesOf(h.get(t), "pg"))
	h.update(t, service.ServiceUpdateIn{UserConfig: &map[string]any{
		"privatelink_access": map[string]any{"pg": true, "pgbouncer": false}, "public_access": map[string]any{"pg": true, "prometheus": true},
	}})
	got := h.get(t)
	assert.Equal(t, map[string]string{"dynamic": "127.0.0.1", "privatelink": "127.0.0.2", "public": "localhost"}, routesOf(got, "pg"))
	for _, c := range got.Components {
		assert.Equal(t, c.Route == "privatelink", c.PrivatelinkConnectionId != nil, c.Route)
	}
	h.update(t, service.ServiceUpdateIn{UserConfig: &map[string]any{
		"privatelink_access": map[string]any{"pg": false}, "public_access": map[string]any{"pg": false}, "private_access": map[string]any{"pg": true},
	}})
	assert.Equal(t, map[string]string{"dynamic": "127.0.0.1", "private": "127.0.0.1"}, routesOf(h.get(t), "pg"))
}

// The address of PrivateLink is one that every Linux has, and that other systems may lack: see process.HasPrivateLink.
func TestEnginesServeOnEveryRoute(t *testing.T) {
	for _, e := range []engine.Engine{postgres.New(), mysql.New(), valkey.New()} {
		t.Run(e.Type(), func(t *testing.T) {
			if err := e.Available(); err != nil {
				t.Skip("this machine has no such engine: ", err)
			}
			h := start(t, localaiven.Options{Engines: []engine.Engine{e}})
			_, err := h.client.ServiceCreate(t.Context(), proj, &service.ServiceCreateIn{
				ServiceName: svcName, ServiceType: e.Type(), Plan: "startup-4",
				UserConfig: &map[string]any{
					"privatelink_access": map[string]any{e.Type(): true}, "public_access": map[string]any{e.Type(): true},
				},
			})
			require.NoError(t, err)
			require.Eventually(t, func() bool { return h.state(t) == "RUNNING" }, time.Minute, 10*time.Millisecond)
			ca, err := h.client.ProjectKmsGetCA(t.Context(), proj)
			require.NoError(t, err)
			got := h.get(t)
			hosts := routesOf(got, e.Type())
			for _, route := range []string{"dynamic", "public", "privatelink"} {
				t.Run(route, func(t *testing.T) {
					if route == "privatelink" && !process.HasPrivateLink() {
						assert.NotContains(t, hosts, route)
						t.Skip("the loopback interface of this machine doesn't have the address " + process.PrivateLink)
					}
					require.Contains(t, hosts, route)
					logIn(t, ca, got, hosts[route])
				})
			}
		})
	}
}

// logIn connects with what a service shows, at another host. Of MySQL, whose protocol begins without TLS, it reads the greeting.
func logIn(t *testing.T, ca string, s *service.ServiceGetOut, host string) {
	t.Helper()
	uri, err := url.Parse(s.ServiceUri)
	require.NoError(t, err)
	at := net.JoinHostPort(host, uri.Port())
	switch s.ServiceType {
	case "pg":
		conn, err := dial(t.Context(), t, ca, strings.Replace(s.ServiceUri, uri.Host, at, 1))
		require.NoError(t, err)
		require.NoError(t, conn.Close(t.Context()))
	case "valkey":
		roots := x509.NewCertPool()
		require.True(t, roots.AppendCertsFromPEM([]byte(ca)))
		password, _ := uri.User.Password()
		client := redis.NewClient(&redis.Options{
			Addr: at, Username: uri.User.Username(), Password: password, TLSConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		})
		require.NoError(t, client.Ping(t.Context()).Err())
		require.NoError(t, client.Close())
	default:
		conn, err := (&net.Dialer{Timeout: 10 * time.Second}).DialContext(t.Context(), "tcp", at)
		require.NoError(t, err)
		greeting := make([]byte, 5)
		_, err = io.ReadFull(conn, greeting)
		require.NoError(t, err)
		assert.Equal(t, byte(10), greeting[4], "the version of MySQL's protocol")
		require.NoError(t, conn.Close())
	}
}
