package view

import (
	"cmp"
	"slices"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/api/v1alpha1"
)

// IsService reports whether the object manages a service: only services have a plan.
func (o *Object) IsService() bool { return o.Spec.Plan != "" }

// Within reports whether the resource of an object is in what another one manages, or connects it: an entry of a service, an
// integration at either of its ends, anything in a project.
func (o *Object) Within(other *Object) bool {
	switch {
	case other.IsService():
		return slices.Contains(o.services(), service{other.Spec.Project, other.Name})
	case slices.Contains(projectKinds, other.Kind):
		return o.Spec.Project == other.Name
	}
	return false
}

// projectKinds are the kinds whose objects manage a project, by its name.
var projectKinds = []string{"Project", "OrganizationProject"}

// service is a service at Aiven.
type service struct{ project, name string }

// services are those that an object names.
func (o *Object) services() []service {
	s := &o.Spec
	return []service{
		{s.Project, s.ServiceName},
		{cmp.Or(s.SourceProjectName, s.Project), s.SourceServiceName},
		{cmp.Or(s.DestinationProjectName, s.Project), s.DestinationServiceName},
	}
}

// RefersTo reports whether an object names another one in its spec, or has found it so.
func (o *Object) RefersTo(other *Object) bool {
	is := func(kind, namespace, name string) bool {
		return other.Kind == kind && other.Namespace == cmp.Or(namespace, o.Namespace) && other.Name == name
	}
	s := &o.Spec
	return s.ProjectVPCRef != nil && is("ProjectVPC", s.ProjectVPCRef.Namespace, s.ProjectVPCRef.Name) ||
		s.DestinationEndpointRef != nil && is("ServiceIntegrationEndpoint", "", s.DestinationEndpointRef.Name) ||
		slices.ContainsFunc(s.References, func(r v1alpha1.KafkaSchemaReference) bool {
			return r.KafkaSchemaRef != nil && is("KafkaSchema", "", r.KafkaSchemaRef.Name)
		}) ||
		s.SourceRef != nil && is(s.SourceRef.Kind, s.SourceRef.Namespace, s.SourceRef.Name) ||
		slices.ContainsFunc(s.UserRefs, func(r aero.UserReference) bool { return is("ServiceUser", "", r.Name) }) ||
		slices.ContainsFunc(o.Status.ResolvedRefs, func(r v1alpha1.ResolvedReference) bool { return is(r.Kind, r.Namespace, r.Name) })
}

// InService returns the name of the service that the object's resource lives in, with its project.
func (o *Object) InService() string { return o.Spec.Project + "/" + o.Spec.ServiceName }

// DatabaseName is the name of a Database at Aiven, as v1alpha1 has it.
func (o *Object) DatabaseName() string { return cmp.Or(o.Spec.DatabaseName, o.Name) }
