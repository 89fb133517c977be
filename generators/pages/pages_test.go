package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/aero-operator/aero/generators/pages/calls"
)

// repository is a folder with one CRD and its example.
func repository(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, reasonsFolder), 0o755))
	for path, content := range map[string]string{
		"config/crd/bases/aiven.io_things.yaml": crd,
		"docs/examples/thing.yaml":              "# A thing.\nkind: Thing\n",
		"docs/user/kinds/gone.md":               "of a kind that is gone",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, path)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, path), []byte(content), 0o600))
	}
	return root
}

const crd = `
spec:
  names: {kind: Thing, plural: things, singular: thing, shortNames: [avnthing]}
  versions:
  - name: v1alpha1
    additionalPrinterColumns:
    - {name: Project, type: string, jsonPath: .spec.project}
    - {name: Message, type: string, priority: 1, jsonPath: .status.message}
    schema:
      openAPIV3Schema:
        description: |-
          Thing is a thing. Deleting it
          deletes it.
        properties:
          spec:
            required: [project]
            x-kubernetes-validations:
            - {rule: "true", message: "field can't be added", fieldPath: .project}
            properties:
              project:
                type: string
                description: "Name of the <project>, or a|b."
                x-kubernetes-validations:
                - {rule: self == oldSelf, message: "field is immutable: create another object instead"}
              connInfoSecretTarget: {type: object}
              options:
                type: object
                description: Many.
                properties:
                  {a: {type: integer}, b: {type: integer}, c: {type: integer}, d: {type: integer}, e: {type: integer},
                   f: {type: integer}, g: {type: integer}, h: {type: integer}, i: {type: integer}, j: {type: integer},
                   k: {type: integer}, l: {type: integer}, m: {type: integer}, n: {type: integer}, o: {type: integer}}
          status:
            properties:
              phase: {type: string}
`

// ofThing is what is known of the one kind.
var ofThing = sources{
	facts: map[string]facts{"Thing": {compared: "All|some.", deleted: "It is gone.", conditions: []string{"RemoteReady", "SecretReady"}}},
	keys:  map[string]secretKeys{"Thing": {"`THING_`", "`HOST`", "none"}},
	code: map[string]calls.Kind{"Thing": {Operations: []calls.Operation{
		{ID: "ThingGet", Request: "GET /thing", Required: []string{"a", "b"}}, {ID: "ThingSet", Request: "PUT /thing"},
	}}},
	printed: map[string]string{"thing": "$ kubectl get thing a\nNAME\na\n"},
}

func TestAKindHasAPageAndOneForItsOptions(t *testing.T) {
	root := repository(t)
	require.NoError(t, run(root, ofThing))
	read := func(name string) string {
		page, err := os.ReadFile(filepath.Join(root, folder, name))
		require.NoError(t, err)
		return string(page)
	}
	page := read("thing.md")
	for _, part := range []string{
		"# Thing\n\nThing is a thing. Deleting it\ndeletes it.\n",
		"`kubectl get things`, or `kubectl get avnthing`",
		"```yaml\n# A thing.\nkind: Thing\n```\n\nWhen it is ready:\n\n```console\n$ kubectl get thing a\nNAME\na\n```\n\n## Spec",
		"Rules of `spec`:\n\n- `project` can't be added.\n",
		"| `options` | object | Many. [Its options](thing-options.md#options). |\n",
		"| `project` | string, required, immutable | Name of the &lt;project>, or a\\|b. |\n",
		"## Connection Secret\n\n| default prefix | keys with the prefix | keys without a prefix |\n|---|---|---|\n| `THING_` | `HOST` | none |\n",
		"| compared with Aiven, and corrected | All\\|some. |\n| if you remove a field from the spec | No field that describes the resource can be removed. |\n\n",
		"## Deletion\n\nIt is gone. ",
		"where they apply: `RemoteReady`, `SecretReady`. ",
		"| `ThingGet` | `GET /thing` | `a`, `b` |\n| `ThingSet` | `PUT /thing` | – |\n",
		"\nThe table quotes Aiven's API documentation, which may ask for more than a call needs. Test the role with a small service first: ",
		"| Project | `.spec.project` | always |\n| Message | `.status.message` | with `-o wide` |\n",
	} {
		assert.Contains(t, page, part)
	}
	assert.NotContains(t, page, "`options.a`")
	assert.NotContains(t, page, "| `phase`", "every kind has it")
	assert.Contains(t, read("thing-options.md"), "## options\n\nMany.\n\n| field | type | meaning |\n|---|---|---|\n| `a` | integer |  |\n")
	assert.Contains(t, read("README.md"), "| [`Thing`](thing.md) | `avnthing` | Thing is a thing. |")
	assert.NoFileExists(t, filepath.Join(root, folder, "gone.md"))
}

