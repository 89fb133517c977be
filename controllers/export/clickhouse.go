package export

import (
	"context"

	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/kinds/clickhouse"
	"github.com/aero-operator/aero/controllers/kinds/clickhouse/inventory"
)

// clickhouseContents exports what is in a ClickHouse service. The passwords of its users are returned once, and not now.
func clickhouseContents(ctx context.Context, e *exporter, s *aiven.Service) {
	if !e.wants("ClickhouseDatabase", "ClickhouseUser", "ClickhouseRole", "ClickhouseGrant") || !e.answers(s, "databases, users, roles and grants") {
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
		// Without it, a user who is managed would get another password: that of the present one is returned at its creation only.
		obj.Spec.ConnInfoSecretTargetDisabled = ptr.To(true)
		d.note("spec.connInfoSecretTargetDisabled", "is true, as Aiven doesn't return the password again. To publish it, remove the field "+
			"before you apply this, and name a Secret with the present password in spec.connInfoSecretSource: it can't be changed later")
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
