package conformance_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	pguserconfig "github.com/aero-operator/aero/api/v1alpha1/userconfig/service/pg"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

const (
	allowedProjects = "controllers.aiven.io/allowed-projects"
	otherProject    = "project-of-another-team"
)

// bound is a world without an operator, in which the policy binds the namespace to its projects.
func bound(t *testing.T) *testenv.Env {
	e := testenv.New(t, testenv.Options{Idle: true})
	e.Policies("opt-in/projects.yaml", e.Example("database"))
	return e
}

// allow sets the projects of the namespace, and returns once the API server knows of it: an object that the list allows from now on
// is accepted.
func allow(t *testing.T, e *testenv.Env, list string, accepted testenv.Object) {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: e.Namespace}}
	patch := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"annotations":{"`+allowedProjects+`":"`+list+`"}}}`))
	require.NoError(t, e.Client.Patch(t.Context(), namespace, patch))
	e.Until(func() bool {
		return e.Client.Create(t.Context(), accepted.DeepCopyObject().(client.Object), client.DryRunAll) == nil
	},
		func() string { return "the API server doesn't know the projects of the namespace" })
}

func TestReviewM11_ANamespaceWithoutItsProjectsMayUseNone(t *testing.T) {
	t.Parallel()
	e := bound(t)
	for _, kind := range testenv.KindNames() {
		err := e.Client.Create(t.Context(), e.Example(strings.ToLower(kind)), client.DryRunAll)
		assert.True(t, apierrors.IsForbidden(err), "%s: %v", kind, err)
		assert.ErrorContains(t, err, "the namespace has no annotation "+allowedProjects, kind)
	}
}

func TestReviewM11_AProjectIsRefusedWhereverItIsNamed(t *testing.T) {
	t.Parallel()
	e := bound(t)
	allow(t, e, e.Project+`,\r\n\tshared\nthird fourth`, e.Example("database")) // lines in JSON
	for name, use := range map[string]func(project string) testenv.Object{
		"project": func(project string) testenv.Object {
			obj := e.Example("database").(*v1alpha1.Database)
			obj.Spec.Project = project
			return obj
		},
		"a fork": func(project string) testenv.Object {
			obj := e.Example("postgresql").(*v1alpha1.PostgreSQL)
			obj.Spec.UserConfig = &pguserconfig.PgUserConfig{ProjectToForkFrom: &project}
			return obj
		},
		"the source of an integration": func(project string) testenv.Object {
			obj := e.Example("serviceintegration").(*v1alpha1.ServiceIntegration)
			obj.Spec.SourceProjectName = project
			return obj
		},
		"the destination of an integration": func(project string) testenv.Object {
			obj := e.Example("serviceintegration").(*v1alpha1.ServiceIntegration)
			obj.Spec.DestinationProjectName = project
			return obj
		},
		"a project itself": func(project string) testenv.Object {
			obj := e.Example("project").(*v1alpha1.Project)
			obj.Name = project
			return obj
		},
		"the template of a project": func(project string) testenv.Object {
			obj := e.Example("project").(*v1alpha1.Project)
			obj.Name, obj.Spec.CopyFromProject = e.Project, project
			return obj
		},
		"a project of an organization": func(project string) testenv.Object {
			obj := e.Example("organizationproject").(*v1alpha1.OrganizationProject)
			obj.Spec.ProjectID = project
			return obj
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, listed := range []string{"shared", "third", "fourth"} {
				require.NoError(t, e.Client.Create(t.Context(), use(listed), client.DryRunAll))
			}
			err := e.Client.Create(t.Context(), use(otherProject), client.DryRunAll)
			require.True(t, apierrors.IsForbidden(err), "%v", err)
			assert.ErrorContains(t, err, "namespace "+e.Namespace+" may not use project "+otherProject+": its annotation "+allowedProjects)
		})
	}
}

// What is older than the annotation can be edited and cleaned up, by the operator as well, and gets no other project.
func TestReviewM11_OnlyWhatChangesIsChecked(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Idle: true})
	old := e.Example("postgresql").(*v1alpha1.PostgreSQL)
	old.Spec.Project, old.Finalizers = otherProject, []string{finalizer}
	e.Create(old)
	e.Policies("opt-in/projects.yaml", e.Example("database"))
	may := func(verbs ...string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{APIGroups: []string{"aiven.io"}, Resources: []string{"postgresqls"}, Verbs: verbs}
	}
	editor, operator := e.As("editor", may("patch", "delete")), e.As("operator", may("patch"))
	patch := func(json string) error {
		return editor.Patch(t.Context(), old, client.RawPatch("application/merge-patch+json", []byte(json)))
	}
	const edit, fork = `{"metadata":{"labels":{"a":"b"}}}`, `{"spec":{"userConfig":{"project_to_fork_from":"third"}}}`
	require.NoError(t, patch(edit), "in a namespace without the annotation")
	require.ErrorContains(t, patch(fork), "the namespace has no annotation")
	allow(t, e, e.Project, e.Example("database"))
	require.NoError(t, patch(edit), "in one with another project")
	require.ErrorContains(t, patch(fork), "may not use project third")
	require.NoError(t, editor.Delete(t.Context(), old))
	require.NoError(t, operator.Patch(t.Context(), old, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`))))
	e.WaitGone(old)
}