func TestWhatIsComparedOfAServiceDependsOnItsFields(t *testing.T) {
	const disk, version = "`disk_space` while an autoscaler", "A `a_version` or `b_version` above the spec's, as Aiven"
	spec := apiextensionsv1.JSONSchemaProps{Properties: map[string]apiextensionsv1.JSONSchemaProps{"userConfig": {}}}
	bare := service("It is gone.").ofService(spec)
	assert.NotContains(t, bare.compared+bare.ignored, "disk_space")
	assert.NotContains(t, bare.ignored, "version")

	spec.Properties["disk_space"] = apiextensionsv1.JSONSchemaProps{}
	spec.Properties["userConfig"] = apiextensionsv1.JSONSchemaProps{Properties: map[string]apiextensionsv1.JSONSchemaProps{
		"b_version": {}, "a_version": {}, "version_note": {},
	}}
	all := service("It is gone.").ofService(spec)
	assert.Contains(t, all.compared, "the VPC of `projectVPCRef`, `disk_space`, `terminationProtection`")
	assert.Contains(t, all.ignored, disk)
	assert.Contains(t, all.ignored, version)
}

func TestADescriptionMakesNoHTML(t *testing.T) {
	const script = "Run <script>alert(1)</script> | `a < b`\n twice."
	assert.Equal(t, "Run &lt;script>alert(1)&lt;/script> | `a &lt; b`\n twice.", paragraph(script))
	assert.Equal(t, "Run &lt;script>alert(1)&lt;/script> | `a &lt; b` twice.", inline(script))
	assert.NotContains(t, cell(script), "<")
}

func TestAKindWithoutAnExampleIsNamed(t *testing.T) {
	root := repository(t)
	require.NoError(t, os.Remove(filepath.Join(root, "docs/examples/thing.yaml")))
	require.ErrorContains(t, run(root, ofThing), "reading the example of Thing")
	assert.FileExists(t, filepath.Join(root, folder, "gone.md"), "nothing is written")
}

func TestTheSourcesHaveEveryKind(t *testing.T) {
	root := filepath.Join("..", "..")
	kinds, err := readKinds(root)
	require.NoError(t, err)
	from, err := readSources(root)
	require.NoError(t, err)
	for _, k := range kinds {
		k.complete(from)
		assert.Empty(t, k.missing(), k.name())
	}
}

func TestWhatTheSourcesLackOfAKindIsNamed(t *testing.T) {
	for missing, change := range map[string]func(*sources){
		"its facts: ":      func(s *sources) { s.facts = nil },
		"its operations: ": func(s *sources) { s.code = nil },
		"its keys: ":       func(s *sources) { s.keys = nil },
		"what kubectl ":    func(s *sources) { s.printed = nil },
	} {
		t.Run(missing, func(t *testing.T) {
			root, from := repository(t), ofThing
			change(&from)
			require.NoError(t, run(root, from), "make kind generates the page before its author has written the rest")
			kinds, err := readKinds(root)
			require.NoError(t, err)
			kinds[0].complete(from)
			require.Len(t, kinds[0].missing(), 1)
			assert.Contains(t, kinds[0].missing()[0], missing)
		})
	}
}

func TestConditionsThatComeAndGoAreJoined(t *testing.T) {
	for want, conditions := range map[string][]string{"": nil, "Paused": {"Paused"}, "Stalled` or `Paused": {"Stalled", "Paused"}, "A`, `B` or `C": {"A", "B", "C"}} {
		assert.Equal(t, want, either(conditions))
	}
}

func TestWhatKubectlPrintsIsInAFileForEachKind(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "thing.txt"), []byte("$ kubectl get thing a\n"), 0o600))
	printed, err := readPrinted(folder)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"thing": "$ kubectl get thing a\n"}, printed)
}

func TestTheKeysOfASecretAreInTheTable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.md")
	require.NoError(t, os.WriteFile(path, []byte(`
| field | note |
| kind | default prefix | keys with the prefix | legacy keys |
|---|---|---|---|
| `+"`Thing` | `THING_` | `HOST` `PORT`; at times: `URI` | none |"+`
| a | b | c | d |
`), 0o600))
	rows, err := readSecretKeys(path)
	require.NoError(t, err)
	assert.Equal(t, map[string]secretKeys{"Thing": {"`THING_`", "`HOST` `PORT`; at times: `URI`", "none"}}, rows)
}

