package connectionsecret_test

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"maps"
	"net"
	"strings"
	"testing"
	"time"

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

// Aiven sends mails until a renewal is acknowledged. What ends the former certificate is its own end, or another renewal.
func TestBothCertificatesOfAKafkaUserAreLetInUntilTheFormerOneEnds(t *testing.T) {
	t.Parallel()
	w := world{testenv.New(t, testenv.Options{Kinds: []string{"Kafka", "ServiceUser"}, Aiven: localaiven.Options{Engines: []engine.Engine{kafka.New()}}})}
	service := w.Example("kafka")
	w.Create(service)
	user := w.Example("serviceuser").(*v1alpha1.ServiceUser)
	user.Spec.ServiceName = service.GetName()
	w.Create(user)
	w.Wait(user, testenv.Ready())
	obj := w.reader(func(spec *aero.ConnectionSecretSpec) { spec.Presets = []aero.Preset{aero.PresetKafkaEnv} })
	former, until := w.create(obj), time.Now().Add(1000*time.Hour)
	require.NoError(t, w.tryLogin(former))

	next := w.renewed(obj, map[string]any{"until": until, "previous_until": until})
	require.NoError(t, w.tryLogin(former), "the former one")
	require.NoError(t, w.tryLogin(next))
	w.Annotate(user, "controllers.aiven.io/acknowledge-renewal-after", "0s")
	w.Until(func() bool { w.Get(user); return user.Status.Credentials.RenewalAcknowledgedFor != nil }, func() string { return "nothing is acknowledged" })
	require.NoError(t, w.tryLogin(former), "the former one")
	require.NoError(t, w.tryLogin(next))

	end := time.Now().Add(8 * time.Second).Truncate(time.Second)
	third := w.renewed(obj, map[string]any{"until": end})
	require.Error(t, w.tryLogin(former))
	require.Error(t, w.tryLogin(next), "nothing says that it is valid")
	fourth := w.renewed(obj, map[string]any{"until": until, "previous_until": end})
	w.Until(func() bool { return w.tryLogin(third) != nil }, func() string { return "the certificate is let in after its end" })
	assert.True(t, time.Now().After(end), "it is let in until its end")
	require.NoError(t, w.tryLogin(fourth))
}

// renewed is what is published once the console has renewed the certificate of the user.
func (w world) renewed(obj *aero.ConnectionSecret, certificate map[string]any) map[string]string {
	w.T.Helper()
	before := w.data(obj)["KAFKA_CERTIFICATE"]
	require.NoError(w.T, w.Aiven.Patch(w.Project, "my-kafka", map[string]any{
		"users": []any{map[string]any{"username": obj.Spec.SourceRef.Name, "certificate": certificate}},
	}))
	w.Until(func() bool { return w.data(obj)["KAFKA_CERTIFICATE"] != before }, func() string { return "the certificate isn't published" })
	return w.data(obj)
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
	require.NoError(w.T, w.tryLogin(map[string]string{"KAFKA_BROKERS": brokers, "KAFKA_CA": ca, "KAFKA_CERTIFICATE": cert, "KAFKA_PRIVATE_KEY": key}))
}

// tryLogin is login with the variables of a client.
func (w world) tryLogin(data map[string]string) error {
	w.T.Helper()
	host, port, err := net.SplitHostPort(data["KAFKA_BROKERS"])
	require.NoError(w.T, err)
	client, err := kafkaclient.Secret{Data: map[string][]byte{
		"HOST": []byte(host), "PORT": []byte(port), "CA_CERT": []byte(data["KAFKA_CA"]),
		"ACCESS_CERT": []byte(data["KAFKA_CERTIFICATE"]), "ACCESS_KEY": []byte(data["KAFKA_PRIVATE_KEY"]),
	}}.WithCertificate()
	require.NoError(w.T, err)
	defer client.Close()
	ctx, cancel := context.WithTimeout(w.T.Context(), loginTime)
	defer cancel()
	return client.Login(ctx)
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
