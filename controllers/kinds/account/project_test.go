package account

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	avnproject "github.com/aiven/go-client-codegen/handler/project"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

func newProject() *v1alpha1.Project {
	return &v1alpha1.Project{ObjectMeta: metav1.ObjectMeta{Namespace: aiventest.Namespace, Name: aiventest.Project}}
}

// projectAt is a project as Aiven returns it, with some fields changed.
func projectAt(changes aiventest.Object) any {
	return changed(aiventest.Object{
		"project_name": aiventest.Project, "account_id": "a1", "billing_group_id": "bg1", "default_cloud": "google-europe-west1",
		"tags": aiventest.Object{"team": "a"}, "tech_emails": []any{aiventest.Object{"email": "ops@example.com"}},
		"billing_emails": []any{aiventest.Object{"email": "pay@example.com"}}, "vat_id": "FI1", "country": "Finland",
		"available_credits": "1.00", "estimated_balance": "12.50", "payment_method": "card", "country_code": "FI",
		"card_info": aiventest.Object{"card_id": "card-1", "last4": "4242"},
	}, changes)
}

// ofProject is a project and a controller that has seen it; nil for one that doesn't exist.
func ofProject(t *testing.T, edit func(*v1alpha1.ProjectSpec), found any) (*world, boundTo[*v1alpha1.Project]) {
	w, s := newWorld(t), sides["Project"]
	w.On(s.list, s.listed())
	if found != nil {
		w.On(s.list, s.listed(found))
	}
	w.On(s.get, aiventest.Refused(http.StatusNotFound, "Project does not exist"))
	w.On("GET /v1/card", aiventest.OK(aiventest.Object{"cards": []any{
		aiventest.Object{"card_id": "card-1", "last4": "4242"}, aiventest.Object{"card_id": "card-2", "last4": "1111"},
		aiventest.Object{"card_id": "card-3", "last4": "1111"},
	}}))
	b := s.bind(w.client).(boundTo[*v1alpha1.Project])
	edit(&b.obj.Spec)
	return w, b
}

func TestProjectDiff(t *testing.T) {
	for name, tc := range map[string]struct {
		edit  func(*v1alpha1.ProjectSpec)
		found aiventest.Object
		want  []string
	}{
		"nothing is managed":     {edit: func(*v1alpha1.ProjectSpec) {}},
		"the same account":       {edit: func(s *v1alpha1.ProjectSpec) { s.AccountID = "a1" }},
		"another account":        {edit: func(s *v1alpha1.ProjectSpec) { s.AccountID = "a2" }, want: []string{"spec.accountId"}},
		"another billing group":  {edit: func(s *v1alpha1.ProjectSpec) { s.BillingGroupID = "bg2" }, want: []string{"spec.billingGroupId"}},
		"the same cloud":         {edit: func(s *v1alpha1.ProjectSpec) { s.Cloud = "google-europe-west1" }},
		"another cloud":          {edit: func(s *v1alpha1.ProjectSpec) { s.Cloud = "aws-eu-west-1" }, want: []string{"spec.cloud"}},
		"the card by its ID":     {edit: func(s *v1alpha1.ProjectSpec) { s.CardID = "card-1" }},
		"the card by its digits": {edit: func(s *v1alpha1.ProjectSpec) { s.CardID = "4242" }},
		"another card":           {edit: func(s *v1alpha1.ProjectSpec) { s.CardID = "1111" }, want: []string{"spec.cardId"}},
		"no card":                {edit: func(s *v1alpha1.ProjectSpec) { s.CardID = "4242" }, found: aiventest.Object{"card_info": nil}, want: []string{"spec.cardId"}},
		"the same tags":          {edit: func(s *v1alpha1.ProjectSpec) { s.Tags = map[string]string{"team": "a"} }},
		"a tag too many":         {edit: func(s *v1alpha1.ProjectSpec) { s.Tags = map[string]string{} }, want: []string{"spec.tags"}},
		"no tags on both sides":  {edit: func(s *v1alpha1.ProjectSpec) { s.Tags = map[string]string{} }, found: aiventest.Object{"tags": nil}},
		"addresses in another case and order": {edit: func(s *v1alpha1.ProjectSpec) {
			s.TechnicalEmails = []string{"z@EXAMPLE.com", "ops@Example.com", "ops@example.com"}
		}, found: aiventest.Object{"tech_emails": []any{aiventest.Object{"email": "ops@example.com"}, aiventest.Object{"email": "z@example.com"}}}},
		"the local part has a case":    {edit: func(s *v1alpha1.ProjectSpec) { s.TechnicalEmails = []string{"Ops@example.com"} }, want: []string{"spec.technicalEmails"}},
		"an address too many":          {edit: func(s *v1alpha1.ProjectSpec) { s.TechnicalEmails = []string{} }, want: []string{"spec.technicalEmails"}},
		"another address for invoices": {edit: func(s *v1alpha1.ProjectSpec) { s.BillingEmails = []string{"x@example.com"} }, want: []string{"spec.billingEmails"}},
		"what Aiven may not return":    {edit: deprecated, found: aiventest.Object{"country_code": "", "country": ""}},
		"what it was copied from":      {edit: func(s *v1alpha1.ProjectSpec) { s.CopyFromProject = "source" }},
	} {
		t.Run(name, func(t *testing.T) {
			_, b := ofProject(t, tc.edit, projectAt(tc.found))
			o, err := b.observe(t)
			require.NoError(t, err)
			assert.ElementsMatch(t, tc.want, o.Diff.Paths())
		})
	}
}

