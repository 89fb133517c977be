package isolation_test

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/fakecluster"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// checkRequest wants all writes, and all reads of Secrets, within the namespace.
func (v *visit) checkRequest(obj client.Object, request fakecluster.Request) {
	if request.Namespace == v.namespace || !request.Writes() && request.Kind != "Secret" {
		return
	}
	if v.named && !request.Writes() && request.Namespace == system && request.Name == "tenants" {
		return
	}
	v.breach("For %s the operator asked the API server: %s", describe(obj), request)
}

// checkCall wants no call with a token of others, and all within the projects.
func (v *visit) checkCall(obj testenv.Object, call call) {
	if slices.Contains(v.forbidden, call.token) {
		v.breach("For %s the operator called Aiven with %s: %s", describe(obj), call.token, call)
	}
	for _, project := range call.projects() {
		if v.projects != nil && !slices.Contains(v.projects, project) {
			v.breach("For %s the operator called Aiven about project %s: %s", describe(obj), project, call)
		}
	}
	if r := v.writesTo(call); r != "" {
		v.breach("For %s the operator wrote to %s of another: %s", describe(obj), r, call)
	}
}

// writesTo is the resource of another that a call changes or deletes; empty for none. One is known by its path, or by what the query, or
// a statement in the body, names.
func (v *visit) writesTo(call call) string {
	if !call.writes() || strings.HasPrefix(call.project(), "team") {
		return ""
	}
	for _, part := range strings.Split(call.path, "/") {
		if r := v.withID[part]; r != "" && !v.isFree(r) {
			return r
		}
	}
	_, path, inService := strings.Cut(call.path, "/service/")
	if !inService {
		if project := "project " + call.project(); v.before[project] > 0 && strings.HasSuffix(call.path, "/project/"+call.project()) {
			return project
		}
		return ""
	}
	parts := strings.Split(path, "/")
	id := call.project() + "/" + parts[0]
	if r := v.writesByStatement(id, call); r != "" {
		return r
	}
	quota := "kafka_quota " + id + "/" + call.quota()
	if path == parts[0]+"/quota" && v.before[quota] > 0 && !v.isFree(quota) {
		return quota
	}
	for r := range v.before {
		kind, name, _ := strings.Cut(r, " ")
		switch {
		case v.isFree(r):
		case kind == "service" && name == id && (len(parts) == 1 || parts[1] == "tags"):
			return r
		case kind == "opensearch_acl" && name == id && len(parts) == 3 && parts[2] == "acl":
			return r
		case strings.HasPrefix(name, id+"/") && slices.Contains(parts[1:], strings.TrimPrefix(name, id+"/")):
			return r
		}
	}
	return ""
}

// isFree reports whether no consent is needed for a resource that no object owns: it is nothing but its spec.
func (v *visit) isFree(resource string) bool {
	kind, id, _ := strings.Cut(resource, " ")
	return strings.HasPrefix(id, legacy+"/") && slices.Contains([]string{
		"kafka_acl", "kafka_native_acl", "schema_registry_acl", "kafka_quota", "clickhouse_grant", "service_integration", "upgrade_pipeline_step",
	}, kind)
}

// quota is the identity of the quota that a call is about: its query or its body names the user and the client id.
func (c call) quota() string {
	var in struct {
		User     string
		ClientID string `json:"client-id"`
	}
	_ = json.Unmarshal([]byte(c.body), &in) // a deletion has none
	query, _ := url.ParseQuery(c.query)
	return "user=" + query.Get("user") + in.User + ",client-id=" + query.Get("client-id") + in.ClientID
}

// quotedName finds the names in a statement.
var quotedName = regexp.MustCompile("`([^`]+)`")

// writesByStatement is the role of another that a statement of ClickHouse drops, or the user or role whose grants by another it changes.
func (v *visit) writesByStatement(service string, call call) string {
	var in struct{ Query string }
	if !strings.HasSuffix(call.path, "/clickhouse/query") || json.Unmarshal([]byte(call.body), &in) != nil {
		return ""
	}
	var named []string
	for _, found := range quotedName.FindAllStringSubmatch(in.Query, -1) {
		named = append(named, found[1])
	}
	verb, _, _ := strings.Cut(in.Query, " ")
	switch {
	case verb == "DROP":
		for _, name := range named {
			if role := "clickhouse_role " + service + "/" + name; v.before[role] > 0 && !v.isFree(role) {
				return role
			}
		}
	case verb == "REVOKE", verb == "GRANT" && strings.HasSuffix(in.Query, " OPTION"): // a GRANT without one takes nothing from another
		for _, obj := range v.victims {
			if other, is := obj.(*v1alpha1.ClickhouseGrant); is && other.Spec.Project+"/"+other.Spec.ServiceName == service && grantsAny(other.Spec, named) {
				return "clickhouse_grant " + service + "/" + other.Name
			}
		}
	}
	return ""
}

// grantsAny reports whether a spec grants one of some names, a database or a role, to another one of them.
func grantsAny(spec v1alpha1.ClickhouseGrantSpec, names []string) bool {
	isNamed := func(grantee v1alpha1.ClickhouseGrantee) bool {
		return slices.Contains(names, grantee.User+grantee.Role)
	}
	return slices.ContainsFunc(spec.PrivilegeGrants, func(grant v1alpha1.ClickhousePrivilegeGrant) bool {
		return slices.Contains(names, grant.Database) && slices.ContainsFunc(grant.Grantees, isNamed)
	}) || slices.ContainsFunc(spec.RoleGrants, func(grant v1alpha1.ClickhouseRoleGrant) bool {
		return slices.ContainsFunc(grant.Roles, func(role string) bool { return slices.Contains(names, role) }) && slices.ContainsFunc(grant.Grantees, isNamed)
	})
}
