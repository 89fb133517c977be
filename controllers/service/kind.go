package service

import (
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/internal/userconfig"
)

// Kind is what is registered with the engine, for objects like an empty one of the kind.
func (d Definition[T]) Kind(object T) controllers.Kind[T] {
	k := controllers.Kind[T]{
		Object: object, New: d.Controller, Protected: Protected[T], IsService: true,
		References: []reference.Declaration{VPC},
		// Names are unique over all types of services.
		Secrets:  func(obj T) []string { return userconfig.Secrets(d.Options(obj)) },
		Identity: func(T) controllers.Identity { return controllers.Identity{Group: "service"} },
		Services: func(obj T) []aiven.ServiceKey {
			return []aiven.ServiceKey{{Project: obj.GetBaseServiceFields().Project, Service: obj.GetName()}}
		},
	}
	if d.Migration != nil {
		k.References = append(k.References, Migration(d.Migration))
	}
	return k
}
