package localaiven

import (
	"sync"
	"time"

	client "github.com/aiven/go-client-codegen/handler/organization"

	"github.com/aero-operator/aero/tests/localaiven/lag"
)

// What the account and its owner are called.
const (
	accountName = "Local"
	ownerEmail  = "owner@example.com"
	tenant      = "aiven"
)

// account is what all projects belong to. Aiven shows it from two sides, as an account and as an organization, and each
// has an id of its own.
type account struct {
	id, organization string
	created          time.Time
	cards            []card // the same at all times

	// mu guards what is below, and lets only one call at a time create, change or delete projects. It is taken before all
	// other locks.
	mu     sync.Mutex
	groups []billingGroup
	steps  []pipelineStep
	past   lag.History[[]pipelineStep]
	// pastGroups are the billing groups for readers that lag behind.
	pastGroups lag.History[[]billingGroup]
}

func newAccount(now time.Time, behind time.Duration) *account {
	a := &account{
		id: "a" + digest("account", 12), organization: "org" + digest("account", 12), created: now,
		past:       lag.History[[]pipelineStep]{Lag: behind},
		pastGroups: lag.History[[]billingGroup]{Lag: behind},
	}
	a.cards = []card{{
		Brand: "visa", CardID: digest("card", 24), Country: countryName(defaultCountry), CountryCode: defaultCountry,
		ExpMonth: 12, ExpYear: now.Year() + 5, Last4: "4242", Name: accountName, UserEmail: ownerEmail,
	}}
	a.groups = []billingGroup{a.firstGroup()}
	return a
}

// parent checks the id of what a project is to belong to. Both forms are accepted.
func (a *account) parent(id *string) *apiError {
	if id != nil && *id != a.id && *id != a.organization {
		return notFound("Organization or organizational unit")
	}
	return nil
}

// organizationOf checks the organization in the path of a call.
func (s *Server) organizationOf(c *call) *apiError {
	if c.param("organization") != s.account.organization {
		return notFound("Organization")
	}
	return nil
}

type accountBody struct {
	AccessSource          string         `json:"access_source"`
	AccountID             string         `json:"account_id"`
	AccountName           string         `json:"account_name"`
	AccountOwnerTeamID    string         `json:"account_owner_team_id"`
	CreateTime            string         `json:"create_time"`
	Features              map[string]any `json:"features"`
	IsAccountMember       bool           `json:"is_account_member"`
	IsAccountOwner        bool           `json:"is_account_owner"`
	OrganizationID        string         `json:"organization_id"`
	ParentAccountID       *string        `json:"parent_account_id"`
	PrimaryBillingGroupID *string        `json:"primary_billing_group_id"` // Aiven's is always null
	RootAccountID         string         `json:"root_account_id"`
	TenantID              string         `json:"tenant_id"`
	UpdateTime            string         `json:"update_time"`
}

func (s *Server) accountGet(c *call) (any, *apiError) {
	a := s.account
	if c.param("account") != a.id {
		return nil, notFound("Account")
	}
	return map[string]any{"account": accountBody{
		AccessSource: "team_membership", AccountID: a.id, AccountName: accountName, AccountOwnerTeamID: "at" + digest("owners", 12),
		CreateTime: timestamp(a.created), Features: map[string]any{}, IsAccountMember: true, IsAccountOwner: true,
		OrganizationID: a.organization, RootAccountID: a.id, TenantID: tenant, UpdateTime: timestamp(a.created),
	}}, nil
}

func (s *Server) organizationGet(c *call) (any, *apiError) {
	if fail := s.organizationOf(c); fail != nil {
		return nil, fail
	}
	return client.OrganizationGetOut{
		AccountId: s.account.id, OrganizationId: s.account.organization, OrganizationName: accountName,
		Tier: client.TierTypeBusiness, CreateTime: s.account.created, UpdateTime: s.account.created,
	}, nil
}
