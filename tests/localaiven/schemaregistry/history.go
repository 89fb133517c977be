package schemaregistry

// contents are what a registry holds.
type contents struct {
	subjects map[string]*subject
	level    string // compatibility of subjects that have none of their own
}

// remember notes what the registry holds from now on. The caller holds mu.
func (r *Registry) remember() { r.past.Remember(r.now(), r.copied) }

func (r *Registry) copied() contents {
	out := contents{map[string]*subject{}, r.level}
	for name, s := range r.subjects {
		own := &subject{level: s.level}
		for _, v := range s.versions {
			version := *v
			own.versions = append(own.versions, &version)
		}
		out.subjects[name] = own
	}
	return out
}

// Lagging is the registry as readers that lag behind see it, for reading.
func (r *Registry) Lagging() *Registry {
	r.mu.RLock()
	defer r.mu.RUnlock()
	old := New(r.now, 0)
	if was, known := r.past.At(r.now().Add(-r.past.Lag)); known {
		old.contents = was
	}
	return old
}
