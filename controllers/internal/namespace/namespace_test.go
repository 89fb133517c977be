package namespace_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/aero-operator/aero/api/v1alpha1"
	pguserconfig "github.com/aero-operator/aero/api/v1alpha1/userconfig/service/pg"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/namespace"
)

func named(name string, annotations map[string]string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: annotations, Labels: map[string]string{"team": name}}}
}

func TestSettingsAreThoseOfTheNamespace(t *testing.T) {
	r := namespace.Reader{Metadata: fake.NewFakeClient(named("apps", map[string]string{"a": "b"})), Live: fake.NewFakeClient(named("new", nil))}
	s, err := r.Of(t.Context(), "apps")
	require.NoError(t, err)
	assert.Equal(t, namespace.Settings{Name: "apps", Annotations: map[string]string{"a": "b"}, Labels: labels.Set{"team": "apps"}}, s)
	_, err = r.Of(t.Context(), "new")
	require.NoError(t, err, "one that the cache doesn't have yet")
	_, err = r.Of(t.Context(), "unknown")
	require.ErrorContains(t, err, "reading Namespace unknown")

	s, err = namespace.Reader{}.Of(t.Context(), "apps")
	require.NoError(t, err)
	assert.Equal(t, namespace.Settings{Name: "apps"}, s, "an operator without the permission")
}

func TestATokenSecretHasAKey(t *testing.T) {
	for _, tc := range [][3]string{
		{"aiven", "aiven", "token"}, {"aiven/key", "aiven", "key"}, {" aiven / key ", "aiven", "key"}, {"", "", ""}, {" ", "", ""}, {"/token", "", "token"},
	} {
		name, key, set := namespace.Settings{Annotations: map[string]string{annotation.TokenSecret: tc[0]}}.TokenSecret()
		assert.Equal(t, tc, [3]string{tc[0], name, key})
		assert.True(t, set, "%q sets the annotation", tc[0])
	}
	_, _, set := namespace.Settings{Annotations: map[string]string{annotation.AllowedProjects: ""}}.TokenSecret()
	assert.False(t, set)
}

func TestReviewM11_AProjectIsAllowedByItsName(t *testing.T) {
	for name, tc := range map[string]struct {
		annotations map[string]string
		projects    []string
		forbidden   string
	}{
		"no limit":                    {nil, []string{"prj"}, ""},
		"listed":                      {map[string]string{annotation.AllowedProjects: "other, prj"}, []string{"prj", "other"}, ""},
		"in several lines":            {map[string]string{annotation.AllowedProjects: "other,\n  prj\n"}, []string{"prj"}, ""},
		"one that isn't":              {map[string]string{annotation.AllowedProjects: "other"}, []string{"other", "prj"}, "prj"},
		"a part of a name":            {map[string]string{annotation.AllowedProjects: "prj-test"}, []string{"prj"}, "prj"},
		"none is listed":              {map[string]string{annotation.AllowedProjects: ""}, []string{"prj"}, "prj"},
		"an object without a project": {map[string]string{annotation.AllowedProjects: ""}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := namespace.Settings{Name: "apps", Annotations: tc.annotations}.Forbidden(func() []string { return tc.projects })
			if tc.forbidden == "" {
				assert.Empty(t, got)
				return
			}
			assert.Contains(t, got, "Namespace apps may not use project "+tc.forbidden+": its annotation controllers.aiven.io/allowed-projects")
		})
	}
}

func TestProjectsAreFoundAtAnyDepthOfASpec(t *testing.T) {
	pg := &v1alpha1.PostgreSQL{}
	pg.Spec.Project, pg.Spec.UserConfig = "prj", &pguserconfig.PgUserConfig{ProjectToForkFrom: ptr.To("other")}
	assert.Equal(t, []string{"other", "prj"}, namespace.Projects(pg))
	pg.Spec.Tags, pg.Spec.ConnInfoSecretTarget.Labels = map[string]string{"project": "checkout"}, map[string]string{"project": "checkout"}
	assert.Equal(t, []string{"other", "prj"}, namespace.Projects(pg), "users choose these names")
	sink := &v1alpha1.KafkaConnector{}
	sink.Spec.Project, sink.Spec.UserConfig = "prj", map[string]string{"project": "in-another-cloud"}
	assert.Equal(t, []string{"prj"}, namespace.Projects(sink), "the option of a connector isn't about Aiven")
	link := &v1alpha1.ServiceIntegration{}
	link.Spec.Project, link.Spec.SourceProjectName, link.Spec.DestinationProjectName = "prj", "from", "to"
	assert.Equal(t, []string{"from", "prj", "to"}, namespace.Projects(link))
	assert.Equal(t, []string{"template"}, namespace.Projects(&v1alpha1.Project{Spec: v1alpha1.ProjectSpec{CopyFromProject: "template"}}))
	assert.Equal(t, []string{"prj"}, namespace.Projects(&v1alpha1.OrganizationProject{Spec: v1alpha1.OrganizationProjectSpec{ProjectID: "prj"}}))
}

