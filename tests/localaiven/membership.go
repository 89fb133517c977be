package localaiven

import "slices"

// member lets calls about a project through once the caller is a member of it: not to a project of another organization,
// and not to one that was created less than Options.MembershipTime ago, or that its token is denied.
func (s *Server) member(handle handler) handler {
	if len(s.options.ForeignProjects) == 0 && len(s.options.DeniedProjects) == 0 && s.options.MembershipTime == 0 {
		return handle
	}
	return func(c *call) (any, *apiError) {
		name := c.param("project")
		s.mu.RLock()
		p := s.projects[name]
		s.mu.RUnlock()
		if s.foreign(name) || s.denied(c, name) || p != nil && p.closedTo(s.clock) {
			return nil, forbidden("Not a project member")
		}
		return handle(c)
	}
}

// foreign reports whether a project of this name belongs to another organization.
func (s *Server) foreign(name string) bool { return slices.Contains(s.options.ForeignProjects, name) }

// denied reports whether the token of a call isn't a member of a project of this organization.
func (s *Server) denied(c *call, name string) bool {
	return slices.Contains(s.options.DeniedProjects[token(c.Request)], name)
}

// closedTo reports whether the project has no member yet.
func (p *project) closedTo(clock Clock) bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return clock.Now().Before(p.members)
}