func TestTheRowOfAFieldSaysItsTypeAndItsLimits(t *testing.T) {
	for name, tc := range map[string]struct{ schema, want string }{
		"a text":        {`{type: string, minLength: 1, maxLength: 8, pattern: "^a$"}`, "| `x` | string | 1 to 8 characters. Matches `^a$`. |\n"},
		"no empty text": {`{type: string, minLength: 1}`, "| `x` | string | Not empty. |\n"},
		"a choice":      {`{type: string, enum: [a, b], default: a}`, "| `x` | string | Default: `a`. One of `a`, `b`. |\n"},
		"a number":      {`{type: number, minimum: 0.5, maximum: 1000000}`, "| `x` | number | From 0.5 to 1000000. |\n"},
		"at least":      {`{type: integer, minimum: 10}`, "| `x` | integer | At least 10. |\n"},
		"at most":       {`{type: integer, maximum: 10}`, "| `x` | integer | At most 10. |\n"},
		"a list":        {`{type: array, maxItems: 3, items: {type: string, maxLength: 9}}`, "| `x` | list of string | Each: At most 9 characters. At most 3 elements. |\n"},
		"a map":         {`{type: object, minProperties: 2, additionalProperties: {type: string}}`, "| `x` | map of string | At least 2 entries. |\n"},
		"both":          {`{x-kubernetes-int-or-string: true}`, "| `x` | integer or string |  |\n"},
		"a time":        {`{type: string, format: date-time}`, "| `x` | time |  |\n"},
		"one element":   {`{type: array, maxItems: 1, items: {type: string}}`, "| `x` | list of string | At most 1 element. |\n"},
		"a stated default": {
			`{type: boolean, description: "On. Defaults to false.", default: false}`, "| `x` | boolean | On. Defaults to false. |\n",
		},
		"a stated bound": {
			`{type: array, description: "Names. At most 10.", maxItems: 10, items: {type: string}}`, "| `x` | list of string | Names. At most 10. |\n",
		},
		"a bound that another number is stated of": {
			`{type: array, description: "Names. At most 100.", maxItems: 10, items: {type: string}}`,
			"| `x` | list of string | Names. At most 100. At most 10 elements. |\n",
		},
		"a rule":          {`{type: string, x-kubernetes-validations: [{message: must not be a}]}`, "| `x` | string | Must not be a. |\n"},
		"one about names": {`{type: string, x-kubernetes-validations: [{message: aB excludes c}]}`, "| `x` | string | aB excludes c. |\n"},
	} {
		t.Run(name, func(t *testing.T) {
			schema := &apiextensionsv1.JSONSchemaProps{}
			require.NoError(t, yaml.UnmarshalStrict([]byte(tc.schema), schema))
			assert.Equal(t, tc.want, field{path: "x", schema: schema}.row(""))
		})
	}
}

func TestARuleNamesItsField(t *testing.T) {
	for message, want := range map[string]string{
		"is only for the type a: remove it":                                 "`x` is only for the type a: remove it.",
		"must not be set together with b":                                   "`x` must not be set together with b.",
		"field can't be added or removed: create another object instead":    "`x` can't be added or removed later: create another object instead.",
		"a service needs one: set it, or create another object without one": "`x`: a service needs one: set it, or create another object without one.",
	} {
		assert.Equal(t, want, sentence(apiextensionsv1.ValidationRule{Message: message, FieldPath: ".x"}))
	}
}

func TestWhatAnImmutableRuleCoversIsMarked(t *testing.T) {
	const message = "{message: 'field is immutable: create another object instead'"
	for name, tc := range map[string]struct {
		schema, rules string
		want          []string
	}{
		"a field, and what is in it": {
			schema: "{properties: {a: {x-kubernetes-validations: [" + message + "}], properties: {b: {}}}, c: {}}}", want: []string{"a", "a.b"},
		},
		"a field that a rule names": {
			schema: "{x-kubernetes-validations: [" + message + ", fieldPath: .a}], properties: {a: {}, c: {}}}", want: []string{"a"},
		},
		"all": {
			schema: "{x-kubernetes-validations: [" + message + "}], properties: {a: {properties: {b: {}}}, c: {}}}", want: []string{"a", "a.b", "c"},
			rules: "Rules of `spec`:\n\n- The whole spec is immutable: create another object instead.\n\n",
		},
		"all, with a token": {
			schema: "{x-kubernetes-validations: [" + message + "}], properties: {authSecretRef: {}}}", want: []string{"authSecretRef"},
			rules: "Rules of `spec`:\n\n- The whole spec is immutable, `authSecretRef` included: to use another token, change the value in its Secret.\n\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			schema := &apiextensionsv1.JSONSchemaProps{}
			require.NoError(t, yaml.UnmarshalStrict([]byte(tc.schema), schema))
			var marked []string
			for _, f := range fieldsOf(schema, "", nil) {
				if f.immutable {
					marked = append(marked, f.path)
				}
			}
			assert.Equal(t, tc.want, marked)
			assert.Equal(t, tc.rules, rulesOf(schema, "spec"))
		})
	}
}

func TestTheFieldsOfListsAndMapsAreBelowThem(t *testing.T) {
	schema := &apiextensionsv1.JSONSchemaProps{}
	require.NoError(t, yaml.UnmarshalStrict([]byte(`
required: [list]
properties:
  map: {type: object, additionalProperties: {type: object, properties: {b: {type: string}}}}
  list: {type: array, items: {type: object, required: [a], properties: {a: {type: string}}}}`), schema))
	var paths []string
	for _, f := range fieldsOf(schema, "", nil) {
		mark := ""
		if f.required {
			mark = " required"
		}
		paths = append(paths, f.path+mark)
	}
	assert.Equal(t, []string{"list required", "list[].a required", "map", "map.*.b"}, paths)
}
