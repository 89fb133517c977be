// Package kafka runs Aiven for Apache Kafka services as brokers that live in this process: franz-go's kfake, which speaks
// Kafka's protocol and keeps messages in memory.
//
// What is as at Aiven: clients connect over TLS only, to a server with a certificate of the project's CA. There are two
// ports: at one, clients present certificates of their users; at the other, they log in with passwords, by SCRAM-SHA-256 or
// SCRAM-SHA-512. Topics and users made through the API exist for a client, and ACLs are enforced at both ports. A user that
// was removed can't log in at either.
//
// What is simpler: there is one broker, whatever the plan. Where a way to log in is switched off, its port ends connections
// at once, and keeps its number. Patterns in ACLs apply to the users and topics that the API knows. A login that is refused
// ends the connection, without a reason. The first version of the handshake before a login is announced, and not known.
// Quotas are not enforced.
package kafka

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/pki"
	"github.com/aero-operator/aero/tests/localaiven/process"
)

// The user that applies what the API says. No other client knows it.
const (
	keeper      = "aero-keeper"
	keeperLogin = "SCRAM-SHA-256"
)

// Engine starts brokers.
type Engine struct{}

var _ engine.Engine = Engine{}

// New returns an engine.
func New() Engine { return Engine{} }

// Type is "kafka".
func (Engine) Type() string { return "kafka" }

// Available is nil: the brokers are part of this program.
func (Engine) Available() error { return nil }

// Start runs a broker without topics.
func (Engine) Start(ctx context.Context, spec engine.Spec) (engine.Instance, error) {
	c, err := start(spec)
	if err != nil {
		err = errors.Join(err, os.RemoveAll(spec.DataDir))
		return nil, fmt.Errorf("starting Kafka for %s/%s: %w", spec.Project, spec.Service, err)
	}
	if err := c.Users().Set(ctx, spec.Admin); err != nil {
		return nil, errors.Join(err, c.Close(context.WithoutCancel(ctx)))
	}
	return c, nil
}

func start(spec engine.Spec) (*cluster, error) {
	ports, visitor, err := certificates(spec)
	if err != nil {
		return nil, err
	}
	c := &cluster{
		name: spec.Project + "/" + spec.Service, ports: ports, visitor: visitor, password: rand.Text(), dir: spec.DataDir,
		users: map[string]bool{}, topics: map[string]map[string]string{}, granted: map[grant]bool{},
		accepts: engine.Logins{Certificates: true, Passwords: true},
	}
	return c, c.run()
}

// run starts the broker, with what is in its data directory. The caller holds the lock, or has the only reference to c.
func (c *cluster) run() error {
	fake, err := kfake.NewCluster(
		kfake.NumBrokers(1), kfake.TLS(c.ports.sasl), kfake.ClusterID(c.name), kfake.DataDir(filepath.Join(c.dir, "log")),
		kfake.EnableSASL(), kfake.EnableACLs(), kfake.Superuser(keeperLogin, keeper, c.password),
	)
	if err != nil {
		return err
	}
	if err := c.open(fake); err != nil {
		fake.Close()
		return err
	}
	return nil
}

// open connects to a broker, and lets clients in.
func (c *cluster) open(fake *kfake.Cluster) error {
	client, err := kgo.NewClient(
		kgo.DialTLSConfig(c.visitor), kgo.SASL(scram.Auth{User: keeper, Pass: c.password}.AsSha256Mechanism()),
		kgo.SeedBrokers(fake.ListenAddrs()...),
	)
	if err != nil {
		return err
	}
	open, err := c.listen(fake.ListenAddrs()[0])
	if err != nil {
		client.Close()
		return err
	}
	c.fake, c.gates, c.client, c.admin = fake, open, client, kadm.NewClient(client)
	c.at.Store(&addresses{open.certificate.at, open.sasl.at})
	return nil
}

// listen opens the ports through which clients reach a broker.
func (c *cluster) listen(broker string) (*gates, error) {
	certificate, err := newGateway(c.ports.certificate, &gateway{broker: broker, trusts: c.visitor, login: c.login})
	if err != nil {
		return nil, err
	}
	sasl, err := newGateway(c.ports.sasl, &gateway{broker: broker, trusts: c.visitor})
	if err != nil {
		certificate.close()
		return nil, err
	}
	both := &gates{certificate, sasl}
	both.admit(c.accepts)
	return both, nil
}

// login is how a user gets in; false for an unknown one.
func (c *cluster) login(user string) (login, bool) {
	found, _ := c.logins.Load(user)
	known, ok := found.(login)
	return known, ok
}

// serverConfigs are those of the two ports.
type serverConfigs struct{ certificate, sasl *tls.Config }

// certificates configure the ports, and connections to the broker.
func certificates(spec engine.Spec) (ports serverConfigs, visitor *tls.Config, err error) {
	authority := x509.NewCertPool()
	authority.AppendCertsFromPEM([]byte(spec.CA.CertPEM()))
	own, err := keyPair(spec.CA, spec.Service, process.Loopback, "localhost")
	if err != nil {
		return ports, nil, err
	}
	ports.sasl = &tls.Config{Certificates: []tls.Certificate{own}, MinVersion: tls.VersionTLS12}
	ports.certificate = ports.sasl.Clone()
	ports.certificate.ClientAuth, ports.certificate.ClientCAs = tls.RequireAndVerifyClientCert, authority
	return ports, &tls.Config{RootCAs: authority, MinVersion: tls.VersionTLS12}, nil
}

func keyPair(ca *pki.Authority, name string, hosts ...string) (tls.Certificate, error) {
	cert, key, err := ca.Issue(name, hosts...)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair([]byte(cert), []byte(key))
}

func endpoint(address string) (engine.Endpoint, error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return engine.Endpoint{}, err
	}
	port, err := strconv.Atoi(text)
	return engine.Endpoint{Host: host, Port: port}, err
}
