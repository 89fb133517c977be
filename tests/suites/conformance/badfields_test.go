package conformance_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/tests/harness/testenv"
)

// field is a field of a spec, with its schema. holding returns the value of the field of the spec that leads there, so that it
// has a value.
type field struct {
	path    string // spec.userConfig.ip_filter[0].network
	root    string // userConfig
	schema  map[string]any
	holding func(value any) any
}

// specFields are the fields of a spec, at every depth. An element of a list is [0].
func specFields(spec map[string]any) []field {
	all := []field{{path: "spec", schema: spec, holding: func(value any) any { return value }}}
	for i := 0; i < len(all); i++ {
		parent := all[i]
		properties, _ := parent.schema["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			child := field{parent.path + "." + name, parent.root, properties[name].(map[string]any), func(value any) any {
				return parent.holding(map[string]any{name: value})
			}}
			if parent.root == "" {
				child.root, child.holding = name, func(value any) any { return value }
			}
			all = append(all, child)
		}
		if items, isList := parent.schema["items"].(map[string]any); isList {
			all = append(all, field{parent.path + "[0]", parent.root, items, func(value any) any { return parent.holding([]any{value}) }})
		}
	}
	return all
}

// specSchemas are the schemas of all specs, by kind, as the API server has them.
func specSchemas(e *testenv.Env) map[string]map[string]any {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinitionList"})
	require.NoError(e.T, e.Client.List(e.T.Context(), list))
	schemas := map[string]map[string]any{}
	for i := range list.Items {
		name, _, _ := unstructured.NestedString(list.Items[i].Object, "spec", "names", "kind")
		versions, _, _ := unstructured.NestedSlice(list.Items[i].Object, "spec", "versions")
		spec, _, err := unstructured.NestedMap(versions[0].(map[string]any), "schema", "openAPIV3Schema", "properties", "spec")
		require.NoError(e.T, err)
		schemas[name] = spec
	}
	return schemas
}

// What a schema can refuse, it refuses for every kind and at every depth, and the message has the field.
func TestQ12_E04_EveryKindRefusesUnknownOptionsAndValuesThatItDoesNotHave(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Idle: true})
	schemas := specSchemas(e)
	strict := client.NewDryRunClient(client.WithFieldValidation(e.Client, metav1.FieldValidationStrict))
	for _, k := range allKinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			refused := func(f field, value any, message string) {
				obj := loose(e, e.Example(k.example))
				if f.root == "" {
					value.(map[string]any)["project"] = "x" // of the whole spec, one field is enough
					require.NoError(t, unstructured.SetNestedField(obj.Object, value, "spec"))
				} else {
					require.NoError(t, unstructured.SetNestedField(obj.Object, f.holding(value), "spec", f.root))
				}
				assert.ErrorContains(t, strict.Create(t.Context(), obj), message, f.path)
			}
			unknown, enums := 0, 0
			for _, f := range specFields(schemas[k.name]) {
				if _, isObject := f.schema["properties"]; isObject {
					unknown++
					refused(f, map[string]any{"colour": "mauve"}, fmt.Sprintf("unknown field %q", f.path+".colour"))
				}
				if _, isEnum := f.schema["enum"]; isEnum {
					enums++
					refused(f, "mauve", f.path+": Unsupported value: \"mauve\": supported values: ")
				}
			}
			assert.Positive(t, unknown)
			raw, err := json.Marshal(schemas[k.name])
			require.NoError(t, err)
			assert.Equal(t, strings.Count(string(raw), `"enum":[`), enums, "the fields with a list of values that the schema has, and that were tried")
		})
	}
}

// immutableFields are those of the first level whose rules compare them with what they were.
func immutableFields(spec map[string]any) []field {
	return slices.DeleteFunc(specFields(spec), func(f field) bool {
		return strings.Count(f.path, ".") != 1 || !comparesWithOld(f.schema)
	})
}

func comparesWithOld(schema map[string]any) bool {
	rules, _ := schema["x-kubernetes-validations"].([]any)
	return slices.ContainsFunc(rules, func(rule any) bool { return strings.Contains(rule.(map[string]any)["rule"].(string), "oldSelf") })
}

// sample is a value of a field. Those of two letters differ.
func sample(schema map[string]any, letter string) any {
	switch schema["type"] {
	case "boolean":
		return letter == "a"
	case "array":
		return []any{sample(schema["items"].(map[string]any), letter)}
	case "object":
		value := map[string]any{}
		for name, property := range schema["properties"].(map[string]any) {
			if required, _ := schema["required"].([]any); slices.Contains(required, any(name)) {
				value[name] = sample(property.(map[string]any), letter)
			}
		}
		return value
	}
	if enum, isEnum := schema["enum"].([]any); isEnum {
		return enum[map[string]int{"a": 0, "b": len(enum) - 1}[letter]]
	}
	length, _ := schema["minLength"].(int64)
	return strings.Repeat(letter, max(4, int(length)))
}

