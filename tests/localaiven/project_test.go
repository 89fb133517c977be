package localaiven_test

import (
	"net/http"
	"testing"

	aiven "github.com/aiven/go-client-codegen"
	"github.com/aiven/go-client-codegen/handler/organizationprojects"
	"github.com/aiven/go-client-codegen/handler/project"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
	"github.com/aero-operator/aero/tests/localaiven/admin"
)

const patch = http.MethodPatch

func (h *harness) createProject(t testing.TB, in project.ProjectCreateIn) *project.ProjectCreateOut {
	t.Helper()
	out, err := h.client.ProjectCreate(t.Context(), &in) //nolint:staticcheck // deprecated, and still what clients call
	require.NoError(t, err)
	return out
}

func (h *harness) updateProject(t testing.TB, name string, in project.ProjectUpdateIn) *project.ProjectUpdateOut {
	t.Helper()
	out, err := h.client.ProjectUpdate(t.Context(), name, &in) //nolint:staticcheck // deprecated, and still what clients call
	require.NoError(t, err)
	return out
}

func (h *harness) getProject(t testing.TB, name string) *project.ProjectGetOut {
	t.Helper()
	out, err := h.client.ProjectGet(t.Context(), name) //nolint:staticcheck // deprecated, and still what clients call
	require.NoError(t, err)
	return out
}

func (h *harness) deleteProject(t testing.TB, name string) error {
	t.Helper()
	return h.client.ProjectDelete(t.Context(), name) //nolint:staticcheck // deprecated, and still what clients call
}

// only lets no project exist that isn't created or named my-project.
func only(t testing.TB) *harness {
	t.Helper()
	return start(t, localaiven.Options{Projects: []string{proj}, ProvisionTime: provision})
}

func TestLifeOfAProject(t *testing.T) {
	t.Parallel()
	h := only(t)
	assertRefused(t, h, "x", badCall{get, "/v1/project/new", "", 404, "Project does not exist"})
	assert.Empty(t, h.Resources())
	h.createProject(t, project.ProjectCreateIn{Project: "new"})
	assert.Equal(t, []localaiven.Resource{{Type: "project", ID: "new"}}, h.Resources())
	assert.Equal(t, "new", h.getProject(t, "new").ProjectName)
	_, err := h.client.ServiceList(t.Context(), "new")
	require.NoError(t, err)
	_, err = h.client.ProjectCreate(t.Context(), &project.ProjectCreateIn{Project: "new"}) //nolint:staticcheck // deprecated, and still what clients call
	assert.True(t, aiven.IsAlreadyExists(err), "%v", err)

	require.NoError(t, h.deleteProject(t, "new"))
	assert.Empty(t, h.Resources())
	for _, path := range []string{"", "/service", "/vpcs", "/kms/ca"} {
		assertRefused(t, h, "x", badCall{get, "/v1/project/new" + path, "", 404, "Project does not exist"})
	}
	assert.True(t, aiven.IsNotFound(h.deleteProject(t, "new")))
	h.createProject(t, project.ProjectCreateIn{Project: "new"})
}

