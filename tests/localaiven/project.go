package localaiven

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aero-operator/aero/tests/localaiven/lag"
	"github.com/aero-operator/aero/tests/localaiven/pki"
	"github.com/aero-operator/aero/tests/localaiven/serviceintegration"
)

// project is a namespace of services with a certificate authority of its own.
type project struct {
	ca func() (*pki.Authority, error)

	// gone is set when the project is deleted, and stays. A caller that found it before sees it empty.
	gone atomic.Bool

	// mu guards what is below. It is taken before the mu of a service, and before that of the server.
	mu       sync.RWMutex
	name     string // changes only while no service is in it, under the mu of the server too
	services map[string]*service
	left     []*service // deleted a moment ago; see eventual.go
	members  time.Time  // when its creator becomes a member
	projectContents
	past lag.History[projectContents]
}

// projectContents are what calls about a project change, besides its services.
type projectContents struct {
	details   projectDetails
	created   bool // by a call, rather than by being used
	used      bool // something in it was changed
	deleted   bool
	vpcs      []*vpc
	endpoints serviceintegration.Endpoints
}

// project returns the one of this name. Without Options.Projects any name is one, until a project of that name is deleted.
func (s *Server) project(name string) (*project, *apiError) {
	s.mu.RLock()
	p := s.projects[name]
	s.mu.RUnlock()
	if p == nil && s.implied(name) {
		p = s.place(name)
	}
	if p == nil || p.gone.Load() {
		return nil, notFound("Project")
	}
	return p, nil
}

// implied reports whether there is a project of this name without a request that creates it.
func (s *Server) implied(name string) bool {
	return len(s.options.Projects) == 0 || slices.Contains(s.options.Projects, name)
}

// place returns what has the name, which may be gone, or puts an empty project there.
func (s *Server) place(name string) *project {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.projects[name]
	if p == nil {
		p = s.emptyProject(name)
		s.projects[name] = p
	}
	return p
}

func (s *Server) emptyProject(name string) *project {
	p := &project{name: name, services: map[string]*service{}, past: lag.History[projectContents]{Lag: s.options.Eventual}}
	p.used, p.details = slices.Contains(s.options.Projects, name), s.account.newDetails(name)
	p.touched(time.Time{})
	p.ca = sync.OnceValues(func() (*pki.Authority, error) { return pki.New(name + " project CA") })
	return p
}

// exists reports whether the project is more than a name that was read: it was listed in Options.Projects, created,
// or used. A name that is no more can still be created. The caller holds mu.
func (p *project) exists() bool {
	return p.created || p.used || len(p.services) > 0 || len(p.vpcs) > 0
}

// using notes that a project is in use, once a call has changed something in it.
func (s *Server) using(handle handler) handler {
	return func(c *call) (any, *apiError) {
		value, fail := handle(c)
		if fail != nil {
			return value, fail
		}
		s.mu.RLock()
		p := s.projects[c.param("project")]
		s.mu.RUnlock()
		if p != nil {
			p.mu.Lock()
			p.used = true
			p.touched(s.clock.Now())
			p.mu.Unlock()
		}
		return value, nil
	}
}

// allProjects returns those that were named so far and aren't deleted, by name.
func (s *Server) allProjects() []*project {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return inOrder(slices.DeleteFunc(slices.Collect(maps.Values(s.projects)), func(p *project) bool { return p.gone.Load() }))
}

func inOrder(projects []*project) []*project {
	slices.SortFunc(projects, func(a, b *project) int { return cmp.Compare(a.name, b.name) })
	return projects
}

func (s *Server) allServices() []*service {
	var all []*service
	for _, p := range s.allProjects() {
		all = append(all, p.list()...)
	}
	return all
}

// list returns the services by name.
func (p *project) list() []*service {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return byName(slices.Collect(maps.Values(p.services)))
}

func byName(all []*service) []*service {
	slices.SortFunc(all, func(a, b *service) int { return cmp.Compare(a.name, b.name) })
	return all
}

func (p *project) service(name string) (*service, *apiError) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if svc, ok := p.services[name]; ok {
		return svc, nil
	}
	return nil, notFound("Service " + name)
}

func (s *Server) projectCA(c *call) (any, *apiError) {
	p, fail := s.project(c.param("project"))
	if fail != nil {
		return nil, fail
	}
	ca, err := p.ca()
	if err != nil {
		return nil, s.internal(c, "making the project CA", err)
	}
	return map[string]string{"certificate": ca.CertPEM()}, nil
}

// digest is a deterministic identity: the first n hex digits of a hash of name.
func digest(name string, n int) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:])[:n]
}

// newUUID is digest in the form of a UUID.
func newUUID(name string) string {
	d := digest(name, 32)
	return fmt.Sprintf("%s-%s-%s-%s-%s", d[:8], d[8:12], d[12:16], d[16:20], d[20:])
}
