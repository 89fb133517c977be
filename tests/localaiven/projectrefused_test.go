package localaiven_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/tests/localaiven"
)

func TestRefusedProjects(t *testing.T) {
	t.Parallel()
	const one = "/v1/project/" + proj
	eleven := "[" + strings.TrimSuffix(strings.Repeat(`{"email":"a@example.com"},`, 11), ",") + "]"
	long := strings.Repeat("x", 1001)
	for name, c := range map[string]badCall{
		"a project without a name":       {post, "/v1/project", `{}`, 400, "project name"},
		"a name with a space":            {post, "/v1/project", `{"project":"a b"}`, 400, "a b"},
		"a name that is too long":        {post, "/v1/project", `{"project":"` + long[:64] + `"}`, 400, "63"},
		"an unknown key":                 {post, "/v1/project", `{"project":"x","colour":1}`, 400, "colour"},
		"an unknown key of an update":    {put, one, `{"copy_tags":true}`, 400, "copy_tags"},
		"an unknown country":             {put, one, `{"country_code":"XX"}`, 400, "XX"},
		"a country in small letters":     {put, one, `{"country_code":"fi"}`, 400, "fi"},
		"a continent":                    {put, one, `{"country_code":"150"}`, 400, "150"},
		"a country of three letters":     {put, one, `{"country_code":"FIN"}`, 400, "FIN"},
		"no country":                     {put, one, `{"country_code":""}`, 400, "country_code"},
		"an unknown currency":            {put, one, `{"billing_currency":"XXX"}`, 400, "XXX"},
		"an unknown cloud":               {put, one, `{"cloud":"mars-north1"}`, 400, "mars-north1"},
		"a bad tag":                      {put, one, `{"tags":{"1":"x"}}`, 400, "tag"},
		"a bad address":                  {put, one, `{"tech_emails":[{"email":"x"}]}`, 400, "tech_emails"},
		"a bad address for bills":        {put, one, `{"billing_emails":[{"email":"x"}]}`, 400, "billing_emails"},
		"an address that is too long":    {put, one, `{"billing_emails":[{"email":"` + long[:250] + `@x.fi"}]}`, 400, "billing_emails"},
		"too many addresses":             {put, one, `{"tech_emails":` + eleven + `}`, 400, "tech_emails"},
		"a long billing address":         {put, one, `{"billing_address":"` + long + `"}`, 400, "billing_address"},
		"a long city":                    {put, one, `{"city":"` + long[:257] + `"}`, 400, "city"},
		"a long line of an address":      {put, one, `{"address_lines":["` + long[:257] + `"]}`, 400, "address_lines"},
		"a port that is too low":         {post, "/v1/project", `{"project":"x","base_port":9999}`, 400, "base_port"},
		"an unknown account":             {put, one, `{"account_id":"nope"}`, 404, "Account does not exist"},
		"an unknown card":                {put, one, `{"card_id":"nope"}`, 404, "Credit card does not exist"},
		"an unknown billing group":       {put, one, `{"billing_group_id":"nope"}`, 404, "Billing group does not exist"},
		"a bad new name":                 {put, one, `{"project_name":"a b"}`, 400, "a b"},
		"a copy of an unknown project":   {post, "/v1/project", `{"project":"x","copy_from_project":"nope"}`, 404, "Project does not exist"},
		"reading an unknown project":     {get, "/v1/project/nope", "", 404, "Project does not exist"},
		"updating an unknown project":    {put, "/v1/project/nope", "{}", 404, "Project does not exist"},
		"deleting an unknown project":    {del, "/v1/project/nope", "", 404, "Project does not exist"},
		"patching an unknown project":    {patch, "/_local/project/nope", `{"estimated_balance":"1.00"}`, 404, "Project does not exist"},
		"patching with no amount":        {patch, "/_local/project/" + proj, `{}`, 400, "estimated_balance"},
		"patching what can't be patched": {patch, "/_local/project/" + proj, `{"vat_id":"x"}`, 400, "vat_id"},
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

// Run with the race detector, this says that calls about one project don't disturb each other.
func TestOneOfManyCreatesTheProject(t *testing.T) {
	t.Parallel()
	h := start(t, localaiven.Options{})
	const tries = 16
	statuses := make(chan int, tries)
	for i := range tries {
		go func() {
			status, _ := h.send(t, post, "/v1/project", "x", `{"project":"new","vat_id":"`+strings.Repeat("1", i+1)+`"}`)
			statuses <- status
		}()
		go func() { _ = h.Resources() }()
	}
	made := 0
	for range tries {
		if <-statuses == 200 {
			made++
		}
	}
	assert.Equal(t, 1, made)
	renamed := make(chan int, tries)
	for range tries {
		go func() {
			status, _ := h.send(t, put, "/v1/project/new", "x", `{"project_name":"newer"}`)
			renamed <- status
		}()
	}
	made = 0
	for range tries {
		if <-renamed == 200 {
			made++
		}
	}
	assert.Equal(t, 1, made)
	assert.Equal(t, []localaiven.Resource{{Type: "project", ID: "newer"}}, h.Resources())
}
