package localaiven

import (
	"fmt"
	"slices"
	"time"

	client "github.com/aiven/go-client-codegen/handler/service"

	"github.com/aero-operator/aero/tests/localaiven/serviceintegration"
	"github.com/aero-operator/aero/tests/localaiven/userconfig"
)

// side is an end of an integration: a service or an endpoint, in a project.
type side struct {
	project  *project
	service  *service
	endpoint *endpoint // as it was when the integration was made
}

func (e side) endpointID() string {
	if e.endpoint == nil {
		return ""
	}
	return e.endpoint.EndpointID
}

func (e side) same(other side) bool {
	return e.project == other.project && e.service == other.service && e.endpointID() == other.endpointID()
}

// name is that of the service or the endpoint.
func (e side) name() string {
	if e.service != nil {
		return e.service.name
	}
	return e.endpoint.EndpointName
}

// typeName is the type of the service or of the endpoint.
func (e side) typeName() string {
	if e.service != nil {
		return e.service.kind.name
	}
	return e.endpoint.EndpointType
}

// show is the service's name, or the endpoint's name and id. The others are nil.
func (e side) show() (serviceName, endpointName, endpointID *string) {
	if e.service != nil {
		return &e.service.name, nil, nil
	}
	return nil, &e.endpoint.EndpointName, &e.endpoint.EndpointID
}

func (s *Server) integrationCreate(c *call) (any, *apiError) {
	p, fail := s.project(c.param("project"))
	if fail != nil {
		return nil, fail
	}
	var in client.ServiceIntegrationCreateIn
	if fail := c.decode(&in); fail != nil {
		return nil, fail
	}
	if s.denied(c, value(in.SourceProject, "")) || s.denied(c, value(in.DestProject, "")) {
		return nil, forbidden("Not a project member")
	}
	s.integrations.mu.Lock()
	defer s.integrations.mu.Unlock()
	made, fail := s.newIntegration(p, nil, in)
	if fail != nil {
		return nil, fail
	}
	s.integrations.add(made)
	return s.integrationAnswer(made), nil
}

// registerIntegrated makes a new service known together with the integrations that it is created with, or neither.
func (s *Server) registerIntegrated(svc *service, wanted *[]client.ServiceIntegrationIn) *apiError {
	if wanted == nil || len(*wanted) == 0 {
		return s.register(svc)
	}
	s.integrations.mu.Lock()
	defer s.integrations.mu.Unlock()
	var made []*integration
	for _, in := range *wanted {
		i, fail := s.newIntegration(svc.project, svc, client.ServiceIntegrationCreateIn(in))
		if fail != nil {
			return fail
		}
		if slices.ContainsFunc(made, i.same) {
			return alreadyExists("Service integration", i.Description)
		}
		made = append(made, i)
	}
	for _, i := range made {
		svc.follows(i)
	}
	if fail := s.register(svc); fail != nil {
		return fail
	}
	s.integrations.add(made...)
	for _, i := range made {
		if leader := svc.leader.Load(); leader != nil && leader == i.source.service {
			leader.mu.RLock() // whose users may have changed since
			leader.mirror(s.clock.Now())
			leader.mu.RUnlock()
		}
	}
	return nil
}

// newIntegration checks a request, and makes what it asks for; no request sees it yet. fresh is the service that is created
// with it, if any. The caller holds the mu of integrations.
func (s *Server) newIntegration(p *project, fresh *service, in client.ServiceIntegrationCreateIn) (*integration, *apiError) {
	name := string(in.IntegrationType)
	if !slices.Contains(client.IntegrationTypeChoices(), name) {
		return nil, badRequest("Invalid integration_type '%s'", name)
	}
	source := serviceintegration.End{
		Role: "source", Project: value(in.SourceProject, p.name), Service: value(in.SourceService, ""), Endpoint: value(in.SourceEndpointId, ""),
	}
	dest := serviceintegration.End{
		Role: "dest", Project: value(in.DestProject, p.name), Service: value(in.DestService, ""), Endpoint: value(in.DestEndpointId, ""),
	}
	if fresh != nil {
		if fail := fresh.fill(&source, &dest); fail != nil {
			return nil, fail
		}
	}
	if source.Project != p.name && dest.Project != p.name {
		return nil, badRequest("Invalid input: source_project or dest_project must be '%s'", p.name)
	}
	i := &integration{Integration: serviceintegration.Integration{
		IntegrationType: name, Active: true, Enabled: true, ServiceIntegrationID: s.newIntegrationID(),
		Ready: s.clock.Now().Add(s.options.IntegrationTime),
	}}
	takes := serviceintegration.EndsOf(name)
	var fail *apiError
	if i.source, fail = s.find(source, takes.Source, name, fresh); fail != nil {
		return nil, fail
	}
	if i.dest, fail = s.find(dest, takes.Dest, name, fresh); fail != nil {
		return nil, fail
	}
	var err error
	if i.UserConfig, err = userconfig.OfIntegration(name).Apply(nil, value(in.UserConfig, nil)); err != nil {
		return nil, badRequest("%v", err)
	}
	i.describe()
	if slices.ContainsFunc(s.integrations.all, i.same) {
		return nil, alreadyExists("Service integration", i.Description)
	}
	if name == serviceintegration.ReadReplica {
		return i, i.replicates(fresh, s.clock.Now())
	}
	return i, nil
}

