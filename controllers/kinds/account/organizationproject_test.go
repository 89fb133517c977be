package account

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/ownership"
)

const (
	listRoute       = "GET /v1/organization/org1/projects"
	patchRoute      = "PATCH /v1/organization/org1/project/demo"
	getOrganization = "GET /v1/organization/org1"
)

func newOrganizationProject() *v1alpha1.OrganizationProject {
	obj := &v1alpha1.OrganizationProject{ObjectMeta: metav1.ObjectMeta{Namespace: aiventest.Namespace, Name: "my-project"}}
	obj.Spec = v1alpha1.OrganizationProjectSpec{
		OrganizationID: "org1", ProjectID: aiventest.Project, BillingGroupID: "bg1", ParentID: "a1",
		Tags: map[string]string{"team": "a"}, TechnicalEmails: []string{"ops@Example.com"},
	}
	return obj
}

// organizationProjectAt is a project as Aiven returns it, with some fields changed.
func organizationProjectAt(changes aiventest.Object) any {
	return changed(aiventest.Object{
		"project_id": aiventest.Project, "parent_id": "a1", "account_id": "a1", "billing_group_id": "bg1", "base_port": 12000,
		"tags": aiventest.Object{"team": "a"}, "tech_emails": []any{aiventest.Object{"email": "ops@example.com"}},
	}, changes)
}

func listedInOrganization(projects ...any) aiventest.Answer {
	return aiventest.OK(aiventest.Object{"projects": append([]any{}, projects...), "total_project_count": len(projects)})
}

// ofOrganization is a controller, for a project with some changes to its spec and at Aiven.
func ofOrganization(t *testing.T, edit func(*v1alpha1.OrganizationProjectSpec), found aiventest.Object) (*world, boundTo[*v1alpha1.OrganizationProject]) {
	w := newWorld(t)
	w.On(listRoute, listedInOrganization(organizationProjectAt(found)))
	w.On(getOrganization, aiventest.OK(aiventest.Object{"organization_id": "org1", "account_id": "a1"}))
	w.On("GET /v1/organization/org2", aiventest.OK(aiventest.Object{"organization_id": "org2", "account_id": "a2"}))
	w.On("GET /v1/organization/org3", aiventest.Refused(http.StatusNotFound, "Organization does not exist"))
	w.On("GET /v1/organization/org4", aiventest.Refused(http.StatusForbidden, "no"))
	b := sides["OrganizationProject"].bind(w.client).(boundTo[*v1alpha1.OrganizationProject])
	edit(&b.obj.Spec)
	return w, b
}

func TestOrganizationProjectDiff(t *testing.T) {
	for name, tc := range map[string]struct {
		edit  func(*v1alpha1.OrganizationProjectSpec)
		found aiventest.Object
		want  []string
	}{
		"the same":                            {edit: func(*v1alpha1.OrganizationProjectSpec) {}},
		"the organization as the parent":      {edit: func(s *v1alpha1.OrganizationProjectSpec) { s.ParentID = "org1" }},
		"Aiven shows the organization":        {edit: func(*v1alpha1.OrganizationProjectSpec) {}, found: aiventest.Object{"parent_id": "org1"}},
		"both are the organization":           {edit: func(s *v1alpha1.OrganizationProjectSpec) { s.ParentID = "org1" }, found: aiventest.Object{"parent_id": "org1"}},
		"another organization":                {edit: func(s *v1alpha1.OrganizationProjectSpec) { s.ParentID = "org2" }, want: []string{"spec.parentId"}},
		"another organization, shown as such": {edit: func(s *v1alpha1.OrganizationProjectSpec) { s.ParentID = "org1" }, found: aiventest.Object{"parent_id": "org2"}, want: []string{"spec.parentId"}},
		"another unit":                        {edit: func(s *v1alpha1.OrganizationProjectSpec) { s.ParentID = "a7" }, want: []string{"spec.parentId"}},
		"another billing group":               {edit: func(s *v1alpha1.OrganizationProjectSpec) { s.BillingGroupID = "bg2" }, want: []string{"spec.billingGroupId"}},
		"no billing group":                    {edit: func(*v1alpha1.OrganizationProjectSpec) {}, found: aiventest.Object{"billing_group_id": nil}, want: []string{"spec.billingGroupId"}},
		"the base port isn't managed":         {edit: func(*v1alpha1.OrganizationProjectSpec) {}, found: aiventest.Object{"base_port": 20000}},
		"the base port was set elsewhere":     {edit: func(s *v1alpha1.OrganizationProjectSpec) { s.BasePort = ptr.To(12000) }, found: aiventest.Object{"base_port": 20000}, want: []string{"spec.basePort"}},
		"the same base port":                  {edit: func(s *v1alpha1.OrganizationProjectSpec) { s.BasePort = ptr.To(12000) }},
		"no base port":                        {edit: func(s *v1alpha1.OrganizationProjectSpec) { s.BasePort = ptr.To(12000) }, found: aiventest.Object{"base_port": nil}, want: []string{"spec.basePort"}},
		"no tags in the spec":                 {edit: func(s *v1alpha1.OrganizationProjectSpec) { s.Tags = nil }, want: []string{"spec.tags"}},
		"no tags on both sides":               {edit: func(s *v1alpha1.OrganizationProjectSpec) { s.Tags = nil }, found: aiventest.Object{"tags": aiventest.Object{}}},
		"no addresses in the spec":            {edit: func(s *v1alpha1.OrganizationProjectSpec) { s.TechnicalEmails = nil }, want: []string{"spec.technicalEmails"}},
		"no addresses on both sides":          {edit: func(s *v1alpha1.OrganizationProjectSpec) { s.TechnicalEmails = nil }, found: aiventest.Object{"tech_emails": nil}},
		"addresses in another case and order": {edit: func(s *v1alpha1.OrganizationProjectSpec) {
			s.TechnicalEmails = []string{"z@EXAMPLE.com", "ops@example.com"}
		}, found: aiventest.Object{"tech_emails": []any{aiventest.Object{"email": "ops@example.com"}, aiventest.Object{"email": "z@example.com"}}}},
		"another address": {edit: func(s *v1alpha1.OrganizationProjectSpec) { s.TechnicalEmails = []string{"x@example.com"} }, want: []string{"spec.technicalEmails"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, b := ofOrganization(t, tc.edit, tc.found)
			o, err := b.observe(t)
			require.NoError(t, err)
			assert.ElementsMatch(t, tc.want, o.Diff.Paths())
		})
	}
}