func TestAProjectShowsWhatWasSet(t *testing.T) {
	t.Parallel()
	h := only(t)
	id := h.ids(t)
	h.createProject(t, project.ProjectCreateIn{
		Project: "new", AccountId: &id.account, BillingGroupId: &id.group, CardId: &id.card, BillingAddress: ptr("Here 1"),
		BillingCurrency: project.BillingCurrencyTypeEur, BillingEmails: &[]project.BillingEmailIn{{Email: "pay@Example.com"}},
		BillingExtraText: ptr("cost centre 7"), Cloud: ptr("aws-eu-west-1"), CountryCode: ptr("DE"), VatId: ptr("DE1"),
		TechEmails: &[]project.TechEmailIn{{Email: "Tech@example.com"}, {Email: "Tech@EXAMPLE.com"}},
		Tags:       &map[string]string{"team": "a"}, AddressLines: &[]string{"Here", "1"}, City: ptr("Berlin"),
		Company: ptr("Us"), State: ptr("BE"), ZipCode: ptr("10115"), AddAccountOwnersAdminAccess: ptr(true),
	})
	got := h.getProject(t, "new")
	assert.Equal(t, []string{
		id.account, id.group, id.card, "Here 1", "EUR", "cost centre 7", "aws-eu-west-1", "DE", "Germany", "DE1", "Berlin", "Us", "BE", "10115",
	}, []string{
		got.AccountId, got.BillingGroupId, got.CardInfo.CardId, got.BillingAddress, string(got.BillingCurrency), *got.BillingExtraText,
		got.DefaultCloud, got.CountryCode, got.Country, got.VatId, *got.City, *got.Company, *got.State, *got.ZipCode,
	})
	assert.Equal(t, []project.BillingEmailOut{{Email: "pay@example.com"}}, got.BillingEmails)
	assert.Equal(t, []project.TechEmailOut{{Email: "Tech@example.com"}}, got.TechEmails, "the domain in lower case, and once")
	assert.Equal(t, map[string]string{"team": "a"}, got.Tags)
	assert.Equal(t, []string{"Here", "1"}, got.AddressLines)

	_, err := h.client.ServiceCreate(t.Context(), "new", &service.ServiceCreateIn{ServiceName: svcName, ServiceType: "pg", Plan: "startup-4"})
	require.NoError(t, err)
	svc, err := h.client.ServiceGet(t.Context(), "new", svcName)
	require.NoError(t, err)
	assert.Equal(t, "aws-eu-west-1", svc.CloudName, "services are where their project is")
}

func TestAnUpdateChangesWhatItNames(t *testing.T) {
	t.Parallel()
	h := only(t)
	h.createProject(t, project.ProjectCreateIn{
		Project: "new", VatId: ptr("DE1"), Tags: &map[string]string{"a": "1", "b": "2"}, CountryCode: ptr("DE"),
	})
	out := h.updateProject(t, "new", project.ProjectUpdateIn{Tags: &map[string]string{"a": "3"}, CountryCode: ptr("SE")})
	assert.Equal(t, map[string]string{"a": "3"}, out.Tags, "tags are replaced")
	assert.Equal(t, "Sweden", out.Country)
	assert.Equal(t, "DE1", out.VatId, "what isn't named stays")

	assertRefused(t, h, "x", badCall{put, "/v1/project/new", `{"vat_id":"SE1","country_code":"XX"}`, 400, "country_code"})
	assertRefused(t, h, "x", badCall{put, "/v1/project/new", `{"vat_id":"SE1","project_name":"my-project"}`, 409, "already exists"})
	assert.Equal(t, "DE1", h.getProject(t, "new").VatId, "a refused change changes nothing")
	assert.Equal(t, map[string]string{}, h.updateProject(t, "new", project.ProjectUpdateIn{Tags: &map[string]string{}}).Tags)
}

func TestARenamedProjectKeepsWhatItHas(t *testing.T) {
	t.Parallel()
	h := only(t)
	ctx := t.Context()
	h.createProject(t, project.ProjectCreateIn{Project: "old", VatId: ptr("DE1")})
	ca, err := h.client.ProjectKmsGetCA(ctx, "old")
	require.NoError(t, err)
	out := h.updateProject(t, "old", project.ProjectUpdateIn{ProjectName: ptr("new"), City: ptr("Turku")})
	assert.Equal(t, []string{"new", "DE1", "Turku"}, []string{out.ProjectName, out.VatId, *out.City})
	same, err := h.client.ProjectKmsGetCA(ctx, "new")
	require.NoError(t, err)
	assert.Equal(t, ca, same)
	assert.Equal(t, []localaiven.Resource{{Type: "project", ID: "new"}}, h.Resources())
	assertRefused(t, h, "x", badCall{get, "/v1/project/old", "", 404, "Project does not exist"})

	_, err = h.client.ServiceCreate(ctx, "new", &service.ServiceCreateIn{ServiceName: svcName, ServiceType: "pg", Plan: "startup-4"})
	require.NoError(t, err)
	assertRefused(t, h, "x", badCall{put, "/v1/project/new", `{"project_name":"third"}`, 409, svcName})
	assertRefused(t, h, "x", badCall{get, "/v1/project/third", "", 404, "Project does not exist"})
	assert.Equal(t, "new", h.getProject(t, "new").ProjectName)
	assert.Equal(t, "new", h.updateProject(t, "new", project.ProjectUpdateIn{ProjectName: ptr("new")}).ProjectName, "its own name is no new one")

	h.createProject(t, project.ProjectCreateIn{Project: "old"})
	other, err := h.client.ProjectKmsGetCA(ctx, "old")
	require.NoError(t, err)
	assert.NotEqual(t, ca, other, "the old name is that of another project")
}

