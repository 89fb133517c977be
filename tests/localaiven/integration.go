package localaiven

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	client "github.com/aiven/go-client-codegen/handler/service"

	"github.com/aero-operator/aero/tests/localaiven/serviceintegration"
)

// newIntegrations connects integrations with the server's projects and its time.
func (s *Server) newIntegrations() *serviceintegration.Integrations {
	return serviceintegration.New(serviceintegration.Options{
		Project: func(name string) (serviceintegration.Project, *serviceintegration.Error) {
			p, fail := s.project(name)
			if fail != nil {
				return nil, &serviceintegration.Error{Status: fail.status, Message: fail.message}
			}
			return p, nil
		},
		NewID: func() string { return newUUID(fmt.Sprintf("integration %d", s.sequence.Add(1))) },
		Now:   s.clock.Now, StartTime: s.options.IntegrationTime,
	})
}

// Name implements serviceintegration.Project.
func (p *project) Name() string { return p.name }

// Service implements serviceintegration.Project.
func (p *project) Service(name string) (serviceintegration.Service, *serviceintegration.Error) {
	svc, fail := p.service(name)
	if fail != nil {
		return nil, &serviceintegration.Error{Status: fail.status, Message: fail.message}
	}
	return svc, nil
}

// Endpoint implements serviceintegration.Project.
func (p *project) Endpoint(id string) (*serviceintegration.Endpoint, *serviceintegration.Error) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.endpoints.Get(id)
}

// Name implements serviceintegration.Service.
func (svc *service) Name() string { return svc.name }

// Type implements serviceintegration.Service.
func (svc *service) Type() string { return svc.kind.name }

// State implements serviceintegration.Service.
func (svc *service) State(now time.Time) string {
	svc.mu.RLock()
	defer svc.mu.RUnlock()
	return svc.state(now)
}

// Integrate implements serviceintegration.Service.
func (svc *service) Integrate(own serviceintegration.List, now func() time.Time) {
	svc.mu.Lock()
	defer svc.mu.Unlock()
	svc.integrations = own
	svc.touched(now())
}

// serviceAt is the service at an end of an integration; nil where an endpoint is.
func serviceAt(end serviceintegration.Side) *service {
	svc, _ := end.Service.(*service)
	return svc
}

// integrationRefusal is a refusal as the API passes it on.
func integrationRefusal(e *serviceintegration.Error) *apiError {
	if e == nil {
		return nil
	}
	return &apiError{e.Status, e.Message}
}

// integrationAnswer is an integration, or why there is none.
func (s *Server) integrationAnswer(i *serviceintegration.Integration, refused *serviceintegration.Error) (any, *apiError) {
	if refused != nil {
		return nil, integrationRefusal(refused)
	}
	return map[string]serviceintegration.Integration{"service_integration": i.At(s.clock.Now())}, nil
}

func (s *Server) integrationCreate(c *call) (any, *apiError) {
	var in client.ServiceIntegrationCreateIn
	p, fail := s.projectAndBody(c, &in)
	if fail != nil {
		return nil, fail
	}
	if source, dest := serviceintegration.NamedEnds(in, ""); s.denied(c, source.Project) || s.denied(c, dest.Project) {
		return nil, forbidden("Not a project member")
	}
	return s.integrationAnswer(s.integrations.Create(p, in))
}

func (s *Server) integrationGet(c *call) (any, *apiError) {
	p, fail := s.project(c.param("project"))
	if fail != nil {
		return nil, fail
	}
	if s.lags(c) {
		return s.integrationAnswer(s.integrationsThen().Find(p, c.param("integration")))
	}
	return s.integrationAnswer(s.integrations.Get(p, c.param("integration")))
}

// integrationsThen are the integrations as readers that lag behind see them. One with two services is there twice.
func (s *Server) integrationsThen() serviceintegration.List {
	then := s.clock.Now().Add(-s.options.Eventual)
	var all serviceintegration.List
	for _, p := range s.allProjects() {
		for _, svc := range p.servicesAt(then) {
			all = append(all, svc.integrations...)
		}
	}
	return all
}

func (s *Server) integrationUpdate(c *call) (any, *apiError) {
	var in client.ServiceIntegrationUpdateIn
	p, fail := s.projectAndConfig(c, &in)
	if fail != nil {
		return nil, fail
	}
	return s.integrationAnswer(s.integrations.Update(p, c.param("integration"), in.UserConfig))
}

// projectAndBody is the project of a call, whose body it decodes.
func (s *Server) projectAndBody(c *call, into any) (*project, *apiError) {
	p, fail := s.project(c.param("project"))
	if fail != nil {
		return nil, fail
	}
	return p, c.decode(into)
}

// projectAndConfig is projectAndBody for a change of user_config, which has to be named.
func (s *Server) projectAndConfig(c *call, into any) (*project, *apiError) {
	p, fail := s.projectAndBody(c, into)
	if fail == nil && !c.names("user_config") {
		fail = badRequest("Invalid input: user_config is required")
	}
	return p, fail
}

// integrationDelete lets a read replica go on by itself before its integration is gone.
func (s *Server) integrationDelete(c *call) (any, *apiError) {
	p, fail := s.project(c.param("project"))
	if fail != nil {
		return nil, fail
	}
	gone, refused := s.integrations.Get(p, c.param("integration"))
	if refused != nil {
		return nil, integrationRefusal(refused)
	}
	if err := s.part(gone); err != nil {
		return nil, s.internal(c, "promoting the read replica", err)
	}
	return nil, integrationRefusal(s.integrations.Delete(p, gone.ServiceIntegrationID))
}

// PatchIntegration changes an integration as a user of the console would, or as if Aiven failed to set it up. Fields are
// active, enabled, status (of integration_status.state, such as failed), status_user_desc, errors and user_config (as a
// whole). What is set stays; one that is still starting isn't any longer.
func (s *Server) PatchIntegration(project, id string, fields map[string]any) error {
	body, err := json.Marshal(fields)
	if err != nil {
		return fmt.Errorf("encoding fields: %w", err)
	}
	if fail := s.patchIntegration(project, id, body); fail != nil {
		return fail
	}
	return nil
}

func (s *Server) adminPatchIntegration(r *http.Request) (any, *apiError) {
	body, fail := bodyOf(r)
	if fail != nil {
		return nil, fail
	}
	return nil, s.patchIntegration(r.PathValue("project"), r.PathValue("integration"), body)
}

func (s *Server) patchIntegration(projectName, id string, body []byte) *apiError {
	var change serviceintegration.Change
	if fail := (&call{body: body}).decode(&change); fail != nil {
		return fail
	}
	if err := change.Check(); err != nil {
		return badRequest("%v", err)
	}
	p, fail := s.project(projectName)
	if fail != nil {
		return fail
	}
	return integrationRefusal(s.integrations.Change(p, id, change))
}