func TestTheAccountOfAnOrganizationIsReadOnce(t *testing.T) {
	w, b := ofOrganization(t, func(s *v1alpha1.OrganizationProjectSpec) { s.ParentID = "org1" }, nil)
	memory := &sync.Map{}
	for range 3 {
		_, err := OrganizationProject.New(controllers.Env{Client: w.client, Memory: memory}).Observe(t.Context(), b.obj)
		require.NoError(t, err)
	}
	assert.Equal(t, []string{listRoute, getOrganization, readCA}, w.Calls())
}

func TestAParentThatCannotBeReadIsNoDrift(t *testing.T) {
	for name, tc := range map[string]struct {
		parent string
		class  fault.Class
		text   string
	}{
		"unknown":       {"org3", fault.Invalid, "spec.parentId: Aiven knows no organization org3"},
		"in no path":    {"org/../..", fault.Invalid, `spec.parentId: "org/../.." can't be an organization`},
		"not permitted": {"org4", fault.Forbidden, "reading organization org4"},
	} {
		t.Run(name, func(t *testing.T) {
			w, b := ofOrganization(t, func(s *v1alpha1.OrganizationProjectSpec) { s.ParentID = tc.parent }, nil)
			_, err := b.observe(t)
			assert.Equal(t, tc.class, fault.Of(err).Class)
			require.ErrorContains(t, err, tc.text)
			_, err = b.create(t)
			require.ErrorContains(t, err, tc.text)
			for _, call := range w.Calls() {
				assert.Contains(t, call, "GET ")
			}
		})
	}
}

func TestAnUpdateOfAProjectOfAnOrganizationSendsAllOfIt(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func(*v1alpha1.OrganizationProjectSpec)
		want string
	}{
		"all that there is": {func(s *v1alpha1.OrganizationProjectSpec) {
			s.ParentID, s.BasePort, s.BillingGroupID = "org2", ptr.To(20000), "bg2"
		}, `{"base_port":20000,"billing_group_id":"bg2","parent_id":"a2","tags":{"team":"a"},"tech_emails":[{"email":"ops@example.com"}]}`},
		"no lists": {func(s *v1alpha1.OrganizationProjectSpec) { s.Tags, s.TechnicalEmails = nil, nil },
			`{"billing_group_id":"bg1","parent_id":"a1","tags":{},"tech_emails":[]}`},
	} {
		t.Run(name, func(t *testing.T) {
			w, b := ofOrganization(t, tc.edit, nil)
			w.On(patchRoute, aiventest.OK(organizationProjectAt(nil)))
			seen, err := b.observe(t)
			require.NoError(t, err)
			_, err = b.update(t, seen)
			require.NoError(t, err)
			assert.Contains(t, w.Calls(), patchRoute+" "+tc.want)
		})
	}
}

