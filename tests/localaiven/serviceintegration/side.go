package serviceintegration

import "time"

// Project is one that an end is in. It stays the same while its name changes.
type Project interface {
	Name() string
	Service(name string) (Service, *Error)
	Endpoint(id string) (*Endpoint, *Error)
}

// Service is one at an end.
type Service interface {
	Name() string
	Type() string
	State(now time.Time) string
	// Integrate replaces the integrations that the service shows. The time is read while the service is locked, so that its
	// history stays in order.
	Integrate(own List, now func() time.Time)
}

// Side is an end of an integration: a service or an endpoint, in a project.
type Side struct {
	Project  Project
	Service  Service   // nil where an endpoint is
	Endpoint *Endpoint // as it was when the integration was made
}

func (e Side) endpointID() string {
	if e.Endpoint == nil {
		return ""
	}
	return e.Endpoint.EndpointID
}

func (e Side) same(other Side) bool {
	return e.Project == other.Project && e.Service == other.Service && e.endpointID() == other.endpointID()
}

// Name is that of the service or the endpoint.
func (e Side) Name() string {
	if e.Service != nil {
		return e.Service.Name()
	}
	return e.Endpoint.EndpointName
}

// typeName is the type of the service or of the endpoint.
func (e Side) typeName() string {
	if e.Service != nil {
		return e.Service.Type()
	}
	return e.Endpoint.EndpointType
}

// show is the service's name, or the endpoint's name and id. The others are nil.
func (e Side) show() (serviceName, endpointName, endpointID *string) {
	if e.Service != nil {
		name := e.Service.Name()
		return &name, nil, nil
	}
	return nil, &e.Endpoint.EndpointName, &e.Endpoint.EndpointID
}
