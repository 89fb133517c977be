package charts_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/tests/harness/helm"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

func TestWhoMayDoThingsInANamespaceMayDoThemToTheKinds(t *testing.T) {
	e := world(t, testenv.Options{Idle: true})
	install(t, e, helm.Values{})
	for _, role := range []string{"view", "edit", "admin"} {
		e.Create(&rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: e.Namespace, Name: role},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "who-has-" + role}},
		})
	}
	e.Until(func() bool { return may(t, e, "admin", "deletecollection", "databases", "") },
		func() string { return "the roles of the cluster don't have the permissions of the chart's" })
	for _, tc := range []struct {
		verb, resource, subresource string
		who                         []string
	}{
		{"list", "databases", "", []string{"view", "edit", "admin"}},
		{"get", "projectvpcs", "", []string{"view", "edit", "admin"}},
		{"get", "serviceintegrations", "", []string{"view", "edit", "admin"}},
		{"get", "serviceintegrationendpoints", "", []string{"edit", "admin"}},
		{"list", "serviceintegrationendpoints", "", []string{"edit", "admin"}},
		{"watch", "serviceintegrationendpoints", "", []string{"edit", "admin"}},
		{"delete", "serviceintegrationendpoints", "", []string{"edit", "admin"}},
		{"create", "postgresqls", "", []string{"edit", "admin"}},
		{"patch", "kafkatopics", "", []string{"edit", "admin"}},
		{"delete", "kafkas", "", []string{"edit", "admin"}},
		{"deletecollection", "databases", "", []string{"admin"}},
		{"patch", "databases", "status", nil},
		{"update", "kafkas", "finalizers", nil},
	} {
		var who []string
		for _, role := range []string{"view", "edit", "admin"} {
			if may(t, e, role, tc.verb, tc.resource, tc.subresource) {
				who = append(who, role)
			}
		}
		assert.Equal(t, tc.who, who, "%s %s %s", tc.verb, tc.resource, tc.subresource)
	}
}

// may asks the API server what a person with a role may do in the namespace of the test.
func may(t *testing.T, e *testenv.Env, role, verb, resource, subresource string) bool {
	t.Helper()
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: "who-has-" + role,
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: e.Namespace, Group: "aiven.io", Verb: verb, Resource: resource, Subresource: subresource,
		},
	}}
	require.NoError(t, e.Client.Create(t.Context(), review))
	return review.Status.Allowed
}

func TestANamespaceThatDoesNotExistStopsTheInstallation(t *testing.T) {
	e := world(t, testenv.Options{Idle: true})
	release := helm.Release{Name: "aero", Namespace: e.Namespace + "-system", Kubeconfig: kubeconfig}
	_, err := release.Install(t.Context(), load(t, folder), helm.Values{"watchedNamespaces": []any{"nowhere"}})
	require.ErrorContains(t, err, `namespaces "nowhere" not found`)
	require.NoError(t, release.Uninstall())
}
