package localaiven

// ServiceState is where a service is.
type ServiceState struct{ Project, Name, Type, State string }

// Services lists all services, by project and name.
func (s *Server) Services() []ServiceState {
	now := s.clock.Now()
	var out []ServiceState
	for _, svc := range s.allServices() {
		svc.mu.RLock()
		out = append(out, ServiceState{svc.project.name, svc.name, svc.kind.name, svc.state(now)})
		svc.mu.RUnlock()
	}
	return out
}
