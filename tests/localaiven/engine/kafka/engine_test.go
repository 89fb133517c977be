package kafka_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/kafka"
	"github.com/aero-operator/aero/tests/localaiven/pki"
)

func TestClientsWithCertificates(t *testing.T) {
	s := start(t)
	assert.Nil(t, s.Databases())
	assert.Nil(t, s.Pools())
	s.topic("orders", 2)
	s.topic("orders", 3)
	s.topic("orders", 3)
	s.user("app", "one")
	s.acls(engine.ACL{Username: "app", Topic: "orders", Permission: "readwrite"})
	s.passes(s.present("app"), s.present("app"), "orders")
	s.user("app", "changed")
	require.NoError(t, s.present("app").Login(s.within(testTimeout)), "a certificate outlives the password")

	stranger, err := pki.New("another CA")
	require.NoError(t, err)
	require.ErrorContains(t, s.visitor("app", stranger, s.ca).Login(s.within(testTimeout)), "certificate required", "one of another CA is none")
	require.ErrorContains(t, s.visitor("app", s.ca, stranger).Login(s.within(testTimeout)), "unknown authority", "the server proves who it is")
	require.Error(t, s.present("nobody").Login(s.within(testTimeout)), "a certificate isn't a user")

	connected := s.present("app")
	require.NoError(t, connected.Login(s.within(testTimeout)))
	require.NoError(t, s.Users().Remove(t.Context(), "app"))
	require.Error(t, s.present("app").Login(s.within(testTimeout)), "the user is gone")
	s.refuses(connected, "orders", "who is still connected, too")

	require.NoError(t, s.kafka().Topics().Remove(t.Context(), "orders"))
	require.NoError(t, s.kafka().Topics().Remove(t.Context(), "orders"), "once more is fine")
}

func TestTheCertificateOfADeletedUserStaysOutWhenTheNameIsUsedAgain(t *testing.T) {
	s := start(t)
	certify := func() (cert, key string) {
		cert, key, err := s.ca.Issue("app")
		require.NoError(t, err)
		require.NoError(t, s.Users().Set(t.Context(), engine.Credential{Username: "app", Password: "one", Certificate: cert}))
		return cert, key
	}
	former, formerKey := certify()
	require.NoError(t, s.with(former, formerKey, s.ca).Login(s.within(testTimeout)))
	require.Error(t, s.present("app").Login(s.within(testTimeout)), "another one with the name")
	require.NoError(t, s.Users().Remove(t.Context(), "app"))
	require.Error(t, s.with(former, formerKey, s.ca).Login(s.within(testTimeout)))
	next, nextKey := certify()
	require.Error(t, s.with(former, formerKey, s.ca).Login(s.within(testTimeout)), "it was that of another user")
	require.NoError(t, s.with(next, nextKey, s.ca).Login(s.within(testTimeout)))
}

func TestCertificatesAndPasswordsHavePortsOfTheirOwnAndTheSameRules(t *testing.T) {
	s := start(t)
	assert.NotEqual(t, s.Endpoint(), s.kafka().SASL())
	s.topic("orders", 1)
	s.topic("salaries", 1)
	s.user("app", "one")
	s.acls(engine.ACL{Username: "app", Topic: "orders", Permission: "readwrite"})
	certified, login := s.present("app"), s.login("app", "one")
	s.passes(certified, login, "orders")
	s.refuses(certified, "salaries", "no rule is about that topic")
	s.refuses(login, "salaries", "no rule is about that topic")
}

func TestClientsWithPasswords(t *testing.T) {
	s := start(t)
	s.topic("orders", 1)
	s.acls(engine.ACL{Username: "avnadmin", Topic: "*", Permission: "admin"})
	s.user("app", "one")
	s.passes(s.login("avnadmin", "admins-password"), s.login("avnadmin", "admins-password"), "orders")
	require.NoError(t, s.login("app", "one").Login(s.within(testTimeout)))
	require.Error(t, s.login("app", "wrong").Login(s.within(testTimeout)))
	require.Error(t, s.login("nobody", "one").Login(s.within(testTimeout)))

	s.user("app", "changed")
	require.Error(t, s.login("app", "one").Login(s.within(testTimeout)), "an old password")
	connected := s.login("app", "changed")
	require.NoError(t, connected.Login(s.within(testTimeout)))

	s.acls(engine.ACL{Username: "app", Topic: "orders", Permission: "write"})
	require.NoError(t, connected.Produce(s.within(testTimeout), "orders", "x"))
	require.NoError(t, s.Users().Remove(t.Context(), "app"))
	require.NoError(t, s.Users().Remove(t.Context(), "app"), "once more is fine")
	require.Error(t, s.login("app", "changed").Login(s.within(testTimeout)), "the user is gone")
	s.refuses(connected, "orders", "who is still connected, too")
}