func TestACopyOfAProject(t *testing.T) {
	t.Parallel()
	h := only(t)
	id := h.ids(t)
	h.createProject(t, project.ProjectCreateIn{Project: "source", VatId: ptr("DE1"), City: ptr("Berlin"), Tags: &map[string]string{"a": "1", "b": "2"}})
	require.NoError(t, h.PatchProject("source", "1.00"))
	of := func(in project.ProjectCreateIn) *project.ProjectCreateOut {
		in.CopyFromProject = ptr("source")
		return h.createProject(t, in)
	}
	plain := of(project.ProjectCreateIn{Project: "plain", City: ptr("Turku")})
	assert.Equal(t, []string{"DE1", "Turku"}, []string{plain.VatId, *plain.City}, "the request wins")
	assert.Equal(t, "0.00", plain.EstimatedBalance, "debts stay where they are")
	assert.Empty(t, plain.Tags, "tags are copied for who asks for them")
	tagged := of(project.ProjectCreateIn{Project: "tagged", CopyTags: ptr(true), Tags: &map[string]string{"b": "3", "c": "4"}})
	assert.Equal(t, map[string]string{"a": "1", "b": "3", "c": "4"}, tagged.Tags)
	assert.Equal(t, map[string]string{"a": "1", "b": "2"}, h.getProject(t, "source").Tags)

	shared := of(project.ProjectCreateIn{Project: "shared", UseSourceProjectBillingGroup: ptr(true)})
	assert.Equal(t, id.group, shared.BillingGroupId)
	assert.NotEqual(t, id.group, plain.BillingGroupId, "else the billing group is a copy")
	groups := h.billingGroups(t)
	require.Len(t, groups, 3)
	assert.Equal(t, []string{id.group, plain.BillingGroupId, tagged.BillingGroupId},
		[]string{groups[0].BillingGroupId, groups[1].BillingGroupId, groups[2].BillingGroupId})
	assert.Contains(t, h.Resources(), localaiven.Resource{Type: "billing_group", ID: "Local#" + plain.BillingGroupId})
	assertRefused(t, h, "x", badCall{post, "/v1/project", `{"project":"plain","copy_from_project":"source"}`, 409, "already exists"})
	assert.Len(t, h.billingGroups(t), 3, "a refused project leaves no billing group")
}

func TestAProjectThatIsNotEmptyStays(t *testing.T) {
	t.Parallel()
	h := only(t)
	h.create(t, service.ServiceCreateIn{})
	network := h.createVPC(t, "10.0.0.0/24").ProjectVpcId
	refused := func(message string, status ...int) {
		t.Helper()
		status = append(status, 409)
		assertRefused(t, h, "x", badCall{del, "/v1/project/" + proj, "", status[0], message})
		assertRefused(t, h, "x", badCall{del, "/v1/organization/" + h.ids(t).organization + "/project/" + proj, "", status[0], message})
	}
	refused(svcName)
	require.NoError(t, h.client.ServiceDelete(t.Context(), proj, svcName))
	refused(network)
	_, err := h.client.VpcDelete(t.Context(), proj, network)
	require.NoError(t, err)
	refused(network)
	h.clock.Advance(provision)

	console := admin.Client{URL: h.url}
	require.NoError(t, console.PatchProject(t.Context(), proj, "12.50"))
	assert.Equal(t, "12.50", h.getProject(t, proj).EstimatedBalance)
	refused("12.50", 403)
	require.NoError(t, h.PatchProject(proj, "0.00"))
	require.NoError(t, h.deleteProject(t, proj))
	assertRefused(t, h, "x", badCall{get, servicesPath, "", 404, "Project does not exist"})
}

