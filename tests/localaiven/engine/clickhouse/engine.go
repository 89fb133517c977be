// Package clickhouse runs Aiven for ClickHouse services inside this process: a server that speaks ClickHouse's native
// protocol, and knows users, roles, grants, databases, and simple tables.
//
// What is as at Aiven: clients connect over TLS only, to a server with a certificate of the project's CA, with the name and
// password of a user made through the API. A wrong password, an unknown database, SQL that is wrong or not allowed are
// exceptions with ClickHouse's codes. A query sees what the API's queries changed, and the other way round. Grants are
// enforced, down to columns, with roles and partial revokes.
//
// What is simpler: there is one node, whatever the plan. SQL is what package clickhousesql knows. Rows come with the SQL of
// an INSERT, not as blocks of data. Parameters of queries, external tables and settings are not known. A session stays open
// when the password changes. There is no HTTP interface, and none for MySQL's clients.
package clickhouse

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/process"
)

// Engine starts servers.
type Engine struct{}

var _ engine.Engine = Engine{}

// New returns an engine.
func New() Engine { return Engine{} }

// Type is "clickhouse".
func (Engine) Type() string { return "clickhouse" }

// Available is nil: the servers are part of this program.
func (Engine) Available() error { return nil }

// Start runs a server that lets the first user in once it has a catalog.
func (Engine) Start(ctx context.Context, spec engine.Spec) (engine.Instance, error) {
	s, err := newServer(spec)
	if err == nil {
		err = errors.Join(s.Users().Set(ctx, spec.Admin), s.Resume(ctx))
	}
	if err != nil {
		err = errors.Join(err, os.RemoveAll(spec.DataDir))
		return nil, fmt.Errorf("starting ClickHouse for %s/%s: %w", spec.Project, spec.Service, err)
	}
	return s, nil
}

// newServer returns one that is stopped.
func newServer(spec engine.Spec) (*server, error) {
	cert, key, err := spec.CA.Issue(spec.Service, process.Loopback, "localhost")
	if err != nil {
		return nil, err
	}
	own, err := tls.X509KeyPair([]byte(cert), []byte(key))
	if err != nil {
		return nil, err
	}
	return &server{
		name: spec.Service, tls: &tls.Config{Certificates: []tls.Certificate{own}, MinVersion: tls.VersionTLS12},
		dir: spec.DataDir, passwords: map[string]string{}, open: map[net.Conn]bool{},
	}, nil
}
