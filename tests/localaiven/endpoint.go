package localaiven

import (
	"fmt"

	client "github.com/aiven/go-client-codegen/handler/service"

	"github.com/aero-operator/aero/tests/localaiven/serviceintegration"
)

// endpointAnswer is an endpoint, or why there is none.
func (s *Server) endpointAnswer(c *call, e *serviceintegration.Endpoint, refused *serviceintegration.Error) (any, *apiError) {
	if refused != nil {
		return nil, integrationRefusal(refused)
	}
	secrets := c.secrets() && !s.options.Variants.RedactEndpoints
	return map[string]serviceintegration.Endpoint{"service_integration_endpoint": e.Shown(secrets)}, nil
}

func (s *Server) endpointList(c *call) (any, *apiError) {
	p, fail := s.read(c)
	if fail != nil {
		return nil, fail
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	return map[string]any{"service_integration_endpoints": p.endpoints.Shown()}, nil
}

func (s *Server) endpointGet(c *call) (any, *apiError) {
	p, fail := s.read(c)
	if fail != nil {
		return nil, fail
	}
	e, refused := p.Endpoint(c.param("endpoint"))
	return s.endpointAnswer(c, e, refused)
}

func (s *Server) endpointCreate(c *call) (any, *apiError) {
	var in client.ServiceIntegrationEndpointCreateIn
	p, fail := s.projectAndBody(c, &in)
	if fail != nil {
		return nil, fail
	}
	e, refused := serviceintegration.NewEndpoint(in)
	if refused != nil {
		return nil, integrationRefusal(refused)
	}
	e.EndpointID = newUUID(fmt.Sprintf("endpoint %d", s.sequence.Add(1)))
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone.Load() {
		return nil, notFound("Project")
	}
	if refused = p.endpoints.Add(e, s.options.Variants.EndpointNamesByType); refused == nil {
		p.touched(s.clock.Now())
	}
	return s.endpointAnswer(c, e, refused)
}

func (s *Server) endpointUpdate(c *call) (any, *apiError) {
	var in client.ServiceIntegrationEndpointUpdateIn
	p, fail := s.projectAndConfig(c, &in)
	if fail != nil {
		return nil, fail
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	e, refused := p.endpoints.Update(c.param("endpoint"), in.UserConfig)
	if refused == nil {
		p.touched(s.clock.Now())
	}
	return s.endpointAnswer(c, e, refused)
}

func (s *Server) endpointDelete(c *call) (any, *apiError) {
	p, fail := s.project(c.param("project"))
	if fail != nil {
		return nil, fail
	}
	s.integrations.RLock() // nothing is integrated with it meanwhile
	defer s.integrations.RUnlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	refused := p.endpoints.Remove(c.param("endpoint"), s.integrations)
	if refused == nil {
		p.touched(s.clock.Now())
	}
	return nil, integrationRefusal(refused)
}
