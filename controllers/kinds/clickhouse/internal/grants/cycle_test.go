package grants

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// nested is a Set of roles for roles: each pair is a role and whom it is granted to.
func nested(pairs ...[2]string) Set {
	s := NewSet()
	for i, pair := range pairs {
		s.Memberships[Membership{Grantee{true, pair[1]}, pair[0], false}] = fmt.Sprintf("spec.roleGrants[%d]", i)
	}
	return s
}

func TestNoRoleIsGrantedThatHasTheOneThatGetsIt(t *testing.T) {
	has := func(pairs ...[2]string) map[string]map[string]bool {
		found := map[string]map[string]bool{"user/a": {"b": false}, "user/b": {"a": false}}
		for _, pair := range pairs {
			key := Grantee{true, pair[1]}.String()
			if found[key] == nil {
				found[key] = map[string]bool{}
			}
			found[key][pair[0]] = false
		}
		return found
	}
	ab, ba, bc, ca := [2]string{"a", "b"}, [2]string{"b", "a"}, [2]string{"b", "c"}, [2]string{"c", "a"}
	xy, yx, ax := [2]string{"x", "y"}, [2]string{"y", "x"}, [2]string{"x", "a"}
	toUser := NewSet()
	toUser.Memberships[Membership{Grantee{false, "a"}, "b", false}] = "spec.roleGrants[0]"
	for name, tc := range map[string]struct {
		wishes  Wishes
		found   map[string]map[string]bool
		problem string
	}{
		"one":                          {wishes: Wishes{Wanted: nested(ab)}, found: has(ab)},
		"a chain":                      {wishes: Wishes{Wanted: nested(ab, bc)}, found: has()},
		"two ways to one":              {wishes: Wishes{Wanted: nested(ab, bc, [2]string{"a", "c"})}, found: has()},
		"a user of the name of a role": {wishes: Wishes{Wanted: toUser}, found: has(ab)},
		"each other":                   {wishes: Wishes{Wanted: nested(ab, ba)}, problem: "spec.roleGrants[1]: role b can't be granted to role a, which is granted to b"},
		"what was granted elsewhere":   {wishes: Wishes{Wanted: nested(ab)}, found: has(ba), problem: "spec.roleGrants[0]: role a can't be granted to role b, which is granted to a"},
		"three": {
			wishes: Wishes{Wanted: nested(ca)}, found: has(ab, bc),
			problem: "spec.roleGrants[0]: role c can't be granted to role a, which is granted to b, which is granted to c",
		},
		"three, and both are there":       {wishes: Wishes{Wanted: nested(ca)}, found: has(ab, bc, ca), problem: "spec.roleGrants[0]: role c can't"},
		"what is going to be revoked":     {wishes: Wishes{Wanted: nested(ab), Granted: nested(ba)}, found: has(ba)},
		"what another object wants, too":  {wishes: Wishes{Wanted: nested(ab), Granted: nested(ba), Others: nested(ba)}, found: has(ba), problem: "spec.roleGrants[0]: role a can't"},
		"a circle that it leads to":       {wishes: Wishes{Wanted: nested(ax)}, found: has(xy, yx)},
		"a circle that it comes from":     {wishes: Wishes{Wanted: nested([2]string{"a", "x"})}, found: has(xy, yx)},
		"a role that was granted to self": {wishes: Wishes{Wanted: nested(ab)}, found: has([2]string{"a", "a"}, [2]string{"b", "b"})},
	} {
		t.Run(name, func(t *testing.T) {
			err := tc.wishes.CheckCycles(tc.found)
			if tc.problem == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tc.problem)
			require.ErrorContains(t, err, "Remove one of the grants, from this object or from what made it")
			assert.Equal(t, fault.Invalid, fault.Of(err).Class)
		})
	}
}

func TestALongChainOfRolesIsSearchedOnce(t *testing.T) {
	const roles = 20_000
	s := NewSet()
	for i := range roles {
		s.Memberships[Membership{Grantee{true, fmt.Sprint(i)}, fmt.Sprint(i + 1), false}] = "spec.roleGrants[0]"
	}
	w := Wishes{Wanted: s}
	require.NoError(t, w.CheckCycles(nil))
	s.Memberships[Membership{Grantee{true, fmt.Sprint(roles)}, "0", false}] = "spec.roleGrants[1]"
	require.ErrorContains(t, w.CheckCycles(nil), "spec.roleGrants[0]: role 1 can't be granted to role 0, which is granted to 20000, "+
		"which is granted to 19999, which is granted to ..., which is granted to 1. Remove one")
}

// ClickHouse accepts it, so an earlier version may have granted one.
func TestARoleThatWasGrantedToItselfIsRefusedAndCanBeRevoked(t *testing.T) {
	spec := v1alpha1.ClickhouseGrants{RoleGrants: []v1alpha1.ClickhouseRoleGrant{
		{Grantees: []grantee{{User: "a"}}, Roles: []string{"a"}}, // a user of the name of the role
		{Grantees: []grantee{{User: "a"}, {Role: "a"}}, Roles: []string{"b", "a"}},
	}}
	_, err := Of(spec)
	require.EqualError(t, err, "spec.roleGrants[1].roles[1]: role a can't be granted to itself. Remove it from roles or from grantees")
	assert.Contains(t, Granted(spec).Memberships, Membership{Grantee{true, "a"}, "a", false})
}
