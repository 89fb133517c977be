package kafka_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/kafka"
	"github.com/aero-operator/aero/tests/localaiven/kafkaclient"
	"github.com/aero-operator/aero/tests/localaiven/pki"
)

const testTimeout = 20 * time.Second

// service is one service, and what its API would return.
type service struct {
	t  *testing.T
	ca *pki.Authority
	engine.Instance
	spec engine.Spec
}

func spec(t *testing.T) engine.Spec {
	t.Helper()
	ca, err := pki.New("the project's CA")
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "kafka")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	return engine.Spec{
		Project: "p", Service: "s", Type: "kafka", CA: ca, DataDir: dir,
		Admin: engine.Credential{Username: "avnadmin", Password: "admins-password"},
	}
}

// start runs a service until the end of the test.
func start(t *testing.T) *service {
	t.Helper()
	what := spec(t)
	instance, err := kafka.New().Start(t.Context(), what)
	require.NoError(t, err)
	s := &service{t: t, ca: what.CA, Instance: instance, spec: what}
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

// present is a client with a user's certificate of the project's CA.
func (s *service) present(user string) *kafkaclient.Client { return s.visitor(user, s.ca, s.ca) }

// visitor is a client with a user's certificate of an authority.
func (s *service) visitor(user string, of, trusts *pki.Authority) *kafkaclient.Client {
	cert, key, err := of.Issue(user)
	require.NoError(s.t, err)
	return s.with(cert, key, trusts)
}

// with is a client with a certificate.
func (s *service) with(cert, key string, trusts *pki.Authority) *kafkaclient.Client {
	s.t.Helper()
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

// passes reports whether a message gets from one client to the other.
func (s *service) passes(from, to *kafkaclient.Client, topic string) {
	s.t.Helper()
	require.NoError(s.t, from.Produce(s.within(testTimeout), topic, "hello"))
	message, err := to.Consume(s.within(testTimeout), topic)
	require.NoError(s.t, err)
	assert.Equal(s.t, "hello", message)
}

// refuses says that a client is let in, but mustn't write to that topic.
func (s *service) refuses(client *kafkaclient.Client, topic, why string) {
	s.t.Helper()
	require.ErrorIs(s.t, client.Produce(s.within(testTimeout), topic, "x"), kerr.TopicAuthorizationFailed, why)
}

func (s *service) within(d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(s.t.Context(), d)
	s.t.Cleanup(cancel)
	return ctx
}

// noBroker waits until no goroutine of a broker or of its keeper is left.
func noBroker(t *testing.T) {
	t.Helper()
	stacks := make([]byte, 1<<20)
	require.Eventually(t, func() bool {
		return !bytes.Contains(stacks[:runtime.Stack(stacks, true)], []byte("twmb/franz-go"))
	}, testTimeout, 10*time.Millisecond)
}

// inUse is the memory that this process needs, in bytes.
func inUse() int {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int(stats.HeapAlloc + stats.StackInuse) // far from the limit
}
