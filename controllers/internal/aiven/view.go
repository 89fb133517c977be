package aiven

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	avngen "github.com/aiven/go-client-codegen"
	"go.opentelemetry.io/otel/trace"

	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/tracing"
)

// flight is a read that is under way, and its result once done is closed.
type flight struct {
	order   uint64
	trace   trace.SpanContext // of whoever began it
	done    chan struct{}
	service *Service
	err     error
}

// Service reads a service with its secrets. It comes from the snapshot if that is young enough, and no read since has to
// tell what became of the parts that are asked for; else from a call that all who ask at the same time share. It must
// not be changed. The error of a service that isn't there is of class NotFound. A caller that gives up leaves the others
// their answer.
func (a *Account) Service(ctx context.Context, project, service string, parts ...Part) (*Service, error) {
	key := ServiceKey{Project: project, Service: service}
	a.mu.Lock()
	s := a.snapshot(key)
	s.used = a.door.options.Now()
	if s.serves(parts, s.used, a.bound(s), a.door.options.Lag) {
		found := s.service
		a.mu.Unlock()
		countRead(ctx, readHit)
		return found, missing(key, found)
	}
	if s.flight != nil && s.flight.order > s.since(parts) {
		joined := s.flight
		a.mu.Unlock()
		countRead(ctx, readJoined)
		return joined.join(ctx)
	}
	started := a.fly(ctx, key, s, false)
	a.mu.Unlock()
	countRead(ctx, readFetched)
	return started.wait(ctx)
}

// Look reads a service by a call that begins now. It is for the object that stands for the service: what it finds is no
// news to that one.
func (a *Account) Look(ctx context.Context, project, service string) (*Service, error) {
	key := ServiceKey{Project: project, Service: service}
	a.mu.Lock()
	s := a.snapshot(key)
	s.used = a.door.options.Now()
	started := a.fly(ctx, key, s, true)
	a.mu.Unlock()
	countRead(ctx, readFetched)
	return started.wait(ctx)
}

// Forget drops all that is known of a service, also from answers to writes: somebody knows better, and asks for a look.
func (a *Account) Forget(project, service string) {
	a.mu.Lock()
	a.snapshot(ServiceKey{Project: project, Service: service}).writes = nil
	a.mu.Unlock()
	a.Wrote(project, service, "", Answer{})
}

// Wrote is called after every mutation of a service or of a part of it, also after one that failed: nobody knows what
// became of it. What Aiven told goes into the snapshot, and without that the part is stale from now on. Other parts stay
// as they are.
func (a *Account) Wrote(project, service string, part Part, told Answer) {
	key := ServiceKey{Project: project, Service: service}
	a.mu.Lock()
	s, order := a.snapshot(key), a.door.next()
	others, ours := s.write(order, a.door.options.Now(), part, told)
	s.topics.forget(order, append(others, part)...)
	a.mu.Unlock()
	a.tell(key, append(split(key, others, false, false), split(key, ours, true, true)...))
}

// Accepted says whether a write that ended like this has changed something, or may have.
func Accepted(err error) bool {
	return err == nil || fault.Is(err, fault.Network, fault.Timeout, fault.Canceled, fault.Server, fault.Unknown)
}

// Lags says whether a read that doesn't show our latest write to a part may be older than that write.
func (a *Account) Lags(project, service string, part Part) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.snapshot(ServiceKey{Project: project, Service: service})
	return s.lags(part, a.door.options.Now(), a.door.options.Lag)
}

// snapshot is the one of a key. The caller holds the lock.
func (a *Account) snapshot(key ServiceKey) *snapshot {
	if a.services == nil {
		a.services = map[ServiceKey]*snapshot{}
	}
	s, ok := a.services[key]
	if !ok {
		s = &snapshot{}
		a.services[key] = s
	}
	return s
}

// bound is how old a snapshot may be. The watch renews it before it is too old.
func (a *Account) bound(s *snapshot) time.Duration {
	if s.settled() || a.door.options.WatchInterval <= 0 {
		return a.door.options.WatchInterval * 3 / 2
	}
	return a.door.options.UnsettledInterval
}

