package localaiven

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	client "github.com/aiven/go-client-codegen/handler/service"
)

// statusOf is integration_status in a state of the integration.
func statusOf(state, description string, errors []string) integrationStatus {
	return integrationStatus{
		StatusUserDesc: description,
		State:          integrationState{Errors: append([]string{}, errors...), Nodes: map[string]any{}, Status: state},
	}
}

// at is the integration as it is shown at a time: it starts until it is ready.
func (i *integration) at(now time.Time) *integration {
	if i.patched || !now.Before(i.ready) {
		return i
	}
	starting := *i
	starting.Active = false
	starting.IntegrationStatus = statusOf(string(client.IntegrationStatusTypeStarting), "Integration is starting", nil)
	return &starting
}

// integrationsAt are the integrations of a service as they are shown at a time. The caller holds mu.
func (svc *service) integrationsAt(now time.Time) []*integration {
	out := make([]*integration, 0, len(svc.integrations))
	for _, i := range svc.integrations {
		out = append(out, i.at(now))
	}
	return out
}

// nextChange is when the service is shown differently although nothing changes it: when the next topic or integration is
// ready. Zero is never. The caller holds mu.
func (svc *service) nextChange(now time.Time) time.Time {
	next := svc.topicsChange(now)
	for _, i := range svc.integrations {
		if !i.patched && now.Before(i.ready) && (next.IsZero() || i.ready.Before(next)) {
			next = i.ready
		}
	}
	return next
}

// connected reports whether a service of Kafka Connect has a Kafka to work with. The caller holds mu.
func (svc *service) connected(now time.Time) bool {
	return slices.ContainsFunc(svc.integrationsAt(now), func(i *integration) bool {
		return i.IntegrationType == kindKafkaConnect && i.DestProject == svc.project.name &&
			i.DestService != nil && *i.DestService == svc.name && i.Active
	})
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

// integrationChange is what PatchIntegration sets.
type integrationChange struct {
	Active      *bool          `json:"active"`
	Enabled     *bool          `json:"enabled"`
	Status      *string        `json:"status"`
	Description *string        `json:"status_user_desc"`
	Errors      []string       `json:"errors"`
	UserConfig  map[string]any `json:"user_config"`
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
	var change integrationChange
	if fail := c.decode(&change); fail != nil {
		return fail
	}
	if change.Status != nil && !slices.Contains(client.IntegrationStatusTypeChoices(), *change.Status) {
		return badRequest("Invalid status '%s': must be one of %v", *change.Status, client.IntegrationStatusTypeChoices())
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
	r.all[at] = change.on(r.all[at].at(s.clock.Now()))
	r.show(r.all[at : at+1])
	return nil
}

// on is the integration with the change.
func (c integrationChange) on(i *integration) *integration {
	next := *i
	next.patched = true
	next.Active, next.Enabled = value(c.Active, next.Active), value(c.Enabled, next.Enabled)
	state := next.IntegrationStatus
	next.IntegrationStatus = statusOf(value(c.Status, state.State.Status), value(c.Description, state.StatusUserDesc), state.State.Errors)
	if c.Errors != nil {
		next.IntegrationStatus.State.Errors = c.Errors
	}
	if c.UserConfig != nil {
		next.UserConfig = c.UserConfig
	}
	return &next
}
