package localaiven_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/aiven/go-client-codegen/handler/account"
	"github.com/aiven/go-client-codegen/handler/billinggroup"
	"github.com/aiven/go-client-codegen/handler/organization"
	"github.com/aiven/go-client-codegen/handler/organizationprojects"
	"github.com/aiven/go-client-codegen/handler/project"
	"github.com/aiven/go-client-codegen/handler/upgradepipeline"
	"github.com/aiven/go-client-codegen/handler/user"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

// ids are those of what every local Aiven has one of.
type ids struct{ account, organization, group, card string }

// ids finds them as a client does, which starts with the billing groups.
func (h *harness) ids(t testing.TB) ids {
	t.Helper()
	groups := h.billingGroups(t)
	require.NotEmpty(t, groups)
	got, err := h.client.AccountGet(t.Context(), groups[0].AccountId)
	require.NoError(t, err)
	cards := h.cards(t)
	require.NotEmpty(t, cards)
	return ids{got.AccountId, got.OrganizationId, groups[0].BillingGroupId, cards[0].CardId}
}

func (h *harness) billingGroups(t testing.TB) []billinggroup.BillingGroupOut {
	t.Helper()
	out, err := h.client.BillingGroupList(t.Context()) //nolint:staticcheck // deprecated, and still what clients call
	require.NoError(t, err)
	return out
}

func (h *harness) cards(t testing.TB) []user.CardOut {
	t.Helper()
	out, err := h.client.UserCreditCardsList(t.Context()) //nolint:staticcheck // deprecated, and still what clients call
	require.NoError(t, err)
	return out
}

func TestTheAccountAndTheOrganizationAreTwoSidesOfOneThing(t *testing.T) {
	t.Parallel()
	h := only(t)
	ctx, id := t.Context(), h.ids(t)
	got, err := h.client.OrganizationGet(ctx, id.organization)
	require.NoError(t, err)
	assert.Equal(t, id.account, got.AccountId)
	assert.Equal(t, id.organization, got.OrganizationId)
	assert.Equal(t, time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC), got.CreateTime)
	assert.NotEqual(t, id.account, id.organization)
	assert.Equal(t, id, start(t, localaiven.Options{}).ids(t), "ids are the same in each local Aiven")

	p, err := h.client.ProjectGet(ctx, proj) //nolint:staticcheck // deprecated, and still what clients call
	require.NoError(t, err)
	assert.Equal(t, []string{id.account, id.organization, id.group}, []string{p.AccountId, p.OrganizationId, p.BillingGroupId})
}

func TestACardKnowsItsProjects(t *testing.T) {
	t.Parallel()
	h := start(t, localaiven.Options{})
	id := h.ids(t)
	made := h.createProject(t, project.ProjectCreateIn{Project: "paid", CardId: &id.card})
	require.NotNil(t, made.CardInfo)
	assert.Equal(t, id.card, made.CardInfo.CardId)
	assert.Equal(t, "card", made.PaymentMethod)
	h.createProject(t, project.ProjectCreateIn{Project: "free"})
	cards := h.cards(t)
	require.Len(t, cards, 1)
	assert.Equal(t, []string{"paid"}, cards[0].Projects)
	assert.Equal(t, made.CardInfo.Last4, cards[0].Last4)
	assert.Equal(t, id.organization, *cards[0].OrganizationId)
}

func TestRefusedOutsideProjects(t *testing.T) {
	t.Parallel()
	h := start(t, localaiven.Options{})
	for name, c := range map[string]badCall{
		"an unknown account":                    {get, "/v1/account/nope", "", 404, "Account does not exist"},
		"an organization's id is no account's":  {get, "/v1/account/" + h.ids(t).organization, "", 404, "Account does not exist"},
		"an unknown organization":               {get, "/v1/organization/nope", "", 404, "Organization does not exist"},
		"an account's id is no organization's":  {get, "/v1/organization/" + h.ids(t).account, "", 404, "Organization does not exist"},
		"an unknown billing group of a project": {post, "/v1/project", `{"project":"x","billing_group_id":"nope"}`, 404, "Billing group does not exist"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assertRefused(t, h, "x", c)
		})
	}
}

func TestAnswersOutsideServicesHaveTheShapeOfThePublicClient(t *testing.T) {
	t.Parallel()
	h, steps := withPipeline(t)
	id := h.ids(t)
	projects := "/v1/organization/" + id.organization + "/project"
	body := `{"project_id":"new","billing_group_id":"` + id.group + `","tags":{"a":"b"},"tech_emails":[{"email":"a@example.com"}]}`
	for _, c := range []struct {
		name, method, path, body string
		shape                    any
	}{
		{"AccountGet", get, "/v1/account/" + id.account, "", struct{ Account account.AccountGetOut }{}},
		{"OrganizationGet", get, "/v1/organization/" + id.organization, "", organization.OrganizationGetOut{}},
		{"BillingGroupList", get, "/v1/billing-group", "", struct {
			Groups []billinggroup.BillingGroupOut `json:"billing_groups"`
		}{}},
		{"UserCreditCardsList", get, "/v1/card", "", struct{ Cards []user.CardOut }{}},
		{"ProjectCreate", post, "/v1/project", `{"project":"old","card_id":"` + id.card + `"}`, struct{ Project project.ProjectCreateOut }{}},
		{"ProjectUpdate", put, "/v1/project/old", `{"billing_emails":[{"email":"a@example.com"}]}`, struct{ Project project.ProjectUpdateOut }{}},
		{"ProjectGet", get, "/v1/project/old", "", struct{ Project project.ProjectGetOut }{}},
		{"OrganizationProjectsCreate", post, projects + "s", body, organizationprojects.OrganizationProjectsCreateOut{}},
		{"OrganizationProjectsUpdate", patch, projects + "/new", `{}`, organizationprojects.OrganizationProjectsUpdateOut{}},
		{"OrganizationProjectsGet", get, projects + "/new", "", organizationprojects.OrganizationProjectsGetOut{}},
		{"OrganizationProjectsList", get, projects + "s", "", organizationprojects.OrganizationProjectsListOut{}},
		{"ProjectList", get, "/v1/project", "", project.ProjectListOut{}},
		{"UpgradePipelineStepCreate", post, steps, stepBody("a", "b"), upgradepipeline.UpgradePipelineStepCreateOut{}},
		{"UpgradePipelineStepCreate again", post, steps, stepBody("b", "c"), upgradepipeline.UpgradePipelineStepCreateOut{}},
		{"UpgradePipelineStepValidate", post, servicesPath + "/a/upgrade-validation", `{"comment":"fine"}`, struct{}{}},
		{"UpgradePipelineStepList", get, steps + "?limit=1", "", upgradepipeline.UpgradePipelineStepListOut{}},
	} {
		status, answer := h.send(t, c.method, c.path, "x", c.body)
		require.Equal(t, 200, status, answer)
		assert.Empty(t, deviations(c.name, answer, reflect.TypeOf(c.shape)))
	}
	list := h.listSteps(t)
	for _, c := range []struct {
		method string
		shape  any
	}{
		{get, upgradepipeline.UpgradePipelineStepGetOut{}}, {patch, upgradepipeline.UpgradePipelineStepUpdateOut{}},
	} {
		status, answer := h.send(t, c.method, steps+"/"+list.Steps[0].StepId, "x", "")
		require.Equal(t, 200, status, answer)
		assert.Empty(t, deviations(c.method, answer, reflect.TypeOf(c.shape)))
	}
}
