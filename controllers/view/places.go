package view

import (
	"cmp"
	"slices"
)

// IsService reports whether the object manages a service: only services have a plan.
func (o *Object) IsService() bool { return o.Spec.Plan != "" }

// Place is what an object may be in or refer to: an object, or a service or project at Aiven. It is a key of maps.
type Place struct{ kind, scope, name string }

// Places at Aiven. No object has such a kind: theirs begin with a capital letter.
const (
	service = "service"
	project = "project"
)

// projectKinds are the kinds whose objects manage a project, by its name.
var projectKinds = []string{"Project", "OrganizationProject"}

// Place is the object itself.
func (o *Object) Place() Place { return Place{o.Kind, o.Namespace, o.Name} }

// Manages is the service or project that an object manages; empty for other objects.
func (o *Object) Manages() Place {
	switch {
	case o.IsService():
		return Place{service, o.Spec.Project, o.Name}
	case slices.Contains(projectKinds, o.Kind):
		return Place{project, "", o.Name}
	}
	return Place{}
}

// Within reports whether the resource of an object is in what another one manages, or connects it: an entry of a service, an
// integration at either of its ends, anything in a project.
func (o *Object) Within(other *Object) bool {
	place := other.Manages()
	return place != Place{} && (place == o.Project() || slices.Contains(o.Services(), place))
}

// Project is the one that an object names.
func (o *Object) Project() Place { return Place{project, "", o.Spec.Project} }

// Services are those that an object names; a service that it doesn't name has no name.
func (o *Object) Services() []Place {
	s := &o.Spec
	return []Place{
		{service, s.Project, s.ServiceName},
		{service, cmp.Or(s.SourceProjectName, s.Project), s.SourceServiceName},
		{service, cmp.Or(s.DestinationProjectName, s.Project), s.DestinationServiceName},
	}
}

// References are the objects that an object names in its spec, or has found so.
func (o *Object) References() (all []Place) {
	add := func(kind, namespace, name string) {
		all = append(all, Place{kind, cmp.Or(namespace, o.Namespace), name})
	}
	s := &o.Spec
	if r := s.ProjectVPCRef; r != nil {
		add("ProjectVPC", r.Namespace, r.Name)
	}
	if r := s.DestinationEndpointRef; r != nil {
		add("ServiceIntegrationEndpoint", "", r.Name)
	}
	for _, r := range s.References {
		if r.KafkaSchemaRef != nil {
			add("KafkaSchema", "", r.KafkaSchemaRef.Name)
		}
	}
	if r := s.SourceRef; r != nil {
		add(r.Kind, r.Namespace, r.Name)
	}
	for _, r := range s.UserRefs {
		add("ServiceUser", "", r.Name)
	}
	for _, r := range o.Status.ResolvedRefs {
		add(r.Kind, r.Namespace, r.Name)
	}
	return all
}

// InService returns the name of the service that the object's resource lives in, with its project.
func (o *Object) InService() string { return o.Spec.Project + "/" + o.Spec.ServiceName }

// DatabaseName is the name of a Database at Aiven, as v1alpha1 has it.
func (o *Object) DatabaseName() string { return cmp.Or(o.Spec.DatabaseName, o.Name) }
