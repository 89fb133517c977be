package serviceintegration

import (
	"slices"
	"time"

	client "github.com/aiven/go-client-codegen/handler/service"

	"github.com/aero-operator/aero/tests/localaiven/userconfig"
)

// Create adds the integration that a request about the project asks for.
func (r *Integrations) Create(p Project, in client.ServiceIntegrationCreateIn) (*Integration, *Error) {
	r.Lock()
	defer r.Unlock()
	made, fail := r.create(p, nil, in)
	if fail != nil {
		return nil, fail
	}
	r.Add(made)
	return made, nil
}

// ForNew checks the integrations that a new service of the project is created with, and makes them; no request sees them
// yet, nor the service. The caller holds the lock, and adds them once the service is there.
func (r *Integrations) ForNew(svc Service, p Project, wanted []client.ServiceIntegrationIn) (List, *Error) {
	var made List
	for _, in := range wanted {
		i, fail := r.create(p, svc, client.ServiceIntegrationCreateIn(in))
		if fail != nil {
			return nil, fail
		}
		if slices.ContainsFunc(made, i.same) {
			return nil, i.exists()
		}
		made = append(made, i)
	}
	return made, nil
}

// create checks a request, and makes what it asks for; no request sees it yet. fresh is the service that is created with it,
// if any. The caller holds the lock.
func (r *Integrations) create(p Project, fresh Service, in client.ServiceIntegrationCreateIn) (*Integration, *Error) {
	name := string(in.IntegrationType)
	if !slices.Contains(client.IntegrationTypeChoices(), name) {
		return nil, badRequest("Invalid integration_type '%s'", name)
	}
	source, dest := NamedEnds(in, p.Name())
	if fresh != nil {
		if fail := fill(&source, &dest, p, fresh); fail != nil {
			return nil, fail
		}
	}
	if source.Project != p.Name() && dest.Project != p.Name() {
		return nil, badRequest("Invalid input: source_project or dest_project must be '%s'", p.Name())
	}
	i := &Integration{
		IntegrationType: name, Active: true, Enabled: true, ServiceIntegrationID: r.options.NewID(),
		Ready: r.options.Now().Add(r.options.StartTime),
	}
	find := finder{r.options.Project, name, p, fresh}
	takes := EndsOf(name)
	var fail *Error
	if i.Source, fail = find.side(source, takes.Source); fail != nil {
		return nil, fail
	}
	if i.Dest, fail = find.side(dest, takes.Dest); fail != nil {
		return nil, fail
	}
	var err error
	if i.UserConfig, err = userconfig.OfIntegration(name).Apply(nil, value(in.UserConfig, nil)); err != nil {
		return nil, badRequest("%v", err)
	}
	i.describe()
	if slices.ContainsFunc(r.all, i.same) {
		return nil, i.exists()
	}
	if name == ReadReplica {
		return i, i.replicates(fresh, r.options.Now())
	}
	return i, nil
}

func (i *Integration) exists() *Error {
	return conflict("Service integration '%s' already exists", i.Description)
}

// NamedEnds are the ends that a request names. Where it names no project of an end, the end is in the given one.
func NamedEnds(in client.ServiceIntegrationCreateIn, project string) (source, dest End) {
	source = End{
		Role: "source", Project: value(in.SourceProject, project), Service: value(in.SourceService, ""), Endpoint: value(in.SourceEndpointId, ""),
	}
	dest = End{
		Role: "dest", Project: value(in.DestProject, project), Service: value(in.DestService, ""), Endpoint: value(in.DestEndpointId, ""),
	}
	return source, dest
}

// value is what a pointer points to, or else what is used for nil.
func value[T any](pointer *T, otherwise T) T {
	if pointer == nil {
		return otherwise
	}
	return *pointer
}

// fill puts a new service at the end that a request leaves open. One of the ends must be the new service.
func fill(source, dest *End, p Project, fresh Service) *Error {
	for _, end := range []*End{source, dest} {
		if end.Service == "" && end.Endpoint == "" {
			end.Project, end.Service = p.Name(), fresh.Name()
			return nil
		}
	}
	for _, end := range []*End{source, dest} {
		if end.Project == p.Name() && end.Service == fresh.Name() {
			return nil
		}
	}
	return badRequest("Invalid service_integrations: source_service or dest_service must be '%s', or left out", fresh.Name())
}

// finder finds the ends of an integration of some type. The fresh service isn't in its project, which is own, yet.
type finder struct {
	project         func(name string) (Project, *Error)
	integrationType string
	own             Project
	fresh           Service
}

// side returns the end that a request names, if the type of integration takes it.
func (f finder) side(named End, takes []string) (Side, *Error) {
	if err := named.Check(takes); err != nil {
		return Side{}, badRequest("%v", err)
	}
	p, fail := f.project(named.Project)
	if fail != nil {
		return Side{}, fail
	}
	found := Side{Project: p}
	candidate := ""
	if named.Service != "" {
		if found.Service, fail = f.service(p, named.Service); fail != nil {
			return Side{}, fail
		}
		candidate = found.typeName()
	} else {
		if found.Endpoint, fail = p.Endpoint(named.Endpoint); fail != nil {
			return Side{}, fail
		}
		candidate = EndpointMark + found.typeName()
	}
	if !Takes(takes, candidate) {
		return Side{}, badRequest("Invalid input: '%s' is of type %s, which integration_type '%s' does not take as its %s",
			found.Name(), found.typeName(), f.integrationType, named.Role)
	}
	return found, nil
}

// service returns one of the project, or the one that is created right now.
func (f finder) service(p Project, name string) (Service, *Error) {
	if f.fresh != nil && f.own == p && f.fresh.Name() == name {
		return f.fresh, nil
	}
	return p.Service(name)
}

// describe fills in what follows from the ends.
func (i *Integration) describe() {
	i.SourceProject, i.SourceServiceType = i.Source.Project.Name(), i.Source.typeName()
	i.SourceService, i.SourceEndpoint, i.SourceEndpointID = i.Source.show()
	i.DestProject, i.DestServiceType = i.Dest.Project.Name(), i.Dest.typeName()
	i.DestService, i.DestEndpoint, i.DestEndpointID = i.Dest.show()
	i.Description = i.IntegrationType + " from " + i.Source.Name() + " to " + i.Dest.Name()
	i.IntegrationStatus = StatusOf(string(client.IntegrationStatusTypeRunning), "Integration is running", nil)
}

// replicates checks what a replica needs: to be created as one, from a service of its type that runs.
func (i *Integration) replicates(fresh Service, now time.Time) *Error {
	source := i.Source.Service
	switch {
	case fresh == nil:
		return badRequest("Integration type '%s' can only be given in service_integrations when the service is created", i.IntegrationType)
	case i.Dest.Service != fresh:
		return badRequest("Invalid service_integrations: dest_service of '%s' must be the new service", i.IntegrationType)
	case source == fresh:
		return badRequest("Invalid service_integrations: source_service of '%s' must be another service", i.IntegrationType)
	case source.Type() != fresh.Type():
		return badRequest("Invalid service_integrations: '%s' needs a source_service of type '%s', '%s' is of type '%s'",
			i.IntegrationType, fresh.Type(), source.Name(), source.Type())
	}
	state := source.State(now)
	if state != string(client.ServiceStateTypeRunning) && state != string(client.ServiceStateTypeRebalancing) {
		return conflict("Source service '%s' is not running, its state is %s", source.Name(), state)
	}
	return nil
}