func TestACLs(t *testing.T) {
	s := start(t)
	s.acls(engine.ACL{Username: "writer-?", Topic: "ord*", Permission: "write"}, engine.ACL{Username: "reader", Topic: "orders", Permission: "read"})
	s.topic("orders", 1)
	s.topic("salaries", 1)
	for _, user := range []string{"writer-1", "writer-10", "reader", "other"} {
		s.user(user, user)
	}
	writer, reader := s.login("writer-1", "writer-1"), s.login("reader", "reader")
	s.passes(writer, reader, "orders")
	s.refuses(writer, "salaries", "no rule is about that topic")
	s.refuses(reader, "orders", "who may read may not write")
	s.refuses(s.login("writer-10", "writer-10"), "orders", "? is one character")
	s.refuses(s.login("other", "other"), "orders", "no rule is about that user")
	_, err := writer.Consume(s.within(testTimeout), "orders")
	require.ErrorIs(t, err, kerr.TopicAuthorizationFailed, "who may write may not read")

	s.topic("ordinary", 1)
	require.NoError(t, writer.Produce(s.within(testTimeout), "ordinary", "x"), "a pattern is about later topics, too")
	s.acls(engine.ACL{Username: "writer-1", Topic: "salaries", Permission: "readwrite"})
	s.refuses(writer, "orders", "the rule is gone")
	s.passes(writer, s.login("writer-1", "writer-1"), "salaries")
}

// What clients do by default, and the tests' own don't.
func TestGroupsAndTransactions(t *testing.T) {
	s := start(t)
	s.topic("orders", 1)
	s.user("app", "one")
	s.acls(engine.ACL{Username: "app", Topic: "orders", Permission: "readwrite"})
	authority := x509.NewCertPool()
	require.True(t, authority.AppendCertsFromPEM([]byte(s.ca.CertPEM())))
	cert, key, err := s.ca.Issue("app")
	require.NoError(t, err)
	own, err := tls.X509KeyPair([]byte(cert), []byte(key))
	require.NoError(t, err)
	for name, c := range map[string]struct {
		at    engine.Endpoint
		login kgo.Opt
		own   []tls.Certificate
	}{
		"with a password":    {s.kafka().SASL(), kgo.SASL(scram.Auth{User: "app", Pass: "one"}.AsSha512Mechanism()), nil},
		"with a certificate": {s.Endpoint(), kgo.SASL(), []tls.Certificate{own}},
	} {
		t.Run(name, func(t *testing.T) {
			client, err := kgo.NewClient(
				kgo.SeedBrokers(net.JoinHostPort(c.at.Host, strconv.Itoa(c.at.Port))),
				kgo.DialTLSConfig(&tls.Config{RootCAs: authority, Certificates: c.own, MinVersion: tls.VersionTLS12}), c.login,
				kgo.ConsumerGroup(name), kgo.ConsumeTopics("orders"), kgo.TransactionalID(name),
			)
			require.NoError(t, err)
			defer client.Close()
			ctx := s.within(testTimeout)
			require.NoError(t, client.BeginTransaction())
			require.NoError(t, client.ProduceSync(ctx, &kgo.Record{Topic: "orders", Value: []byte("hello")}).FirstErr())
			require.NoError(t, client.EndTransaction(ctx, kgo.TryCommit))
			fetched := client.PollFetches(ctx)
			require.NoError(t, fetched.Err())
			require.NotZero(t, fetched.NumRecords())
			require.NoError(t, client.CommitUncommittedOffsets(ctx))
			brokers, err := kadm.NewClient(client).ListBrokers(ctx)
			require.NoError(t, err)
			require.Len(t, brokers, 1)
			assert.EqualValues(t, c.at.Port, brokers[0].Port, "a client is sent to the port it came to")
		})
	}
}

func TestNothingIsLeft(t *testing.T) {
	s := start(t)
	s.topic("orders", 1)
	require.NoError(t, s.present("avnadmin").Login(s.within(testTimeout)))
	require.NoError(t, s.Close(t.Context()))
	require.NoError(t, s.Close(t.Context()), "once more is fine")
	assert.NoDirExists(t, s.spec.DataDir)
	for _, at := range []engine.Endpoint{s.Endpoint(), s.kafka().SASL()} {
		_, err := net.Dial("tcp", net.JoinHostPort(at.Host, strconv.Itoa(at.Port)))
		require.ErrorIs(t, err, syscall.ECONNREFUSED)
	}
}

func TestNoGoroutineIsLeft(t *testing.T) {
	s := start(t)
	require.NoError(t, s.Close(t.Context()))
	noBroker(t)
}

func TestAStartThatIsGivenUpLeavesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	what := spec(t)
	_, err := kafka.New().Start(ctx, what)
	require.ErrorIs(t, err, context.Canceled)
	assert.NoDirExists(t, what.DataDir)
	noBroker(t)
}

func TestTwentyServicesAreCheap(t *testing.T) {
	before, began := inUse(), time.Now()
	for range 20 {
		s := start(t)
		for topic := range 5 {
			s.topic("orders-"+strconv.Itoa(topic), 3)
		}
	}
	used := (inUse() - before) >> 20
	t.Logf("20 services with 5 topics each take %d MiB, and %s to start", used, time.Since(began).Round(time.Millisecond))
	assert.Less(t, used, 40)
}