func deprecated(s *v1alpha1.ProjectSpec) {
	s.BillingAddress, s.BillingExtraText, s.BillingCurrency, s.CountryCode = "NYC", "cost center 7", "EUR", "DE"
}

func TestWhatAProjectSends(t *testing.T) {
	all := func(s *v1alpha1.ProjectSpec) {
		deprecated(s)
		s.AccountID, s.BillingGroupID, s.CardID, s.Cloud = "a2", "bg2", "4242", "aws-eu-west-1"
		s.Tags, s.TechnicalEmails, s.BillingEmails = map[string]string{"a": "b"}, []string{"Ops@EXAMPLE.com", "Ops@example.com"}, []string{}
	}
	const billing = `"billing_address":"NYC","billing_currency":"EUR","billing_emails":[],"billing_extra_text":"cost center 7",`
	const rest = `"billing_group_id":"bg2","card_id":"card-1","cloud":"aws-eu-west-1","country_code":"DE"`
	const lists = `"tags":{"a":"b"},"tech_emails":[{"email":"Ops@example.com"}]`
	for name, tc := range map[string]struct {
		edit   func(*v1alpha1.ProjectSpec)
		found  any
		afresh bool
		want   string
	}{
		"a bare project":               {func(*v1alpha1.ProjectSpec) {}, nil, false, `POST /v1/project {"project":"demo"}`},
		"all that there is":            {all, nil, false, `POST /v1/project {"account_id":"a2",` + billing + rest + `,"project":"demo",` + lists + `}`},
		"a copy keeps what it is left": {func(s *v1alpha1.ProjectSpec) { s.CopyFromProject = "source" }, nil, false, `POST /v1/project {"copy_from_project":"source","copy_tags":true,"project":"demo"}`},
		"a copy with its own tags": {func(s *v1alpha1.ProjectSpec) {
			s.CopyFromProject, s.Tags, s.Cloud = "source", map[string]string{}, "aws-eu-west-1"
		}, nil, false, `POST /v1/project {"cloud":"aws-eu-west-1","copy_from_project":"source","copy_tags":false,"project":"demo","tags":{}}`},
		"drift leaves the invoice alone": {func(s *v1alpha1.ProjectSpec) { deprecated(s); s.Cloud = "aws-eu-west-1" }, projectAt(nil), false, `PUT /v1/project/demo {"cloud":"aws-eu-west-1"}`},
		"a new generation has all of it": {all, projectAt(nil), true, `PUT /v1/project/demo {"account_id":"a2",` + billing + rest + `,` + lists + `}`},
		"lists that become empty": {func(s *v1alpha1.ProjectSpec) {
			s.Tags, s.TechnicalEmails = map[string]string{}, []string{}
		}, projectAt(nil), false, `PUT /v1/project/demo {"tags":{},"tech_emails":[]}`},
	} {
		t.Run(name, func(t *testing.T) {
			w, b := ofProject(t, tc.edit, tc.found)
			w.On("POST /v1/project", aiventest.OK(aiventest.Object{"project": projectAt(nil)}))
			w.On("PUT /v1/project/demo", aiventest.OK(aiventest.Object{"project": projectAt(nil)}))
			seen, err := b.observe(t)
			require.NoError(t, err)
			assert.Equal(t, tc.found != nil, seen.Remote.Exists)
			if !tc.afresh {
				seen.WriteOnly = nil // as the engine does for a generation that was applied
			}
			if tc.found == nil {
				_, err = b.create(t)
			} else {
				_, err = b.update(t, seen)
			}
			require.NoError(t, err)
			assert.Contains(t, w.Calls(), tc.want)
		})
	}
}

