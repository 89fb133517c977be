package aiven

import (
	"maps"
	"sync"
	"time"
)

// pendingKey names what was written: an entry of a service, or an item of a list.
type pendingKey struct {
	service ServiceKey
	list    ListKey
	entry   Entry
}

// pendingWrite is a write that reads may not show yet.
type pendingWrite struct {
	at      time.Time
	by      int  // the client
	covered bool // that client knows the result
}

// longestAttempt is how long the reads of an attempt may take: at least as long, a write is remembered after its lag.
const longestAttempt = 5 * time.Minute

// pendingWrites are the latest writes of all clients: a token may be replaced between a create and the deletion. The zero
// value is ready.
type pendingWrites struct {
	mu     sync.Mutex
	writes map[pendingKey]pendingWrite
	purged time.Time // when those were dropped that were older than the last time
}

// record takes in a write. A refusal says nothing about an earlier write, which may still apply.
func (p *pendingWrites) record(key pendingKey, write pendingWrite, result WriteResult, lag time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if write.at.Sub(p.purged) >= lag+longestAttempt {
		maps.DeleteFunc(p.writes, func(_ pendingKey, earlier pendingWrite) bool { return earlier.at.Before(p.purged) })
		p.purged = write.at
	}
	if result.Deleted {
		delete(p.writes, key)
		if key.entry == "" {
			maps.DeleteFunc(p.writes, func(other pendingKey, _ pendingWrite) bool { return other.service == key.service })
		}
		return
	}
	if !result.MayHaveApplied && !write.covered {
		if earlier, ok := p.writes[key]; ok {
			earlier.covered = false // its result has left the snapshot
			p.writes[key] = earlier
		}
		return
	}
	if p.writes == nil {
		p.writes = map[pendingKey]pendingWrite{}
	}
	p.writes[key] = write
}

func (p *pendingWrites) get(key pendingKey) (pendingWrite, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	write, ok := p.writes[key]
	return write, ok
}

func (c *Client) recordPending(key pendingKey, result WriteResult) {
	write := pendingWrite{at: c.clients.options.Now(), by: c.id, covered: result.covers(key.entry)}
	c.clients.pending.record(key, write, result, c.clients.options.ReadLag)
}

// Reads are those of an attempt. It answers what they may not show by when they began: the lag may be over when their answer
// is there.
type Reads struct {
	client *Client
	began  time.Time
}

// BeginReads is called before the reads that it is for.
func (c *Client) BeginReads() Reads { return Reads{c, c.clients.options.Now()} }

// WritePending reports whether a read that doesn't show our latest write to an entry, with any token, may be older than that
// write. Where its result is known to this client, it can't.
func (r Reads) WritePending(project, service string, entry Entry) bool {
	return r.pending(pendingKey{service: ServiceKey{Project: project, Service: service}, entry: entry})
}

// ListWritePending reports whether a list that doesn't show our latest write to an item, with any token, may be older than
// that write: the item is pending then, and not absent.
func (r Reads) ListWritePending(key ListKey, item string) bool {
	return r.pending(pendingKey{list: key, entry: Entry(item)})
}

func (r Reads) pending(key pendingKey) bool {
	write, ok := r.client.clients.pending.get(key)
	ours := write.covered && write.by == r.client.id
	return ok && !ours && r.maybeBefore(write.at)
}

// EarlierWritesPending reports whether reads may be from before a write of the process that was the leader before this one.
// Nothing else remembers such a write.
func (r Reads) EarlierWritesPending() bool {
	r.client.clients.mu.Lock()
	defer r.client.clients.mu.Unlock()
	return r.maybeBefore(r.client.clients.firstUse)
}

func (r Reads) maybeBefore(write time.Time) bool {
	return r.began.Sub(write) < r.client.clients.options.ReadLag
}

// ExpectEarlierWrite makes an entry of a service be read again after the lag of an earlier process, if a read within it
// was the latest: what was read then proves no absence.
func (c *Client) ExpectEarlierWrite(project, service string, entry Entry) {
	at, seq := c.earlierWrites()
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.snapshot(ServiceKey{Project: project, Service: service}); s.began.Sub(at) < c.clients.options.ReadLag {
		s.writes = s.writes.expect(entry, at, seq)
	}
}

// ExpectEarlierListWrite is ExpectEarlierWrite for an item of a list.
func (c *Client) ExpectEarlierListWrite(key ListKey, item string) {
	at, seq := c.earlierWrites()
	c.mu.Lock()
	defer c.mu.Unlock()
	if l := c.sharedList(key); l.began.Sub(at) < c.clients.options.ReadLag {
		l.writes = l.writes.expect(Entry(item), at, seq)
	}
}

// earlierWrites returns until when an earlier process may have written, and what a read must exceed to reflect that; 0
// within the lag, when none does.
func (c *Client) earlierWrites() (at time.Time, seq uint64) {
	c.clients.mu.Lock()
	defer c.clients.mu.Unlock()
	if at = c.clients.firstUse; !c.clients.withinLag(at) {
		seq = c.clients.nextSeq()
	}
	return at, seq
}

func (c *Clients) withinLag(at time.Time) bool { return c.options.Now().Sub(at) < c.options.ReadLag }
