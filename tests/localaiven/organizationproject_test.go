package localaiven_test

import (
	"testing"

	aiven "github.com/aiven/go-client-codegen"
	"github.com/aiven/go-client-codegen/handler/organizationprojects"
	"github.com/aiven/go-client-codegen/handler/project"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

func TestLifeOfAnOrganizationProject(t *testing.T) {
	t.Parallel()
	h := only(t)
	ctx, id := t.Context(), h.ids(t)
	in := organizationprojects.OrganizationProjectsCreateIn{
		ProjectId: "new", BillingGroupId: id.group, ParentId: &id.organization, BasePort: ptr(12000),
		Tags: map[string]string{"team": "a"}, TechEmails: &[]organizationprojects.TechEmailIn{{Email: "a@Example.com"}},
	}
	_, err := h.client.OrganizationProjectsGet(ctx, id.organization, "new")
	assert.True(t, aiven.IsNotFound(err))
	made, err := h.client.OrganizationProjectsCreate(ctx, id.organization, &in)
	require.NoError(t, err)
	assert.Equal(t, id.account, made.ParentId, "the parent is shown by the id of its account")
	got, err := h.client.OrganizationProjectsGet(ctx, id.organization, "new")
	require.NoError(t, err)
	assert.EqualValues(t, made, got)
	assert.Equal(t, []any{"new", id.organization, id.account, id.group, 12000},
		[]any{got.ProjectId, got.OrganizationId, *got.AccountId, *got.BillingGroupId, *got.BasePort})
	assert.Equal(t, map[string]string{"team": "a"}, got.Tags)
	assert.Equal(t, []organizationprojects.TechEmailOut{{Email: "a@example.com"}}, got.TechEmails)
	assert.Equal(t, []localaiven.Resource{{Type: "project", ID: "new"}}, h.Resources())
	_, err = h.client.OrganizationProjectsCreate(ctx, id.organization, &in)
	assert.True(t, aiven.IsAlreadyExists(err), "%v", err)

	require.NoError(t, h.client.OrganizationProjectsDelete(ctx, id.organization, "new"))
	assert.True(t, aiven.IsNotFound(h.client.OrganizationProjectsDelete(ctx, id.organization, "new")))
	_, err = h.client.OrganizationProjectsGet(ctx, id.organization, "new")
	assert.True(t, aiven.IsNotFound(err))
	assert.Empty(t, h.Resources())
}

func TestAPatchKeepsWhatItDoesNotName(t *testing.T) {
	t.Parallel()
	h := only(t)
	ctx, id := t.Context(), h.ids(t)
	_, err := h.client.OrganizationProjectsCreate(ctx, id.organization, &organizationprojects.OrganizationProjectsCreateIn{
		ProjectId: "new", BillingGroupId: id.group, Tags: map[string]string{"team": "a"},
		TechEmails: &[]organizationprojects.TechEmailIn{{Email: "a@example.com"}},
	})
	require.NoError(t, err)
	update := func(name string, in organizationprojects.OrganizationProjectsUpdateIn) *organizationprojects.OrganizationProjectsUpdateOut {
		t.Helper()
		out, err := h.client.OrganizationProjectsUpdate(ctx, id.organization, name, &in)
		require.NoError(t, err)
		return out
	}
	before := update("new", organizationprojects.OrganizationProjectsUpdateIn{})
	assert.Equal(t, map[string]string{"team": "a"}, before.Tags)
	assert.True(t, *before.BasePort >= 10000 && *before.BasePort <= 30000, "without one it is chosen: %d", *before.BasePort)
	out := update("new", organizationprojects.OrganizationProjectsUpdateIn{
		BasePort: ptr(30000), Tags: &map[string]string{}, ParentId: &id.account, OrganizationId: &id.organization, BillingGroupId: &id.group,
	})
	assert.Equal(t, 30000, *out.BasePort)
	assert.Empty(t, out.Tags)
	assert.Equal(t, before.TechEmails, out.TechEmails)
	out = update("new", organizationprojects.OrganizationProjectsUpdateIn{
		TechEmails: &[]organizationprojects.TechEmailIn{}, ProjectName: ptr("newer"),
	})
	assert.Equal(t, "newer", out.ProjectId)
	assert.Empty(t, out.TechEmails)
	_, err = h.client.OrganizationProjectsGet(ctx, id.organization, "new")
	assert.True(t, aiven.IsNotFound(err))
}

func TestBothSidesShowOneProject(t *testing.T) {
	t.Parallel()
	h := only(t)
	ctx, id := t.Context(), h.ids(t)
	h.createProject(t, project.ProjectCreateIn{Project: "new", BasePort: ptr(10000), TechEmails: &[]project.TechEmailIn{{Email: "a@example.com"}}})
	got, err := h.client.OrganizationProjectsGet(ctx, id.organization, "new")
	require.NoError(t, err)
	assert.Equal(t, 10000, *got.BasePort)
	assert.Equal(t, "a@example.com", got.TechEmails[0].Email)
	_, err = h.client.OrganizationProjectsUpdate(ctx, id.organization, "new",
		&organizationprojects.OrganizationProjectsUpdateIn{Tags: &map[string]string{"team": "b"}})
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"team": "b"}, h.getProject(t, "new").Tags)
	require.NoError(t, h.client.OrganizationProjectsDelete(ctx, id.organization, "new"))
	assertRefused(t, h, "x", badCall{get, "/v1/project/new", "", 404, "Project does not exist"})
}