// excluded are the fields that can't be set together with one, by kind and name.
var excluded = map[string][]string{
	"ServiceIntegration.sourceEndpointID":       {"sourceServiceName", "sourceProjectName"},
	"ServiceIntegration.destinationEndpointId":  {"destinationServiceName"},
	"ServiceIntegration.destinationEndpointRef": {"destinationServiceName"},
}

// allowed are changes that no rule refuses of fields with a value that can't be changed: as in aiven-operator, whose manifests have to apply.
var allowed = map[string]string{
	"serviceIntegrations added":   "a replica is made with its service: what comes later is named as not applied",
	"serviceIntegrations removed": "the service stays what it is",
	"billingGroupId added":        "a project of another billing group moves there",
	"billingGroupId removed":      "the project stays where it is",
	"copyFromProject removed":     "the project stays what it is",
}

func TestQ12_EveryImmutableFieldOfEveryKindKeepsItsValueAndItsPresence(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Idle: true})
	schemas := specSchemas(e)
	for _, k := range allKinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			fields := immutableFields(schemas[k.name])
			require.NotEmpty(t, fields)
			for i, f := range fields {
				required, _ := schemas[k.name]["required"].([]any)
				stays := immutability{e, t, k, f, fmt.Sprintf("t%d", i), slices.Contains(required, any(f.root))}
				stays.check()
			}
		})
	}
}

// immutability is about one field of a kind.
type immutability struct {
	e        *testenv.Env
	t        *testing.T
	kind     kind
	field    field
	name     string
	required bool
}

func (i immutability) check() {
	with := i.object(i.name + "-with")
	if _, has, _ := unstructured.NestedFieldNoCopy(with.Object, "spec", i.field.root); !has || i.field.schema["default"] != nil {
		require.NoError(i.t, unstructured.SetNestedField(with.Object, sample(i.field.schema, "a"), "spec", i.field.root))
	}
	i.create(with)
	i.refuses(with, sample(i.field.schema, "b"), "changed")
	if i.required {
		return // it can't be absent, neither now nor later
	}
	without := i.object(i.name + "-without")
	unstructured.RemoveNestedField(without.Object, "spec", i.field.root)
	if i.field.root == "endpointName" { // required by a rule, as it is not in aiven-operator
		assert.Regexp(i.t, invalid("spec.endpointName", "is required: set it"), i.e.Client.Create(i.t.Context(), without))
		return
	}
	i.refuses(with, nil, "removed")
	if i.kind.name == "KafkaQuota" { // which has one of the two, or both
		require.NoError(i.t, unstructured.SetNestedField(without.Object, "x", "spec", map[string]string{"user": "clientId", "clientId": "user"}[i.field.root]))
	}
	i.create(without)
	i.refuses(without, sample(i.field.schema, "b"), "added")
}

// object is the example without what excludes the field.
func (i immutability) object(name string) *unstructured.Unstructured {
	obj := loose(i.e, i.e.Example(i.kind.example))
	obj.SetName(name)
	for _, other := range excluded[i.kind.name+"."+i.field.root] {
		unstructured.RemoveNestedField(obj.Object, "spec", other)
	}
	return obj
}

// invalid matches what the API server says of a field. Before Kubernetes 1.36 it names the type of an object as its value.
func invalid(path, message string) string {
	return regexp.QuoteMeta(path) + `: Invalid value: ("object": )?` + regexp.QuoteMeta(message)
}

func (i immutability) create(obj *unstructured.Unstructured) {
	require.NoError(i.t, i.e.Client.Create(i.t.Context(), obj), i.field.path)
}

// refuses checks an edit; a value of nil removes the field.
func (i immutability) refuses(live *unstructured.Unstructured, value any, what string) {
	obj := live.DeepCopy()
	if value == nil {
		unstructured.RemoveNestedField(obj.Object, "spec", i.field.root)
	} else {
		require.NoError(i.t, unstructured.SetNestedField(obj.Object, value, "spec", i.field.root))
	}
	err := client.NewDryRunClient(i.e.Client).Update(i.t.Context(), obj)
	if reason := allowed[i.field.root+" "+what]; reason != "" {
		assert.NoError(i.t, err, "%s can be %s: %s", i.field.path, what, reason)
		return
	}
	require.Error(i.t, err, "%s is %s", i.field.path, what)
	if i.kind.name == "KafkaNativeACL" {
		assert.Regexp(i.t, invalid("spec", immutable), err, "one rule for the whole spec, as in aiven-operator")
		return
	}
	assert.ErrorContains(i.t, err, i.field.path+": Invalid value: ", "%s is %s", i.field.path, what)
	assert.ErrorContains(i.t, err, ": create another object instead", "%s is %s", i.field.path, what)
}