func (s *Server) newIntegrationID() string {
	return newUUID(fmt.Sprintf("integration %d", s.sequence.Add(1)))
}

// value is what a pointer points to, or else what is used for nil.
func value[T any](pointer *T, otherwise T) T {
	if pointer == nil {
		return otherwise
	}
	return *pointer
}

// fill puts a new service at the end that a request leaves open. One of the ends must be the new service.
func (svc *service) fill(source, dest *serviceintegration.End) *apiError {
	for _, end := range []*serviceintegration.End{source, dest} {
		if end.Service == "" && end.Endpoint == "" {
			end.Project, end.Service = svc.project.name, svc.name
			return nil
		}
	}
	for _, end := range []*serviceintegration.End{source, dest} {
		if end.Project == svc.project.name && end.Service == svc.name {
			return nil
		}
	}
	return badRequest("Invalid service_integrations: source_service or dest_service must be '%s', or left out", svc.name)
}

// find returns the end that a request names, if the type of integration takes it. The fresh service isn't in its project
// yet.
func (s *Server) find(r serviceintegration.End, takesTypes []string, integrationType string, fresh *service) (side, *apiError) {
	if err := r.Check(takesTypes); err != nil {
		return side{}, badRequest("%v", err)
	}
	p, fail := s.project(r.Project)
	if fail != nil {
		return side{}, fail
	}
	found := side{project: p}
	candidate := ""
	if r.Service != "" {
		if found.service, fail = p.present(r.Service, fresh); fail != nil {
			return side{}, fail
		}
		candidate = found.typeName()
	} else {
		p.mu.RLock()
		defer p.mu.RUnlock()
		at, fail := p.endpoint(r.Endpoint)
		if fail != nil {
			return side{}, fail
		}
		found.endpoint = p.endpoints[at]
		candidate = serviceintegration.EndpointMark + found.typeName()
	}
	if !serviceintegration.Takes(takesTypes, candidate) {
		return side{}, badRequest("Invalid input: '%s' is of type %s, which integration_type '%s' does not take as its %s",
			found.name(), found.typeName(), integrationType, r.Role)
	}
	return found, nil
}

// present returns a service of the project, or the one that is created right now.
func (p *project) present(name string, fresh *service) (*service, *apiError) {
	if fresh != nil && fresh.project == p && fresh.name == name {
		return fresh, nil
	}
	return p.service(name)
}

// describe fills in what follows from the ends.
func (i *integration) describe() {
	i.SourceProject, i.SourceServiceType = i.source.project.name, i.source.typeName()
	i.SourceService, i.SourceEndpoint, i.SourceEndpointID = i.source.show()
	i.DestProject, i.DestServiceType = i.dest.project.name, i.dest.typeName()
	i.DestService, i.DestEndpoint, i.DestEndpointID = i.dest.show()
	i.Description = i.IntegrationType + " from " + i.source.name() + " to " + i.dest.name()
	i.IntegrationStatus = serviceintegration.StatusOf(string(client.IntegrationStatusTypeRunning), "Integration is running", nil)
}

// replicates checks what a replica needs: to be created as one, from a service of its type that runs.
func (i *integration) replicates(fresh *service, now time.Time) *apiError {
	source := i.source.service
	switch {
	case fresh == nil:
		return badRequest("Integration type '%s' can only be given in service_integrations when the service is created", i.IntegrationType)
	case i.dest.service != fresh:
		return badRequest("Invalid service_integrations: dest_service of '%s' must be the new service", i.IntegrationType)
	case source == fresh:
		return badRequest("Invalid service_integrations: source_service of '%s' must be another service", i.IntegrationType)
	case source.kind != fresh.kind:
		return badRequest("Invalid service_integrations: '%s' needs a source_service of type '%s', '%s' is of type '%s'",
			i.IntegrationType, fresh.kind.name, source.name, source.kind.name)
	}
	source.mu.RLock()
	defer source.mu.RUnlock()
	if state := source.state(now); state != stateRunning && state != stateRebalancing {
		return notRunning(source, state)
	}
	return nil
}