func TestAnyNameIsAProjectUntilOneIsDeleted(t *testing.T) {
	t.Parallel()
	h := start(t, localaiven.Options{})
	_, err := h.client.ServiceList(t.Context(), "only-read")
	require.NoError(t, err)
	for _, path := range []string{"/v1/project/only-read", "/v1/organization/" + h.ids(t).organization + "/project/only-read"} {
		assertRefused(t, h, "x", badCall{get, path, "", 404, "Project does not exist"})
		assertRefused(t, h, "x", badCall{del, path, "", 404, "Project does not exist"})
	}
	assertRefused(t, h, "x", badCall{put, "/v1/project/only-read", "{}", 404, "Project does not exist"})
	h.createProject(t, project.ProjectCreateIn{Project: "only-read"})
	h.create(t, service.ServiceCreateIn{})
	used := `{"project":"` + proj + `"}`
	assertRefused(t, h, "x", badCall{post, "/v1/project", used, 409, "already exists"})
	require.NoError(t, h.client.ServiceDelete(t.Context(), proj, svcName))
	assertRefused(t, h, "x", badCall{post, "/v1/project", used, 409, "already exists"})
	assert.Equal(t, []localaiven.Resource{{Type: "project", ID: "only-read"}}, h.Resources(), "what is only used isn't listed")

	require.NoError(t, h.deleteProject(t, proj))
	assertRefused(t, h, "x", badCall{get, servicesPath, "", 404, "Project does not exist"})
	assertRefused(t, h, "x", badCall{post, servicesPath, `{"service_name":"a","service_type":"pg","plan":"startup-4"}`, 404, "Project does not exist"})
	h.createProject(t, project.ProjectCreateIn{Project: proj})
	h.create(t, service.ServiceCreateIn{})
	assertRefused(t, h, "x", badCall{put, "/v1/project/" + proj, `{"project_name":"free"}`, 409, svcName})
	h.createProject(t, project.ProjectCreateIn{Project: "free"}) // a rename that failed leaves the name as it was
}

func TestAListedProjectThatWasDeletedCanBeCreated(t *testing.T) {
	t.Parallel()
	h := only(t)
	assertRefused(t, h, "x", badCall{post, "/v1/project", `{"project":"` + proj + `"}`, 409, "already exists"})
	require.NoError(t, h.deleteProject(t, proj))
	assertRefused(t, h, "x", badCall{get, servicesPath, "", 404, "Project does not exist"})
	h.createProject(t, project.ProjectCreateIn{Project: proj})
	h.create(t, service.ServiceCreateIn{})
}

func TestProjectsAreListed(t *testing.T) {
	t.Parallel()
	h := only(t)
	ctx, id := t.Context(), h.ids(t)
	all, err := h.client.OrganizationProjectsList(ctx, id.organization)
	require.NoError(t, err)
	assert.Equal(t, 1, all.TotalProjectCount, "one that no request named yet")
	h.createProject(t, project.ProjectCreateIn{Project: "copy", CopyFromProject: ptr(proj), Tags: &map[string]string{"a": "b"}})
	h.createProject(t, project.ProjectCreateIn{Project: "gone"})
	require.NoError(t, h.deleteProject(t, "gone"))
	list, err := h.client.ProjectList(ctx) //nolint:staticcheck // deprecated, and still what clients call
	require.NoError(t, err)
	require.Len(t, list.Projects, 2)
	assert.Equal(t, []string{"copy", proj}, []string{list.Projects[0].ProjectName, list.Projects[1].ProjectName})
	assert.Equal(t, map[string]string{"a": "b"}, list.Projects[0].Tags)
	assert.Equal(t, map[string]project.ProjectMembershipType{"copy": "admin", proj: "admin"}, list.ProjectMembership)
	assert.Equal(t, map[string][]string{"copy": {"admin"}, proj: {"admin"}}, list.ProjectMemberships)

	all, err = h.client.OrganizationProjectsList(ctx, id.organization)
	require.NoError(t, err)
	assert.Equal(t, 2, all.TotalProjectCount)
	paid, err := h.client.OrganizationProjectsList(ctx, id.organization, organizationprojects.OrganizationProjectsListBillingGroupId(id.group))
	require.NoError(t, err)
	require.Len(t, paid.Projects, 1)
	assert.Equal(t, proj, paid.Projects[0].ProjectId)
	assertRefused(t, h, "x", badCall{get, "/v1/organization/nope/projects", "", 404, "Organization does not exist"})

	open := start(t, localaiven.Options{})
	_, err = open.client.ServiceList(ctx, proj)
	require.NoError(t, err)
	list, err = open.client.ProjectList(ctx) //nolint:staticcheck // deprecated, and still what clients call
	require.NoError(t, err)
	assert.Empty(t, list.Projects, "a name that was only read isn't listed")
}
