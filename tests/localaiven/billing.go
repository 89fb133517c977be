package localaiven

import (
	"slices"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

const (
	defaultCountry  = "FI"
	defaultCurrency = "USD"
	noBalance       = "0.00"
)

// The ways to pay.
const (
	payByCard  = "card"
	payNothing = "no_payment_expected"
)

// billingGroup is who pays for projects. What a project's invoices say is kept with the project.
type billingGroup struct {
	id, name string
	created  time.Time
}

type billingGroupBody struct {
	AccountID             string      `json:"account_id"`
	AccountName           string      `json:"account_name"`
	AddressLines          []string    `json:"address_lines"`
	BillingAddressID      string      `json:"billing_address_id"`
	BillingContactEmails  []techEmail `json:"billing_contact_emails"`
	BillingCurrency       string      `json:"billing_currency"`
	BillingEmails         []techEmail `json:"billing_emails"`
	BillingExtraText      *string     `json:"billing_extra_text"`
	BillingGroupID        string      `json:"billing_group_id"`
	BillingGroupName      string      `json:"billing_group_name"`
	BillingType           string      `json:"billing_type"`
	CardInfo              *card       `json:"card_info"`
	City                  string      `json:"city"`
	Company               string      `json:"company"`
	Country               string      `json:"country"`
	CountryCode           string      `json:"country_code"`
	CreateTime            string      `json:"create_time"`
	EstimatedBalanceLocal string      `json:"estimated_balance_local"`
	EstimatedBalanceUSD   string      `json:"estimated_balance_usd"`
	PaymentMethod         string      `json:"payment_method"`
	ShippingAddressID     string      `json:"shipping_address_id"`
	State                 string      `json:"state"`
	VatID                 string      `json:"vat_id"`
	ZipCode               string      `json:"zip_code"`
}

// card is a credit card as a project shows it.
type card struct {
	Brand       string `json:"brand"`
	CardID      string `json:"card_id"`
	Country     string `json:"country"`
	CountryCode string `json:"country_code"`
	ExpMonth    int    `json:"exp_month"`
	ExpYear     int    `json:"exp_year"`
	Last4       string `json:"last4"`
	Name        string `json:"name"`
	UserEmail   string `json:"user_email"`
}

// cardBody is a credit card as its owner sees it.
type cardBody struct {
	Brand          string   `json:"brand"`
	CardID         string   `json:"card_id"`
	Country        string   `json:"country"`
	CountryCode    string   `json:"country_code"`
	ExpMonth       int      `json:"exp_month"`
	ExpYear        int      `json:"exp_year"`
	Last4          string   `json:"last4"`
	Name           string   `json:"name"`
	OrganizationID string   `json:"organization_id"`
	Projects       []string `json:"projects"`
}

// firstGroup is the one that the account came with. It pays for every project that names no other.
func (a *account) firstGroup() billingGroup {
	return billingGroup{newUUID("billing group"), accountName, a.created}
}

// group returns the billing group of this id. The caller holds mu.
func (a *account) group(id string) (billingGroup, *apiError) {
	if i := slices.IndexFunc(a.groups, func(g billingGroup) bool { return g.id == id }); i >= 0 {
		return a.groups[i], nil
	}
	return billingGroup{}, notFound("Billing group")
}

// card returns the credit card of this id; without one it is nil.
func (a *account) card(id string) *card {
	if i := slices.IndexFunc(a.cards, func(c card) bool { return c.CardID == id }); i >= 0 {
		return &a.cards[i]
	}
	return nil
}

// readGroups are the billing groups as the call sees them. The first was always there. The caller holds the account's mu.
func (s *Server) readGroups(c *call) []billingGroup {
	if !s.lags(c) {
		return s.account.groups
	}
	then, known := s.account.pastGroups.At(s.clock.Now().Add(-s.options.Eventual))
	if !known {
		return s.account.groups[:1]
	}
	return then
}

// addGroup adds a billing group. The caller holds the account's mu.
func (s *Server) addGroup(g billingGroup) {
	a := s.account
	a.groups = append(a.groups, g)
	a.pastGroups.Remember(s.clock.Now(), func() []billingGroup { return slices.Clone(a.groups) })
}

func (s *Server) billingGroupList(c *call) (any, *apiError) {
	a := s.account
	a.mu.Lock()
	defer a.mu.Unlock()
	out := []billingGroupBody{}
	for _, g := range s.readGroups(c) {
		out = append(out, billingGroupBody{
			AccountID: a.id, AccountName: accountName, AddressLines: []string{}, BillingAddressID: newUUID("address of " + g.id),
			BillingContactEmails: []techEmail{}, BillingCurrency: defaultCurrency, BillingEmails: []techEmail{},
			BillingGroupID: g.id, BillingGroupName: g.name, BillingType: "billing_group", Country: countryName(defaultCountry),
			CountryCode: defaultCountry, CreateTime: timestamp(g.created), EstimatedBalanceLocal: noBalance,
			EstimatedBalanceUSD: noBalance, PaymentMethod: payNothing, ShippingAddressID: newUUID("shipping address of " + g.id),
		})
	}
	return map[string]any{"billing_groups": out}, nil
}

func (s *Server) cardList(c *call) (any, *apiError) {
	users := map[string][]string{}
	for _, p := range s.projectsSeen(c) {
		p.mu.RLock()
		users[p.details.cardID] = append(users[p.details.cardID], p.name)
		p.mu.RUnlock()
	}
	out := []cardBody{}
	for _, c := range s.account.cards {
		out = append(out, cardBody{
			Brand: c.Brand, CardID: c.CardID, Country: c.Country, CountryCode: c.CountryCode, ExpMonth: c.ExpMonth,
			ExpYear: c.ExpYear, Last4: c.Last4, Name: c.Name, OrganizationID: s.account.organization,
			Projects: append([]string{}, users[c.CardID]...),
		})
	}
	return map[string]any{"cards": out}, nil
}

// isCountry reports whether the code is one of the two capital letters of ISO 3166-1.
func isCountry(code string) bool {
	region, err := language.ParseRegion(code)
	return err == nil && region.IsCountry() && region.String() == code
}

func countryName(code string) string {
	region, err := language.ParseRegion(code)
	if err != nil {
		return code
	}
	return display.English.Regions().Name(region)
}
