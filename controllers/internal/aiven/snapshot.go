package aiven

import (
	"reflect"
	"time"
)

// snapshot is what one account knows of one service. It is pure: no clock, no lock, no calls. Moments are counted by an
// order that the account gives out, as two things can happen at one time of the clock.
type snapshot struct {
	service     *Service // nil if there is none
	known       bool     // whether an answer was ever had
	seq         uint64   // of the read that the service is from
	began       time.Time
	staleBefore uint64 // what was read before is stale
	writes      map[Entry]written
	used        time.Time // by a reader
	inflight    *inflightRead
	topics      topics
}

// written is a write to a part of the service.
type written struct {
	seq    uint64
	at     time.Time
	result WriteResult
	read   bool // since then
}

// over is what was found, with what was told about a write that it doesn't show.
func (w written) over(part Entry, found *Service) *Service {
	switch {
	case !w.result.covers(part), part != "" && found == nil, part == "" && found != nil:
		return found
	case part == "":
		return w.result.Service
	default:
		return found.with(part, w.result)
	}
}

// completedBy says whether what was found is what was told, with what the answer to a write leaves out, such as secrets.
func (w written) completedBy(found *Service) bool {
	return w.result.Service != nil && found != nil && found.State == w.result.Service.State
}

// writePending says whether a read may show a part as it was before our latest write. What was told about a write is known better.
func (s *snapshot) writePending(part Entry, now time.Time, lag time.Duration) bool {
	w, ok := s.writes[part]
	return ok && w.result.MayHaveApplied && !w.result.covers(part) && now.Sub(w.at) < lag
}

// settled says whether nothing is going on at Aiven. A service that doesn't exist is at rest.
func (s *snapshot) settled() bool {
	return s.service == nil || s.service.State == StateRunning || s.service.State == StatePoweroff
}

// since is the order of the last moment after which a read has to begin to tell the truth about parts.
func (s *snapshot) since(parts []Entry) uint64 {
	since := s.staleBefore
	for _, part := range parts {
		if w, ok := s.writes[part]; ok && !w.result.covers(part) {
			since = max(since, w.seq)
		}
	}
	return since
}

// serves says whether a reader of parts can have what is here. What was read within the lag after a write is trusted no
// longer than that.
func (s *snapshot) serves(parts []Entry, now time.Time, bound, lag time.Duration) bool {
	for _, part := range parts {
		if w, ok := s.writes[part]; ok && w.read && now.Sub(w.at) >= lag {
			return false
		}
	}
	return s.known && bound > 0 && now.Sub(s.began) <= bound && s.seq > s.since(parts)
}

// read takes in the answer to a read; nil is a service that doesn't exist. It returns the parts that changed: those that
// somebody else changed, and those that we wrote ourselves and see now. A read that began within the lag after a write
// doesn't undo what was told about it.
func (s *snapshot) read(order uint64, began time.Time, found *Service, lag time.Duration) (others, ours []Entry) {
	if s.known && order < s.seq {
		return nil, nil // overtaken by a later read
	}
	mine := map[Entry]bool{}
	for part, w := range s.writes {
		mine[part] = !w.read && (!w.result.covers(part) || w.completedBy(found))
		if w.seq < order && began.Sub(w.at) >= lag {
			delete(s.writes, part) // the answer is younger
			continue
		}
		found = w.over(part, found)
		w.read = w.read || w.seq < order
		s.writes[part] = w
	}
	before, known := s.service, s.known
	s.service, s.known, s.seq, s.began = found, true, order, began
	if !known {
		return nil, nil
	}
	for _, part := range differ(before, found) {
		if mine[part] {
			ours = append(ours, part)
		} else {
			others = append(others, part)
		}
	}
	return others, ours
}

// write takes in a write, and returns what is new in what was told about it: what we wrote, and what somebody else did.
func (s *snapshot) write(order uint64, now time.Time, part Entry, told WriteResult) (others, ours []Entry) {
	if s.writes == nil {
		s.writes = map[Entry]written{}
	}
	s.writes[part] = written{seq: order, at: now, result: told}
	before := s.service
	switch {
	case !told.covers(part):
		if part == "" {
			s.staleBefore = order
		}
	case told.Service != nil:
		s.service, s.known, s.seq, s.began = told.Service, true, order, now
		for _, changed := range differ(before, told.Service) {
			if changed == "" || changed == part {
				ours = append(ours, changed)
			} else {
				others = append(others, changed)
			}
		}
	case before != nil:
		s.service = before.with(part, told)
		if !reflect.DeepEqual(before.at(part), s.service.at(part)) {
			ours = []Entry{part}
		}
	}
	return others, ours
}

// differ lists the parts in which two states differ. A service that comes or goes differs as a whole.
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
