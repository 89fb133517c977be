package aiven

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	avngen "github.com/aiven/go-client-codegen"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

// withSecrets makes Aiven return passwords.
var withSecrets = [2]string{"include_secrets", "true"}

// Service reads a service with its secrets. It comes from the snapshot if that is young enough and reflects our writes to
// the entries; else from a call that all who ask at the same time share. It must not be changed. The error of a service that
// isn't there is of class NotFound. A caller that gives up leaves the others their answer.
func (c *Client) Service(ctx context.Context, project, service string, entries ...Entry) (*Service, error) {
	key := ServiceKey{Project: project, Service: service}
	c.mu.Lock()
	s := c.snapshot(key)
	s.used = c.clients.options.Now()
	if s.serves(entries, s.used, c.bound(s, s.used), c.clients.options.ReadLag) {
		found := s.service
		c.mu.Unlock()
		countRead(ctx, readHit)
		return found, missing(key, found)
	}
	if joined := s.inflight; joined.running(s.since(entries)) && !s.writes.outlasted(entries, joined.began, s.used, c.clients.options.ReadLag) {
		c.mu.Unlock()
		countRead(ctx, readJoined)
		return joined.join(ctx)
	}
	started := c.startRead(ctx, key, s, false)
	c.mu.Unlock()
	countRead(ctx, readFetched)
	return started.wait(ctx)
}

// GetLive reads a service by a call that begins now, or from the snapshot if that has served an attempt that then had no turn,
// and is still young: see CallNotSent. It is for the object that manages the service: what it finds is known to that object.
func (c *Client) GetLive(ctx context.Context, project, service string) (*Service, error) {
	key := ServiceKey{Project: project, Service: service}
	c.mu.Lock()
	s := c.snapshot(key)
	s.used = c.clients.options.Now()
	unsent := s.unsent
	s.unsent = false
	if unsent && s.serves([]Entry{""}, s.used, c.bound(s, s.used), c.clients.options.ReadLag) {
		found := s.service
		c.mu.Unlock()
		countRead(ctx, readHit)
		return found, missing(key, found)
	}
	started := c.startRead(ctx, key, s, true)
	c.mu.Unlock()
	countRead(ctx, readFetched)
	return started.wait(ctx)
}

// CallNotSent is called after GetLive where the write that it was for, or another read, had no turn: the next GetLive needs
// none for what is known already. For a write it is called instead of RecordWrite.
func (c *Client) CallNotSent(project, service string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.snapshot(ServiceKey{Project: project, Service: service}).unsent = true
}

// Invalidate makes a service be read again by its next reader, as InvalidateList does for a list. Our own writes stay
// known: a read within the lag after one may still not show it. Only a deletion of the service, as RecordWrite records it,
// drops them.
func (c *Client) Invalidate(project, service string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.snapshot(ServiceKey{Project: project, Service: service}).staleBefore = c.clients.nextSeq()
}

// RecordWrite is called after every mutation of a service or of an entry, also after one that failed: it may have applied.
// The result goes into the snapshot, and without one the entry is stale from now on. Other entries stay as they are.
func (c *Client) RecordWrite(project, service string, entry Entry, result WriteResult) {
	key := ServiceKey{Project: project, Service: service}
	others, ours := c.write(key, entry, result)
	c.recordPending(pendingKey{service: key, entry: entry}, result)
	c.notify(key, append(split(key, others, false, false), split(key, ours, true, true)...))
}

// write takes in a mutation. It returns the entries that changed, and those whose change is known.
func (c *Client) write(key ServiceKey, entry Entry, result WriteResult) (others, ours []Entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, order := c.snapshot(key), c.clients.nextSeq()
	others, ours = s.write(order, c.clients.options.Now(), entry, result)
	s.topics.forget(order, append(others, entry)...)
	return others, ours
}

// MayHaveApplied reports whether a write that ended like this has changed something, or may have.
func MayHaveApplied(err error) bool {
	return err == nil || fault.Partial(err) || fault.Is(err, fault.Network, fault.Timeout, fault.Canceled, fault.Server, fault.NotReady, fault.Unknown)
}

// snapshot is the one of a key. The caller holds the lock.
func (c *Client) snapshot(key ServiceKey) *snapshot {
	if c.services == nil {
		c.services = map[ServiceKey]*snapshot{}
	}
	s, ok := c.services[key]
	if !ok {
		s = &snapshot{}
		c.services[key] = s
	}
	return s
}

// bound is how old a snapshot may be. The watch renews it before it is too old.
func (c *Client) bound(s *snapshot, now time.Time) time.Duration {
	if s.settled() || c.clients.options.WatchInterval <= 0 {
		return c.stretched(c.clients.options.WatchInterval * 3 / 2)
	}
	return c.unsettledInterval(s, now)
}

// startRead starts a read. The caller holds the lock.
func (c *Client) startRead(ctx context.Context, key ServiceKey, s *snapshot, known bool) *inflight[*Service] {
	f := newInflight[*Service](ctx, c)
	s.inflight = f
	fetch := func(ctx context.Context) (*Service, error) { return c.fetch(ctx, key) }
	go f.run(ctx, c.clients.options.Timeout, fetch, func(found *Service, err error) (*Service, error) {
		if err != nil && !fault.Is(err, fault.NotFound) {
			return nil, err
		}
		latest := c.store(key, s, reading{seq: f.seq, began: f.began, found: found, known: known})
		return latest, missing(key, latest)
	})
	return f
}

// reading is the answer to a read.
type reading struct {
	seq   uint64
	began time.Time
	found *Service // nil if there is none
	known bool     // the object that manages the service has made it
}

// store puts an answer into the snapshot, and notifies of what changed before those who wait for it go on. It returns the
// latest answer.
func (c *Client) store(key ServiceKey, s *snapshot, r reading) *Service {
	latest, changes := c.stored(key, s, r)
	c.notify(key, changes)
	return latest
}

func (c *Client) stored(key ServiceKey, s *snapshot, r reading) (*Service, []Change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	others, ours := s.read(r.seq, r.began, r.found, c.clients.options.ReadLag)
	s.topics.forget(r.seq, others...)
	s.topics.forget(r.seq, ours...)
	return s.service, append(split(key, others, r.known, false), split(key, ours, true, true)...)
}

// notify hands changes on. What happened to the service itself, other clients find out by a read of their own.
func (c *Client) notify(key ServiceKey, changes []Change) {
	if slices.ContainsFunc(changes, func(change Change) bool { return len(change.Entries) == 0 }) {
		c.clients.invalidateOthers(c, key)
	}
	c.clients.changes.notify(changes)
}

// split makes one change of the service itself, and one of its entries.
func split(key ServiceKey, entries []Entry, wholeKnown, entriesKnown bool) []Change {
	var changes []Change
	var named []Entry
	for _, entry := range entries {
		if entry == "" {
			changes = append(changes, Change{Key: key, Known: wholeKnown})
		} else {
			named = append(named, entry)
		}
	}
	if len(named) > 0 {
		changes = append(changes, Change{Key: key, Entries: named, Known: entriesKnown})
	}
	return changes
}

func (c *Client) fetch(ctx context.Context, key ServiceKey) (*Service, error) {
	out, err := c.api.ServiceGet(ctx, key.Project, key.Service, withSecrets)
	if err != nil {
		return nil, fmt.Errorf("reading service: %w", err)
	}
	if err := checkService("ServiceGet", key.Service, out); err != nil {
		return nil, fmt.Errorf("reading service: %w", err)
	}
	return FromGet(key.Project, out), nil
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
