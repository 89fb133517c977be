// Package kafka runs Aiven for Apache Kafka services as brokers that live in this process: franz-go's kfake, which speaks
// Kafka's protocol and keeps messages in memory.
//
// What is as at Aiven: clients connect over TLS only, to a server with a certificate of the project's CA. A service takes
// either certificates of its users, or with SASL their passwords by SCRAM-SHA-256 and SCRAM-SHA-512. Topics and users made
// through the API are there for a client, and ACLs are followed.
//
// What is simpler: there is one broker, whatever the plan. A service has one of the two ways to log in, never both. With
// certificates it follows no ACLs, as kfake knows users from passwords only. Patterns in ACLs apply to the users and
// topics that the API knows. A login that is refused ends the connection, without saying why.
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

// The user that applies what the API says. Nobody else learns of it.
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
	// With certificates, a user is nothing to ask the broker for, so ctx may be done unnoticed.
	if err := errors.Join(c.Users().Set(ctx, spec.Admin), ctx.Err()); err != nil {
		return nil, errors.Join(err, c.Close(context.WithoutCancel(ctx)))
	}
	return c, nil
}

func start(spec engine.Spec) (*cluster, error) {
	server, client, err := certificates(spec)
	if err != nil {
		return nil, err
	}
	c := &cluster{
		name: spec.Project + "/" + spec.Service, server: server, visitor: client, password: rand.Text(), sasl: spec.SASL, dir: spec.DataDir,
		users: map[string]bool{}, topics: map[string]map[string]string{}, granted: map[grant]bool{},
	}
	return c, c.run()
}

// run starts the broker, with what is in its data directory. The caller holds the lock, or nobody else knows c.
func (c *cluster) run() error {
	options := []kfake.Opt{
		kfake.NumBrokers(1), kfake.TLS(c.server), kfake.ClusterID(c.name), kfake.DataDir(filepath.Join(c.dir, "log")),
	}
	login := []kgo.Opt{kgo.DialTLSConfig(c.visitor)}
	if c.sasl {
		options = append(options, kfake.EnableSASL(), kfake.EnableACLs(), kfake.Superuser(keeperLogin, keeper, c.password))
		login = append(login, kgo.SASL(scram.Auth{User: keeper, Pass: c.password}.AsSha256Mechanism()))
	}
	fake, err := kfake.NewCluster(options...)
	if err != nil {
		return err
	}
	at, err := endpoint(fake.ListenAddrs())
	if err != nil {
		fake.Close()
		return err
	}
	client, err := kgo.NewClient(append(login, kgo.SeedBrokers(fake.ListenAddrs()...))...)
	if err != nil {
		fake.Close()
		return err
	}
	c.fake, c.client, c.admin = fake, client, kadm.NewClient(client)
	c.at.Store(&at)
	return nil
}

// certificates configure the server, and the client that keeps it in line with the API.
func certificates(spec engine.Spec) (server, client *tls.Config, err error) {
	authority := x509.NewCertPool()
	authority.AppendCertsFromPEM([]byte(spec.CA.CertPEM()))
	own, err := keyPair(spec.CA, spec.Service, process.Loopback, "localhost")
	if err != nil {
		return nil, nil, err
	}
	visitor, err := keyPair(spec.CA, keeper)
	if err != nil {
		return nil, nil, err
	}
	server = &tls.Config{Certificates: []tls.Certificate{own}, MinVersion: tls.VersionTLS12}
	if !spec.SASL {
		server.ClientAuth, server.ClientCAs = tls.RequireAndVerifyClientCert, authority
	}
	client = &tls.Config{Certificates: []tls.Certificate{visitor}, RootCAs: authority, MinVersion: tls.VersionTLS12}
	return server, client, nil
}

func keyPair(ca *pki.Authority, name string, hosts ...string) (tls.Certificate, error) {
	cert, key, err := ca.Issue(name, hosts...)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair([]byte(cert), []byte(key))
}

func endpoint(addresses []string) (engine.Endpoint, error) {
	if len(addresses) != 1 {
		return engine.Endpoint{}, fmt.Errorf("one broker listens at %d addresses", len(addresses))
	}
	host, text, err := net.SplitHostPort(addresses[0])
	if err != nil {
		return engine.Endpoint{}, err
	}
	port, err := strconv.Atoi(text)
	return engine.Endpoint{Host: host, Port: port}, err
}