// fly starts a read. It belongs to all who wait for it, so it outlives the context of whoever began it, but not the
// timeout. The caller holds the lock.
func (a *Account) fly(ctx context.Context, key ServiceKey, s *snapshot, known bool) *flight {
	f := &flight{order: a.door.next(), trace: trace.SpanContextFromContext(ctx), done: make(chan struct{})}
	s.flight = f
	began := a.door.options.Now()
	ctx = context.WithoutCancel(ctx)
	go func() {
		ctx, cancel := context.WithTimeout(ctx, a.door.options.Timeout)
		defer cancel()
		found, err := a.fetch(ctx, key)
		if err != nil && !fault.Is(err, fault.NotFound) {
			a.mu.Lock()
			defer a.mu.Unlock()
			s.land(f, nil, err)
			return
		}
		a.took(key, s, reading{order: f.order, began: began, found: found, known: known, flight: f})
	}()
	return f
}

// land ends a flight. The caller holds the lock of the account.
func (s *snapshot) land(f *flight, found *Service, err error) {
	f.service, f.err = found, err
	if s.flight == f {
		s.flight = nil
	}
	close(f.done)
}

// reading is the answer to a read.
type reading struct {
	order  uint64
	began  time.Time
	found  *Service // nil if there is none
	known  bool     // whoever stands for the service has made it
	flight *flight  // nil if nobody waits
}

// took puts an answer into the snapshot, and tells what is new in it before those who wait for it go on.
func (a *Account) took(key ServiceKey, s *snapshot, r reading) {
	a.mu.Lock()
	others, ours := s.read(r.order, r.began, r.found, a.door.options.Lag)
	s.topics.forget(r.order, others...)
	s.topics.forget(r.order, ours...)
	latest := s.service
	a.mu.Unlock()
	a.tell(key, append(split(key, others, r.known, false), split(key, ours, true, true)...))
	if r.flight != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		s.land(r.flight, latest, missing(key, latest))
	}
}

// tell hands news on. What happened to the service itself, other accounts find out by a look of their own.
func (a *Account) tell(key ServiceKey, news []Change) {
	if slices.ContainsFunc(news, func(c Change) bool { return len(c.Parts) == 0 }) {
		a.door.doubt(a, key)
	}
	a.door.changes.tell(news)
}

// split makes one change of the service itself, and one of its parts.
func split(key ServiceKey, parts []Part, wholeKnown, partsKnown bool) []Change {
	var news []Change
	var named []Part
	for _, part := range parts {
		if part == "" {
			news = append(news, Change{Key: key, Known: wholeKnown})
		} else {
			named = append(named, part)
		}
	}
	if len(named) > 0 {
		news = append(news, Change{Key: key, Parts: named, Known: partsKnown})
	}
	return news
}

func (a *Account) fetch(ctx context.Context, key ServiceKey) (*Service, error) {
	out, err := a.client.ServiceGet(ctx, key.Project, key.Service, [2]string{"include_secrets", "true"})
	if err != nil {
		return nil, fmt.Errorf("reading service: %w", err)
	}
	return FromGet(key.Project, out), nil
}

// join waits for what somebody else has begun.
func (f *flight) join(ctx context.Context) (*Service, error) {
	ctx, span := tracing.Join(ctx, f.trace)
	found, err := f.wait(ctx)
	return found, span.End(err)
}

func (f *flight) wait(ctx context.Context) (*Service, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-f.done:
		return f.service, f.err
	}
}

// missing is the error of a service that isn't there, worded as Aiven does.
func missing(key ServiceKey, found *Service) error {
	if found != nil {
		return nil
	}
	return fmt.Errorf("reading service: %w", avngen.Error{
		OperationID: "ServiceGet", Status: http.StatusNotFound, Message: "Service " + key.String() + " does not exist",
	})
}
