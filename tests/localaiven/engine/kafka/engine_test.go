package kafka_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/kafkaclient"
	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/kafka"
	"github.com/aero-operator/aero/tests/localaiven/pki"
)

const patience = 20 * time.Second

// service is one service, and what its API would tell.
type service struct {
	t  *testing.T
	ca *pki.Authority
	engine.Instance
	dir string
}

func start(t *testing.T, sasl bool) *service {
	t.Helper()
	ca, err := pki.New("the project's CA")
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "kafka")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	instance, err := kafka.New().Start(t.Context(), engine.Spec{
		Project: "p", Service: "s", Type: "kafka", CA: ca, SASL: sasl, DataDir: dir,
		Admin: engine.Credential{Username: "avnadmin", Password: "admins-password"},
	})
	require.NoError(t, err)
	s := &service{t: t, ca: ca, Instance: instance, dir: dir}
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	return s
}

func (s *service) kafka() engine.Kafka { return s.Instance.(engine.Kafka) }

func (s *service) topic(name string, partitions int) {
	s.t.Helper()
	require.NoError(s.t, s.kafka().Topics().Set(s.t.Context(), engine.Topic{
		Name: name, Partitions: partitions, Replication: 3, Config: map[string]string{"retention.ms": "60000", "unheard.of": "1"},
	}))
}

func (s *service) user(name, password string) {
	s.t.Helper()
	require.NoError(s.t, s.Users().Set(s.t.Context(), engine.Credential{Username: name, Password: password}))
}

func (s *service) acls(acls ...engine.ACL) {
	s.t.Helper()
	require.NoError(s.t, s.kafka().SetACLs(s.t.Context(), acls))
}

// login is a client with a password.
func (s *service) login(name, password string) *kafkaclient.Client {
	at := s.kafka().SASL()
	return s.connect(kafkaclient.Secret.WithPassword, map[string]string{
		"SASL_HOST": at.Host, "SASL_PORT": strconv.Itoa(at.Port), "USERNAME": name, "PASSWORD": password, "CA_CERT": s.ca.CertPEM(),
	})
}

// visitor is a client with a certificate of an authority.
func (s *service) visitor(of, trusts *pki.Authority) *kafkaclient.Client {
	cert, key, err := of.Issue("orders-app")
	require.NoError(s.t, err)
	at := s.Endpoint()
	return s.connect(kafkaclient.Secret.WithCertificate, map[string]string{
		"HOST": at.Host, "PORT": strconv.Itoa(at.Port), "ACCESS_CERT": cert, "ACCESS_KEY": key, "CA_CERT": trusts.CertPEM(),
	})
}

func (s *service) connect(how func(kafkaclient.Secret) (*kafkaclient.Client, error), values map[string]string) *kafkaclient.Client {
	s.t.Helper()
	data := map[string][]byte{}
	for key, value := range values {
		data["K_"+key] = []byte(value)
	}
	client, err := how(kafkaclient.Secret{Data: data, Prefix: "K_"})
	require.NoError(s.t, err)
	s.t.Cleanup(client.Close)
	return client
}

// passes says whether a message gets from one client to the other.
func (s *service) passes(from, to *kafkaclient.Client, topic string) {
	s.t.Helper()
	require.NoError(s.t, from.Produce(s.within(patience), topic, "hello"))
	message, err := to.Consume(s.within(patience), topic)
	require.NoError(s.t, err)
	assert.Equal(s.t, "hello", message)
}

func (s *service) within(d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(s.t.Context(), d)
	s.t.Cleanup(cancel)
	return ctx
}

func TestClientsWithCertificates(t *testing.T) {
	s := start(t, false)
	assert.Zero(t, s.kafka().SASL())
	assert.Nil(t, s.Databases())
	assert.Nil(t, s.Pools())
	s.topic("orders", 2)
	s.topic("orders", 3)
	s.topic("orders", 3)
	s.passes(s.visitor(s.ca, s.ca), s.visitor(s.ca, s.ca), "orders")

	stranger, err := pki.New("somebody else's CA")
	require.NoError(t, err)
	require.Error(t, s.visitor(stranger, s.ca).Produce(s.within(time.Second), "orders", "x"), "a certificate of another CA")
	require.Error(t, s.visitor(s.ca, stranger).Produce(s.within(time.Second), "orders", "x"), "the server proves who it is")

	require.NoError(t, s.kafka().Topics().Remove(t.Context(), "orders"))
	require.NoError(t, s.kafka().Topics().Remove(t.Context(), "orders"), "once more is fine")
	require.Error(t, s.visitor(s.ca, s.ca).Produce(s.within(time.Second), "orders", "x"))
}

func TestClientsWithPasswords(t *testing.T) {
	s := start(t, true)
	assert.Zero(t, s.Endpoint())
	s.acls(engine.ACL{Username: "avnadmin", Topic: "*", Permission: "admin"}, engine.ACL{Username: "app-?", Topic: "ord*", Permission: "write"},
		engine.ACL{Username: "reader", Topic: "orders", Permission: "read"})
	s.topic("orders", 1)
	s.topic("salaries", 1)
	s.user("app-1", "one")
	s.user("reader", "two")
	s.passes(s.login("app-1", "one"), s.login("reader", "two"), "orders")
	s.passes(s.login("avnadmin", "admins-password"), s.login("avnadmin", "admins-password"), "salaries")

	refused := func(client *kafkaclient.Client, topic, why string) {
		t.Helper()
		require.Error(t, client.Produce(s.within(2*time.Second), topic, "x"), why)
	}
	refused(s.login("app-1", "one"), "salaries", "no rule is about that topic")
	refused(s.login("reader", "two"), "orders", "who may read may not write")
	refused(s.login("app-1", "wrong"), "orders", "a wrong password")

	s.user("app-1", "changed")
	refused(s.login("app-1", "one"), "orders", "an old password")
	require.NoError(t, s.login("app-1", "changed").Produce(s.within(patience), "orders", "x"))

	s.acls(engine.ACL{Username: "app-1", Topic: "salaries", Permission: "readwrite"})
	refused(s.login("app-1", "changed"), "orders", "the rule is gone")
	require.NoError(t, s.login("app-1", "changed").Produce(s.within(patience), "salaries", "x"))

	require.NoError(t, s.Users().Remove(t.Context(), "app-1"))
	require.NoError(t, s.Users().Remove(t.Context(), "app-1"), "once more is fine")
	refused(s.login("app-1", "changed"), "salaries", "the user is gone")
}

func TestNothingIsLeft(t *testing.T) {
	s := start(t, false)
	client := s.visitor(s.ca, s.ca)
	s.topic("orders", 1)
	require.NoError(t, client.Produce(s.within(patience), "orders", "x"))
	require.NoError(t, s.Close(t.Context()))
	require.NoError(t, s.Close(t.Context()), "once more is fine")
	require.Error(t, client.Produce(s.within(time.Second), "orders", "x"))
	assert.NoDirExists(t, s.dir)
}
