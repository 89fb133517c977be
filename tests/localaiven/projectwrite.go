package localaiven

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	client "github.com/aiven/go-client-codegen/handler/project"

	"github.com/aero-operator/aero/tests/localaiven/lifetime"
	"github.com/aero-operator/aero/tests/localaiven/serviceintegration"
)

func (s *Server) projectGet(c *call) (any, *apiError) {
	p, fail := s.readMade(c)
	if fail != nil {
		return nil, fail
	}
	return s.projectAnswer(p), nil
}

// readMade is read for calls about the project itself: a name that is only implied is no project for them.
func (s *Server) readMade(c *call) (*project, *apiError) {
	p, fail := s.read(c)
	if fail != nil {
		return nil, fail
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	if !p.exists() {
		return nil, notFound("Project")
	}
	return p, nil
}

func (s *Server) projectAnswer(p *project) any {
	return map[string]any{"project": s.projectBody(p)}
}

func (s *Server) projectBody(p *project) projectBody {
	b := p.body(s.account)
	if s.options.Variants.OmitBilling {
		b.BillingAddress, b.BillingCurrency, b.BillingExtraText, b.CountryCode = "", "", "", ""
	}
	return b
}

func (s *Server) projectCreate(c *call) (any, *apiError) {
	var in client.ProjectCreateIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	s.account.mu.Lock()
	defer s.account.mu.Unlock()
	details := s.account.newDetails(in.Project)
	var copied *billingGroup
	if in.CopyFromProject != nil {
		var fail *apiError
		if details, copied, fail = s.copyDetails(in, details); fail != nil {
			return nil, fail
		}
	}
	fail := details.change(projectChange{client.ProjectUpdateIn{
		AccountId: in.AccountId, AddressLines: in.AddressLines, BillingAddress: in.BillingAddress,
		BillingCurrency: in.BillingCurrency, BillingEmails: in.BillingEmails, BillingExtraText: in.BillingExtraText,
		BillingGroupId: in.BillingGroupId, CardId: in.CardId, City: in.City, Cloud: in.Cloud, Company: in.Company,
		CountryCode: in.CountryCode, State: in.State, Tags: withTags(details.tags, in.Tags), TechEmails: in.TechEmails,
		VatId: in.VatId, ZipCode: in.ZipCode,
	}, nil, in.BasePort}, s.account)
	if fail != nil {
		return nil, fail
	}
	p, fail := s.createProject(in.Project, details)
	if fail != nil {
		return nil, fail
	}
	if copied != nil {
		s.addGroup(*copied)
	}
	return s.projectAnswer(p), nil
}

// copyDetails are those of another project: all but its ports, its debts, and, unless they are asked for, its tags. The
// billing group is a copy, too, which isn't in the list yet, unless the request names one or wants that of the source.
func (s *Server) copyDetails(in client.ProjectCreateIn, to projectDetails) (projectDetails, *billingGroup, *apiError) {
	source, fail := s.project(*in.CopyFromProject)
	if fail != nil {
		return to, nil, fail
	}
	source.mu.RLock()
	defer source.mu.RUnlock()
	out := source.details
	out.basePort, out.balance = to.basePort, to.balance
	if in.CopyTags == nil || !*in.CopyTags {
		out.tags = to.tags
	}
	if in.BillingGroupId != nil || in.UseSourceProjectBillingGroup != nil && *in.UseSourceProjectBillingGroup {
		return out, nil, nil
	}
	id := newUUID(fmt.Sprintf("billing group %d", s.sequence.Add(1)))
	out.group = billingGroup{id, out.group.name, s.clock.Now()}
	return out, &out.group, nil
}

// withTags are the tags so far and those of a request, which win.
func withTags(tags map[string]string, more *map[string]string) *map[string]string {
	if more == nil {
		return nil
	}
	all := maps.Clone(tags)
	maps.Copy(all, *more)
	return &all
}

// createProject makes a project known. The caller holds the account's mu.
func (s *Server) createProject(name string, details projectDetails) (*project, *apiError) {
	if fail := checkProjectName(name); fail != nil {
		return nil, fail
	}
	if s.foreign(name) {
		return nil, alreadyExists("Project", name)
	}
	p := s.vacancy(name)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.exists() {
		return nil, alreadyExists("Project", name)
	}
	now := s.clock.Now()
	p.details, p.created, p.members = details, true, now.Add(s.options.MembershipTime)
	p.touched(now)
	return p, nil
}

// vacancy is place for a new project, also where one is gone.
func (s *Server) vacancy(name string) *project {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.projects[name]
	if p != nil && !p.gone.Load() {
		return p
	}
	fresh := s.emptyProject(name)
	fresh.used = fresh.used && p == nil // one that was listed is there until it is deleted
	if p != nil {
		fresh.deleted = true
		fresh.touched(time.Time{}) // until readers see that there is one again
		fresh.deleted = false
	}
	s.projects[name] = fresh
	return fresh
}

func checkProjectName(name string) *apiError {
	if !projectName.MatchString(name) {
		return badRequest("Invalid project name '%s': must consist of letters, digits, dashes and underscores, "+
			"and be 1 to 63 characters long", name)
	}
	return nil
}

func (s *Server) projectUpdate(c *call) (any, *apiError) {
	var in client.ProjectUpdateIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	p, fail := s.changeProject(c.param("project"), projectChange{ProjectUpdateIn: in})
	if fail != nil {
		return nil, fail
	}
	return s.projectAnswer(p), nil
}

// changeProject applies a request as a whole, or not at all.
func (s *Server) changeProject(name string, in projectChange) (*project, *apiError) {
	s.account.mu.Lock()
	defer s.account.mu.Unlock()
	p, fail := s.project(name)
	if fail != nil {
		return nil, fail
	}
	p.mu.RLock()
	next, exists := p.details, p.exists()
	p.mu.RUnlock()
	if !exists {
		return nil, notFound("Project")
	}
	if fail := next.change(in, s.account); fail != nil {
		return nil, fail
	}
	if in.ProjectName != nil && *in.ProjectName != name {
		if fail := s.renameProject(p, *in.ProjectName); fail != nil {
			return nil, fail
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.details = next
	p.touched(s.clock.Now())
	return p, nil
}

// renameProject leaves the old name as that of a deleted project. What the project has, such as its CA, goes with it. The
// caller holds the account's mu.
func (s *Server) renameProject(p *project, name string) *apiError {
	if fail := checkProjectName(name); fail != nil {
		return fail
	}
	giveBack, fail := s.reserve(name)
	if fail != nil {
		return fail
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if fail := p.vacant(s.clock.Now()); fail != nil {
		giveBack()
		return fail
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	left := s.emptyProject(p.name)
	left.gone.Store(true)
	s.projects[p.name], s.projects[name] = left, p
	p.name = name
	return nil
}

// reserve keeps a name from being used, unless a project has it. Two projects are never locked at once, so a rename that
// fails after it has to give the name back.
func (s *Server) reserve(name string) (giveBack func(), fail *apiError) {
	if s.foreign(name) {
		return nil, alreadyExists("Project", name)
	}
	target := s.place(name)
	target.mu.Lock()
	defer target.mu.Unlock()
	if !target.gone.Load() && target.exists() {
		return nil, alreadyExists("Project", name)
	}
	was := target.gone.Swap(true)
	return func() { target.gone.Store(was || !s.implied(name)) }, nil
}

func (s *Server) projectDelete(c *call) (any, *apiError) {
	return nil, s.deleteProject(c.param("project"))
}

func (s *Server) deleteProject(name string) *apiError {
	s.account.mu.Lock()
	defer s.account.mu.Unlock()
	s.integrations.Lock()
	defer s.integrations.Unlock()
	p, fail := s.project(name)
	if fail != nil {
		return fail
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.exists() {
		return notFound("Project")
	}
	if fail := p.vacant(s.clock.Now()); fail != nil {
		return fail
	}
	if p.details.balance != noBalance {
		return forbidden(fmt.Sprintf("Project has an open balance of %s USD. Settle it first.", p.details.balance))
	}
	p.gone.Store(true)
	p.deleted = true
	p.touched(s.clock.Now())
	s.integrations.Remove(func(i *serviceintegration.Integration) bool { return i.In(p) })
	return nil
}

// vacant reports whether nothing is left in the project that keeps it from going. The caller holds mu.
func (p *project) vacant(now time.Time) *apiError {
	if names := slices.Sorted(maps.Keys(p.services)); len(names) > 0 {
		return &apiError{http.StatusConflict, fmt.Sprintf("Project has services in it, such as '%s'. Delete them first.", names[0])}
	}
	if i := slices.IndexFunc(p.vpcs, func(v *vpc) bool { return v.state(now) != lifetime.Removed }); i >= 0 {
		return &apiError{http.StatusConflict, fmt.Sprintf("Project has VPCs in it, such as %s. Delete them first.", p.vpcs[i].id)}
	}
	return nil
}
