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

// inflightRead is a read that is under way, and its result once done is closed.
type inflightRead struct {
	seq     uint64
	trace   trace.SpanContext // of whoever began it
	done    chan struct{}
	service *Service
	err     error
}

// Service reads a service with its secrets. It comes from the snapshot if that is young enough, and no read since has to
// tell what became of the parts that are asked for; else from a call that all who ask at the same time share. It must
// not be changed. The error of a service that isn't there is of class NotFound. A caller that gives up leaves the others
// their answer.
func (a *Client) Service(ctx context.Context, project, service string, parts ...Entry) (*Service, error) {
	key := ServiceKey{Project: project, Service: service}
	a.mu.Lock()
	s := a.snapshot(key)
	s.used = a.clients.options.Now()
	if s.serves(parts, s.used, a.bound(s), a.clients.options.ReadLag) {
		found := s.service
		a.mu.Unlock()
		countRead(ctx, readHit)
		return found, missing(key, found)
	}
	if s.inflight != nil && s.inflight.seq > s.since(parts) {
		joined := s.inflight
		a.mu.Unlock()
		countRead(ctx, readJoined)
		return joined.join(ctx)
	}
	started := a.startRead(ctx, key, s, false)
	a.mu.Unlock()
	countRead(ctx, readFetched)
	return started.wait(ctx)
}

// GetLive reads a service by a call that begins now. It is for the object that stands for the service: what it finds is no
// news to that one.
func (a *Client) GetLive(ctx context.Context, project, service string) (*Service, error) {
	key := ServiceKey{Project: project, Service: service}
	a.mu.Lock()
	s := a.snapshot(key)
	s.used = a.clients.options.Now()
	started := a.startRead(ctx, key, s, true)
	a.mu.Unlock()
	countRead(ctx, readFetched)
	return started.wait(ctx)
}

// Invalidate drops all that is known of a service, also from answers to writes: somebody knows better, and asks for a look.
func (a *Client) Invalidate(project, service string) {
	a.mu.Lock()
	a.snapshot(ServiceKey{Project: project, Service: service}).writes = nil
	a.mu.Unlock()
	a.RecordWrite(project, service, "", WriteResult{})
}

// RecordWrite is called after every mutation of a service or of a part of it, also after one that failed: nobody knows what
// became of it. What Aiven told goes into the snapshot, and without that the part is stale from now on. Other parts stay
// as they are.
func (a *Client) RecordWrite(project, service string, part Entry, told WriteResult) {
	key := ServiceKey{Project: project, Service: service}
	a.mu.Lock()
	s, order := a.snapshot(key), a.clients.nextSeq()
	others, ours := s.write(order, a.clients.options.Now(), part, told)
	s.topics.forget(order, append(others, part)...)
	a.mu.Unlock()
	a.notify(key, append(split(key, others, false, false), split(key, ours, true, true)...))
}

// MayHaveApplied says whether a write that ended like this has changed something, or may have.
func MayHaveApplied(err error) bool {
	return err == nil || fault.Is(err, fault.Network, fault.Timeout, fault.Canceled, fault.Server, fault.NotReady, fault.Unknown)
}

// WritePending says whether a read that doesn't show our latest write to a part may be older than that write.
func (a *Client) WritePending(project, service string, part Entry) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.snapshot(ServiceKey{Project: project, Service: service})
	return s.writePending(part, a.clients.options.Now(), a.clients.options.ReadLag)
}

// snapshot is the one of a key. The caller holds the lock.
func (a *Client) snapshot(key ServiceKey) *snapshot {
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
func (a *Client) bound(s *snapshot) time.Duration {
	if s.settled() || a.clients.options.WatchInterval <= 0 {
		return a.clients.options.WatchInterval * 3 / 2
	}
	return a.clients.options.UnsettledInterval
}

// startRead starts a read. It belongs to all who wait for it, so it outlives the context of whoever began it, but not the
// timeout. The caller holds the lock.
func (a *Client) startRead(ctx context.Context, key ServiceKey, s *snapshot, known bool) *inflightRead {
	f := &inflightRead{seq: a.clients.nextSeq(), trace: trace.SpanContextFromContext(ctx), done: make(chan struct{})}
	s.inflight = f
	began := a.clients.options.Now()
	ctx = context.WithoutCancel(ctx)
	go func() {
		ctx, cancel := context.WithTimeout(ctx, a.clients.options.Timeout)
		defer cancel()
		found, err := a.fetch(ctx, key)
		if err != nil && !fault.Is(err, fault.NotFound) {
			a.mu.Lock()
			defer a.mu.Unlock()
			s.finishRead(f, nil, err)
			return
		}
		a.store(key, s, reading{seq: f.seq, began: began, found: found, known: known, inflight: f})
	}()
	return f
}

// finishRead ends a flight. The caller holds the lock of the account.
func (s *snapshot) finishRead(f *inflightRead, found *Service, err error) {
	f.service, f.err = found, err
	if s.inflight == f {
		s.inflight = nil
	}
	close(f.done)
}

// reading is the answer to a read.
type reading struct {
	seq      uint64
	began    time.Time
	found    *Service      // nil if there is none
	known    bool          // whoever stands for the service has made it
	inflight *inflightRead // nil if nobody waits
}

// store puts an answer into the snapshot, and tells what is new in it before those who wait for it go on.
func (a *Client) store(key ServiceKey, s *snapshot, r reading) {
	a.mu.Lock()
	others, ours := s.read(r.seq, r.began, r.found, a.clients.options.ReadLag)
	s.topics.forget(r.seq, others...)
	s.topics.forget(r.seq, ours...)
	latest := s.service
	a.mu.Unlock()
	a.notify(key, append(split(key, others, r.known, false), split(key, ours, true, true)...))
	if r.inflight != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		s.finishRead(r.inflight, latest, missing(key, latest))
	}
}

// notify hands news on. What happened to the service itself, other accounts find out by a look of their own.
func (a *Client) notify(key ServiceKey, news []Change) {
	if slices.ContainsFunc(news, func(c Change) bool { return len(c.Entries) == 0 }) {
		a.clients.invalidateOthers(a, key)
	}
	a.clients.changes.notify(news)
}

// split makes one change of the service itself, and one of its parts.
func split(key ServiceKey, parts []Entry, wholeKnown, partsKnown bool) []Change {
	var news []Change
	var named []Entry
	for _, part := range parts {
		if part == "" {
			news = append(news, Change{Key: key, Known: wholeKnown})
		} else {
			named = append(named, part)
		}
	}
	if len(named) > 0 {
		news = append(news, Change{Key: key, Entries: named, Known: partsKnown})
	}
	return news
}

func (a *Client) fetch(ctx context.Context, key ServiceKey) (*Service, error) {
	out, err := a.api.ServiceGet(ctx, key.Project, key.Service, [2]string{"include_secrets", "true"})
	if err != nil {
		return nil, fmt.Errorf("reading service: %w", err)
	}
	return FromGet(key.Project, out), nil
}

// join waits for what somebody else has begun.
func (f *inflightRead) join(ctx context.Context) (*Service, error) {
	ctx, span := tracing.Join(ctx, f.trace)
	found, err := f.wait(ctx)
	return found, span.End(err)
}

func (f *inflightRead) wait(ctx context.Context) (*Service, error) {
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
