package userconfig

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/utils/ptr"
)

type flavor string

type entry struct {
	Network     string  `groups:"create,update" json:"network"`
	Description *string `groups:"create,update" json:"description,omitempty"`
}

type tree struct {
	Hour     *int              `groups:"create,update" json:"hour,omitempty"`
	Filter   []*entry          `groups:"create,update" json:"filter,omitempty"`
	Admin    *string           `groups:"create" json:"admin,omitempty" sensitive:"true"`
	Password *string           `groups:"create,update" json:"password,omitempty" sensitive:"true"`
	Nested   *nested           `groups:"create,update" json:"nested,omitempty"`
	Labels   map[string]string `groups:"create,update" json:"labels,omitempty"`
	Flavor   *flavor           `groups:"create,update" json:"flavor,omitempty"`
	Untagged *string           `json:"untagged,omitempty"`
}

type nested struct {
	On    *bool `groups:"create,update" json:"on,omitempty"`
	Fixed *int  `groups:"create" json:"fixed,omitempty"`
}

func TestEncode(t *testing.T) {
	full := &tree{
		Hour: ptr.To(0), Filter: []*entry{{Network: "10.0.0.0/8"}}, Admin: ptr.To("root-password"),
		Password: ptr.To("new-password"), Nested: &nested{On: ptr.To(false), Fixed: ptr.To(1)},
		Labels: map[string]string{"a": "b"}, Flavor: ptr.To(flavor("plain")), Untagged: ptr.To("never sent"),
	}
	for name, tc := range map[string]struct {
		tree  any
		group Group
		want  string
	}{
		"no options":           {tree: nil, group: Create, want: `null`},
		"no options by a type": {tree: (*tree)(nil), group: Create, want: `null`},
		"nothing set":          {tree: &tree{}, group: Create, want: `{}`},
		"an empty list is set": {tree: &tree{Filter: []*entry{}}, group: Update, want: `{"filter":[]}`},
		"an empty tree is set": {tree: &tree{Nested: &nested{}}, group: Update, want: `{"nested":{}}`},
		"everything that a new service takes, zero values too": {
			tree: full, group: Create,
			want: `{"hour":0,"filter":[{"network":"10.0.0.0/8"}],"admin":"root-password","password":"new-password",
				"nested":{"on":false,"fixed":1},"labels":{"a":"b"},"flavor":"plain"}`,
		},
		"a whole block, with what can't be changed": {
			tree: full, group: Replace,
			want: `{"hour":0,"filter":[{"network":"10.0.0.0/8"}],"admin":"root-password","password":"new-password",
				"nested":{"on":false,"fixed":1},"labels":{"a":"b"},"flavor":"plain"}`,
		},
		"what can be changed": {
			tree: full, group: Update,
			want: `{"hour":0,"filter":[{"network":"10.0.0.0/8"}],"password":"new-password","nested":{"on":false},
				"labels":{"a":"b"},"flavor":"plain"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			raw, err := json.Marshal(Encode(tc.tree, tc.group))
			assert.NoError(t, err)
			assert.JSONEq(t, tc.want, string(raw))
		})
	}
}

func TestSecretsAreSentAndNotPrinted(t *testing.T) {
	out := Encode(&tree{Password: ptr.To("new-password")}, Update)
	holder := struct{ private any }{out}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		for _, value := range []any{out, holder, out["password"]} {
			text := fmt.Sprintf(format, value)
			assert.NotContains(t, text, "new-password", format)
			assert.NotContains(t, text, fmt.Sprintf("%x", "new-password"), format)
		}
	}
	raw, err := json.Marshal(Secret{})
	require.NoError(t, err)
	assert.Equal(t, "null", string(raw))
}

func TestTheSecretsOfATree(t *testing.T) {
	list := struct {
		Logins []*tree `groups:"create,update" json:"logins"`
	}{[]*tree{{Password: ptr.To("one"), Hour: ptr.To(1)}, {Nested: &nested{}, Admin: ptr.To("two")}}}
	assert.ElementsMatch(t, []string{"one", "two"}, Secrets(&list))
	assert.Empty(t, Secrets((*tree)(nil)))
}

func TestATypeWithAndWithoutSecrets(t *testing.T) {
	type plain struct {
		Hour  *int    `json:"hour"`
		Hours []*int  `json:"hours"`
		Next  *nested `json:"next"`
	}
	assert.False(t, MayHoldSecrets(&plain{}))
	assert.True(t, MayHoldSecrets((*tree)(nil)), "set or not")
	assert.True(t, MayHoldSecrets(&struct{ Trees map[string][]*tree }{}), "below lists and maps")
}

// texts is a comparison as it is printed.
func texts(c Comparison) Comparison {
	for i, one := range c.Diff {
		c.Diff[i] = Difference{Path: one.Path, Wanted: one.Wanted, Found: one.Found}
	}
	return c
}

func TestCompare(t *testing.T) {
	type object = map[string]any
	for name, tc := range map[string]struct {
		wanted, found map[string]any
		diff          []Difference
		writeOnly     []string
	}{
		"nothing wanted":                  {wanted: object(nil), found: object{"a": 1.0}},
		"equal numbers, 1 and 1.0":        {wanted: object{"a": 1}, found: object{"a": 1.0}},
		"equal unsigned numbers":          {wanted: object{"a": uint8(1)}, found: object{"a": 1.0}},
		"equal fractions":                 {wanted: object{"a": 0.5}, found: object{"a": 0.5}},
		"different numbers":               {wanted: object{"a": 1}, found: object{"a": 2.0}, diff: []Difference{{Path: "o.a", Wanted: "1", Found: "2"}}},
		"a number and a text":             {wanted: object{"a": 1}, found: object{"a": "1"}, diff: []Difference{{Path: "o.a", Wanted: "1", Found: "1"}}},
		"different texts in a subtree":    {wanted: object{"a": object{"b": "x"}}, found: object{"a": object{"b": "y"}}, diff: []Difference{{Path: "o.a.b", Wanted: "x", Found: "y"}}},
		"equal flags":                     {wanted: object{"a": false}, found: object{"a": false}},
		"an absent value is write-only":   {wanted: object{"a": 1}, found: object{}, writeOnly: []string{"o.a"}},
		"null is write-only":              {wanted: object{"a": 1}, found: object{"a": nil}, writeOnly: []string{"o.a"}},
		"redacted is write-only":          {wanted: object{"a": "x"}, found: object{"a": "<REDACTED>"}, writeOnly: []string{"o.a"}},
		"an absent subtree is write-only": {wanted: object{"a": object{"b": 1, "c": 2}}, found: object{}, writeOnly: []string{"o.a.b", "o.a.c"}},
		"all absent":                      {wanted: object{"a": 1}, found: object(nil), writeOnly: []string{"o.a"}},
		"equal lists":                     {wanted: object{"a": []any{"x", 1}}, found: object{"a": []any{"x", 1.0}}},
		"lists in another order":          {wanted: object{"a": []any{"x", "y"}}, found: object{"a": []any{"y", "x"}}, diff: []Difference{{Path: "o.a", Wanted: "[x y]", Found: "[y x]"}}},
		"a longer list":                   {wanted: object{"a": []any{"x"}}, found: object{"a": []any{"x", "y"}}, diff: []Difference{{Path: "o.a", Wanted: "[x]", Found: "[x y]"}}},
		"an empty list and a full one":    {wanted: object{"a": []any{}}, found: object{"a": []any{"x"}}, diff: []Difference{{Path: "o.a", Wanted: "[]", Found: "[x]"}}},
		"two empty lists":                 {wanted: object{"a": []any{}}, found: object{"a": []any{}}},
		"a list and a text":               {wanted: object{"a": []any{"x"}}, found: object{"a": "x"}, diff: []Difference{{Path: "o.a", Wanted: "[x]", Found: "x"}}},
		"an address block that Aiven writes bare": {
			wanted: object{"a": []any{object{"network": "10.0.0.0/8"}}}, found: object{"a": []any{"10.0.0.0/8"}},
		},
		"an address block that Aiven writes with a description": {
			wanted: object{"a": []any{object{"network": "10.0.0.0/8"}}},
			found:  object{"a": []any{object{"network": "10.0.0.0/8", "description": "ours"}}},
		},
		"address blocks in another order": {
			wanted: object{"a": []any{object{"network": "2.0.0.0/8"}, object{"network": "1.0.0.0/8"}}},
			found:  object{"a": []any{"1.0.0.0/8", object{"network": "2.0.0.0/8"}}},
		},
		"another address block": {
			wanted: object{"a": []any{object{"network": "10.0.0.0/8"}}}, found: object{"a": []any{"11.0.0.0/8"}},
			diff: []Difference{{Path: "o.a", Wanted: "[map[network:10.0.0.0/8]]", Found: "[map[network:11.0.0.0/8]]"}},
		},
		"a description that Aiven doesn't report": {
			wanted: object{"a": []any{object{"network": "10.0.0.0/8", "description": "ours"}}},
			found:  object{"a": []any{"10.0.0.0/8"}}, writeOnly: []string{"o.a"},
		},
		"an equal secret": {wanted: object{"a": NewSecret("x")}, found: object{"a": "x"}},
		"a PEM block that ends with a newline": {
			wanted: object{"a": NewSecret("-----BEGIN KEY-----\nx\n-----END KEY-----\n")},
			found:  object{"a": "-----BEGIN KEY-----\nx\n-----END KEY-----"},
		},
		"another PEM block": {
			wanted: object{"a": "-----BEGIN KEY-----\nx"}, found: object{"a": "-----BEGIN KEY-----\ny"},
			diff: []Difference{{Path: "o.a", Wanted: "-----BEGIN KEY-----\nx", Found: "-----BEGIN KEY-----\ny"}},
		},
		"a text that ends with a newline": {
			wanted: object{"a": "x\n"}, found: object{"a": "x"},
			diff: []Difference{{Path: "o.a", Wanted: "x\n", Found: "x"}},
		},
		"a redacted secret": {wanted: object{"a": NewSecret("x")}, found: object{"a": "<redacted>"}, writeOnly: []string{"o.a"}},
		"a different secret is not shown": {
			wanted: object{"a": NewSecret("x")}, found: object{"a": "y"},
			diff: []Difference{{Path: "o.a", Wanted: "(secret)", Found: "(secret)"}},
		},
		"a list that holds a secret is not shown": {
			wanted: object{"a": []any{object{"b": NewSecret("x")}}}, found: object{"a": []any{object{"b": "y"}}},
			diff: []Difference{{Path: "o.a", Wanted: "(secret)", Found: "(secret)"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, Comparison{Diff: tc.diff, WriteOnly: tc.writeOnly}, texts(Compare("o", tc.wanted, tc.found)))
		})
	}
}

func TestValuesOfOptionsThatAivenDoesNotReturnHaveNoSecrets(t *testing.T) {
	type object = map[string]any
	options := object{
		"public_access": object{"pg": true, "prometheus": false}, "ip_filter": []any{object{"network": "10.0.0.0/8"}}, "other": 1,
		"password": NewSecret("hunter2"), "servers": []any{object{"key": NewSecret("hunter2")}},
	}
	paths := Compare("o", options, object{"other": 2}).WriteOnly
	assert.Equal(t, map[string]any{
		"o.public_access.pg": Printed{Text: "true", Value: true}, "o.public_access.prometheus": Printed{Text: "false", Value: false},
		"o.ip_filter": Printed{Text: "[map[network:10.0.0.0/8]]", Value: []any{object{"network": "10.0.0.0/8"}}},
	}, Values("o", options, paths))
	assert.Empty(t, Values("o", options, nil))
}

func TestCreateOnly(t *testing.T) {
	type object = map[string]any
	for name, tc := range map[string]struct {
		tree  any
		found map[string]any
		want  Comparison
	}{
		"no options":                         {tree: nil, found: object{"admin": "x"}},
		"an option that can be changed":      {tree: &tree{Hour: ptr.To(1)}, found: object{"hour": 2.0}},
		"an option that the spec leaves out": {tree: &tree{}, found: object{"nested": object{"fixed": 2.0}}},
		"the value at creation":              {tree: &tree{Nested: &nested{Fixed: ptr.To(2)}}, found: object{"nested": object{"fixed": 2.0}}},
		"not reported": {
			tree: &tree{Nested: &nested{Fixed: ptr.To(2)}}, found: object{}, want: Comparison{WriteOnly: []string{"o.nested.fixed"}},
		},
		"redacted": {
			tree: &tree{Admin: ptr.To("x")}, found: object{"admin": "<redacted>"}, want: Comparison{WriteOnly: []string{"o.admin"}},
		},
		"another value": {
			tree:  &tree{Nested: &nested{On: ptr.To(true), Fixed: ptr.To(2)}},
			found: object{"nested": object{"on": false, "fixed": 1.0}},
			want:  Comparison{Diff: []Difference{{Path: "o.nested.fixed", Wanted: "2", Found: "1"}}},
		},
		"another secret value is not shown": {
			tree: &tree{Admin: ptr.To("x")}, found: object{"admin": "y"},
			want: Comparison{Diff: []Difference{{Path: "o.admin", Wanted: Concealed, Found: Concealed}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, texts(CreateOnly("o", Encode(tc.tree, Create), Encode(tc.tree, Update), tc.found)))
		})
	}
}

type provider struct {
	Name  string  `groups:"create,update" json:"name"`
	Token *string `groups:"create,update" json:"token,omitempty" sensitive:"true"`
}

// A list is compared as a whole: what Aiven reports of options that the spec doesn't set may be a secret.
func TestAListShowsNothingThatTheSpecDoesNotSet(t *testing.T) {
	type options struct {
		Providers []*provider `groups:"create,update" json:"providers,omitempty"`
	}
	for name, tc := range map[string]struct {
		wanted []*provider
		found  any
	}{
		"another name": {[]*provider{{Name: "a"}}, []any{map[string]any{"name": "b", "token": "s3cr3t-of-theirs"}}},
		"more of them": {[]*provider{{Name: "a"}}, []any{map[string]any{"name": "a"}, map[string]any{"name": "b", "token": "s3cr3t-of-theirs"}}},
		"none wanted":  {[]*provider{}, []any{map[string]any{"name": "b", "token": "s3cr3t-of-theirs"}}},
		"no list":      {[]*provider{{Name: "a"}}, map[string]any{"token": "s3cr3t-of-theirs"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := Compare("spec", Encode(&options{tc.wanted}, Update), map[string]any{"providers": tc.found})
			require.Len(t, c.Diff, 1)
			assert.NotContains(t, fmt.Sprint(c.Diff), "s3cr3t-of-theirs")
		})
	}
}
