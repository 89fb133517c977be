package clickhouse

import (
	"context"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"net"
	"os"
	"sync"

	"github.com/aero-operator/aero/tests/localaiven/clickhousesql"
	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/process"
)

var errClosed = errors.New("the server is closed")

// server is one service.
type server struct {
	name    string
	tls     *tls.Config
	dir     string
	running sync.WaitGroup

	// life is held while it resumes, stops or closes.
	life   sync.Mutex
	closed bool

	mu        sync.Mutex
	at        engine.Endpoint
	listener  net.Listener // nil while it is stopped
	catalog   *clickhousesql.Catalog
	passwords map[string]string // by user
	open      map[net.Conn]bool
}

var (
	_ engine.Instance   = (*server)(nil)
	_ engine.ClickHouse = (*server)(nil)
)

// Endpoint is where clients speak the native protocol over TLS.
func (s *server) Endpoint() engine.Endpoint {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at
}

// Users are those who may log in.
func (s *server) Users() engine.Users { return users{s} }

// Databases are none: those of the catalog are there.
func (*server) Databases() engine.Databases { return nil }

// Pools are none.
func (*server) Pools() engine.Pools { return nil }

// SetCatalog sets what answers queries.
func (s *server) SetCatalog(catalog *clickhousesql.Catalog) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catalog = catalog
}

// Resume listens, at a port of the system's choice. Users, and what the catalog knows, are as before.
func (s *server) Resume(ctx context.Context) error {
	s.life.Lock()
	defer s.life.Unlock()
	switch {
	case s.closed:
		return errClosed
	case s.listener != nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	plain, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(process.Loopback, "0"))
	if err != nil {
		return err
	}
	listener := tls.NewListener(plain, s.tls)
	s.mu.Lock()
	if at, ok := plain.Addr().(*net.TCPAddr); ok {
		s.at = engine.Endpoint{Host: process.Loopback, Port: at.Port}
	}
	s.listener = listener
	s.mu.Unlock()
	s.running.Go(func() { s.accept(listener) })
	return nil
}

// Stop ends the sessions, and listens no more.
func (s *server) Stop(context.Context) error {
	s.life.Lock()
	defer s.life.Unlock()
	return s.halt()
}

func (s *server) halt() error {
	s.mu.Lock()
	var err error
	if s.listener != nil {
		err = s.listener.Close()
		s.listener = nil
		for conn := range s.open {
			err = errors.Join(err, ignoreClosed(conn.Close()))
		}
	}
	s.mu.Unlock()
	s.running.Wait()
	return err
}

// Close ends the server and its sessions.
func (s *server) Close(context.Context) error {
	s.life.Lock()
	defer s.life.Unlock()
	s.closed = true
	return errors.Join(s.halt(), os.RemoveAll(s.dir))
}

// ignoreClosed drops what closing says about a client that is gone already.
func ignoreClosed(err error) error {
	var network *net.OpError
	if errors.Is(err, net.ErrClosed) || errors.As(err, &network) {
		return nil
	}
	return err
}

// accept serves clients until the listener is closed.
func (s *server) accept(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		if !s.enter(conn) {
			_ = conn.Close() // it came too late
			return
		}
		s.running.Go(func() {
			defer s.leave(conn)
			newSession(s, conn).serve()
		})
	}
}

func (s *server) enter(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener != nil {
		s.open[conn] = true
	}
	return s.listener != nil
}

func (s *server) leave(conn net.Conn) {
	s.mu.Lock()
	delete(s.open, conn)
	s.mu.Unlock()
	_ = conn.Close() // the client may be gone
}

// login returns the catalog for who knows the password.
func (s *server) login(user, password string) (*clickhousesql.Catalog, *clickhousesql.Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	want, known := s.passwords[user]
	if !known || s.catalog == nil || subtle.ConstantTimeCompare([]byte(want), []byte(password)) != 1 {
		return nil, clickhousesql.Errorf(clickhousesql.CodeLogin,
			"%s: Authentication failed: password is incorrect, or there is no user with such name", user)
	}
	return s.catalog, nil
}

type users struct{ *server }

// Set implements engine.Users.
func (u users) Set(_ context.Context, user engine.Credential) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.passwords[user.Username] = user.Password
	return nil
}

// Remove implements engine.Users.
func (u users) Remove(_ context.Context, name string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.passwords, name)
	return nil
}
