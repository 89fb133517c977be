package v1alpha1_test

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// placeholder is the description that make kind writes. The author replaces it.
const placeholder = "Description missing."

// quantity is what a number counts, or its unit.
var quantity = regexp.MustCompile(`(?i)\b(number|bytes|milliseconds|days|US dollars|percentage|ratio|port|ID|version|generation)\b`)

func TestEveryFieldHasADescriptionOfItsOwn(t *testing.T) {
	for kind, ours := range allDefinitions(t) {
		for _, part := range []string{"spec", "status"} {
			assert.Empty(t, undescribed(part, asMap(ours.properties()[part])), kind)
		}
		assert.True(t, isDescribed(ours.Spec.Versions[0].Schema.OpenAPIV3Schema), "%s has no description", kind)
	}
}

// TestADescriptionSaysWhatExplainDoesNotShow is about kubectl explain, which shows neither rules nor defaults. Texts that Aiven
// publishes are left as they are.
func TestADescriptionSaysWhatExplainDoesNotShow(t *testing.T) {
	for kind, ours := range allDefinitions(t) {
		for _, part := range []string{"spec", "status"} {
			for path, problems := range unexplained(part, asMap(ours.properties()[part])) {
				if !isGenerated(kind, path) {
					assert.Empty(t, problems, "%s.%s", kind, path)
				}
			}
		}
	}
}

func TestUndescribedFieldsAreFound(t *testing.T) {
	schema := map[string]any{"properties": map[string]any{
		"described": map[string]any{"description": "Something.", "items": map[string]any{"properties": map[string]any{
			"inner": map[string]any{"type": "string"},
		}}},
		"generated":   map[string]any{"description": placeholder + " Immutable."},
		"undescribed": map[string]any{"description": " "},
	}}
	assert.Equal(t, []string{"spec.described[].inner", "spec.generated", "spec.undescribed"}, undescribed("spec", schema))
}

func TestWhatADescriptionLacksIsFound(t *testing.T) {
	rules := []any{map[string]any{"rule": "self == oldSelf"}}
	number := "lacks what it counts, or its unit"
	for name, c := range map[string]struct {
		field      map[string]any
		rulesOfAll []any
		want       []string
	}{
		"nothing":                 {field: map[string]any{"description": "Name of the user."}},
		"the end":                 {field: map[string]any{"description": "Name of the user"}, want: []string{"ends without a period"}},
		"a rule against changes":  {field: map[string]any{"description": "Name.", "x-kubernetes-validations": rules}, want: []string{"lacks Immutable."}},
		"no rule against changes": {field: map[string]any{"description": "Name. Immutable.", "x-kubernetes-validations": rules}},
		"a rule of the spec":      {field: map[string]any{"description": "Name."}, rulesOfAll: rules, want: []string{"lacks Immutable."}},
		"a default":               {field: map[string]any{"description": "Name. Defaults to joey.", "default": "joe"}, want: []string{"lacks Defaults to joe"}},
		"no default":              {field: map[string]any{"description": "Name. Defaults to joe.", "default": "joe"}},
		"an empty object":         {field: map[string]any{"description": "The Secret.", "default": map[string]any{}}},
		"a unit":                  {field: map[string]any{"description": "Retention time.", "type": "integer"}, want: []string{number}},
		"no unit":                 {field: map[string]any{"description": "Retention time in milliseconds.", "type": "integer"}},
		"what a number counts":    {field: map[string]any{"description": "Replication factor.", "type": "number"}, want: []string{number}},
	} {
		t.Run(name, func(t *testing.T) {
			schema := map[string]any{"x-kubernetes-validations": c.rulesOfAll, "properties": map[string]any{"field": c.field}}
			assert.Equal(t, c.want, unexplained("spec", schema)["spec.field"])
		})
	}
}

func TestASpecThatIsImmutableAsAWholeSaysThatItsTokenIs(t *testing.T) {
	spec := map[string]any{
		"description":              "Desired state.",
		"x-kubernetes-validations": []any{map[string]any{"rule": "self == oldSelf"}},
		"properties":               map[string]any{"authSecretRef": map[string]any{"description": "Secret with the token."}},
	}
	assert.Equal(t, map[string][]string{"spec": {"lacks " + wholeToken}}, unexplained("spec", spec))
	spec["description"] = "Desired state. Immutable, authSecretRef included: create another object."
	assert.Empty(t, unexplained("spec", spec))
}

// isDescribed reports whether a schema has a description that an author wrote.
func isDescribed(schema map[string]any) bool {
	text, _ := schema["description"].(string)
	return strings.TrimSpace(text) != "" && !strings.Contains(text, placeholder)
}

// undescribed returns the paths of the fields without a description, or with that of make kind.
func undescribed(path string, schema map[string]any) []string {
	var out []string
	eachField(path, schema, func(at string, field map[string]any) {
		if !isDescribed(field) {
			out = append(out, at)
		}
	})
	return out
}

// unexplained returns what the descriptions of fields lack, by path.
func unexplained(path string, schema map[string]any) map[string][]string {
	out := map[string][]string{}
	if text, _ := schema["description"].(string); hasWholeToken(schema) && !strings.Contains(text, wholeToken) {
		out[path] = []string{"lacks " + wholeToken}
	}
	eachField(path, schema, func(at string, field map[string]any) {
		text, _ := field["description"].(string)
		lacks := func(missing bool, what string) {
			if missing {
				out[at] = append(out[at], what)
			}
		}
		lacks(!strings.HasSuffix(text, "."), "ends without a period")
		// The kinds share authSecretRef, so the description of the spec has it: see wholeToken.
		whole := isImmutable(schema) && strings.Count(at, ".") == 1 && at != "spec.authSecretRef"
		lacks((whole || isImmutable(field)) && !strings.Contains(text, "Immutable."), "lacks Immutable.")
		// An empty object is there so that the defaults of its fields are set.
		if value, has := field["default"]; has && !reflect.DeepEqual(value, map[string]any{}) {
			said := fmt.Sprintf("Defaults to %v", value)
			lacks(!regexp.MustCompile(regexp.QuoteMeta(said)+`\W`).MatchString(text), "lacks "+said)
		}
		isNumber := field["type"] == "integer" || field["type"] == "number"
		lacks(isNumber && !quantity.MatchString(text), "lacks what it counts, or its unit")
	})
	return out
}

// wholeToken is in the description of a spec that is immutable as a whole, with the field that names the token.
const wholeToken = "Immutable, authSecretRef included"

func hasWholeToken(spec map[string]any) bool {
	return isImmutable(spec) && asMap(spec["properties"])["authSecretRef"] != nil
}

// isImmutable reports whether a schema has a rule against every change.
func isImmutable(schema map[string]any) bool {
	return slices.ContainsFunc(asList(schema["x-kubernetes-validations"]), func(rule any) bool {
		return asMap(rule)["rule"] == "self == oldSelf"
	})
}

// eachField visits the fields of a schema, and those in them, by their paths.
func eachField(path string, schema map[string]any, visit func(at string, field map[string]any)) {
	properties := asMap(schema["properties"])
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		field, at := asMap(properties[name]), path+"."+name
		visit(at, field)
		eachField(at, field, visit)
		eachField(at+"[]", asMap(field["items"]), visit)
	}
}
