package localaiven

// Resource is one thing at the remote side.
type Resource struct {
	// Type is service, user, database or connection_pool.
	Type string `json:"type"`
	// ID is project/service, and /name for what is inside a service.
	ID string `json:"id"`
	// Builtin came with its service, and goes with it.
	Builtin bool `json:"builtin,omitempty"`
}

// Resources lists everything that exists, by service, for counting duplicates and leaks.
func (s *Server) Resources() []Resource {
	out := []Resource{}
	for _, svc := range s.allServices() {
		out = append(out, svc.resources()...)
	}
	return out
}

func (svc *service) resources() []Resource {
	svc.mu.RLock()
	defer svc.mu.RUnlock()
	id := svc.project.name + "/" + svc.name
	out := []Resource{{Type: "service", ID: id}}
	for i, u := range svc.users {
		out = append(out, Resource{"user", id + "/" + u.name, i == 0})
	}
	for _, d := range svc.databases {
		out = append(out, Resource{"database", id + "/" + d.name, d.name == defaultDBName})
	}
	for _, p := range svc.pools {
		out = append(out, Resource{Type: "connection_pool", ID: id + "/" + p.Name})
	}
	return out
}
