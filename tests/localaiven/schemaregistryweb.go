package localaiven

import (
	"context"
	"crypto/subtle"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/aero-operator/aero/tests/localaiven/engine"
)

// registryType is what clients of registries speak: JSON.
const registryType = "application/vnd.schemaregistry.v1+json"

// headerPatience is how long a client may take to ask.
const headerPatience = 10 * time.Second

// webCall is a request of somebody who may do what it asks for.
type webCall struct {
	*http.Request
	*registry
	// reads says whether the caller may read a subject.
	reads func(subject string) bool
}

type webHandler func(*webCall) (any, *registryError)

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
		Handler: s.registryWeb(svc), ReadHeaderTimeout: headerPatience,
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

// webRoute is a request that clients make. Its resource is what ACLs are asked for: Config:, or Subject: for the subject
// in its path. Where it is empty, the handler decides.
type webRoute struct {
	pattern  string
	resource string
	write    bool
	handle   webHandler
}

const subjectResource = "Subject:"

func (s *Server) registryWeb(svc *service) http.Handler {
	mux := http.NewServeMux()
	for _, route := range webRoutes() {
		mux.HandleFunc(route.pattern, func(w http.ResponseWriter, r *http.Request) { s.answerWeb(w, r, svc, route) })
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		writeWeb(w, nil, &registryError{http.StatusNotFound, http.StatusNotFound, "HTTP 404 Not Found"})
	})
	return mux
}

func (s *Server) answerWeb(w http.ResponseWriter, r *http.Request, svc *service, route webRoute) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	username, password, _ := r.BasicAuth()
	access, fail := s.enter(svc, username, password)
	if fail != nil {
		w.Header().Set("WWW-Authenticate", `Basic realm="Schema Registry"`)
		writeWeb(w, nil, fail)
		return
	}
	resource := route.resource
	if resource == subjectResource {
		resource += r.PathValue("subject")
	}
	if resource != "" && !access.allows(resource, route.write) {
		writeWeb(w, nil, &registryError{http.StatusForbidden, http.StatusForbidden, "Forbidden"})
		return
	}
	value, fail := route.handle(&webCall{r, svc.kafka.registry, func(subject string) bool {
		return access.allows(subjectResource+subject, false)
	}})
	writeWeb(w, value, fail)
}

// access is what a user may do.
type access struct {
	username string
	all      bool // the service doesn't ask its ACLs
	acls     []registryACL
}

func (a access) allows(resource string, write bool) bool {
	for _, acl := range a.acls {
		if acl.allows(a.username, resource, write) {
			return true
		}
	}
	return a.all
}

// enter lets a user of the service in.
func (s *Server) enter(svc *service, username, password string) (access, *registryError) {
	svc.mu.RLock()
	defer svc.mu.RUnlock()
	if svc.writable(s.clock.Now()) != nil || !svc.enables(schemaRegistry) {
		return access{}, &registryError{http.StatusServiceUnavailable, http.StatusServiceUnavailable, "Schema Registry is not running"}
	}
	u := svc.user(username)
	if u == nil || u.password == nil || subtle.ConstantTimeCompare([]byte(*u.password), []byte(password)) == 0 {
		return access{}, &registryError{http.StatusUnauthorized, http.StatusUnauthorized, "Unauthorized"}
	}
	return access{username, svc.openRegistry, svc.kafka.registryACLs}, nil
}

// writeWeb answers as registries do: an error has a code of its own.
func writeWeb(w http.ResponseWriter, value any, fail *registryError) {
	w.Header().Set("Content-Type", registryType)
	if fail != nil {
		w.WriteHeader(fail.status)
		value = map[string]any{"error_code": fail.code, "message": fail.message}
	}
	_ = json.NewEncoder(w).Encode(value) // a client that went away misses nothing
}

// decode reads the body of a request. Keys that other registries have are left alone, as serializers send them.
func (c *webCall) decode(into any) *registryError {
	if err := json.NewDecoder(c.Body).Decode(into); err != nil {
		return &registryError{http.StatusUnprocessableEntity, http.StatusUnprocessableEntity, "Invalid request body: " + err.Error()}
	}
	return nil
}

func (c *webCall) flag(name string) bool {
	on, err := strconv.ParseBool(c.URL.Query().Get(name))
	return err == nil && on
}
