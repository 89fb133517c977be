package aiven

import (
	"reflect"
	"slices"
	"time"
)

// snapshot is what one client knows of one service. It is pure: no clock, no lock, no calls. Reads and writes have sequence
// numbers, as two of them can begin at one time of the clock.
type snapshot struct {
	service     *Service // nil if there is none
	known       bool     // once there was an answer
	seq         uint64   // of the read that service is from
	began       time.Time
	moved       time.Time // when the service was first seen in its state
	staleBefore uint64    // what was read before is stale
	writes      writes
	recheck     time.Time // when to read again what a write of ours hides; zero if it hides nothing
	used        time.Time // when last read by an object
	inflight    *inflight[*Service]
	unsent      bool // a call after the latest read had no turn
	topics      topics
	beside      map[string]beside // by operation
}

// written is our latest write to an entry.
type written struct {
	seq    uint64
	at     time.Time
	result WriteResult
	read   bool // since then
	inList bool // the result is a part of the shared list that it was about

	results []any  // of the writes to an item of a shared list that reads may not show, if this one is in the list
	change  bool   // the result depends on what the item was before
	start   uint64 // of a change: when it was sent
}

// writes are our latest writes, by entry.
type writes map[Entry]written

// hides reports whether it is time to read again what a write of ours hides.
func (s *snapshot) hides(now time.Time) bool { return !s.recheck.IsZero() && !now.Before(s.recheck) }

// since is the sequence number that a read must exceed to reflect our writes to these entries.
func (w writes) since(entries []Entry) uint64 {
	since := uint64(0)
	for _, entry := range entries {
		if write, ok := w[entry]; ok && !write.inList && !write.result.covers(entry) {
			since = max(since, write.seq)
		}
	}
	return since
}

// lagging reports whether a read that began at a time may show an entry as it was before our latest write.
func (w writes) lagging(entry Entry, began time.Time, lag time.Duration) bool {
	write, ok := w[entry]
	return ok && began.Sub(write.at) < lag
}

// distrusted reports whether an entry was read within the lag after our write, and the lag is over: what was read is
// trusted no longer than that.
func (w writes) distrusted(entries []Entry, now time.Time, lag time.Duration) bool {
	return slices.ContainsFunc(entries, func(entry Entry) bool {
		write, ok := w[entry]
		return ok && write.read && now.Sub(write.at) >= lag
	})
}

// outlasted reports whether a read that is under way began within the lag after our write to an entry, and the lag is over: it
// is no answer to who asks now.
func (w writes) outlasted(entries []Entry, began, now time.Time, lag time.Duration) bool {
	return slices.ContainsFunc(entries, func(entry Entry) bool {
		write, ok := w[entry]
		return ok && w.lagging(entry, began, lag) && now.Sub(write.at) >= lag
	})
}

// expect notes a write that an earlier process may have made until a time, unless a later one is known. seq is set once the
// lag is over: no read that is under way since then reflects it.
func (w writes) expect(entry Entry, at time.Time, seq uint64) writes {
	if known, ok := w[entry]; ok && (!known.at.Equal(at) || known.seq > 0) {
		return w
	}
	if w == nil {
		w = writes{}
	}
	w[entry] = written{seq: seq, at: at, read: true}
	return w
}

// shown notes that a read may show a write. It reports false if the write is forgotten, as the read began after the lag.
func (w writes) shown(entry Entry, seq uint64, began time.Time, lag time.Duration) bool {
	write := w[entry]
	if write.seq < seq && began.Sub(write.at) >= lag {
		delete(w, entry)
		return false
	}
	write.read = write.read || write.seq < seq
	w[entry] = write
	return true
}

// over is what was found, with the result of a write that it doesn't show.
func (w written) over(entry Entry, found *Service) *Service {
	switch {
	case !w.result.covers(entry), entry != "" && found == nil, entry == "" && found != nil:
		return found
	case entry == "":
		return w.result.Service
	default:
		return found.with(entry, w.result)
	}
}

