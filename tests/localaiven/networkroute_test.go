package localaiven_test

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/url"
	"strconv"
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

func TestEnginesServeOnEveryRoute(t *testing.T) {
	for _, e := range []engine.Engine{postgres.New(), mysql.New(), valkey.New()} {
		t.Run(e.Type(), func(t *testing.T) {
			if err := e.Available(); err != nil {
				t.Skip("this machine has no such engine: ", err)
			}
			h := start(t, localaiven.Options{Engines: []engine.Engine{e}})
			name := "routed"
			h.create(t, service.ServiceCreateIn{
				ServiceName: name, ServiceType: e.Type(), Plan: "startup-4", Cloud: ptr("google-europe-west1"),
				UserConfig: &map[string]any{
					"privatelink_access": map[string]any{e.Type(): true}, "public_access": map[string]any{e.Type(): true},
				},
			})
			require.Eventually(t, func() bool { return h.read(t, name).State == "RUNNING" }, time.Minute, 10*time.Millisecond)
			ca, err := h.client.ProjectKmsGetCA(t.Context(), proj)
			require.NoError(t, err)
			roots := x509.NewCertPool()
			require.True(t, roots.AppendCertsFromPEM([]byte(ca)))
			got := h.read(t, name, [2]string{"include_secrets", "true"})
			assert.Len(t, routesOf(got, e.Type()), 3)
			for _, c := range got.Components {
				host := net.JoinHostPort(c.Host, strconv.Itoa(c.Port))
				switch e.Type() {
				case "pg":
					conn, err := dial(t.Context(), t, ca, strings.Replace(got.ServiceUri, got.ServiceUriParams["host"].(string), c.Host, 1))
					require.NoError(t, err, c.Route)
					require.NoError(t, conn.Close(t.Context()))
				case "valkey":
					uri, err := url.Parse(got.ServiceUri)
					require.NoError(t, err)
					password, _ := uri.User.Password()
					client := redis.NewClient(&redis.Options{
						Addr: host, Username: uri.User.Username(), Password: password, TLSConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
					})
					require.NoError(t, client.Ping(t.Context()).Err(), c.Route)
					require.NoError(t, client.Close())
				default: // its protocol begins without TLS, with a greeting of the server
					conn, err := (&net.Dialer{Timeout: 10 * time.Second}).DialContext(t.Context(), "tcp", host)
					require.NoError(t, err, c.Route)
					greeting := make([]byte, 5)
					_, err = conn.Read(greeting)
					require.NoError(t, err)
					assert.Equal(t, byte(10), greeting[4], "the version of MySQL's protocol")
					require.NoError(t, conn.Close())
				}
			}
		})
	}
}