func TestAProjectOfAnOrganizationIsCreatedInItsAccount(t *testing.T) {
	w, b := ofOrganization(t, func(s *v1alpha1.OrganizationProjectSpec) {
		s.ParentID, s.Tags, s.TechnicalEmails = "org1", nil, nil
	}, nil)
	const post = "POST /v1/organization/org1/projects"
	w.On(listRoute, listedInOrganization())
	w.On("GET /v1/organization/org1/project/demo", aiventest.Refused(404, "Project does not exist"))
	w.On(post, aiventest.OK(organizationProjectAt(aiventest.Object{"tags": aiventest.Object{}, "tech_emails": []any{}, "organization_id": "org1"})))
	_, err := b.observe(t)
	require.NoError(t, err)
	o, err := b.create(t)
	require.NoError(t, err)
	assert.Empty(t, o.Diff)
	assert.Empty(t, o.Details.Legacy(), "aiven-operator has no second key for this kind")
	assert.Contains(t, w.Calls(), post+` {"billing_group_id":"bg1","parent_id":"a1","project_id":"demo","tags":{},"tech_emails":[]}`)
}

func TestAPartOfTheListOfAnOrganizationShowsNoAbsence(t *testing.T) {
	w, b := ofOrganization(t, func(*v1alpha1.OrganizationProjectSpec) {}, nil)
	w.On(listRoute, aiventest.OK(aiventest.Object{"projects": []any{}, "total_project_count": 3}))
	w.On("GET /v1/organization/org1/project/demo", aiventest.OK(organizationProjectAt(nil)))
	o, err := b.observe(t)
	require.NoError(t, err)
	assert.True(t, o.Remote.Active, "the project is read alone")
	b.obj.DeletionTimestamp = &metav1.Time{Time: w.now}
	w.On(inServices, aiventest.Refused(404, "Project does not exist"))
	require.ErrorContains(t, b.delete(t), "Aiven lists as much as it may return at once")
}

func TestAnOrganizationThatAivenDoesNotKnowIsNamedAndNoAbsence(t *testing.T) {
	w, b := ofOrganization(t, func(*v1alpha1.OrganizationProjectSpec) {}, nil)
	w.On(listRoute, aiventest.Refused(http.StatusNotFound, "Organization does not exist"))
	const message = "spec.organizationId: Aiven knows no organization org1, or the token has no access to it. " +
		"Recreate the object with one that this command lists: avn organization list"
	o, err := b.observe(t)
	require.EqualError(t, err, message)
	assert.NotContains(t, err.Error(), "list can't be missing")
	assert.Equal(t, fault.Invalid, fault.Of(err).Class)
	assert.False(t, o.Remote.Exists)
	ownership.Begin(b.obj, true)
	_, err = b.observe(t)
	require.EqualError(t, err, message)
	assert.Equal(t, fault.Unknown, fault.Of(err).Class, "it was right before")
	b.obj.DeletionTimestamp = &metav1.Time{Time: w.now}
	w.On(inServices, aiventest.Refused(404, "Project does not exist"))
	w.On("DELETE /v1/organization/org1/project/demo", aiventest.Refused(404, "Project does not exist"))
	assert.ErrorContains(t, b.delete(t), message)
}

func TestAnOrganizationOfAProjectThatNoPathCanHoldIsNamed(t *testing.T) {
	_, b := ofOrganization(t, func(s *v1alpha1.OrganizationProjectSpec) { s.OrganizationID = "../x" }, nil)
	_, err := b.observe(t)
	assert.EqualError(t, err, `spec.organizationId: "../x" can't be a name at Aiven: it would change the paths of calls. `+
		"Recreate the object with another spec.organizationId")
}

func TestARefusedProjectOfAnOrganizationNamesTheField(t *testing.T) {
	for text, tc := range map[string]struct {
		status int
		want   string
	}{
		"Invalid project name 'x y': must consist of letters": {400, "Aiven rejected spec.projectId: "},
		"Invalid base_port 1: must be 10000 to 30000":         {400, "Aiven rejected spec.basePort: "},
		"Billing group does not exist":                        {404, "Aiven rejected spec.billingGroupId: "},
		"Organization or organizational unit does not exist":  {404, "Aiven rejected spec.parentId: "},
		"Organization does not exist":                         {404, "Aiven rejected spec.organizationId: "},
	} {
		t.Run(text, func(t *testing.T) {
			w, b := ofOrganization(t, func(s *v1alpha1.OrganizationProjectSpec) { s.BillingGroupID = "bg2" }, nil)
			w.On(patchRoute, aiventest.Refused(tc.status, text))
			seen, err := b.observe(t)
			require.NoError(t, err)
			_, err = b.update(t, seen)
			message := (*fault.Secrets)(nil).Refusal(err, "Aiven rejected the change", "")
			assert.Contains(t, message, tc.want+text)
			assert.Equal(t, strings.HasPrefix(text, "Billing group"), strings.Contains(message, "avn billing-group list"))
		})
	}
}
