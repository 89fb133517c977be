package grants

import (
	"cmp"
	"encoding/json"
	"slices"

	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
)

// Intent is what the status holds while the spec is applied: what was granted, and what is going to be. It is what was granted where that
// has all of it, in other words or beside more.
func Intent(spec v1alpha1.ClickhouseGrants, granted *v1alpha1.ClickhouseGrants) *v1alpha1.ClickhouseGrants {
	both := spec.DeepCopy()
	if granted != nil {
		if wanted, err := Of(spec); err == nil && Granted(*granted).includes(wanted) {
			return granted
		}
		both.PrivilegeGrants = union(both.PrivilegeGrants, granted.DeepCopy().PrivilegeGrants)
		both.RoleGrants = union(both.RoleGrants, granted.DeepCopy().RoleGrants)
	}
	return both
}

// union appends what a list lacks.
func union[T any](list, more []T) []T {
	there := make(map[string]bool, len(list))
	for _, one := range list {
		there[asText(one)] = true
	}
	for _, one := range more {
		if text := asText(one); !there[text] {
			there[text] = true
			list = append(list, one)
		}
	}
	return list
}

func asText(value any) string {
	text, _ := json.Marshal(value) // texts and flags only
	return string(text)
}

// Record is what the status holds once the spec is applied: the spec, and what was granted for the object and is left because
// another object wants it. Once that object doesn't, it is revoked.
func Record(f Found, w Wishes, spec v1alpha1.ClickhouseGrants) *v1alpha1.ClickhouseGrants {
	record := spec.DeepCopy()
	wanted, others := f.Tree.all(w.Wanted), f.Tree.all(w.Others)
	for _, p := range sorted(w.Granted.Privileges) {
		left := func(leaf *node) bool {
			return heldOf(others, p.Grantee, newHeld).have.has(leaf, p.Scope) && !heldOf(wanted, p.Grantee, newHeld).have.has(leaf, p.Scope)
		}
		if slices.ContainsFunc(f.Tree.leaves(p.Access, p.Scope), left) {
			record.PrivilegeGrants = append(record.PrivilegeGrants, p.grant())
		}
	}
	for _, m := range sortedMemberships(w.Granted.Memberships) {
		if w.Wanted.wants(m.Grantee, m.Granted) || !w.Others.wants(m.Grantee, m.Granted) {
			continue
		}
		grant := v1alpha1.ClickhouseRoleGrant{Grantees: []v1alpha1.ClickhouseGrantee{m.reference()}, Roles: []string{m.Granted}}
		if m.Option {
			grant.WithAdminOption = ptr.To(true)
		}
		record.RoleGrants = append(record.RoleGrants, grant)
	}
	return record
}

// grant is a privilege as a spec has it.
func (p Privilege) grant() v1alpha1.ClickhousePrivilegeGrant {
	grant := v1alpha1.ClickhousePrivilegeGrant{
		Grantees: []v1alpha1.ClickhouseGrantee{p.reference()}, Privileges: []string{p.Access},
		Database: cmp.Or(p.Database, allDatabases), Table: p.Table,
	}
	if p.Column != "" {
		grant.Columns = []string{p.Column}
	}
	if p.Option {
		grant.WithGrantOption = ptr.To(true)
	}
	return grant
}

func (g Grantee) reference() v1alpha1.ClickhouseGrantee {
	if g.Role {
		return v1alpha1.ClickhouseGrantee{Role: g.Name}
	}
	return v1alpha1.ClickhouseGrantee{User: g.Name}
}
