package localaiven

// listed are the projects of a list as the call sees it, by name: those that exist for another reason than a read.
func (s *Server) listed(c *call) []*project {
	for _, name := range s.options.Projects {
		s.place(name)
	}
	var out []*project
	for _, p := range s.projectsSeen(c) {
		p.mu.RLock()
		exists := p.exists()
		p.mu.RUnlock()
		if exists {
			out = append(out, p)
		}
	}
	return out
}

func (s *Server) projectList(c *call) (any, *apiError) {
	const role = "admin"
	projects, membership, memberships := []projectBody{}, map[string]string{}, map[string][]string{}
	for _, p := range s.listed(c) {
		if p.closedTo(s.clock) {
			continue // the list has the projects that the caller is a member of
		}
		body := s.projectBody(p)
		projects = append(projects, body)
		membership[body.ProjectName], memberships[body.ProjectName] = role, []string{role}
	}
	return map[string]any{"projects": projects, "project_membership": membership, "project_memberships": memberships}, nil
}

// organizationProjectItem is a project in the list of its organization, which shows less than a single one does.
type organizationProjectItem struct {
	AccountID          string            `json:"account_id"`
	BasePort           int               `json:"base_port"`
	BillingGroupID     string            `json:"billing_group_id"`
	EndOfLifeExtension map[string]any    `json:"end_of_life_extension"`
	ParentID           string            `json:"parent_id"`
	ProjectID          string            `json:"project_id"`
	Tags               map[string]string `json:"tags"`
	TechEmails         []techEmail       `json:"tech_emails"`
}

func (s *Server) organizationProjectList(c *call) (any, *apiError) {
	if fail := s.organizationOf(c); fail != nil {
		return nil, fail
	}
	group := c.URL.Query().Get("billing_group_id")
	out := []organizationProjectItem{}
	for _, p := range s.listed(c) {
		b := p.organizationBody(s.account)
		if group == "" || group == b.BillingGroupID {
			out = append(out, organizationProjectItem{
				b.AccountID, b.BasePort, b.BillingGroupID, b.EndOfLifeExtension, b.ParentID, b.ProjectID, b.Tags, b.TechEmails,
			})
		}
	}
	return map[string]any{"projects": out, "total_project_count": len(out)}, nil
}
