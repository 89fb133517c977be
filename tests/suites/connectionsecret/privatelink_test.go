package connectionsecret_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/api/v1alpha1"
	pgconfig "github.com/aero-operator/aero/api/v1alpha1/userconfig/service/pg"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven/process"
)

// An application that publishes the route before its service opens it gets in as soon as there is one.
func TestAnApplicationLogsInThroughPrivateLink(t *testing.T) {
	t.Parallel()
	if !process.HasPrivateLink() {
		t.Skip("the loopback interface of this machine doesn't have the address " + process.PrivateLink)
	}
	w := postgresql(t, testenv.Options{Aiven: realPostgreSQL(t)})
	linked := w.reader(func(spec *aero.ConnectionSecretSpec) {
		spec.Endpoint, spec.Presets = &aero.EndpointSelector{Route: "privatelink"}, []aero.Preset{aero.PresetServiceBinding}
	})
	usual := w.reader(func(spec *aero.ConnectionSecretSpec) { spec.Presets = []aero.Preset{aero.PresetServiceBinding} })
	usual.Name = "usual"
	w.Create(linked)
	w.wait(linked, "False/RouteNotAvailable")
	service := w.Example("postgresql").(*v1alpha1.PostgreSQL)
	w.Change(service, func() { service.Spec.UserConfig.PrivatelinkAccess = &pgconfig.PrivatelinkAccess{Pg: new(true)} })
	w.ready(linked)
	assert.Equal(t, process.PrivateLink, w.serverOf(w.data(linked)), "by the endpoint of the kind")
	assert.Equal(t, process.Loopback, w.serverOf(w.create(usual)), "the others stay on the usual route")

	user := w.Example("serviceuser")
	w.Annotate(user, "controllers.aiven.io/connection-route", "privatelink")
	own := func() map[string]string {
		data, texts := w.Secret(user.GetName()).Data, map[string]string{"database": "defaultdb"}
		for key, name := range map[string]string{"HOST": "host", "PORT": "port", "USERNAME": "username", "PASSWORD": "password", "CA_CERT": "ca.crt"} {
			texts[name] = string(data["ORDERS_"+key])
		}
		return texts
	}
	w.Until(func() bool { return own()["host"] == process.PrivateLink }, func() string { return "the Secret isn't on the route" })
	assert.Equal(t, process.PrivateLink, w.serverOf(own()), "by the annotation")
	w.Until(func() bool { return w.data(usual)["host"] == process.PrivateLink }, func() string { return "what has no endpoint doesn't follow its source" })
	assert.Equal(t, process.PrivateLink, w.serverOf(w.data(usual)), "by the annotation of the source")
}

// serverOf is the address at which a real PostgreSQL let a client in, with the entries of a Secret and a check of the server's certificate.
func (w world) serverOf(data map[string]string) string {
	w.T.Helper()
	ca := filepath.Join(w.T.TempDir(), "ca.crt")
	require.NoError(w.T, os.WriteFile(ca, []byte(data["ca.crt"]), 0o600))
	config, err := pgx.ParseConfig("sslmode=verify-full sslrootcert=" + ca + " host=" + data["host"] + " port=" + data["port"] + " dbname=" + data["database"])
	require.NoError(w.T, err)
	config.User, config.Password = data["username"], data["password"]
	connection, err := pgx.ConnectConfig(w.T.Context(), config)
	require.NoError(w.T, err)
	var address string
	require.NoError(w.T, connection.QueryRow(w.T.Context(), "SELECT host(inet_server_addr())").Scan(&address))
	require.NoError(w.T, connection.Close(w.T.Context()))
	return address
}
