package postgres

import (
	"fmt"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/resource"
)

// poolParts are the pool, and the database and the user that it leads to.
func poolParts(obj *v1alpha1.ConnectionPool) []aiven.Entry {
	parts := []aiven.Entry{aiven.PoolEntry(obj.GetName()), aiven.DatabaseEntry(obj.Spec.DatabaseName)}
	if name := obj.Spec.Username; name != "" {
		parts = append(parts, aiven.UserEntry(name))
	}
	return parts
}

// membersPending waits for the database and the user of a pool: they may be objects that were applied together with it.
func membersPending(s resource.Scope, obj *v1alpha1.ConnectionPool) error {
	if name := obj.Spec.DatabaseName; !s.Service.HasDatabase(name) {
		return fault.NotYet(fmt.Sprintf("service %s has no database %q yet", s.Service.Name, name))
	}
	if name := obj.Spec.Username; name != "" {
		if _, exists := s.Service.User(name); !exists {
			return fault.NotYet(fmt.Sprintf("service %s has no user %q yet", s.Service.Name, name))
		}
	}
	return nil
}
