package localaiven

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/aero-operator/aero/tests/localaiven/pki"
)

// project is a namespace of services with a certificate authority of its own.
type project struct {
	name string
	ca   func() (*pki.Authority, error)

	// mu guards what is below. It is taken before the mu of a service.
	mu       sync.RWMutex
	services map[string]*service
	left     []*service // deleted a moment ago; see eventual.go
	vpcs     []*vpc

	endpoints []*endpoint // never changed in place
}

// project returns the one of this name. Without Options.Projects any name is one.
func (s *Server) project(name string) (*project, *apiError) {
	s.mu.RLock()
	p, ok := s.projects[name]
	s.mu.RUnlock()
	if ok {
		return p, nil
	}
	if len(s.options.Projects) > 0 && !slices.Contains(s.options.Projects, name) {
		return nil, notFound("Project")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, ok := s.projects[name]; ok {
		return p, nil
	}
	p = &project{name: name, services: map[string]*service{}}
	p.ca = sync.OnceValues(func() (*pki.Authority, error) { return pki.New(name + " project CA") })
	s.projects[name] = p
	return p, nil
}

// allProjects returns those that were named so far, by name.
func (s *Server) allProjects() []*project {
	s.mu.RLock()
	defer s.mu.RUnlock()
	projects := slices.Collect(maps.Values(s.projects))
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
	return nil, notFound("Service")
}

// projectBody is the part of ProjectGet that doesn't depend on billing; the rest is as for a new project.
type projectBody struct {
	AccountID        string            `json:"account_id"`
	BillingAddress   string            `json:"billing_address"`
	BillingEmails    []techEmail       `json:"billing_emails"`
	BillingGroupID   string            `json:"billing_group_id"`
	BillingGroupName string            `json:"billing_group_name"`
	Country          string            `json:"country"`
	CountryCode      string            `json:"country_code"`
	DefaultCloud     string            `json:"default_cloud"`
	EstimatedBalance string            `json:"estimated_balance"`
	OrganizationID   string            `json:"organization_id"`
	PaymentMethod    string            `json:"payment_method"`
	ProjectName      string            `json:"project_name"`
	Tags             map[string]string `json:"tags"`
	TechEmails       []techEmail       `json:"tech_emails"`
	VatID            string            `json:"vat_id"`
}

func (s *Server) projectGet(c *call) (any, *apiError) {
	p, fail := s.project(c.param("project"))
	if fail != nil {
		return nil, fail
	}
	return map[string]any{"project": projectBody{
		AccountID: "a" + digest("account", 12), OrganizationID: "org" + digest("account", 12),
		BillingGroupID: newUUID("billing group"), BillingGroupName: "Local",
		BillingEmails: []techEmail{}, TechEmails: []techEmail{}, Tags: map[string]string{},
		Country: "Finland", CountryCode: "FI", DefaultCloud: defaultCloud, EstimatedBalance: "0.00",
		PaymentMethod: "no_payment_expected", ProjectName: p.name,
	}}, nil
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