func TestWhatAivenKeepsInTheBillingGroupIsSentOnceAGeneration(t *testing.T) {
	_, b := ofProject(t, deprecated, projectAt(nil))
	o, err := b.observe(t)
	require.NoError(t, err)
	assert.Equal(t, []string{"spec.billingAddress", "spec.billingCurrency", "spec.billingExtraText", "spec.countryCode"}, o.WriteOnly)
	_, b = ofProject(t, func(*v1alpha1.ProjectSpec) {}, projectAt(nil))
	o, err = b.observe(t)
	require.NoError(t, err)
	assert.Empty(t, o.WriteOnly)
}

func TestTheCardOfAProject(t *testing.T) {
	for name, tc := range map[string]struct{ wanted, text string }{
		"by its ID":            {wanted: "card-2"},
		"unknown":              {wanted: "9999", text: `spec.cardId: of the credit cards of the token's user, none has the ID "9999", and 0 end in it`},
		"digits of two cards":  {wanted: "1111", text: "and 2 end in it. Set the ID of one"},
		"part of an ID":        {wanted: "card", text: "none has the ID"},
		"by the digits of one": {wanted: "4242"},
	} {
		t.Run(name, func(t *testing.T) {
			w, b := ofProject(t, func(s *v1alpha1.ProjectSpec) { s.CardID = tc.wanted }, nil)
			w.On("POST /v1/project", aiventest.OK(aiventest.Object{"project": projectAt(nil)}))
			_, err := b.observe(t)
			require.NoError(t, err)
			w.Calls()
			_, err = b.create(t)
			if tc.text == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tc.text)
			assert.Equal(t, fault.Invalid, fault.Of(err).Class)
			assert.Equal(t, []string{"GET /v1/card"}, w.Calls(), "nothing was sent")
		})
	}
}

func TestANameThatNoProjectCanHave(t *testing.T) {
	for _, name := range []string{"my.project", string(make([]byte, 64)), ".."} {
		w, b := ofProject(t, func(*v1alpha1.ProjectSpec) {}, nil)
		b.obj.Name = name
		_, err := b.observe(t)
		require.ErrorContains(t, err, "metadata.name: a project can't be named")
		assert.Equal(t, fault.Invalid, fault.Of(err).Class)
		assert.Empty(t, w.Calls())
	}
}

