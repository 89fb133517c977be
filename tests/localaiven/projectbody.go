package localaiven

// projectBody is a project as ProjectGet, ProjectCreate and ProjectUpdate show it.
type projectBody struct {
	AccountID             string            `json:"account_id"`
	AccountName           string            `json:"account_name"`
	AddressLines          []string          `json:"address_lines"`
	AvailableCredits      string            `json:"available_credits"`
	BillingAddress        string            `json:"billing_address"`
	BillingCurrency       string            `json:"billing_currency"`
	BillingEmails         []techEmail       `json:"billing_emails"`
	BillingExtraText      string            `json:"billing_extra_text"`
	BillingGroupID        string            `json:"billing_group_id"`
	BillingGroupName      string            `json:"billing_group_name"`
	CardInfo              *card             `json:"card_info"`
	City                  string            `json:"city"`
	Company               string            `json:"company"`
	Country               string            `json:"country"`
	CountryCode           string            `json:"country_code"`
	DefaultCloud          string            `json:"default_cloud"`
	EndOfLifeExtension    map[string]any    `json:"end_of_life_extension"`
	EstimatedBalance      string            `json:"estimated_balance"`
	EstimatedBalanceLocal string            `json:"estimated_balance_local"`
	Features              map[string]any    `json:"features"`
	OrganizationID        string            `json:"organization_id"`
	PaymentMethod         string            `json:"payment_method"`
	ProjectName           string            `json:"project_name"`
	State                 string            `json:"state"`
	Tags                  map[string]string `json:"tags"`
	TechEmails            []techEmail       `json:"tech_emails"`
	TenantID              string            `json:"tenant_id"`
	TrialExpirationTime   *string           `json:"trial_expiration_time"`
	VatID                 string            `json:"vat_id"`
	ZipCode               string            `json:"zip_code"`
}

// organizationProjectBody is the same project as its organization shows it.
type organizationProjectBody struct {
	AccountID          string            `json:"account_id"`
	BasePort           int               `json:"base_port"`
	BillingGroupID     string            `json:"billing_group_id"`
	EndOfLifeExtension map[string]any    `json:"end_of_life_extension"`
	Features           map[string]bool   `json:"features"`
	OrganizationID     string            `json:"organization_id"`
	ParentID           string            `json:"parent_id"` // the account's id, in whichever form it was given
	ProjectID          string            `json:"project_id"`
	Tags               map[string]string `json:"tags"`
	TechEmails         []techEmail       `json:"tech_emails"`
}

func (p *project) body(a *account) projectBody {
	p.mu.RLock()
	defer p.mu.RUnlock()
	d := p.details
	b := projectBody{
		AccountID: a.id, AccountName: accountName, AddressLines: d.addressLines, AvailableCredits: noBalance,
		BillingAddress: d.billingAddress, BillingCurrency: d.currency, BillingEmails: d.billingEmails,
		BillingExtraText: d.extraText, BillingGroupID: d.group.id, BillingGroupName: d.group.name, CardInfo: a.card(d.cardID),
		City: d.city, Company: d.company, Country: countryName(d.country), CountryCode: d.country, DefaultCloud: d.cloud,
		EndOfLifeExtension: map[string]any{}, EstimatedBalance: d.balance, EstimatedBalanceLocal: d.balance,
		Features: map[string]any{}, OrganizationID: a.organization, PaymentMethod: payNothing, ProjectName: p.name,
		State: d.state, Tags: d.tags, TechEmails: d.techEmails, TenantID: tenant, VatID: d.vatID, ZipCode: d.zipCode,
	}
	if b.CardInfo != nil {
		b.PaymentMethod = payByCard
	}
	return b
}

func (p *project) organizationBody(a *account) organizationProjectBody {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return organizationProjectBody{
		AccountID: a.id, BasePort: p.details.basePort, BillingGroupID: p.details.group.id, EndOfLifeExtension: map[string]any{},
		Features: map[string]bool{}, OrganizationID: a.organization, ParentID: a.id, ProjectID: p.name,
		Tags: p.details.tags, TechEmails: p.details.techEmails,
	}
}

// defaultCloud is where services go that don't say where.
func (p *project) defaultCloud() string {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.details.cloud
}
