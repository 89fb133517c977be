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
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/kafka"
	"github.com/aero-operator/aero/tests/localaiven/pki"
)

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
	require.ErrorContains(t, s.visitor(stranger, s.ca).Login(s.within(patience)), "certificate required", "one of another CA is none")
	require.ErrorContains(t, s.visitor(s.ca, stranger).Login(s.within(patience)), "unknown authority", "the server proves who it is")

	require.NoError(t, s.kafka().Topics().Remove(t.Context(), "orders"))
	require.NoError(t, s.kafka().Topics().Remove(t.Context(), "orders"), "once more is fine")
	require.Error(t, s.visitor(s.ca, s.ca).Produce(s.within(time.Second), "orders", "x"))
}

func TestClientsWithPasswords(t *testing.T) {
	s := start(t, true)
	assert.Zero(t, s.Endpoint())
	s.topic("orders", 1)
	s.acls(engine.ACL{Username: "avnadmin", Topic: "*", Permission: "admin"})
	s.user("app", "one")
	s.passes(s.login("avnadmin", "admins-password"), s.login("avnadmin", "admins-password"), "orders")
	require.NoError(t, s.login("app", "one").Login(s.within(patience)))
	require.Error(t, s.login("app", "wrong").Login(s.within(patience)))
	require.Error(t, s.login("nobody", "one").Login(s.within(patience)))

	s.user("app", "changed")
	require.Error(t, s.login("app", "one").Login(s.within(patience)), "an old password")
	connected := s.login("app", "changed")
	require.NoError(t, connected.Login(s.within(patience)))

	s.acls(engine.ACL{Username: "app", Topic: "orders", Permission: "write"})
	require.NoError(t, connected.Produce(s.within(patience), "orders", "x"))
	require.NoError(t, s.Users().Remove(t.Context(), "app"))
	require.NoError(t, s.Users().Remove(t.Context(), "app"), "once more is fine")
	require.Error(t, s.login("app", "changed").Login(s.within(patience)), "the user is gone")
	s.refuses(connected, "orders", "who is still connected, too")
}

func TestACLs(t *testing.T) {
	s := start(t, true)
	s.acls(engine.ACL{Username: "writer-?", Topic: "ord*", Permission: "write"}, engine.ACL{Username: "reader", Topic: "orders", Permission: "read"})
	s.topic("orders", 1)
	s.topic("salaries", 1)
	for _, user := range []string{"writer-1", "writer-10", "reader", "nobody"} {
		s.user(user, user)
	}
	writer, reader := s.login("writer-1", "writer-1"), s.login("reader", "reader")
	s.passes(writer, reader, "orders")
	s.refuses(writer, "salaries", "no rule is about that topic")
	s.refuses(reader, "orders", "who may read may not write")
	s.refuses(s.login("writer-10", "writer-10"), "orders", "? is one character")
	s.refuses(s.login("nobody", "nobody"), "orders", "no rule is about that user")
	_, err := writer.Consume(s.within(patience), "orders")
	require.ErrorIs(t, err, kerr.TopicAuthorizationFailed, "who may write may not read")

	s.topic("ordinary", 1)
	require.NoError(t, writer.Produce(s.within(patience), "ordinary", "x"), "a pattern is about later topics, too")
	s.acls(engine.ACL{Username: "writer-1", Topic: "salaries", Permission: "readwrite"})
	s.refuses(writer, "orders", "the rule is gone")
	s.passes(writer, s.login("writer-1", "writer-1"), "salaries")
}

// What clients do by default, and the tests' own don't.
func TestGroupsAndTransactions(t *testing.T) {
	s := start(t, true)
	s.topic("orders", 1)
	s.user("app", "one")
	s.acls(engine.ACL{Username: "app", Topic: "orders", Permission: "readwrite"})
	authority := x509.NewCertPool()
	require.True(t, authority.AppendCertsFromPEM([]byte(s.ca.CertPEM())))
	client, err := kgo.NewClient(
		kgo.SeedBrokers(net.JoinHostPort(s.kafka().SASL().Host, strconv.Itoa(s.kafka().SASL().Port))),
		kgo.DialTLSConfig(&tls.Config{RootCAs: authority, MinVersion: tls.VersionTLS12}),
		kgo.SASL(scram.Auth{User: "app", Pass: "one"}.AsSha512Mechanism()),
		kgo.ConsumerGroup("workers"), kgo.ConsumeTopics("orders"), kgo.TransactionalID("orders-1"),
	)
	require.NoError(t, err)
	defer client.Close()
	ctx := s.within(patience)
	require.NoError(t, client.BeginTransaction())
	require.NoError(t, client.ProduceSync(ctx, &kgo.Record{Topic: "orders", Value: []byte("hello")}).FirstErr())
	require.NoError(t, client.EndTransaction(ctx, kgo.TryCommit))
	fetched := client.PollFetches(ctx)
	require.NoError(t, fetched.Err())
	require.Equal(t, 1, fetched.NumRecords())
	require.NoError(t, client.CommitUncommittedOffsets(ctx))
}

func TestNothingIsLeft(t *testing.T) {
	for name, sasl := range map[string]bool{"with certificates": false, "with passwords": true} {
		t.Run(name, func(t *testing.T) {
			s := start(t, sasl)
			s.topic("orders", 1)
			at := s.Endpoint()
			if sasl {
				at = s.kafka().SASL()
			}
			require.NoError(t, s.Close(t.Context()))
			require.NoError(t, s.Close(t.Context()), "once more is fine")
			assert.NoDirExists(t, s.spec.DataDir)
			_, err := net.Dial("tcp", net.JoinHostPort(at.Host, strconv.Itoa(at.Port)))
			require.ErrorIs(t, err, syscall.ECONNREFUSED)
			noBroker(t)
		})
	}
}

func TestAStartThatIsGivenUpLeavesNothing(t *testing.T) {
	for name, sasl := range map[string]bool{"with certificates": false, "with passwords": true} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			what := spec(t, sasl)
			_, err := kafka.New().Start(ctx, what)
			require.ErrorIs(t, err, context.Canceled)
			assert.NoDirExists(t, what.DataDir)
			noBroker(t)
		})
	}
}

func TestTwentyServicesAreCheap(t *testing.T) {
	before, began := inUse(), time.Now()
	for i := range 20 {
		s := start(t, i%2 == 0)
		for topic := range 5 {
			s.topic("orders-"+strconv.Itoa(topic), 3)
		}
	}
	used := (inUse() - before) >> 20
	t.Logf("20 services with 5 topics each take %d MiB, and %s to start", used, time.Since(began).Round(time.Millisecond))
	assert.Less(t, used, 40)
}
