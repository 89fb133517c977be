package connectionsecret_test

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"software.sslmate.com/src/go-pkcs12"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/api/v1alpha1"
	kafkaconfig "github.com/aero-operator/aero/api/v1alpha1/userconfig/service/kafka"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/kafka"
	"github.com/aero-operator/aero/tests/localaiven/engine/postgres"
	"github.com/aero-operator/aero/tests/localaiven/kafkaclient"
)

// The keys of each preset are all that a client of a real PostgreSQL needs.
func TestAnApplicationOfPostgreSQLLogsInWithEachPreset(t *testing.T) {
	t.Parallel()
	machine := postgres.New()
	if err := machine.Available(); err != nil {
		t.Skip("needs a real PostgreSQL: ", err)
	}
	w := postgresql(t, testenv.Options{Aiven: localaiven.Options{Engines: []engine.Engine{machine}}})
	database := w.Example("database")
	w.Create(database)
	w.Wait(database, testenv.Ready())
	dsn := func(data map[string]string, keys ...string) string {
		var parts []string
		for i, name := range []string{"host", "port", "user", "password", "dbname"} {
			parts = append(parts, fmt.Sprintf("%s='%s'", name, data[keys[i]]))
		}
		return strings.Join(parts, " ") + " sslmode=require"
	}
	for preset, addresses := range map[aero.Preset]func(data map[string]string) []string{
		aero.PresetLibpq: func(data map[string]string) []string {
			return []string{dsn(data, "PGHOST", "PGPORT", "PGUSER", "PGPASSWORD", "PGDATABASE"), data["DATABASE_URL"]}
		},
		aero.PresetCloudNativePG: func(data map[string]string) []string {
			return []string{dsn(data, "host", "port", "user", "password", "dbname"), data["uri"]}
		},
		aero.PresetServiceBinding: func(data map[string]string) []string {
			return []string{dsn(data, "host", "port", "username", "password", "database"), data["uri"]}
		},
	} {
		obj := w.reader(func(spec *aero.ConnectionSecretSpec) {
			spec.Presets, spec.DatabaseRef = []aero.Preset{preset}, &aero.DatabaseReference{Name: "orders"}
			spec.Data = map[string]aero.Template{"DATABASE_URL": "{{ .URI }}&application_name=checkout"}
		})
		obj.Name = strings.ToLower(string(preset))
		for _, address := range addresses(w.create(obj)) {
			connection, err := pgx.Connect(t.Context(), address)
			require.NoError(t, err, preset)
			var user, name string
			require.NoError(t, connection.QueryRow(t.Context(), "SELECT current_user, current_database()").Scan(&user, &name))
			assert.Equal(t, []string{"orders-app", "orders"}, []string{user, name}, preset)
			require.NoError(t, connection.Close(t.Context()))
		}
		if preset == aero.PresetServiceBinding {
			assert.Equal(t, "servicebinding.io/postgresql", string(w.secret(obj).Type))
		}
	}
}