func TestTheStatusOfAProject(t *testing.T) {
	w, b := ofProject(t, func(*v1alpha1.ProjectSpec) {}, projectAt(nil))
	_, err := b.observe(t)
	require.NoError(t, err)
	want := v1alpha1.ProjectStatus{VatID: "FI1", Country: "Finland", AvailableCredits: "1.00", EstimatedBalance: "12.50", PaymentMethod: "card"}
	assert.Equal(t, want, b.obj.Status)
	w.On("GET /v1/project", sides["Project"].listed())
	w.now = w.now.Add(time.Hour)
	_, err = b.observe(t)
	require.NoError(t, err)
	assert.Equal(t, v1alpha1.ProjectStatus{}, b.obj.Status, "what is gone has none")
}

func TestABalanceThatMovesEnqueuesNothing(t *testing.T) {
	before := avnproject.ProjectOut{ProjectName: "a", EstimatedBalance: "1.00", EstimatedBalanceLocal: ptr.To("1.00"), AvailableCredits: ptr.To("5.00"), DefaultCloud: "x"}
	moved, edited := before, before
	moved.EstimatedBalance, moved.EstimatedBalanceLocal, moved.AvailableCredits = "2.00", ptr.To("2.00"), nil
	edited.DefaultCloud = "y"
	list := []avnproject.ProjectOut{before}
	assert.Equal(t, projectsByName(list), projectsByName([]avnproject.ProjectOut{moved}))
	assert.NotEqual(t, projectsByName(list), projectsByName([]avnproject.ProjectOut{edited}))
	assert.Equal(t, "1.00", list[0].EstimatedBalance, "the list keeps it for the next poll")
	assert.Nil(t, projectsByName(nil), "no list is not an empty one")
	assert.NotNil(t, projectsByName([]avnproject.ProjectOut{}))
}

func TestTheSecretOfAProjectHasTheKeyOfAivenOperatorTwice(t *testing.T) {
	_, b := ofProject(t, func(*v1alpha1.ProjectSpec) {}, projectAt(nil))
	o, err := b.observe(t)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"CA_CERT": "the CA"}, o.Details.Prefixed())
	assert.Equal(t, map[string]string{"CA_CERT": "the CA"}, o.Details.Legacy())
}

func TestARefusedProjectNamesTheField(t *testing.T) {
	for text, tc := range map[string]struct {
		status int
		want   string
	}{
		"Invalid project name 'x y': must consist of letters": {400, "Aiven rejected metadata.name: "},
		"Invalid country_code 'XX': must be one of ISO 3166":  {400, "Aiven rejected spec.countryCode: "},
		"Invalid tech_emails: 'x' is not an email address":    {400, "Aiven rejected spec.technicalEmails: "},
		"Invalid billing_emails: must be at most 10":          {400, "Aiven rejected spec.billingEmails: "},
		"Account does not exist":                              {404, "Aiven rejected spec.accountId: "},
		"Billing group does not exist":                        {404, "Aiven rejected spec.billingGroupId: "},
		"Credit card does not exist":                          {404, "Aiven rejected spec.cardId: "},
		"Project does not exist":                              {404, "Aiven rejected spec.copyFromProject: "},
	} {
		t.Run(text, func(t *testing.T) {
			w, b := ofProject(t, func(s *v1alpha1.ProjectSpec) { s.CopyFromProject = "source" }, nil)
			w.On("POST /v1/project", aiventest.Refused(tc.status, text))
			_, err := b.observe(t)
			require.NoError(t, err)
			_, err = b.create(t)
			message := (*fault.Secrets)(nil).Refusal(err, "Aiven rejected the change", "")
			assert.Contains(t, message, tc.want+text)
		})
	}
}

func TestAProjectIsNoCopyOfItself(t *testing.T) {
	_, b := ofProject(t, func(s *v1alpha1.ProjectSpec) { s.CopyFromProject = "demo" }, nil)
	_, err := b.observe(t)
	require.NoError(t, err)
	_, err = b.create(t)
	assert.True(t, fault.Is(err, fault.Invalid))
	assert.ErrorContains(t, err, "spec.copyFromProject: a project can't be a copy of itself. Remove the field")
}
