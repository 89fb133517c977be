package localaiven

import (
	"slices"
	"time"
)

// touched notes that something in the project changed. The caller holds mu.
func (p *project) touched(now time.Time) { p.past.Remember(now, p.projectContents.copied) }

// copied is a copy for readers that lag behind.
func (c *projectContents) copied() projectContents {
	out := *c
	out.endpoints, out.vpcs = slices.Clone(c.endpoints), nil
	for _, v := range c.vpcs {
		own := *v
		out.vpcs = append(out.vpcs, &own)
	}
	return out
}

// read returns the project of a call as the call sees it: as it was a while ago where reads lag.
func (s *Server) read(c *call) (*project, *apiError) {
	name := c.param("project")
	if !s.lags(c) {
		return s.project(name)
	}
	s.mu.RLock()
	p := s.projects[name]
	s.mu.RUnlock()
	if p == nil {
		return s.project(name)
	}
	if was := s.was(p); was != nil {
		return was, nil
	}
	return nil, notFound("Project")
}

// was is the project as readers that lag behind see it; nil if it wasn't.
func (s *Server) was(p *project) *project {
	p.mu.RLock()
	defer p.mu.RUnlock()
	then, known := p.past.At(s.clock.Now().Add(-s.options.Eventual))
	if !known || then.deleted || !then.created && !s.implied(p.name) {
		return nil
	}
	return &project{ca: p.ca, name: p.name, projectContents: then}
}

// projectsSeen are all projects as the call sees them, by name.
func (s *Server) projectsSeen(c *call) []*project {
	if s.lags(c) {
		return s.projectsThen()
	}
	return s.allProjects()
}

// projectsThen are all projects as readers that lag behind see them, by name.
func (s *Server) projectsThen() []*project {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var all []*project
	for _, p := range s.projects {
		if was := s.was(p); was != nil {
			all = append(all, was)
		}
	}
	return inOrder(all)
}