// TestAnApplicationOfKafkaLogsInWithEachPreset has a certificate in PEM, in the file of a Java client, and in key stores; and a password.
func TestAnApplicationOfKafkaLogsInWithEachPreset(t *testing.T) {
	t.Parallel()
	w := world{testenv.New(t, testenv.Options{Kinds: []string{"Kafka"}, Aiven: localaiven.Options{Engines: []engine.Engine{kafka.New()}}})}
	service := w.Example("kafka").(*v1alpha1.Kafka)
	service.Spec.UserConfig = &kafkaconfig.KafkaUserConfig{
		KafkaAuthenticationMethods: &kafkaconfig.KafkaAuthenticationMethods{Certificate: new(true), Sasl: new(true)},
	}
	w.Create(service)
	w.Wait(service, testenv.Ready())
	w.SetSecret("keystore-password", map[string]string{"password": "of-the-key-store"})
	obj := w.reader(func(spec *aero.ConnectionSecretSpec) {
		spec.SourceRef = aero.SourceReference{Kind: "Kafka", Name: service.Name}
		spec.Presets = []aero.Preset{aero.PresetKafkaEnv, aero.PresetKafkaProperties}
		spec.Keystore = &aero.Keystore{PasswordSecretRef: aero.SecretKeyReference{Name: "keystore-password", Key: "password"}}
	})
	data := w.create(obj)
	w.login(data["KAFKA_BROKERS"], data["KAFKA_CA"], data["KAFKA_CERTIFICATE"], data["KAFKA_PRIVATE_KEY"])

	properties := propertiesOf(data["client.properties"])
	assert.Equal(t, "SSL", properties["security.protocol"])
	w.login(properties["bootstrap.servers"], properties["ssl.truststore.certificates"], properties["ssl.keystore.certificate.chain"], properties["ssl.keystore.key"])

	key, cert, _, err := pkcs12.DecodeChain([]byte(data["keystore.p12"]), "of-the-key-store")
	require.NoError(t, err)
	trusted, err := pkcs12.DecodeTrustStore([]byte(data["truststore.p12"]), "of-the-key-store")
	require.NoError(t, err)
	require.Len(t, trusted, 1)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	w.login(data["KAFKA_BROKERS"], pemOf("CERTIFICATE", trusted[0].Raw), pemOf("CERTIFICATE", cert.Raw), pemOf("PRIVATE KEY", der))

	before := w.secret(obj).ResourceVersion
	w.Annotate(obj, "controllers.aiven.io/reconcile-requested-at", "now")
	w.Rest(5)
	assert.Equal(t, before, w.secret(obj).ResourceVersion, "the same input gives the same key stores")
	w.SetSecret("keystore-password", map[string]string{"password": "another-password"})
	w.Until(func() bool {
		_, _, _, err := pkcs12.DecodeChain([]byte(w.data(obj)["keystore.p12"]), "another-password")
		return err == nil
	}, func() string { return "the key store has the old password" })

	w.Change(obj, func() {
		obj.Spec.Keystore, obj.Spec.Endpoint = nil, &aero.EndpointSelector{KafkaAuthentication: "sasl"}
	})
	w.ready(obj)
	data = w.data(obj)
	assert.NotContains(t, data, "keystore.p12")
	assert.Contains(t, propertiesOf(data["client.properties"])["sasl.jaas.config"], `username="`+data["KAFKA_USERNAME"]+`"`)
	host, port, err := net.SplitHostPort(data["KAFKA_BROKERS"])
	require.NoError(t, err)
	client, err := kafkaclient.Secret{Data: map[string][]byte{
		"SASL_HOST": []byte(host), "SASL_PORT": []byte(port), "CA_CERT": []byte(data["KAFKA_CA"]),
		"USERNAME": []byte(data["KAFKA_USERNAME"]), "PASSWORD": []byte(data["KAFKA_PASSWORD"]),
	}}.WithPassword()
	require.NoError(t, err)
	defer client.Close()
	require.NoError(t, client.Login(t.Context()))
}

// login logs in to Kafka with a certificate.
func (w world) login(brokers, ca, cert, key string) {
	w.T.Helper()
	host, port, err := net.SplitHostPort(brokers)
	require.NoError(w.T, err)
	client, err := kafkaclient.Secret{Data: map[string][]byte{
		"HOST": []byte(host), "PORT": []byte(port), "CA_CERT": []byte(ca), "ACCESS_CERT": []byte(cert), "ACCESS_KEY": []byte(key),
	}}.WithCertificate()
	require.NoError(w.T, err)
	defer client.Close()
	require.NoError(w.T, client.Login(w.T.Context()))
}

func pemOf(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// propertiesOf reads a file of Java that has no more escapes than these.
func propertiesOf(file string) map[string]string {
	properties := map[string]string{}
	for line := range strings.Lines(file) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		properties[key] = strings.NewReplacer(`\n`, "\n", `\\`, `\`).Replace(value)
	}
	return properties
}
