package localaiven

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aero-operator/aero/tests/localaiven/engine"
)

// engineTimeout bounds one step of an engine, except its start.
const engineTimeout = 30 * time.Second

// backing is the real database behind a service. A nil backing is one that is up and does nothing.
type backing struct {
	spec     engine.Spec                     // without what its start adds
	instance atomic.Pointer[engine.Instance] // while it serves

	logins sync.Mutex // held while how clients log in is read from user_config and set

	migrations

	mu     sync.Mutex // held for the whole of what follows; a start only begins under it
	down   bool       // no start was requested
	closed bool
	cancel context.CancelFunc // gives up the latest start
	done   chan struct{}      // closed when the latest start is over
	made   engine.Instance    // nil until it was up once. Until done is closed, it is the start's, as is web
	web    *http.Server       // the Schema Registry of a service of Kafka that runs
}

// up reports whether the database serves.
func (b *backing) up() bool { return b == nil || b.instance.Load() != nil }

// get returns the running instance; nil when there is none.
func (b *backing) get() engine.Instance {
	if b == nil {
		return nil
	}
	if i := b.instance.Load(); i != nil {
		return *i
	}
	return nil
}

// stop gives up starting, or stops what runs, and keeps its data.
func (b *backing) stop() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	err := b.halt()
	if b.made != nil {
		err = errors.Join(err, withTimeout(b.made.Stop))
	}
	return err
}

// close gives up starting, or stops what runs, for good.
func (b *backing) close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	err := b.halt()
	if b.made != nil {
		err = errors.Join(err, withTimeout(b.made.Close))
	}
	return err
}

// halt ends all but the instance. The caller holds mu.
func (b *backing) halt() error {
	b.down = true
	b.cancel()
	<-b.done
	b.instance.Store(nil)
	b.migrations.end()
	web := b.web
	b.web = nil
	if web == nil {
		return nil
	}
	if err := web.Close(); err != nil {
		return fmt.Errorf("stopping the Schema Registry: %w", err)
	}
	return nil
}

// withTimeout lets an engine do what a client doesn't wait for any longer.
func withTimeout(do func(context.Context) error) error {
	ctx, cancel := engineContext()
	defer cancel()
	if err := do(ctx); err != nil {
		return fmt.Errorf("asking an engine: %w", err)
	}
	return nil
}

// back starts the engine of a new service in the background, where there is one for its type. No other goroutine sees svc yet.
func (s *Server) back(svc *service) {
	s.pretend(svc, svc.kind.extras...)
	if _, ok := s.engines[svc.kind.name]; !ok {
		s.pretend(svc, svc.kind.ports...)
		return
	}
	version, _ := svc.userConfig[svc.kind.versionKey].(string)
	b := &backing{down: true, cancel: func() {}, spec: engine.Spec{
		Project: svc.project.name, Service: svc.name, Type: svc.kind.name, Version: version,
		Admin: svc.admin().credential(),
	}}
	svc.backing = b
	s.launch(svc)
}

// launch starts what is down in the background, or lets it resume.
func (s *Server) launch(svc *service) {
	b := svc.backing
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || !b.down {
		return
	}
	ctx, cancel := context.WithCancel(s.lifetime)
	done := make(chan struct{})
	b.down, b.cancel, b.done = false, cancel, done
	s.running.Go(func() {
		defer close(done)
		if err := s.bringUp(ctx, svc); err == nil {
			s.migrate(svc)
		} else if ctx.Err() == nil { // else it was stopped meanwhile
			s.log.Error("starting an engine", "service", svc.name, "error", err)
		}
	})
}