// completedBy reports whether what was found is the result of the write, with what the answer to a write leaves out, such
// as secrets.
func (w written) completedBy(found *Service) bool {
	return w.result.Service != nil && found != nil && found.State == w.result.Service.State
}

// settled reports whether Aiven isn't working on the service. A service that doesn't exist is settled.
func (s *snapshot) settled() bool {
	return s.service == nil || s.service.State == StateRunning || s.service.State == StatePoweroff
}

// since is the sequence number that a read must exceed to reflect our writes to these entries, and to the service.
func (s *snapshot) since(entries []Entry) uint64 {
	return max(s.staleBefore, s.writes.since(entries))
}

// serves reports whether the snapshot can answer a reader of entries.
func (s *snapshot) serves(entries []Entry, now time.Time, bound, lag time.Duration) bool {
	return s.known && bound > 0 && now.Sub(s.began) <= bound && s.seq > s.since(entries) && !s.writes.distrusted(entries, now, lag)
}

// read takes in the answer to a read; nil is a service that doesn't exist. It returns the entries that changed: those that
// others changed, and those that we wrote ourselves and see now. A read that began within the lag after a write doesn't
// undo the result of the write. After the lag there is another read: what was hidden may be a change by others.
func (s *snapshot) read(seq uint64, began time.Time, found *Service, lag time.Duration) (others, ours []Entry) {
	if s.known && seq < s.seq {
		return nil, nil // overtaken by a later read
	}
	mine := map[Entry]bool{}
	s.recheck = time.Time{}
	for entry, w := range s.writes {
		mine[entry] = !w.read && (!w.result.covers(entry) || w.completedBy(found))
		if s.writes.shown(entry, seq, began, lag) {
			shown := w.over(entry, found)
			if slices.Contains(differ(found, shown), entry) {
				s.recheck = later(s.recheck, w.at.Add(lag))
			}
			found = shown
		}
	}
	before, known := s.service, s.known
	s.hold(found, seq, began)
	if !known {
		return nil, nil
	}
	for _, entry := range differ(before, found) {
		if mine[entry] {
			ours = append(ours, entry)
		} else {
			others = append(others, entry)
		}
	}
	return others, ours
}

// write takes in a write, and returns what its result changes: the entries that others changed, and those that we wrote.
func (s *snapshot) write(seq uint64, now time.Time, entry Entry, result WriteResult) (others, ours []Entry) {
	if entry == "" && result.Deleted {
		s.writes, s.staleBefore = nil, seq // what was written before went with the service
		return nil, nil
	}
	if s.writes == nil {
		s.writes = writes{}
	}
	s.writes[entry] = written{seq: seq, at: now, result: result}
	before := s.service
	switch {
	case !result.covers(entry):
		if entry == "" {
			s.staleBefore = seq
		}
	case result.Service != nil:
		s.hold(result.Service, seq, now)
		for _, changed := range differ(before, result.Service) {
			if changed == "" || changed == entry {
				ours = append(ours, changed)
			} else {
				others = append(others, changed)
			}
		}
	case before != nil:
		s.service = before.with(entry, result)
		if !reflect.DeepEqual(before.at(entry), s.service.at(entry)) {
			ours = []Entry{entry}
		}
	}
	return others, ours
}

// hold takes a state as the latest one.
func (s *snapshot) hold(found *Service, seq uint64, began time.Time) {
	if !s.known || s.service == nil || found == nil || s.service.State != found.State {
		s.moved = began
	}
	s.service, s.known, s.seq, s.began, s.beside = found, true, seq, began, nil
}

// asked is when the service was last read, also by a read that failed.
func (s *snapshot) asked() time.Time {
	if s.inflight != nil {
		return later(s.began, s.inflight.began)
	}
	return s.began
}

// differ lists the entries in which two states differ. A service that comes or goes differs as a whole.
func differ(before, after *Service) []Entry {
	switch {
	case before == nil && after == nil:
		return nil
	case before == nil || after == nil:
		return []Entry{""}
	default:
		return changed(before, after)
	}
}
