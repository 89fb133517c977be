package localaiven

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/serviceintegration"
)

// Options of a Server. The zero value is the common case of an in-process test: any token, any project, no latency,
// services that run at once, no engines.
type Options struct {
	// Latency is added to each call, and anything up to Jitter besides.
	Latency, Jitter time.Duration
	// RateLimit limits the calls of each user.
	RateLimit RateLimit
	// Eventual is how far reads lag behind changes; zero is not at all.
	Eventual time.Duration
	// ProvisionTime is how long services are REBUILDING and REBALANCING, and VPCs APPROVED and DELETING.
	ProvisionTime time.Duration
	// TopicTime is how long a Kafka topic stays CONFIGURING; zero is a tenth of ProvisionTime.
	TopicTime time.Duration
	// IntegrationTime is how long a service integration takes to be active.
	IntegrationTime time.Duration
	// DatabaseTime is how long databases of ClickHouse are pending_creation, and pending_removal.
	DatabaseTime time.Duration
	// ConnectTime is how long Kafka Connect answers 404 after its start. For as long it refuses further changes with 409 after
	// each change of a connector, and has no status of a new one.
	ConnectTime time.Duration
	// Engines run real databases. One that isn't available on this machine is logged and left out.
	Engines []engine.Engine
	// DataDir is where engines keep data; empty is a temporary directory that Close removes.
	DataDir string
	// Tokens are the accepted ones, each as token or user=token; empty accepts any. A token without a user belongs to a user
	// of its own.
	Tokens []string
	// RefuseUserInfo refuses UserInfo with 403.
	RefuseUserInfo bool
	// Projects are the existing ones; empty means that any project exists. Others can be created.
	Projects []string
	// Variants are switches for behaviour that differs from case to case.
	Variants Variants
	// ForeignProjects are names of projects of other organizations: calls about them are refused with 403, and the names are
	// taken.
	ForeignProjects []string
	// DeniedProjects are projects that a token, which is the key, isn't a member of: calls about them are refused with 403.
	DeniedProjects map[string][]string
	// MembershipTime is how long calls about a project are refused with 403 after its creation.
	MembershipTime time.Duration
	// Clock is the time of the state machines; nil is the machine's.
	Clock Clock
	// Log is the server's log; nil is none.
	Log *slog.Logger
}

// Server is a local Aiven. It is an http.Handler; Close it to stop its engines.
type Server struct {
	options Options
	log     *slog.Logger
	clock   Clock
	tokens  map[string]string // their users
	engines map[string]engine.Engine
	dataDir string
	ownDir  bool

	api, admin *http.ServeMux
	operations map[string]string // by their patterns
	stats      *stats
	journal    *journal
	faults     *faults
	ports      *ports
	limits     *limits

	account  *account
	mu       sync.RWMutex
	projects map[string]*project

	integrations *serviceintegration.Integrations

	sequence  atomic.Int64 // numbers what gets an id
	running   sync.WaitGroup
	lifetime  context.Context
	endOfLife context.CancelFunc
}

// New returns a server without services. It fails when no data directory can be made.
func New(options Options) (*Server, error) {
	s := &Server{
		options: options, log: options.Log, clock: options.Clock,
		tokens: map[string]string{}, engines: map[string]engine.Engine{}, projects: map[string]*project{}, operations: map[string]string{},
		journal: &journal{size: journalSize}, faults: newFaults(), ports: newPorts(),
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.clock == nil {
		s.clock = systemClock{}
	}
	s.integrations = s.newIntegrations()
	s.limits = newLimits(options.RateLimit, s.clock)
	s.account = newAccount(s.clock.Now().UTC().Truncate(time.Second), options.Eventual)
	for _, entry := range options.Tokens {
		user, token := tokenUser(entry)
		s.tokens[token] = user
	}
	if err := s.useEngines(); err != nil {
		return nil, err
	}
	s.lifetime, s.endOfLife = context.WithCancel(context.Background())
	s.stats = newStats(s.clock.Now())
	s.api, s.admin = s.apiRoutes(), s.adminRoutes()
	return s, nil
}

func (s *Server) useEngines() error {
	for _, e := range s.options.Engines {
		if err := e.Available(); err != nil {
			s.log.Warn("engine left out", "type", e.Type(), "error", err)
			continue
		}
		s.engines[e.Type()] = e
	}
	s.dataDir = s.options.DataDir
	if len(s.engines) == 0 {
		return nil
	}
	if s.dataDir != "" {
		return os.MkdirAll(s.dataDir, 0o700)
	}
	dir, err := os.MkdirTemp("", "localaiven-")
	if err != nil {
		return fmt.Errorf("making a data directory: %w", err)
	}
	s.dataDir, s.ownDir = dir, true
	return nil
}

// ServeHTTP answers calls of the API, and those of the administration API below /_local/.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == MethodPreface {
		http.Error(w, "HTTP/2 needs TLS here", http.StatusHTTPVersionNotSupported)
		return
	}
	if strings.HasPrefix(r.URL.Path, adminPrefix) {
		s.admin.ServeHTTP(w, r)
		return
	}
	// http.ServeMux would redirect such a path to a cleaner one, which Aiven doesn't.
	if unclean(r.URL.EscapedPath()) {
		s.unknownRoute(w, r)
		return
	}
	s.api.ServeHTTP(w, r)
}

func unclean(path string) bool {
	below, ok := strings.CutPrefix(path, "/")
	parts := strings.Split(below, "/")
	return !ok || slices.ContainsFunc(parts, func(p string) bool { return p == "" || p == "." || p == ".." })
}

// Close lets held calls go, stops all engines at once and waits for them. Calls after it are not answered well.
func (s *Server) Close() error {
	s.endOfLife()
	s.faults.remove("")
	errs := make(chan error)
	open := 0
	for _, svc := range s.allServices() {
		if b := svc.backing; b != nil {
			open++
			go func() { errs <- b.close() }()
		}
	}
	var all []error
	for range open {
		all = append(all, <-errs)
	}
	s.running.Wait()
	if s.ownDir {
		all = append(all, os.RemoveAll(s.dataDir))
	}
	return errors.Join(all...)
}
