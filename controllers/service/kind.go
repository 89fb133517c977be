package service

import (
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/internal/userconfig"
)

// Kind is what is registered with the engine, for objects like an empty one of the kind.
func (d Definition[T]) Kind(object T) controllers.Kind[T] {
	k := controllers.Kind[T]{
		Object: object, New: d.Controller, Protected: Protected[T], IsService: true, HoldsData: true,
		References: []reference.Declaration{VPC},
		// Names are unique over all types of services.
		Secrets:  func(obj T) []string { return userconfig.Secrets(d.Options(obj)) },
		Identity: func(T) controllers.Identity { return controllers.Identity{Group: ownership.ServiceGroup} },
		Services: servicesOf[T],
	}
	if d.Migration != nil {
		k.References = append(k.References, Migration(d.Migration, d.MigrationKeys))
	}
	return k
}

// servicesOf are the service, and as long as it doesn't exist those that it replicates.
func servicesOf[T Object](obj T) []aiven.ServiceKey {
	project := obj.GetBaseServiceFields().Project
	services := []aiven.ServiceKey{{Project: project, Service: obj.GetName()}}
	if obj.GetServiceStatus().State != "" {
		return services
	}
	for _, integration := range integrationsOf(obj.GetBaseServiceFields()) {
		services = append(services, aiven.ServiceKey{Project: project, Service: *integration.SourceService})
	}
	return services
}
