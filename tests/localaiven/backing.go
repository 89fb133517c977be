package localaiven

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/aero-operator/aero/tests/localaiven/engine"
)

// engineTimeout bounds one step of an engine, except its start.
const engineTimeout = 30 * time.Second

// backing is the real database behind a service. A nil backing is one that is up and does nothing.
type backing struct {
	cancel   context.CancelFunc
	done     chan struct{}                   // closed when starting is over
	instance atomic.Pointer[engine.Instance] // set when it is up
	web      *http.Server                    // the Schema Registry of a service of Kafka; set before done
}

// up says whether the database serves.
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

// close gives up starting, or stops what runs.
func (b *backing) close() error {
	b.cancel()
	<-b.done
	if b.web != nil {
		if err := b.web.Close(); err != nil {
			return fmt.Errorf("stopping the Schema Registry: %w", err)
		}
	}
	instance := b.get()
	if instance == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), engineTimeout)
	defer cancel()
	if err := instance.Close(ctx); err != nil {
		return fmt.Errorf("stopping an engine: %w", err)
	}
	return nil
}

// back starts the engine of a new service in the background, where there is one for its type. Nobody else sees svc yet.
func (s *Server) back(svc *service) {
	s.pretend(svc, svc.kind.extras...)
	e, ok := s.engines[svc.kind.name]
	if !ok {
		s.pretend(svc, svc.kind.ports...)
		return
	}
	ctx, cancel := context.WithCancel(s.lifetime)
	b := &backing{cancel: cancel, done: make(chan struct{})}
	svc.backing = b
	version, _ := svc.userConfig[svc.kind.versionKey].(string)
	spec := engine.Spec{
		Project: svc.project.name, Service: svc.name, Type: svc.kind.name, Version: version,
		Admin: svc.admin().credential(), SASL: svc.accepts("sasl"),
	}
	s.running.Go(func() {
		defer close(b.done)
		if err := s.beside(ctx, svc, b); err != nil {
			s.log.Error("starting what runs beside an engine", "service", svc.name, "error", err)
			return
		}
		instance, err := s.start(ctx, e, svc.project, spec)
		if err != nil {
			if ctx.Err() == nil { // else the service was deleted meanwhile
				s.log.Error("starting an engine", "service", svc.name, "error", err)
			}
			return
		}
		s.log.Info("engine is up", "service", svc.name, "port", instance.Endpoint().Port)
		svc.mu.Lock()
		defer svc.mu.Unlock()
		svc.endpoints[svc.kind.name] = instance.Endpoint()
		if k, ok := instance.(engine.Kafka); ok {
			svc.endpoints[saslEndpoint] = k.SASL()
		}
		withClickHouse(instance, svc)
		svc.changed(s.clock.Now())
		b.instance.Store(&instance)
	})
}

// beside starts what a service runs besides its engine. Closing b stops it.
func (s *Server) beside(ctx context.Context, svc *service, b *backing) (err error) {
	if svc.kafka.registry != nil {
		b.web, err = s.serveRegistry(ctx, svc)
	}
	return err
}

func (s *Server) start(ctx context.Context, e engine.Engine, p *project, spec engine.Spec) (engine.Instance, error) {
	ca, err := p.ca()
	if err != nil {
		return nil, fmt.Errorf("making the project CA: %w", err)
	}
	spec.CA = ca
	// Data of a server that was killed may lie around, so names from the service alone wouldn't do.
	if spec.DataDir, err = os.MkdirTemp(s.dataDir, spec.Service+"-"); err != nil {
		return nil, fmt.Errorf("making a data directory: %w", err)
	}
	instance, err := e.Start(ctx, spec)
	if err != nil {
		return nil, err
	}
	if err := furnishInstance(ctx, kinds[spec.Type], instance); err != nil {
		closing, cancel := context.WithTimeout(context.Background(), engineTimeout)
		defer cancel()
		return nil, errors.Join(err, instance.Close(closing))
	}
	return instance, nil
}

// furnishInstance makes real what a new service comes with.
func furnishInstance(ctx context.Context, k *kind, instance engine.Instance) error {
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

// engineContext is not the request's: a change that began goes on when the client is gone, as with the original.
func engineContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), engineTimeout)
}

// withKafka lets an instance of Kafka do something.
func withKafka(i engine.Instance, do func(context.Context, engine.Kafka) error) error {
	k, ok := i.(engine.Kafka)
	if !ok {
		return errors.New("the engine is none of Kafka")
	}
	ctx, cancel := engineContext()
	defer cancel()
	return do(ctx, k)
}
