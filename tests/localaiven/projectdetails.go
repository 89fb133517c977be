package localaiven

import (
	"regexp"
	"slices"
	"strings"

	client "github.com/aiven/go-client-codegen/handler/project"
)

// The bounds of what a project takes. Those of emails, addresses and ports are what the public operator accepts.
const (
	minBasePort, maxBasePort = 10000, 30000
	maxEmails, maxEmail      = 10, 254
	maxText, maxLine         = 1000, 256
	maxVatID, maxZipCode     = 64, 32
)

var projectName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,63}$`)

// projectDetails are what a client can set. Lists and maps aren't changed in place.
type projectDetails struct {
	group                            billingGroup
	cardID                           string // empty is none
	cloud, country, currency         string
	billingAddress, extraText, vatID string
	company, city, state, zipCode    string
	addressLines                     []string
	billingEmails, techEmails        []techEmail
	tags                             map[string]string
	basePort                         int
	balance                          string // what is still to be paid
}

// projectChange is a request; what is nil stays as it is.
type projectChange struct {
	client.ProjectUpdateIn
	parent   *string
	basePort *int
}

// newDetails are those of a project without any settings.
func (a *account) newDetails(name string) projectDetails {
	return projectDetails{
		group: a.firstGroup(), cloud: defaultCloud, country: defaultCountry,
		currency: defaultCurrency, addressLines: []string{}, billingEmails: []techEmail{}, techEmails: []techEmail{},
		tags: map[string]string{}, basePort: defaultBasePort(name), balance: noBalance,
	}
}

// defaultBasePort is random at Aiven, and the same for each name here.
func defaultBasePort(name string) int {
	spread := 0
	for _, digit := range digest(name, 8) {
		spread = (spread*31 + int(digit)) % (maxBasePort - minBasePort + 1)
	}
	return minBasePort + spread
}

// change applies a request to details of their own. After an error they are of no use. The caller holds the account's mu.
func (d *projectDetails) change(in projectChange, a *account) *apiError {
	for _, apply := range []func(projectChange, *account) *apiError{d.belong, d.place, d.label, d.bill, d.write} {
		if fail := apply(in, a); fail != nil {
			return fail
		}
	}
	return nil
}

// belong applies whose project it is, and who pays.
func (d *projectDetails) belong(in projectChange, a *account) *apiError {
	if in.AccountId != nil && *in.AccountId != a.id {
		return notFound("Account")
	}
	if fail := a.parent(in.parent); fail != nil {
		return fail
	}
	if in.BillingGroupId != nil {
		group, fail := a.group(*in.BillingGroupId)
		if fail != nil {
			return fail
		}
		d.group = group
	}
	if in.CardId != nil {
		if a.card(*in.CardId) == nil {
			return notFound("Credit card")
		}
		d.cardID = *in.CardId
	}
	return nil
}

// place applies the cloud and the ports of future services.
func (d *projectDetails) place(in projectChange, _ *account) *apiError {
	if in.Cloud != nil {
		if fail := cloud(*in.Cloud); fail != nil {
			return fail
		}
		d.cloud = *in.Cloud
	}
	if n := in.basePort; n != nil {
		if *n < minBasePort || *n > maxBasePort {
			return badRequest("Invalid base_port %d: must be %d to %d", *n, minBasePort, maxBasePort)
		}
		d.basePort = *n
	}
	return nil
}

// label applies tags and email addresses. Each list replaces the one before.
func (d *projectDetails) label(in projectChange, _ *account) *apiError {
	var fail *apiError
	if in.Tags != nil {
		if d.tags, fail = checkTags(*in.Tags); fail != nil {
			return fail
		}
	}
	if in.TechEmails != nil {
		if d.techEmails, fail = emails("tech_emails", *in.TechEmails); fail != nil {
			return fail
		}
	}
	if in.BillingEmails != nil {
		d.billingEmails, fail = emails("billing_emails", *in.BillingEmails)
	}
	return fail
}

// emails checks a list of addresses. The domain is in lower case, and each is in it once.
func emails[T client.TechEmailIn | client.BillingEmailIn](key string, in []T) ([]techEmail, *apiError) {
	if len(in) > maxEmails {
		return nil, badRequest("Invalid %s: must be at most %d", key, maxEmails)
	}
	out := []techEmail{}
	for _, item := range in {
		address := techEmail(item).Email
		if !email.MatchString(address) || len(address) > maxEmail {
			return nil, badRequest("Invalid %s: '%s' is not an email address", key, address)
		}
		user, domain, _ := strings.Cut(address, "@")
		if e := (techEmail{user + "@" + strings.ToLower(domain)}); !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	return out, nil
}

// bill applies country and currency.
func (d *projectDetails) bill(in projectChange, _ *account) *apiError {
	if in.CountryCode != nil {
		if !isCountry(*in.CountryCode) {
			return badRequest("Invalid country_code '%s': must be one of ISO 3166, such as FI", *in.CountryCode)
		}
		d.country = *in.CountryCode
	}
	if in.BillingCurrency != "" {
		choices := client.BillingCurrencyTypeChoices()
		if !slices.Contains(choices, string(in.BillingCurrency)) {
			return badRequest("Invalid billing_currency '%s': must be one of %s", in.BillingCurrency, strings.Join(choices, ", "))
		}
		d.currency = string(in.BillingCurrency)
	}
	return nil
}

// write applies the texts of an invoice.
func (d *projectDetails) write(in projectChange, _ *account) *apiError {
	for _, t := range []struct {
		key  string
		from *string
		to   *string
		most int
	}{
		{"billing_address", in.BillingAddress, &d.billingAddress, maxText},
		{"billing_extra_text", in.BillingExtraText, &d.extraText, maxText},
		{"city", in.City, &d.city, maxLine},
		{"company", in.Company, &d.company, maxLine},
		{"state", in.State, &d.state, maxLine},
		{"vat_id", in.VatId, &d.vatID, maxVatID},
		{"zip_code", in.ZipCode, &d.zipCode, maxZipCode},
	} {
		if t.from == nil {
			continue
		}
		if len(*t.from) > t.most {
			return badRequest("Invalid %s: must be at most %d characters long", t.key, t.most)
		}
		*t.to = *t.from
	}
	if in.AddressLines == nil {
		return nil
	}
	d.addressLines = []string{}
	for _, line := range *in.AddressLines {
		if len(line) > maxLine {
			return badRequest("Invalid address_lines: must be at most %d characters long each", maxLine)
		}
		d.addressLines = append(d.addressLines, line)
	}
	return nil
}
