package charts_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/tests/harness/testenv"
)

// permission is one permission of an account.
type permission struct {
	namespace string // empty: in all of them
	group     string
	resource  string // with a subresource behind a slash
	verb      string
	name      string // empty: any
}

func (r permission) String() string {
	where := "in all namespaces"
	if r.namespace != "" {
		where = "in " + r.namespace
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s.%s %s", r.verb, r.resource, r.group, r.name)) + " " + where
}

// permissionsOf are all permissions that are bound to an account, as the API server has them.
func permissionsOf(t *testing.T, e *testenv.Env, account client.ObjectKey) []permission {
	t.Helper()
	var all []permission
	var everywhere rbacv1.ClusterRoleBindingList
	require.NoError(t, e.Client.List(t.Context(), &everywhere))
	for _, binding := range everywhere.Items {
		if binds(binding.Subjects, account) {
			all = append(all, expand("", rulesOf(t, e, "", binding.RoleRef))...)
		}
	}
	var somewhere rbacv1.RoleBindingList
	require.NoError(t, e.Client.List(t.Context(), &somewhere))
	for _, binding := range somewhere.Items {
		if binds(binding.Subjects, account) {
			all = append(all, expand(binding.Namespace, rulesOf(t, e, binding.Namespace, binding.RoleRef))...)
		}
	}
	require.NotEmpty(t, all)
	return all
}

func binds(subjects []rbacv1.Subject, account client.ObjectKey) bool {
	return slices.ContainsFunc(subjects, func(s rbacv1.Subject) bool {
		return s.Kind == rbacv1.ServiceAccountKind && s.Name == account.Name && s.Namespace == account.Namespace
	})
}

func rulesOf(t *testing.T, e *testenv.Env, namespace string, ref rbacv1.RoleRef) []rbacv1.PolicyRule {
	t.Helper()
	if ref.Kind == "ClusterRole" {
		role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: ref.Name}}
		e.Get(role)
		return role.Rules
	}
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: ref.Name}}
	e.Get(role)
	return role.Rules
}

func expand(namespace string, rules []rbacv1.PolicyRule) []permission {
	var all []permission
	for _, rule := range rules {
		names := rule.ResourceNames
		if len(names) == 0 {
			names = []string{""}
		}
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					for _, name := range names {
						all = append(all, permission{namespace, group, resource, verb, name})
					}
				}
			}
		}
	}
	return all
}

// covers reports whether a permission is what a request with all of its parts needs.
func (r permission) covers(request permission) bool {
	return r.group == request.group && r.resource == request.resource && r.verb == request.verb &&
		(r.namespace == "" || r.namespace == request.namespace) && (r.name == "" || r.name == request.name)
}

// request is a line of the audit log.
type request struct {
	Verb       string
	RequestURI string
	User       struct{ Username string }
	ObjectRef  *struct{ Namespace, Name, APIGroup, Resource, Subresource string }

	ResponseStatus struct{ Code int }
	Annotations    map[string]string
}

func (r request) refused() bool { return r.Annotations["authorization.k8s.io/decision"] != "allow" }

// needed is the permission that a request needs; the zero value for what isn't about an object.
func (r request) needed() permission {
	if r.ObjectRef == nil || r.ObjectRef.Resource == "" {
		return permission{}
	}
	resource := r.ObjectRef.Resource
	if r.ObjectRef.Subresource != "" {
		resource += "/" + r.ObjectRef.Subresource
	}
	return permission{r.ObjectRef.Namespace, r.ObjectRef.APIGroup, resource, r.Verb, r.ObjectRef.Name}
}

// requestsOf are the requests of an account up to now.
func requestsOf(t *testing.T, account client.ObjectKey) []request {
	t.Helper()
	file, err := os.Open(auditLog)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	var all []request
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var one request
		if json.Unmarshal(lines.Bytes(), &one) != nil {
			continue // the line of another client, half written
		}
		if one.User.Username == "system:serviceaccount:"+account.Namespace+":"+account.Name {
			all = append(all, one)
		}
	}
	require.NoError(t, lines.Err())
	require.NotEmpty(t, all, "%s must have made requests", account)
	return all
}

// checkPermissions compares what an account did with what it may do. Owned are the permissions that the API server has asked about
// without a request: see owned.
func checkPermissions(t *testing.T, permissions []permission, requests []request, owned []permission) {
	t.Helper()
	used := map[permission]bool{}
	for _, one := range requests {
		assert.False(t, one.refused(), "%s %s was refused with %d", one.Verb, one.RequestURI, one.ResponseStatus.Code)
		used[one.needed()] = true
	}
	for _, one := range owned {
		used[one] = true
	}
	for _, r := range permissions {
		isUsed := slices.ContainsFunc(slices.Collect(maps.Keys(used)), r.covers)
		assert.True(t, isUsed, "the permission to %s was never used: take it away", r)
	}
}

// owned are the permissions on the finalizers of owners. The API server asks whether an account has them when it makes a Secret
// whose owner can't go before it, and the audit log doesn't show it.
func owned(t *testing.T, e *testenv.Env) []permission {
	t.Helper()
	var secrets corev1.SecretList
	require.NoError(t, e.Client.List(t.Context(), &secrets, client.InNamespace(e.Namespace)))
	var all []permission
	for _, secret := range secrets.Items {
		for _, owner := range secret.OwnerReferences {
			kind := schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind)
			mapping, err := e.Client.RESTMapper().RESTMapping(kind.GroupKind(), kind.Version)
			require.NoError(t, err)
			require.True(t, *owner.BlockOwnerDeletion)
			all = append(all, permission{e.Namespace, kind.Group, mapping.Resource.Resource + "/finalizers", "update", owner.Name})
		}
	}
	require.NotEmpty(t, all)
	return all
}