// bringUp starts the engine of a service, or lets it resume, with what runs beside it.
func (s *Server) bringUp(ctx context.Context, svc *service) error {
	b := svc.backing
	err := s.beside(ctx, svc, b)
	switch {
	case err != nil:
	case b.made == nil:
		b.made, err = s.start(ctx, svc)
	default:
		err = b.made.Resume(ctx)
	}
	if err != nil {
		return err
	}
	instance := b.made
	pools, err := svc.resumePools(ctx, instance)
	if err != nil {
		return fmt.Errorf("starting connection pools: %w", err)
	}
	b.logins.Lock()
	defer b.logins.Unlock()
	if err := svc.setLogins(instance); err != nil {
		return err
	}
	s.log.Info("engine is up", "service", svc.name, "port", instance.Endpoint().Port)
	svc.mu.Lock()
	defer svc.mu.Unlock()
	svc.endpoints[svc.kind.name] = instance.Endpoint()
	if k, ok := instance.(engine.Kafka); ok {
		svc.endpoints[saslEndpoint] = k.SASL()
	}
	for name, at := range pools {
		svc.pool(name).endpoint = at
	}
	withClickHouse(instance, svc)
	svc.changed(s.clock.Now())
	b.instance.Store(&instance)
	return nil
}

// follow lets what is behind a service go where its state went. Once it returns, nothing listens for one without power.
func (s *Server) follow(svc *service, restart bool) {
	svc.mu.RLock()
	off := svc.off
	svc.mu.RUnlock()
	if svc.backing == nil {
		return
	}
	if off || restart {
		if err := svc.backing.stop(); err != nil {
			s.log.Error("stopping an engine", "service", svc.name, "error", err)
		}
		svc.mu.Lock()
		svc.touched(s.clock.Now())
		svc.mu.Unlock()
	}
	if !off {
		s.launch(svc)
		s.relog(svc)
		s.migrate(svc)
	}
}

// beside starts what a service runs besides its engine. Closing b stops it.
func (s *Server) beside(ctx context.Context, svc *service, b *backing) (err error) {
	if svc.kafka.registry != nil {
		b.web, err = s.serveRegistry(ctx, svc)
	}
	return err
}

func (s *Server) start(ctx context.Context, svc *service) (engine.Instance, error) {
	spec := svc.backing.spec
	ca, err := svc.project.ca()
	if err != nil {
		return nil, fmt.Errorf("making the project CA: %w", err)
	}
	spec.CA = ca
	if leader := svc.leader.Load(); leader != nil {
		if spec.Source = leader.backing.get(); spec.Source == nil {
			return nil, fmt.Errorf("%s, which it replicates, isn't running", leader.name)
		}
	}
	if svc.fork != nil {
		if spec.Fork, err = svc.fork.data(); err != nil {
			return nil, err
		}
	}
	// Data of a server that was killed may lie around, so names from the service alone wouldn't do.
	if spec.DataDir, err = os.MkdirTemp(s.dataDir, spec.Service+"-"); err != nil {
		return nil, fmt.Errorf("making a data directory: %w", err)
	}
	instance, err := s.engines[spec.Type].Start(ctx, spec)
	if err != nil || spec.Source != nil {
		return instance, err
	}
	prepare := func() error { return prepareInstance(ctx, svc.kind, instance) }
	if spec.Fork != nil {
		prepare = func() error { return svc.settle(instance) }
	}
	if err := prepare(); err != nil {
		return nil, errors.Join(err, withTimeout(instance.Close))
	}
	return instance, nil
}

// prepareInstance makes real what a new service comes with.
func prepareInstance(ctx context.Context, k *kind, instance engine.Instance) error {
	if databases := instance.Databases(); databases != nil {
		if err := databases.Set(ctx, k.database, "", ""); err != nil {
			return fmt.Errorf("creating %s: %w", k.database, err)
		}
	}
	if kafka, ok := instance.(engine.Kafka); ok {
		if err := kafka.SetACLs(ctx, engineACLs([]acl{defaultACL})); err != nil {
			return fmt.Errorf("setting the default ACL: %w", err)
		}
	}
	return nil
}

// unback stops what is behind a deleted service in the background; Close waits for it.
func (s *Server) unback(svc *service) {
	svc.mu.RLock()
	for _, at := range svc.endpoints {
		s.ports.free(at.Port)
	}
	for _, p := range svc.pools {
		s.ports.free(p.endpoint.Port)
	}
	svc.mu.RUnlock()
	if svc.backing == nil {
		return
	}
	s.running.Go(func() {
		if err := svc.backing.close(); err != nil {
			s.log.Error("stopping an engine", "service", svc.name, "error", err)
		}
	})
}

// engineContext is not the request's: a change that began goes on when the client is gone, as at Aiven.
func engineContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), engineTimeout)
}
