package aiven

import (
	"reflect"
	"time"
)

// snapshot is what one account knows of one service. It is pure: no clock, no lock, no calls. Moments are counted by an
// order that the account gives out, as two things can happen at one time of the clock.
type snapshot struct {
	service *Service // nil if there is none
	known   bool     // whether an answer was ever had
	order   uint64   // of the read that the service is from
	began   time.Time
	forgot  uint64 // what was read before is stale
	writes  map[Part]written
	used    time.Time // by a reader
	flight  *flight
	topics  topics
}

// written is a write to a part of the service.
type written struct {
	order uint64
	at    time.Time
	told  Answer
	read  bool // since then
}

// over is what was found, with what was told about a write that it doesn't show.
func (w written) over(part Part, found *Service) *Service {
	switch {
	case !w.told.tells(part), part != "" && found == nil, part == "" && found != nil:
		return found
	case part == "":
		return w.told.Service
	default:
		return found.with(part, w.told)
	}
}

// completedBy says whether what was found is what was told, with what the answer to a write leaves out, such as secrets.
func (w written) completedBy(found *Service) bool {
	return w.told.Service != nil && found != nil && found.State == w.told.Service.State
}

// lags says whether a read may show a part as it was before our latest write. What was told about a write is known better.
func (s *snapshot) lags(part Part, now time.Time, lag time.Duration) bool {
	w, ok := s.writes[part]
	return ok && w.told.Accepted && !w.told.tells(part) && now.Sub(w.at) < lag
}

// settled says whether nothing is going on at Aiven. A service that doesn't exist is at rest.
func (s *snapshot) settled() bool {
	return s.service == nil || s.service.State == StateRunning || s.service.State == StatePoweroff
}

// since is the order of the last moment after which a read has to begin to tell the truth about parts.
func (s *snapshot) since(parts []Part) uint64 {
	since := s.forgot
	for _, part := range parts {
		if w, ok := s.writes[part]; ok && !w.told.tells(part) {
			since = max(since, w.order)
		}
	}
	return since
}

// serves says whether a reader of parts can have what is here. What was read within the lag after a write is trusted no
// longer than that.
func (s *snapshot) serves(parts []Part, now time.Time, bound, lag time.Duration) bool {
	for _, part := range parts {
		if w, ok := s.writes[part]; ok && w.read && now.Sub(w.at) >= lag {
			return false
		}
	}
	return s.known && bound > 0 && now.Sub(s.began) <= bound && s.order > s.since(parts)
}

// read takes in the answer to a read; nil is a service that doesn't exist. It returns the parts that changed: those that
// somebody else changed, and those that we wrote ourselves and see now. A read that began within the lag after a write
// doesn't undo what was told about it.
func (s *snapshot) read(order uint64, began time.Time, found *Service, lag time.Duration) (others, ours []Part) {
	if s.known && order < s.order {
		return nil, nil // overtaken by a later read
	}
	mine := map[Part]bool{}
	for part, w := range s.writes {
		mine[part] = !w.read && (!w.told.tells(part) || w.completedBy(found))
		if w.order < order && began.Sub(w.at) >= lag {
			delete(s.writes, part) // the answer is younger
			continue
		}
		found = w.over(part, found)
		w.read = w.read || w.order < order
		s.writes[part] = w
	}
	before, known := s.service, s.known
	s.service, s.known, s.order, s.began = found, true, order, began
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
func (s *snapshot) write(order uint64, now time.Time, part Part, told Answer) (others, ours []Part) {
	if s.writes == nil {
		s.writes = map[Part]written{}
	}
	s.writes[part] = written{order: order, at: now, told: told}
	before := s.service
	switch {
	case !told.tells(part):
		if part == "" {
			s.forgot = order
		}
	case told.Service != nil:
		s.service, s.known, s.order, s.began = told.Service, true, order, now
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
			ours = []Part{part}
		}
	}
	return others, ours
}

// differ lists the parts in which two states differ. A service that comes or goes differs as a whole.
func differ(before, after *Service) []Part {
	switch {
	case before == nil && after == nil:
		return nil
	case before == nil || after == nil:
		return []Part{""}
	default:
		return changed(before, after)
	}
}
