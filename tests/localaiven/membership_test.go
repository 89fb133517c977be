package localaiven_test

import (
	"testing"

	"github.com/aiven/go-client-codegen/handler/project"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

func TestACreatorBecomesAMemberOfAProjectLater(t *testing.T) {
	t.Parallel()
	h := start(t, localaiven.Options{MembershipTime: provision})
	h.createProject(t, project.ProjectCreateIn{Project: "new"})
	for _, path := range []string{"/v1/project/new", "/v1/project/new/service", "/v1/project/new/kms/ca", "/v1/organization/" + h.ids(t).organization + "/project/new"} {
		assertRefused(t, h, "x", badCall{get, path, "", 403, "Not a project member"})
	}
	assertRefused(t, h, "x", badCall{post, "/v1/project", `{"project":"new"}`, 409, "already exists"})
	h.create(t, service.ServiceCreateIn{})
	assert.Equal(t, []string{proj}, h.memberOf(t))
	h.clock.Advance(provision)
	assert.Equal(t, "new", h.getProject(t, "new").ProjectName)
	assert.Equal(t, []string{proj, "new"}, h.memberOf(t))
}

func TestNamesOfOtherOrganizationsAreTaken(t *testing.T) {
	t.Parallel()
	h := start(t, localaiven.Options{ForeignProjects: []string{"theirs"}})
	assertRefused(t, h, "x", badCall{get, "/v1/project/theirs", "", 403, "Not a project member"})
	assertRefused(t, h, "x", badCall{get, "/v1/project/theirs/service/x", "", 403, "Not a project member"})
	assertRefused(t, h, "x", badCall{post, "/v1/project", `{"project":"theirs"}`, 409, "already exists"})
	h.createProject(t, project.ProjectCreateIn{Project: "ours"})
	assertRefused(t, h, "x", badCall{put, "/v1/project/ours", `{"project_name":"theirs"}`, 409, "already exists"})
	assert.NotContains(t, h.ofType("project"), "theirs")
}

func TestATokenIsDeniedProjects(t *testing.T) {
	t.Parallel()
	h := start(t, localaiven.Options{Projects: []string{proj, "second"}, DeniedProjects: map[string][]string{"x": {"second"}}})
	for token, of := range map[string]string{"x": proj, "y": "second"} {
		status, _ := h.send(t, get, "/v1/project/"+of+"/service", token, "")
		assert.Equal(t, 200, status)
	}
	assertRefused(t, h, "x", badCall{get, "/v1/project/second/service", "", 403, "Not a project member"})
	for _, end := range []string{"source", "dest"} {
		body := `{"integration_type":"kafka_logs","source_service":"a","dest_service":"b","` + end + `_project":"second"}`
		assertRefused(t, h, "x", badCall{post, "/v1/project/" + proj + "/integration", body, 403, "Not a project member"})
		assertRefused(t, h, "y", badCall{post, "/v1/project/" + proj + "/integration", body, 404, "does not exist"})
	}
}

func TestBillingFieldsOfAProjectCanBeLeftOut(t *testing.T) {
	t.Parallel()
	h := start(t, localaiven.Options{Variants: localaiven.Variants{OmitBilling: true}})
	made := h.createProject(t, project.ProjectCreateIn{Project: "new", BillingAddress: ptr("Street 1"), BillingExtraText: ptr("text"), CountryCode: ptr("FI")})
	assert.Empty(t, made.BillingAddress)
	assert.Empty(t, made.CountryCode)
	assert.Empty(t, made.BillingCurrency)
	assert.Empty(t, *made.BillingExtraText)
}

// memberOf are the projects that the caller is a member of.
func (h *harness) memberOf(t *testing.T) []string {
	t.Helper()
	list, err := h.client.ProjectList(t.Context()) //nolint:staticcheck // deprecated, and still what clients call
	require.NoError(t, err)
	var names []string
	for i := range list.Projects {
		names = append(names, list.Projects[i].ProjectName)
	}
	return names
}
