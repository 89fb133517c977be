package export

import (
	"context"
	"maps"
	"slices"

	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/kinds/postgres"
	"github.com/aero-operator/aero/controllers/kinds/shared"
)

const reasonBuiltIn = "Aiven makes and manages it"

// databases exports logical databases. Their locales aren't returned, and can't be changed.
func databases(_ context.Context, e *exporter, s *aiven.Service) {
	for _, name := range slices.Sorted(maps.Keys(s.Databases)) {
		d := about(s, "database", name)
		if name == "defaultdb" {
			e.leaveIf("Database", d.what, reasonBuiltIn)
			continue
		}
		obj := &v1alpha1.Database{}
		obj.Spec.ServiceDependant = in(s)
		d.rename = func(real string) { obj.Spec.DatabaseName = real }
		if s.Type == "pg" {
			d.note("spec.lcCollate, spec.lcCtype", "Aiven doesn't return them: they are en_US.UTF-8 by default, and can't be changed later")
		}
		add(e, shared.Database, obj, d)
	}
}

// users exports the users of a service without their passwords.
func users(_ context.Context, e *exporter, s *aiven.Service) {
	for _, name := range slices.Sorted(maps.Keys(s.Users)) {
		found, d := s.Users[name], about(s, "user", name)
		if aiven.IsPrimary(*found) {
			e.leaveIf("ServiceUser", d.what, reasonBuiltIn)
			continue
		}
		obj := exportUser(found)
		obj.Spec.ServiceDependant = in(s)
		d.rename = func(real string) { obj.Spec.Username = real }
		if found.Authentication != "" {
			d.note("spec.authentication", "not exported, as it is used only when the user is created")
		}
		add(e, shared.User, obj, d)
	}
}

func exportUser(found *aiven.User) *v1alpha1.ServiceUser {
	obj := &v1alpha1.ServiceUser{}
	access := found.AccessControl
	if access == nil {
		return obj
	}
	rules := v1alpha1.ServiceUserAccessControl{
		ValkeyACLKeys: access.ValkeyAclKeys, ValkeyACLCommands: access.ValkeyAclCommands,
		ValkeyACLCategories: access.ValkeyAclCategories, ValkeyACLChannels: access.ValkeyAclChannels,
	}
	if len(rules.ValkeyACLKeys)+len(rules.ValkeyACLCommands)+len(rules.ValkeyACLCategories)+len(rules.ValkeyACLChannels) > 0 {
		obj.Spec.AccessControl = &rules
	}
	return obj
}

// pools exports the connection pools of PgBouncer.
func pools(_ context.Context, e *exporter, s *aiven.Service) {
	for _, name := range slices.Sorted(maps.Keys(s.Pools)) {
		d := about(s, "connection pool", name)
		d.fixed = true
		e.remember(s.Pools[name].ConnectionUri)
		obj := exportPool(s.Pools[name])
		obj.Spec.ServiceDependant = in(s)
		add(e, postgres.Pool, obj, d)
	}
}

func exportPool(found *aiven.Pool) *v1alpha1.ConnectionPool {
	obj := &v1alpha1.ConnectionPool{}
	obj.Spec.DatabaseName, obj.Spec.Username = found.Database, ptr.Deref(found.Username, "")
	obj.Spec.PoolMode, obj.Spec.PoolSize = string(found.PoolMode), found.PoolSize
	return obj
}

// leaveIf notes something of a kind that isn't exported, if the kind is asked for.
func (e *exporter) leaveIf(kind, what, reason string) {
	if e.wants(kind) {
		e.leave(what, reason)
	}
}
