package localaiven

import (
	"fmt"
	"net/http"
	"slices"
	"unicode/utf8"

	client "github.com/aiven/go-client-codegen/handler/service"

	"github.com/aero-operator/aero/tests/localaiven/serviceintegration"
	"github.com/aero-operator/aero/tests/localaiven/userconfig"
)

// maxEndpointName is the longest name of an endpoint, in characters.
const maxEndpointName = 36

// endpoint is one of a project. It is never changed in place.
type endpoint struct{ serviceintegration.Endpoint }

// shown is the endpoint for an answer.
func (e *endpoint) shown(secrets bool) serviceintegration.Endpoint {
	out := e.Endpoint
	if !secrets {
		out.UserConfig, _ = userconfig.OfEndpoint(e.EndpointType).Hide(e.UserConfig).(map[string]any)
	}
	return out
}

func (s *Server) endpointAnswer(c *call, e *endpoint) map[string]serviceintegration.Endpoint {
	secrets := c.secrets() && !s.options.Variants.RedactEndpoints
	return map[string]serviceintegration.Endpoint{"service_integration_endpoint": e.shown(secrets)}
}

// endpoint returns the position of the one with this id. The caller holds mu.
func (p *project) endpoint(id string) (int, *apiError) {
	i := slices.IndexFunc(p.endpoints, func(e *endpoint) bool { return e.EndpointID == id })
	if i < 0 {
		return i, notFound("Integration endpoint")
	}
	return i, nil
}

func (s *Server) endpointList(c *call) (any, *apiError) {
	p, fail := s.read(c)
	if fail != nil {
		return nil, fail
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	out := []serviceintegration.Endpoint{}
	for _, e := range p.endpoints {
		out = append(out, e.shown(false)) // whatever include_secrets says: Aiven knows it for single endpoints only
	}
	return map[string]any{"service_integration_endpoints": out}, nil
}

func (s *Server) endpointGet(c *call) (any, *apiError) {
	p, fail := s.read(c)
	if fail != nil {
		return nil, fail
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	i, fail := p.endpoint(c.param("endpoint"))
	if fail != nil {
		return nil, fail
	}
	return s.endpointAnswer(c, p.endpoints[i]), nil
}

func (s *Server) endpointCreate(c *call) (any, *apiError) {
	p, fail := s.project(c.param("project"))
	if fail != nil {
		return nil, fail
	}
	var in client.ServiceIntegrationEndpointCreateIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	e, fail := newEndpoint(in)
	if fail != nil {
		return nil, fail
	}
	e.EndpointID = newUUID(fmt.Sprintf("endpoint %d", s.sequence.Add(1)))
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone.Load() {
		return nil, notFound("Project")
	}
	if slices.ContainsFunc(p.endpoints, func(other *endpoint) bool { return s.options.Variants.sameEndpoint(e, other) }) {
		return nil, alreadyExists("Integration endpoint", e.EndpointName)
	}
	p.endpoints = append(p.endpoints, e)
	p.touched(s.clock.Now())
	return s.endpointAnswer(c, e), nil
}

// newEndpoint checks a request to create one, and makes it without its id.
func newEndpoint(in client.ServiceIntegrationEndpointCreateIn) (*endpoint, *apiError) {
	if n := utf8.RuneCountInString(in.EndpointName); n == 0 || n > maxEndpointName {
		return nil, badRequest("Invalid endpoint_name '%s': must be 1 to %d characters long", in.EndpointName, maxEndpointName)
	}
	name := string(in.EndpointType)
	sc := userconfig.OfEndpoint(name)
	if sc == nil { // also one of the old types, whose settings Aiven no longer publishes
		return nil, badRequest("Invalid endpoint_type '%s'", name)
	}
	config, err := sc.Apply(nil, in.UserConfig)
	if err != nil {
		return nil, badRequest("%v", err)
	}
	return &endpoint{serviceintegration.Endpoint{
		EndpointConfig: map[string]any{}, EndpointName: in.EndpointName, EndpointType: name, UserConfig: config,
	}}, nil
}

// endpointUpdate takes settings as a whole only: what is required has to be there, also where it stays as it is. An update
// that changes nothing is refused.
func (s *Server) endpointUpdate(c *call) (any, *apiError) {
	p, fail := s.project(c.param("project"))
	if fail != nil {
		return nil, fail
	}
	var in client.ServiceIntegrationEndpointUpdateIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	if !c.names("user_config") {
		return nil, badRequest("Invalid input: user_config is required")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	i, fail := p.endpoint(c.param("endpoint"))
	if fail != nil {
		return nil, fail
	}
	next := *p.endpoints[i]
	sc := userconfig.OfEndpoint(next.EndpointType)
	if err := sc.Check("user_config", in.UserConfig); err != nil {
		return nil, badRequest("%v", err)
	}
	var err error
	if next.UserConfig, err = sc.Apply(next.UserConfig, in.UserConfig); err != nil {
		return nil, badRequest("%v", err)
	}
	if sameJSON(next.UserConfig, p.endpoints[i].UserConfig) {
		return nil, badRequest("User config not changed")
	}
	p.endpoints[i] = &next
	p.touched(s.clock.Now())
	return s.endpointAnswer(c, &next), nil
}

func (s *Server) endpointDelete(c *call) (any, *apiError) {
	p, fail := s.project(c.param("project"))
	if fail != nil {
		return nil, fail
	}
	s.integrations.mu.RLock() // nothing is integrated with it meanwhile
	defer s.integrations.mu.RUnlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	i, fail := p.endpoint(c.param("endpoint"))
	if fail != nil {
		return nil, fail
	}
	if user := s.integrations.using(p.endpoints[i].EndpointID); user != nil {
		return nil, &apiError{http.StatusConflict, fmt.Sprintf("Integration endpoint is in use by service integration %s (%s)",
			user.ServiceIntegrationID, user.IntegrationType)}
	}
	p.endpoints = slices.Delete(p.endpoints, i, i+1)
	p.touched(s.clock.Now())
	return nil, nil
}

// endpointResources are the endpoints of the project.
func (p *project) endpointResources() []Resource {
	p.mu.RLock()
	defer p.mu.RUnlock()
	var out []Resource
	for _, e := range p.endpoints {
		id := p.name + "/" + e.EndpointType + "/" + e.EndpointName + "#" + e.EndpointID
		out = append(out, Resource{Type: "service_integration_endpoint", ID: id})
	}
	return out
}
