package opensearch

import (
	"maps"
	"slices"
	"strings"

	avnopensearch "github.com/aiven/go-client-codegen/handler/opensearch"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/plan"
	"github.com/aero-operator/aero/controllers/resource"
)

const pathEnabled = "spec.enabled"

// rules are those of each user, as text and sorted: the order of rules and of users means nothing. A user without rules is
// like one that isn't listed.
type rules map[string][]string

func (r rules) add(username, index, permission string) {
	r[username] = append(r[username], permission+" "+index)
	slices.Sort(r[username])
}

func (r rules) of(username string) plan.Printed {
	return plan.Printed{Text: strings.Join(r[username], ", "), Value: r[username]}
}

func rulesWanted(obj *v1alpha1.OpenSearchACLConfig) rules {
	wanted := rules{}
	for _, acl := range obj.Spec.Acls {
		for _, rule := range acl.Rules {
			wanted.add(acl.Username, rule.Index, rule.Permission)
		}
	}
	return wanted
}

func rulesFound(found *avnopensearch.ServiceOpenSearchAclGetOut) rules {
	present := rules{}
	for _, acl := range found.Acls {
		for _, rule := range acl.Rules {
			present.add(acl.Username, rule.Index, string(rule.Permission))
		}
	}
	return present
}

func diffACLConfig(
	_ resource.Scope, obj *v1alpha1.OpenSearchACLConfig, found *avnopensearch.ServiceOpenSearchAclGetOut,
) controllers.Diff {
	var diff controllers.Diff
	if obj.Spec.Enabled != found.Enabled {
		diff.Add(pathEnabled, obj.Spec.Enabled, found.Enabled)
	}
	wanted, present := rulesWanted(obj), rulesFound(found)
	users := maps.Clone(wanted)
	maps.Copy(users, present)
	for _, user := range slices.Sorted(maps.Keys(users)) {
		if !slices.Equal(wanted[user], present[user]) {
			diff.Add("spec.acls["+user+"]", wanted.of(user), present.of(user))
		}
	}
	return diff
}
