package connectionsecret_test

import (
	"crypto/x509"
	"encoding/pem"
	"maps"
	"net"
	"strings"
	"testing"

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
	"github.com/aero-operator/aero/tests/localaiven/kafkaclient"
)

// TestAnApplicationOfKafkaLogsInWithEachPreset has a certificate in PEM, in the file of a Java client, and in key stores; and a password.
func TestAnApplicationOfKafkaLogsInWithEachPreset(t *testing.T) {
	t.Parallel()
	w := world{testenv.New(t, testenv.Options{Kinds: []string{"Kafka", "ServiceUser"}, Aiven: localaiven.Options{Engines: []engine.Engine{kafka.New()}}})}
	service := w.Example("kafka").(*v1alpha1.Kafka)
	service.Spec.UserConfig = &kafkaconfig.KafkaUserConfig{
		KafkaAuthenticationMethods: &kafkaconfig.KafkaAuthenticationMethods{Certificate: new(true), Sasl: new(true)},
	}
	w.Create(service)
	user := w.user(service.Name)
	w.Wait(service, testenv.Ready())
	w.SetSecret("keystore-password", map[string]string{"password": "of-the-key-store"})
	obj := w.reader(func(spec *aero.ConnectionSecretSpec) {
		spec.SourceRef = aero.SourceReference{Kind: "Kafka", Name: service.Name}
		spec.Presets = []aero.Preset{aero.PresetKafkaEnv, aero.PresetKafkaProperties}
		spec.Keystore = &aero.Keystore{PasswordSecretRef: aero.SecretKeyReference{Name: "keystore-password", Key: "password"}}
	})
	data := w.create(obj)
	w.login(data["KAFKA_BROKERS"], data["KAFKA_CA"], data["KAFKA_CERTIFICATE"], data["KAFKA_PRIVATE_KEY"])
	withKeyStores := maps.Clone(data)
	withKeyStores["KEYSTORE_PASSWORD"] = "of-the-key-store"
	startClients(t, "with a certificate", withKeyStores, kafkaLogins...)

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
		obj.Spec.SourceRef = aero.SourceReference{Kind: "ServiceUser", Name: user.Name}
	})
	w.ready(obj)
	data = w.data(obj)
	startClients(t, "with a password", data, kafkaPasswordLogins...)
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
	w.logInWithBindings(obj.Spec.SourceRef)
}

// logInWithBindings has a certificate, and then a password: the preset of all services has one of both.
func (w world) logInWithBindings(source aero.SourceReference) {
	w.T.Helper()
	for authentication, logins := range map[string][]login{"certificate": kafkaBindingLogins, "sasl": kafkaBindingPasswordLogins} {
		obj := w.reader(func(spec *aero.ConnectionSecretSpec) {
			spec.SourceRef, spec.Presets = source, []aero.Preset{aero.PresetServiceBinding}
			spec.Endpoint = &aero.EndpointSelector{KafkaAuthentication: authentication}
		})
		obj.Name = "by-" + authentication
		startClients(w.T, obj.Name, w.create(obj), logins...)
	}
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

// Each command asks for the brokers, which an answer names only behind the login.
const brokers = ` | grep -o '[0-9]* brokers'`

var kafkaLogins = []login{
	{"kcat, by variables", []string{"kcat"}, `kcat -L -m 20 -b "$KAFKA_BROKERS" -X security.protocol="$KAFKA_SECURITY_PROTOCOL" \
  -X ssl.ca.pem="$KAFKA_CA" -X ssl.certificate.pem="$KAFKA_CERTIFICATE" -X ssl.key.pem="$KAFKA_PRIVATE_KEY"` + brokers, "1 brokers"},
	{"kcat, by client.properties as Java reads it", []string{java, "kcat"}, `java ClientProperties
kcat -L -m 20 -F kcat.conf` + brokers, "1 brokers"},
	{"kcat, by keystore.p12", []string{"kcat"}, `kcat -L -m 20 -b "$KAFKA_BROKERS" -X security.protocol="$KAFKA_SECURITY_PROTOCOL" \
  -X ssl.ca.pem="$KAFKA_CA" -X ssl.keystore.location=keystore.p12 -X ssl.keystore.password="$KEYSTORE_PASSWORD"` + brokers, "1 brokers"},
	{"Java, by both key stores", []string{java}, `java KeyStores keystore.p12`, "answer 7, error 0"},
	{"Java, without the certificate", []string{java}, `java KeyStores`, "refused"},
	{"keytool, of both key stores", []string{java}, `for store in keystore truststore; do
  keytool -list -keystore $store.p12 -storepass "$KEYSTORE_PASSWORD" | grep -o '[A-Za-z]*Entry'
done`, "PrivateKeyEntry\ntrustedCertEntry"},
}

var kafkaPasswordLogins = []login{
	{"kcat, by variables", []string{"kcat"}, kcatWithPassword + ` -X sasl.password="$KAFKA_PASSWORD"` + brokers, "1 brokers"},
	{"kcat, by client.properties as Java reads it", []string{java, "kcat"}, `java ClientProperties
kcat -L -m 20 -F kcat.conf` + brokers, "1 brokers"},
	{"kcat, with another password", []string{"kcat"}, `! ` + kcatWithPassword + ` -m 3 -X sasl.password=another 2> errors
grep -o 'Failed to acquire metadata' errors`, "Failed to acquire metadata"},
}

const kcatWithPassword = `kcat -L -m 20 -b "$KAFKA_BROKERS" -X security.protocol="$KAFKA_SECURITY_PROTOCOL" -X ssl.ca.pem="$KAFKA_CA" \
  -X sasl.mechanism="$KAFKA_SASL_MECHANISM" -X sasl.username="$KAFKA_USERNAME"`

var kafkaBindingLogins = []login{
	{"kcat, by files", []string{"kcat"}, `kcat -L -m 20 -b "$(< host):$(< port)" -X security.protocol=SSL -X ssl.ca.location=ca.crt \
  -X ssl.certificate.location=certificates -X ssl.key.location=private-key` + brokers, "1 brokers"},
}

var kafkaBindingPasswordLogins = []login{
	{"kcat, by files", []string{"kcat"}, `kcat -L -m 20 -b "$(< uri)" -X security.protocol=SASL_SSL -X ssl.ca.location=ca.crt \
  -X sasl.mechanism=SCRAM-SHA-256 -X sasl.username="$(< username)" -X sasl.password="$(< password)"` + brokers, "1 brokers"},
}
