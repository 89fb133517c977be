package localaiven

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/aero-operator/aero/tests/localaiven/serviceintegration"
)

// integrationsAt are the integrations of a service as they are shown at a time. The caller holds mu.
func (svc *service) integrationsAt(now time.Time) []serviceintegration.Integration {
	out := make([]serviceintegration.Integration, 0, len(svc.integrations))
	for _, i := range svc.integrations {
		out = append(out, i.At(now))
	}
	return out
}

// nextChange is when the service is shown differently although nothing changes it: when the next topic, database of ClickHouse
// or integration is ready or gone. Zero is never. The caller holds mu.
func (svc *service) nextChange(now time.Time) time.Time {
	next := svc.topicsChange(now)
	if svc.clickhouse != nil { // which has no topics
		next = svc.clickhouse.NextChange()
	}
	for _, i := range svc.integrations {
		if i.Starting(now) && (next.IsZero() || i.Ready.Before(next)) {
			next = i.Ready
		}
	}
	return next
}

// connected reports whether a service of Kafka Connect has a Kafka to work with. The caller holds mu.
func (svc *service) connected(now time.Time) bool {
	return slices.ContainsFunc(svc.integrationsAt(now), func(i serviceintegration.Integration) bool { return i.Connects(svc.project.name, svc.name) })
}

// integrationThen is an integration of the project as readers that lag behind see it.
func (s *Server) integrationThen(p *project, id string) (*integration, *apiError) {
	then := s.clock.Now().Add(-s.options.Eventual)
	for _, other := range s.allProjects() {
		for _, svc := range other.servicesAt(then) {
			for _, i := range svc.integrations {
				if i.ServiceIntegrationID == id && (i.source.project == p || i.dest.project == p) {
					return i, nil
				}
			}
		}
	}
	return nil, notFound("Service integration")
}

// PatchIntegration changes an integration as a user of the console would, or as if Aiven failed to set it up. Fields are
// active, enabled, status (of integration_status.state, such as failed), status_user_desc, errors and user_config (as a
// whole). What is set stays; one that is still starting isn't any longer.
func (s *Server) PatchIntegration(project, id string, fields map[string]any) error {
	body, err := json.Marshal(fields)
	if err != nil {
		return fmt.Errorf("encoding fields: %w", err)
	}
	if fail := s.patchIntegration(project, id, &call{body: body}); fail != nil {
		return fail
	}
	return nil
}

func (s *Server) adminPatchIntegration(r *http.Request) (any, *apiError) {
	c := &call{Request: r}
	body, fail := bodyOf(r)
	if fail != nil {
		return nil, fail
	}
	c.body = body
	return nil, s.patchIntegration(r.PathValue("project"), r.PathValue("integration"), c)
}

func (s *Server) patchIntegration(projectName, id string, c *call) *apiError {
	var change serviceintegration.Change
	if fail := c.decode(&change); fail != nil {
		return fail
	}
	if err := change.Check(); err != nil {
		return badRequest("%v", err)
	}
	p, fail := s.project(projectName)
	if fail != nil {
		return fail
	}
	r := &s.integrations
	r.mu.Lock()
	defer r.mu.Unlock()
	at, fail := r.find(p, id)
	if fail != nil {
		return fail
	}
	next := *r.all[at]
	next.Integration = change.On(next.At(s.clock.Now()))
	r.all[at] = &next
	r.show(r.all[at : at+1])
	return nil
}
