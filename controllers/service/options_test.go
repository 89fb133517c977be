package service

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/controllers"
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

func TestOptions(t *testing.T) {
	full := &tree{
		Hour: ptr.To(0), Filter: []*entry{{Network: "10.0.0.0/8"}}, Admin: ptr.To("root-password"),
		Password: ptr.To("new-password"), Nested: &nested{On: ptr.To(false), Fixed: ptr.To(1)},
		Labels: map[string]string{"a": "b"}, Flavor: ptr.To(flavor("plain")), Untagged: ptr.To("never sent"),
	}
	for name, tc := range map[string]struct {
		tree  any
		group string
		want  string
	}{
		"no options":           {tree: nil, group: groupCreate, want: `null`},
		"no options by a type": {tree: (*tree)(nil), group: groupCreate, want: `null`},
		"nothing set":          {tree: &tree{}, group: groupCreate, want: `{}`},
		"an empty list is set": {tree: &tree{Filter: []*entry{}}, group: groupUpdate, want: `{"filter":[]}`},
		"an empty tree is set": {tree: &tree{Nested: &nested{}}, group: groupUpdate, want: `{"nested":{}}`},
		"everything that a new service takes, zero values too": {
			tree: full, group: groupCreate,
			want: `{"hour":0,"filter":[{"network":"10.0.0.0/8"}],"admin":"root-password","password":"new-password",
				"nested":{"on":false,"fixed":1},"labels":{"a":"b"},"flavor":"plain"}`,
		},
		"what can be changed": {
			tree: full, group: groupUpdate,
			want: `{"hour":0,"filter":[{"network":"10.0.0.0/8"}],"password":"new-password","nested":{"on":false},
				"labels":{"a":"b"},"flavor":"plain"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			raw, err := json.Marshal(options(tc.tree, tc.group))
			assert.NoError(t, err)
			assert.JSONEq(t, tc.want, string(raw))
		})
	}
}

func TestSecretsAreSentAndNotShown(t *testing.T) {
	out := options(&tree{Password: ptr.To("new-password")}, groupUpdate)
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		assert.NotContains(t, fmt.Sprintf(format, out), "new-password", format)
	}
}

func TestCompareOptions(t *testing.T) {
	type object = map[string]any
	for name, tc := range map[string]struct {
		wanted, found any
		diff          controllers.Diff
		untold        []string
	}{
		"nothing wanted":               {wanted: object(nil), found: object{"a": 1.0}},
		"equal numbers, 1 and 1.0":     {wanted: object{"a": 1}, found: object{"a": 1.0}},
		"equal unsigned numbers":       {wanted: object{"a": uint8(1)}, found: object{"a": 1.0}},
		"equal fractions":              {wanted: object{"a": 0.5}, found: object{"a": 0.5}},
		"different numbers":            {wanted: object{"a": 1}, found: object{"a": 2.0}, diff: controllers.Diff{{Path: "o.a", Wanted: "1", Found: "2"}}},
		"a number and a text":          {wanted: object{"a": 1}, found: object{"a": "1"}, diff: controllers.Diff{{Path: "o.a", Wanted: "1", Found: "1"}}},
		"different texts in a subtree": {wanted: object{"a": object{"b": "x"}}, found: object{"a": object{"b": "y"}}, diff: controllers.Diff{{Path: "o.a.b", Wanted: "x", Found: "y"}}},
		"equal flags":                  {wanted: object{"a": false}, found: object{"a": false}},
		"an absent value is untold":    {wanted: object{"a": 1}, found: object{}, untold: []string{"o.a"}},
		"null is untold":               {wanted: object{"a": 1}, found: object{"a": nil}, untold: []string{"o.a"}},
		"redacted is untold":           {wanted: object{"a": "x"}, found: object{"a": "<REDACTED>"}, untold: []string{"o.a"}},
		"an absent subtree is untold":  {wanted: object{"a": object{"b": 1, "c": 2}}, found: object{}, untold: []string{"o.a.b", "o.a.c"}},
		"all absent":                   {wanted: object{"a": 1}, found: object(nil), untold: []string{"o.a"}},
		"equal lists":                  {wanted: object{"a": []any{"x", 1}}, found: object{"a": []any{"x", 1.0}}},
		"lists in another order":       {wanted: object{"a": []any{"x", "y"}}, found: object{"a": []any{"y", "x"}}, diff: controllers.Diff{{Path: "o.a", Wanted: "[x y]", Found: "[y x]"}}},
		"a longer list":                {wanted: object{"a": []any{"x"}}, found: object{"a": []any{"x", "y"}}, diff: controllers.Diff{{Path: "o.a", Wanted: "[x]", Found: "[x y]"}}},
		"an empty list and a full one": {wanted: object{"a": []any{}}, found: object{"a": []any{"x"}}, diff: controllers.Diff{{Path: "o.a", Wanted: "[]", Found: "[x]"}}},
		"two empty lists":              {wanted: object{"a": []any{}}, found: object{"a": []any{}}},
		"a list and a text":            {wanted: object{"a": []any{"x"}}, found: object{"a": "x"}, diff: controllers.Diff{{Path: "o.a", Wanted: "[x]", Found: "x"}}},
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
			diff: controllers.Diff{{Path: "o.a", Wanted: "[map[network:10.0.0.0/8]]", Found: "[map[network:11.0.0.0/8]]"}},
		},
		"a description that Aiven doesn't tell": {
			wanted: object{"a": []any{object{"network": "10.0.0.0/8", "description": "ours"}}},
			found:  object{"a": []any{"10.0.0.0/8"}}, untold: []string{"o.a"},
		},
		"an equal secret":   {wanted: object{"a": secret{"x"}}, found: object{"a": "x"}},
		"a redacted secret": {wanted: object{"a": secret{"x"}}, found: object{"a": "<redacted>"}, untold: []string{"o.a"}},
		"a different secret is not shown": {
			wanted: object{"a": secret{"x"}}, found: object{"a": "y"},
			diff: controllers.Diff{{Path: "o.a", Wanted: "(secret)", Found: "(secret)"}},
		},
		"a list that holds a secret is not shown": {
			wanted: object{"a": []any{object{"b": secret{"x"}}}}, found: object{"a": []any{object{"b": "y"}}},
			diff: controllers.Diff{{Path: "o.a", Wanted: "(secret)", Found: "(secret)"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var c comparison
			c.value("o", tc.wanted, tc.found)
			assert.Equal(t, tc.diff, c.diff)
			assert.Equal(t, tc.untold, c.writeOnly)
		})
	}
}
