package schemaregistry

import (
	"slices"
	"time"
)

// moment is what the registry held from some time on.
type moment struct {
	since    time.Time
	subjects map[string]*subject
	level    string
}

// remember notes what the registry holds from now on, and forgets what no reader sees any longer. The caller holds mu.
func (r *Registry) remember() {
	if r.lag == 0 {
		return
	}
	now := r.now()
	if seen := momentAt(r.past, now.Add(-r.lag)); seen > 0 {
		r.past = slices.Delete(r.past, 0, seen)
	}
	subjects := map[string]*subject{}
	for name, s := range r.subjects {
		own := &subject{level: s.level}
		for _, v := range s.versions {
			version := *v
			own.versions = append(own.versions, &version)
		}
		subjects[name] = own
	}
	r.past = append(r.past, moment{now, subjects, r.level})
}

// momentAt is the index of the moment that a time belongs to; -1 is before all.
func momentAt(past []moment, at time.Time) int {
	later := slices.IndexFunc(past, func(m moment) bool { return m.since.After(at) })
	if later < 0 {
		later = len(past)
	}
	return later - 1
}

// Lagging is the registry as readers that lag behind see it, for reading.
func (r *Registry) Lagging() *Registry {
	r.mu.RLock()
	defer r.mu.RUnlock()
	old := New(r.now, 0)
	if i := momentAt(r.past, r.now().Add(-r.lag)); i >= 0 {
		old.subjects, old.level = r.past[i].subjects, r.past[i].level
	}
	return old
}
