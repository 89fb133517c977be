package localaiven

import (
	"context"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/schemaregistry"
)

// headerTimeout is how long a client may take to ask.
const headerTimeout = 10 * time.Second

// serveRegistry makes the component a real endpoint, with a certificate of the project's CA, until the server that it
// returns is closed.
func (s *Server) serveRegistry(ctx context.Context, svc *service) (*http.Server, error) {
	ca, err := svc.project.ca()
	if err != nil {
		return nil, fmt.Errorf("making the project CA: %w", err)
	}
	cert, key, err := ca.Issue(svc.name, localhost, "localhost")
	if err != nil {
		return nil, fmt.Errorf("issuing the registry's certificate: %w", err)
	}
	pair, err := tls.X509KeyPair([]byte(cert), []byte(key))
	if err != nil {
		return nil, fmt.Errorf("reading the registry's certificate: %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(localhost, "0"))
	if err != nil {
		return nil, fmt.Errorf("listening for the registry: %w", err)
	}
	web := &http.Server{
		Handler: svc.kafka.registry.Handler(s.registryGuard(svc)), ReadHeaderTimeout: headerTimeout,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12},
		ErrorLog:  slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	s.running.Go(func() {
		if err := web.ServeTLS(listener, "", ""); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("serving the Schema Registry", "service", svc.name, "error", err)
		}
	})
	port := 0
	if at, ok := listener.Addr().(*net.TCPAddr); ok {
		port = at.Port
	}
	svc.mu.Lock()
	defer svc.mu.Unlock()
	s.ports.free(svc.endpoints[schemaRegistry].Port)
	svc.endpoints[schemaRegistry] = engine.Endpoint{Host: localhost, Port: port}
	return web, nil
}

// registryAccess is what a user may do in a Schema Registry.
type registryAccess struct {
	username string
	all      bool // the service doesn't ask its ACLs
	acls     []registryACL
}

// Allows implements schemaregistry.Access.
func (a registryAccess) Allows(resource string, write bool) bool {
	for _, acl := range a.acls {
		if acl.allows(a.username, resource, write) {
			return true
		}
	}
	return a.all
}

// registryGuard lets users of the service into its Schema Registry.
func (s *Server) registryGuard(svc *service) func(username, password string) (schemaregistry.Access, *schemaregistry.Error) {
	return func(username, password string) (schemaregistry.Access, *schemaregistry.Error) {
		svc.mu.RLock()
		defer svc.mu.RUnlock()
		if svc.writable(s.clock.Now()) != nil || !svc.enables(schemaRegistry) {
			return nil, &schemaregistry.Error{
				Status: http.StatusServiceUnavailable, Code: http.StatusServiceUnavailable, Message: "Schema Registry is not running",
			}
		}
		u := svc.user(username)
		if u == nil || u.password == nil || subtle.ConstantTimeCompare([]byte(*u.password), []byte(password)) == 0 {
			return nil, &schemaregistry.Error{Status: http.StatusUnauthorized, Code: http.StatusUnauthorized, Message: "Unauthorized"}
		}
		return registryAccess{username, svc.openRegistry, svc.kafka.registryACLs}, nil
	}
}
