package resource

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/condition"
)

// Place is where the resources of a kind live at Aiven. It decides what is read before them, and whose changes enqueue
// their objects. The zero value is InProject without a project: outside of everything.
type Place struct {
	types        []string // of the services; any if empty
	ends         func(obj client.Object) []End
	project      func(obj client.Object) string
	organization func(obj client.Object) string
	awaits       func(service *aiven.Service) string
}

// The conditions of the two ends of what connects services.
const (
	SourceServiceReady      = condition.SourceServiceReady
	DestinationServiceReady = condition.DestinationServiceReady
)

// End is one of the services that a resource lives in or connects.
type End struct {
	aiven.ServiceKey
	// Condition is the type of the condition that shows the state of the service; empty for ServiceReady.
	Condition string
	// MayBeHidden is set for a service that the token may not be permitted to read, such as one of another project: it
	// isn't waited for then.
	MayBeHidden bool
}

// serviceDependant is an object that lives in one service.
type serviceDependant interface {
	GetServiceDependant() *v1alpha1.ServiceDependant
}

// projectDependant is an object that lives in a project.
type projectDependant interface {
	GetProjectDependant() *v1alpha1.ProjectDependant
}

// InService is the place of what lives in the service that the object names, of one of some types; of any if there are
// none.
func InService(types ...string) Place {
	return Place{
		types: types,
		ends: func(obj client.Object) []End {
			d := obj.(serviceDependant).GetServiceDependant()
			return []End{{ServiceKey: aiven.ServiceKey{Project: d.Project, Service: d.ServiceName}}}
		},
		project: func(obj client.Object) string { return obj.(serviceDependant).GetServiceDependant().Project },
	}
}

// Awaiting is the place in services where a part may be off. awaits returns the message of the wait for that part, and is empty
// where it is on. Deletions don't wait for it.
func (p Place) Awaiting(awaits func(service *aiven.Service) string) Place {
	p.awaits = awaits
	return p
}

// awaited is the message of the wait for a part of the service; empty where there is none.
func (p Place) awaited(service *aiven.Service) string {
	if p.awaits == nil {
		return ""
	}
	return p.awaits(service)
}

// InServices is the place of what connects several services. project is the one that the resource belongs to.
func InServices[T client.Object](project func(obj T) string, ends func(obj T) []End) Place {
	return Place{
		ends:    func(obj client.Object) []End { return ends(obj.(T)) },
		project: func(obj client.Object) string { return project(obj.(T)) },
	}
}

// InProject is the place of what lives in a project, outside of services.
func InProject() Place {
	return Place{project: func(obj client.Object) string { return obj.(projectDependant).GetProjectDependant().Project }}
}

// InOrganization is the place of what lives in an organization.
func InOrganization[T client.Object](organization func(obj T) string) Place {
	return Place{organization: func(obj client.Object) string { return organization(obj.(T)) }}
}

// Anywhere is the place of what lives neither in a project nor in an organization, such as a project.
func Anywhere() Place { return Place{} }

// endsOf are the services of an object's resource; none outside of services.
func (p Place) endsOf(obj client.Object) []End {
	if p.ends == nil {
		return nil
	}
	return p.ends(obj)
}

// services returns nil for a place outside of services.
func (p Place) services() func(obj client.Object) []aiven.ServiceKey {
	if p.ends == nil {
		return nil
	}
	return func(obj client.Object) []aiven.ServiceKey {
		var keys []aiven.ServiceKey
		for _, end := range p.ends(obj) {
			keys = append(keys, end.ServiceKey)
		}
		return keys
	}
}

// entries are those that the object manages and reads.
func (c *controller[T, R]) entries(obj T) []aiven.Entry {
	entries := []aiven.Entry{c.own(obj)}
	if c.definition.Reads != nil {
		entries = append(entries, c.definition.Reads(obj)...)
	}
	return entries
}

// own is the entry that the object manages; empty if it manages none.
func (c *controller[T, R]) own(obj T) aiven.Entry { return c.definition.Identity(obj).Entry }

// holders are the services whose reads show what the object manages; none for what only a shared list shows.
func (c *controller[T, R]) holders(obj T) []End {
	if _, listed := c.item(obj); listed && c.own(obj) == "" {
		return nil
	}
	return c.definition.Place.endsOf(obj)
}

// item is the element of a shared list that the object manages, if it manages one.
func (c *controller[T, R]) item(obj T) (aiven.Item, bool) {
	if c.definition.Item == nil {
		return aiven.Item{}, false
	}
	return c.definition.Item(obj), true
}
