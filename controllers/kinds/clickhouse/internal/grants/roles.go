package grants

import (
	"fmt"
	"maps"
	"slices"

	"github.com/aero-operator/aero/api/v1alpha1"
)

// Granted are the roles that are granted.
func (s Set) Granted() []string {
	roles := map[string]bool{}
	for m := range s.Memberships {
		roles[m.Granted] = true
	}
	return slices.Sorted(maps.Keys(roles))
}

// Nests reports whether roles are granted to roles.
func (s Set) Nests() bool {
	for m := range s.Memberships {
		if m.Role {
			return true
		}
	}
	return false
}

// wants reports whether a role is asked for, with the option to grant it on or without.
func (s Set) wants(to Grantee, role string) bool {
	_, plain := s.Memberships[Membership{to, role, false}]
	_, option := s.Memberships[Membership{to, role, true}]
	return plain || option
}

func (r *reader) memberships(path string, grant v1alpha1.ClickhouseRoleGrant) {
	grantees := r.grantees(path, grant.Grantees)
	if !r.spend(path, len(grantees), len(grant.Roles)) {
		return
	}
	if at := slices.IndexFunc(grant.Roles, func(role string) bool { return slices.Contains(grantees, Grantee{true, role}) }); at >= 0 {
		// It stays in the Set: ClickHouse accepts it, so one that was granted has to be revoked.
		r.refuse(fmt.Sprintf("%s.roles[%d]", path, at), fmt.Sprintf("role %s can't be granted to itself. Remove it from roles or from grantees",
			grant.Roles[at]))
	}
	for _, to := range grantees {
		for i, role := range grant.Roles {
			if role == "" {
				r.refuse(fmt.Sprintf("%s.roles[%d]", path, i), "must not be empty")
				continue
			}
			r.Memberships[Membership{to, role, grant.WithAdminOption != nil && *grant.WithAdminOption}] = path
		}
	}
}