func TestRefusedOrganizationProjects(t *testing.T) {
	t.Parallel()
	id := only(t).ids(t)
	const org = "/v1/organization/"
	list, one := org+id.organization+"/projects", org+id.organization+"/project/"+proj
	with := func(fields string) string {
		return `{"project_id":"new","billing_group_id":"` + id.group + `","tags":{}` + fields + `}`
	}
	for name, c := range map[string]badCall{
		"a project of an unknown organization": {post, org + "nope/projects", with(""), 404, "Organization does not exist"},
		"reading in an unknown organization":   {get, org + "nope/project/" + proj, "", 404, "Organization does not exist"},
		"changing in an unknown organization":  {patch, org + "nope/project/" + proj, "{}", 404, "Organization does not exist"},
		"deleting in an unknown organization":  {del, org + "nope/project/" + proj, "", 404, "Organization does not exist"},
		"reading an unknown project":           {get, org + id.organization + "/project/nope", "", 404, "Project does not exist"},
		"changing an unknown project":          {patch, org + id.organization + "/project/nope", "{}", 404, "Project does not exist"},
		"deleting an unknown project":          {del, org + id.organization + "/project/nope", "", 404, "Project does not exist"},
		"no billing group":                     {post, list, `{"project_id":"new","tags":{}}`, 400, "billing_group_id"},
		"no project id":                        {post, list, `{"billing_group_id":"x","tags":{}}`, 400, "project_id"},
		"tags that are null":                   {post, list, `{"project_id":"new","billing_group_id":"x","tags":null}`, 400, "tags"},
		"an unknown billing group":             {post, list, `{"project_id":"new","billing_group_id":"x","tags":{}}`, 404, "Billing group does not exist"},
		"an unknown parent":                    {post, list, with(`,"parent_id":"nope"`), 404, "Organization or organizational unit does not exist"},
		"a port that is too low":               {post, list, with(`,"base_port":9999`), 400, "base_port"},
		"a port that is too high":              {post, list, with(`,"base_port":30001`), 400, "base_port"},
		"a bad address":                        {post, list, with(`,"tech_emails":[{"email":"x"}]`), 400, "tech_emails"},
		"an unknown key":                       {post, list, with(`,"cloud":"aws-eu-west-1"`), 400, "cloud"},
		"a bad name":                           {post, list, `{"project_id":"a b","billing_group_id":"` + id.group + `","tags":{}}`, 400, "a b"},
		"a name that is taken":                 {post, list, `{"project_id":"` + proj + `","billing_group_id":"` + id.group + `","tags":{}}`, 409, "already exists"},
		"moving to an unknown organization":    {patch, one, `{"organization_id":"nope"}`, 404, "Organization does not exist"},
		"moving to an unknown parent":          {patch, one, `{"parent_id":"nope"}`, 404, "Organization or organizational unit does not exist"},
		"moving to an unknown billing group":   {patch, one, `{"billing_group_id":"nope"}`, 404, "Billing group does not exist"},
		"a bad tag":                            {patch, one, `{"tags":{"1":"x"}}`, 400, "tag"},
		"a bad new name":                       {patch, one, `{"project_name":""}`, 400, "project name"},
		"a key of the other side":              {patch, one, `{"vat_id":"x"}`, 400, "vat_id"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := only(t)
			before := h.getProject(t, proj)
			assertRefused(t, h, "x", c)
			assert.Equal(t, before, h.getProject(t, proj))
			assert.Empty(t, h.Resources())
		})
	}
}