// A field that is added to a spec, and names a project, must not be a way around the limit.
func TestEveryFieldAboutAProjectIsKnown(t *testing.T) {
	known := append([]string{"projectVpcId", "projectVPCRef", "project_id"}, namespace.Fields...) // of VPCs, which are in the project, and of Google
	raw, err := filepath.Glob("../../../config/crd/bases/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, raw)
	property := regexp.MustCompile(`(?m)^\s+([A-Za-z_]*[pP]roject[A-Za-z_]*):$`)
	for _, file := range raw {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, field := range property.FindAllStringSubmatch(string(text), -1) {
			assert.Contains(t, known, field[1], "%s: add it to the fields of projects, or here if it names none", filepath.Base(file))
		}
	}
}

func TestReviewM11_TheAdmissionPolicyKnowsEveryFieldAboutAProject(t *testing.T) {
	policy, err := os.ReadFile("../../../config/admission/opt-in/projects.yaml")
	require.NoError(t, err)
	for _, field := range namespace.Fields {
		assert.Regexp(t, `'`+field+`'|\.`+field+`\b`, string(policy))
	}
}

func TestANamespaceWithAToken(t *testing.T) {
	r := namespace.Reader{Metadata: fake.NewFakeClient(
		named("a", map[string]string{annotation.TokenSecret: "aiven"}), named("b", map[string]string{annotation.TokenSecret: "aiven/key"}),
		named("c", map[string]string{annotation.TokenSecret: "other"}), named("d", nil),
	)}
	names, err := r.WithToken(t.Context(), "aiven")
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, names)
	r.Metadata = interceptor.NewClient(fake.NewFakeClient(), interceptor.Funcs{
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
			return errors.New("boom")
		},
	})
	_, err = r.WithToken(t.Context(), "aiven")
	require.ErrorContains(t, err, "listing Namespaces: boom")
}

func TestOnlyChangesOfSettingsCount(t *testing.T) {
	changes := namespace.Changes()
	for name, tc := range map[string]struct {
		change func(*corev1.Namespace)
		want   bool
	}{
		"another annotation":     {func(n *corev1.Namespace) { n.Annotations["x"] = "y" }, false},
		"a project is added":     {func(n *corev1.Namespace) { n.Annotations[annotation.AllowedProjects] = "prj,other" }, true},
		"the limit is removed":   {func(n *corev1.Namespace) { delete(n.Annotations, annotation.AllowedProjects) }, true},
		"an empty limit":         {func(n *corev1.Namespace) { n.Annotations[annotation.AllowedProjects] = "" }, true},
		"a token":                {func(n *corev1.Namespace) { n.Annotations[annotation.TokenSecret] = "aiven" }, true},
		"a route":                {func(n *corev1.Namespace) { n.Annotations[annotation.Route] = "privatelink" }, true},
		"a policy":               {func(n *corev1.Namespace) { n.Annotations[annotation.Recreate] = "Always" }, true},
		"a policy for changes":   {func(n *corev1.Namespace) { n.Annotations[annotation.ChangePolicy] = "HoldAll" }, true},
		"a label, for selectors": {func(n *corev1.Namespace) { n.Labels["team"] = "b" }, true},
	} {
		t.Run(name, func(t *testing.T) {
			before := named("a", map[string]string{annotation.AllowedProjects: "prj"})
			now := before.DeepCopy()
			tc.change(now)
			assert.Equal(t, tc.want, changes.Update(event.UpdateEvent{ObjectOld: before, ObjectNew: now}))
		})
	}
	assert.False(t, changes.Create(event.CreateEvent{}))
	assert.False(t, changes.Delete(event.DeleteEvent{}))
}

func TestASelectorSelectsByNameOrLabel(t *testing.T) {
	in := namespace.Settings{Name: "apps", Labels: labels.Set{"team": "a"}}
	team, err := labels.Parse("team in (a, b)")
	require.NoError(t, err)
	assert.True(t, namespace.Selector{}.Matches(in))
	assert.True(t, namespace.Selector{Names: []string{"x", "apps"}}.Matches(in))
	assert.False(t, namespace.Selector{Names: []string{"x"}}.Matches(in))
	assert.True(t, namespace.Selector{Names: []string{"x"}, Labels: team}.Matches(in))
	assert.False(t, namespace.Selector{Labels: team}.Matches(namespace.Settings{Name: "apps"}))
}
