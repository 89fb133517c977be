package kafka

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/process"
)

// loginTime bounds how long a client may take to present its certificate and to be logged in.
const loginTime = 10 * time.Second

// gateway is the port for one way to log in. For clients with certificates, it logs in to the broker with the password of the
// user that the certificate names, so that the broker applies the same ACLs; others log in to the broker themselves. It
// replaces the broker's address by its own in answers.
type gateway struct {
	at     engine.Endpoint
	broker string
	trusts *tls.Config                     // of the connection to the broker
	login  func(user string) (login, bool) // nil where clients log in themselves

	listener net.Listener
	running  sync.WaitGroup

	mu     sync.Mutex
	closed bool
	shut   bool // no client gets in
	open   map[net.Conn]bool
}

// newGateway serves until close.
func newGateway(server *tls.Config, g *gateway) (*gateway, error) {
	listener, err := tls.Listen("tcp", net.JoinHostPort(process.Loopback, "0"), server)
	if err != nil {
		return nil, fmt.Errorf("listening for clients: %w", err)
	}
	g.listener, g.open = listener, map[net.Conn]bool{}
	g.at, err = endpoint(listener.Addr().String())
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	g.running.Go(g.serve)
	return g, nil
}

// close ends all connections, and returns when nothing of them is left.
func (g *gateway) close() {
	g.mu.Lock()
	g.closed = true
	_ = g.listener.Close()
	for conn := range g.open {
		_ = conn.Close()
	}
	g.mu.Unlock()
	g.running.Wait()
}

// admit lets clients in, or hangs up on all.
func (g *gateway) admit(clients bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = !clients
	for conn := range g.open {
		if g.shut {
			_ = conn.Close()
		}
	}
}

func (g *gateway) serve() {
	for {
		conn, err := g.listener.Accept()
		if err != nil {
			return
		}
		g.running.Go(func() {
			defer g.forget(conn)
			if client, ok := conn.(*tls.Conn); ok && g.keep(conn) {
				g.relay(client)
			}
		})
	}
}

// keep notes a connection that close has to end; false where no client gets in.
func (g *gateway) keep(conn net.Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed || g.shut {
		return false
	}
	g.open[conn] = true
	return true
}

func (g *gateway) forget(conn net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.open, conn)
	_ = conn.Close()
}

// relay logs a client in and passes on what it and the broker say, until one of them ends the connection.
func (g *gateway) relay(client *tls.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), loginTime)
	defer cancel()
	broker, err := g.enter(ctx, client)
	if err != nil {
		return
	}
	defer g.forget(broker)
	if !g.keep(broker) {
		return
	}
	t := &translation{at: g.at, asked: map[int32]question{}}
	g.running.Go(func() {
		defer func() { _ = client.Close() }()
		_ = passOn(broker, client, t.answer)
	})
	_ = passOn(client, broker, t.request)
}

// enter connects to the broker, as the user that the client's certificate names.
func (g *gateway) enter(ctx context.Context, client *tls.Conn) (net.Conn, error) {
	if err := client.HandshakeContext(ctx); err != nil {
		return nil, err
	}
	dialer := tls.Dialer{Config: g.trusts}
	if g.login == nil {
		return dialer.DialContext(ctx, "tcp", g.broker)
	}
	shown := client.ConnectionState().PeerCertificates[0]
	user := shown.Subject.CommonName
	known, ok := g.login(user)
	if !ok || !known.permits(shown) {
		return nil, fmt.Errorf("no user %s with that certificate", user)
	}
	conn, err := dialer.DialContext(ctx, "tcp", g.broker)
	if err != nil {
		return nil, err
	}
	deadline, _ := ctx.Deadline()
	err = errors.Join(conn.SetDeadline(deadline), logIn(ctx, conn, user, known.password), conn.SetDeadline(time.Time{}))
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// permits reports whether a certificate is one of the user's. A user of the same name may have had another one.
func (l login) permits(shown *x509.Certificate) bool {
	if l.certificate == "" {
		return true
	}
	return slices.ContainsFunc([]string{l.certificate, l.former}, func(known string) bool {
		own, _ := pem.Decode([]byte(known))
		return own != nil && bytes.Equal(own.Bytes, shown.Raw)
	})
}

// logIn does what Kafka's clients do with a password.
func logIn(ctx context.Context, conn net.Conn, user, password string) error {
	mechanism := scram.Auth{User: user, Pass: password}.AsSha256Mechanism()
	handshake, reply := kmsg.NewPtrSASLHandshakeRequest(), kmsg.NewPtrSASLHandshakeResponse()
	handshake.Version, handshake.Mechanism = 1, mechanism.Name()
	if err := exchange(conn, handshake, reply); err != nil {
		return err
	}
	if err := kerr.ErrorForCode(reply.ErrorCode); err != nil {
		return err
	}
	session, message, err := mechanism.Authenticate(ctx, conn.RemoteAddr().String())
	for done := false; err == nil && !done; {
		done, message, err = authenticate(conn, session, message)
	}
	return err
}

// authenticate sends a message of the login, and returns the next one.
func authenticate(conn net.Conn, session sasl.Session, message []byte) (done bool, next []byte, err error) {
	request, reply := kmsg.NewPtrSASLAuthenticateRequest(), kmsg.NewPtrSASLAuthenticateResponse()
	request.Version, request.SASLAuthBytes = 1, message
	if err := exchange(conn, request, reply); err != nil {
		return false, nil, err
	}
	if err := kerr.ErrorForCode(reply.ErrorCode); err != nil {
		return false, nil, err
	}
	return session.Challenge(reply.SASLAuthBytes)
}
