package export

import (
	"context"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/kinds/clickhouse"
	"github.com/aero-operator/aero/controllers/kinds/clickhouse/inventory"
)

// clickhouseContents exports what is in a ClickHouse service. The passwords of its users are returned once, and not now.
func clickhouseContents(ctx context.Context, e *exporter, s *aiven.Service) {
	if !e.wants("ClickhouseDatabase", "ClickhouseUser", "ClickhouseRole", "ClickhouseGrant") || !s.Operational() {
		return
	}
	found, read := ask(ctx, e, "service "+s.Name+": databases, users, roles and grants", func(ctx context.Context) (*inventory.Contents, error) {
		return inventory.Read(ctx, e.client, s.Project, s.Name)
	})
	if !read {
		return
	}
	for _, name := range found.Databases {
		obj, d := &v1alpha1.ClickhouseDatabase{}, about(s, "database", name)
		obj.Spec.ServiceDependant = in(s)
		d.rename = func(real string) { obj.Spec.DatabaseName = real }
		add(e, clickhouse.Database, obj, d)
	}
	for _, name := range found.Users {
		obj, d := &v1alpha1.ClickhouseUser{}, about(s, "user", name)
		obj.Spec.ServiceDependant = in(s)
		d.rename = func(real string) { obj.Spec.Username = real }
		d.note("spec.connInfoSecretSource", "Aiven returns the password of a user once. A user that is managed and has no Secret gets a new password, unless a Secret with the present one is named here")
		add(e, clickhouse.User, obj, d)
	}
	for _, name := range found.Roles {
		obj, d := &v1alpha1.ClickhouseRole{}, about(s, "role", name)
		obj.Spec.ServiceDependant, obj.Spec.Role = in(s), name
		add(e, clickhouse.Role, obj, d)
	}
	for _, granted := range found.Grants {
		d := about(s, "grants to", granted.To)
		if granted.Cut {
			e.leaveIf("ClickhouseGrant", d.what, "a part of a privilege was revoked, which the kind can't express")
			continue
		}
		obj := &v1alpha1.ClickhouseGrant{}
		obj.Spec.ServiceDependant, obj.Spec.ClickhouseGrants = in(s), granted.ClickhouseGrants
		d.real = joined(granted.To, "grants")
		add(e, clickhouse.Grant, obj, d)
	}
	for _, name := range found.BuiltIn {
		e.leaveIf(name.Kind, about(s, name.What, name.Name).what, reasonBuiltIn)
	}
}
