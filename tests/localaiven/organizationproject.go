package localaiven

import (
	"encoding/json"

	client "github.com/aiven/go-client-codegen/handler/organizationprojects"
	projects "github.com/aiven/go-client-codegen/handler/project"
)

func (s *Server) organizationProjectGet(c *call) (any, *apiError) {
	if fail := s.organizationOf(c); fail != nil {
		return nil, fail
	}
	p, fail := s.readMade(c)
	if fail != nil {
		return nil, fail
	}
	return p.organizationBody(s.account), nil
}

func (s *Server) organizationProjectCreate(c *call) (any, *apiError) {
	if fail := s.organizationOf(c); fail != nil {
		return nil, fail
	}
	var in client.OrganizationProjectsCreateIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	for _, key := range []string{"billing_group_id", "project_id", "tags"} {
		if !c.gives(key) {
			return nil, badRequest("Invalid input: %s is required", key)
		}
	}
	s.account.mu.Lock()
	defer s.account.mu.Unlock()
	details := s.account.newDetails(in.ProjectId)
	fail := details.change(projectChange{
		projects.ProjectUpdateIn{BillingGroupId: &in.BillingGroupId, Tags: &in.Tags, TechEmails: projectEmails(in.TechEmails)},
		in.ParentId, in.BasePort,
	}, s.account)
	if fail != nil {
		return nil, fail
	}
	p, fail := s.createProject(in.ProjectId, details)
	if fail != nil {
		return nil, fail
	}
	return p.organizationBody(s.account), nil
}

func (s *Server) organizationProjectUpdate(c *call) (any, *apiError) {
	if fail := s.organizationOf(c); fail != nil {
		return nil, fail
	}
	var in client.OrganizationProjectsUpdateIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	if in.OrganizationId != nil && *in.OrganizationId != s.account.organization {
		return nil, notFound("Organization")
	}
	p, fail := s.changeProject(c.param("project"), projectChange{
		projects.ProjectUpdateIn{
			BillingGroupId: in.BillingGroupId, ProjectName: in.ProjectName, Tags: in.Tags, TechEmails: projectEmails(in.TechEmails),
		},
		in.ParentId, in.BasePort,
	})
	if fail != nil {
		return nil, fail
	}
	return p.organizationBody(s.account), nil
}

func (s *Server) organizationProjectDelete(c *call) (any, *apiError) {
	if fail := s.organizationOf(c); fail != nil {
		return nil, fail
	}
	return nil, s.deleteProject(c.param("project"))
}

// projectEmails are the addresses of a request in the form of the other side.
func projectEmails(in *[]client.TechEmailIn) *[]projects.TechEmailIn {
	if in == nil {
		return nil
	}
	out := []projects.TechEmailIn{}
	for _, e := range *in {
		out = append(out, projects.TechEmailIn(e))
	}
	return &out
}

// gives reports whether the request has a value for the key.
func (c *call) gives(key string) bool {
	var keys map[string]any
	err := json.Unmarshal(c.body, &keys)
	return err == nil && keys[key] != nil
}
