package export

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/userconfig"
	"github.com/aero-operator/aero/controllers/kinds"
)

const canary = "canary-"

// random fills a tree with values that Aiven could report, and secrets that begin with the canary.
func random(r *rand.Rand, to reflect.Value, secret bool) {
	switch to.Kind() {
	case reflect.Pointer:
		to.Set(reflect.New(to.Type().Elem()))
		random(r, to.Elem(), secret)
	case reflect.Struct:
		for i := range to.NumField() {
			tag := to.Type().Field(i).Tag
			if !strings.Contains(tag.Get("json"), "omitempty") || r.IntN(3) > 0 {
				random(r, to.Field(i), tag.Get("sensitive") == "true")
			}
		}
	case reflect.Slice:
		to.Set(reflect.MakeSlice(to.Type(), 1+r.IntN(3), 3))
		for i := range to.Len() {
			random(r, to.Index(i), secret)
		}
	case reflect.Map:
		to.Set(reflect.MakeMap(to.Type()))
	case reflect.String:
		text := fmt.Sprintf("text-%d", r.IntN(1000))
		if secret {
			text = canary + text
		}
		to.SetString(text)
	case reflect.Bool:
		to.SetBool(r.IntN(2) == 0)
	case reflect.Int, reflect.Int64:
		to.SetInt([]int64{0, -1, 7, 1_000_000, 1 << 53, 9_223_372_036_854_775_807}[r.IntN(6)])
	case reflect.Float64:
		to.SetFloat([]float64{0, 0.5, 1_000_000, 1e12}[r.IntN(4)])
	}
}

// reported is a tree as Aiven reports it: JSON that has been decoded.
func reported(t *testing.T, tree any) map[string]any {
	raw, err := json.Marshal(tree)
	require.NoError(t, err)
	var found map[string]any
	require.NoError(t, json.Unmarshal(raw, &found))
	return found
}

// trees are the types of all option trees, by where they are in a spec.
func trees() map[string]reflect.Type {
	all := map[string]reflect.Type{}
	for _, kind := range kinds.All() {
		spec := reflect.TypeOf(kind.GetObject()).Elem()
		field, _ := spec.FieldByName("Spec")
		for i := range field.Type.NumField() {
			if of := field.Type.Field(i); of.Type.Kind() == reflect.Pointer && strings.Contains(of.Type.Elem().PkgPath(), "/userconfig/") {
				all[spec.Name()+"."+of.Name] = of.Type.Elem()
			}
		}
	}
	return all
}

func TestOptionsThatAreExportedDoNotDifferAndHoldNoSecret(t *testing.T) {
	all := trees()
	require.Greater(t, len(all), 30)
	for name, of := range all {
		t.Run(name, func(t *testing.T) {
			isService := strings.HasSuffix(name, ".UserConfig")
			exported := 0
			for seed := range uint64(100) {
				made := reflect.New(of)
				random(rand.New(rand.NewPCG(seed, 0)), made.Elem(), false)
				found, tree := reported(t, made.Interface()), reflect.New(of)
				var secrets []string
				d := decoder{creation: isService, leave: func(string, string) {}, remember: func(s ...string) { secrets = append(secrets, s...) }}
				if !d.tree("spec", tree.Elem(), found, nil, isService) && !isService {
					continue
				}
				exported++
				group := userconfig.Replace
				if isService {
					group = userconfig.Update
				}
				encoded := userconfig.Encode(tree.Interface(), group)
				compared := userconfig.Compare("spec", encoded, found)
				assert.Empty(t, compared.Diff, "seed %d", seed)
				assert.Empty(t, compared.WriteOnly, "seed %d", seed)
				raw, err := json.Marshal(tree.Interface())
				require.NoError(t, err)
				assert.NotContains(t, string(raw), canary)
				assert.NotContains(t, string(raw), "e+")
				if !isService {
					assert.Equal(t, reported(t, made.Interface()), reported(t, tree.Interface()), "a block is exported as a whole")
				}
			}
			if isService || !userconfig.MayHoldSecrets(reflect.New(of).Interface()) {
				assert.Positive(t, exported)
			}
		})
	}
}

type entry struct {
	Name  string  `groups:"create,update" json:"name"`
	Token *string `groups:"create,update" json:"token,omitempty" sensitive:"true"`
}

type network struct {
	Network string `groups:"create,update" json:"network"`
}

type tree struct {
	Hour     *int       `groups:"create,update" json:"hour,omitempty"`
	Filter   []*network `groups:"create,update" json:"filter,omitempty"`
	Admin    *string    `groups:"create" json:"admin,omitempty"`
	Password *string    `groups:"create,update" json:"password,omitempty" sensitive:"true"`
	Entries  []*entry   `groups:"create,update" json:"entries,omitempty"`
	One      *entry     `groups:"create,update" json:"one,omitempty"`
}

func TestWhatIsLeftOutOfOptions(t *testing.T) {
	const top = "o"
	schema := map[string]any{"properties": map[string]any{
		"hour": map[string]any{"default": 3.0}, "standard": map[string]any{"default": 3.0}, "filter": map[string]any{"default": []any{"0.0.0.0/0"}},
	}}
	for name, tc := range map[string]struct {
		found map[string]any
		want  string
		left  map[string]string
		keeps bool // the tree is that of a service
	}{
		"a default":                       {map[string]any{"hour": 3.0, "filter": []any{"0.0.0.0/0"}}, `{}`, nil, true},
		"a bare network":                  {map[string]any{"filter": []any{"10.0.0.0/8"}}, `{"filter":[{"network":"10.0.0.0/8"}]}`, nil, true},
		"a number of a million":           {map[string]any{"hour": 1e6}, `{"hour":1000000}`, nil, true},
		"a fraction":                      {map[string]any{"hour": 0.5}, `{}`, map[string]string{"o.hour": reasonType}, true},
		"null":                            {map[string]any{"hour": nil}, `{}`, nil, true},
		"only at creation":                {map[string]any{"admin": "root"}, `{}`, map[string]string{"o.admin": reasonCreation}, true},
		"a secret":                        {map[string]any{"password": "s3cr3t", "hour": 4.0}, `{"hour":4}`, map[string]string{"o.password": reasonSecret}, true},
		"a hidden secret":                 {map[string]any{"password": "<redacted>"}, `{}`, map[string]string{"o.password": reasonSecret}, true},
		"a secret in a list":              {map[string]any{"entries": []any{map[string]any{"name": "a"}, map[string]any{"name": "b", "token": "s3cr3t"}}}, `{}`, map[string]string{"o.entries": reasonHolder}, true},
		"a secret in a group":             {map[string]any{"one": map[string]any{"name": "a", "token": "s3cr3t"}}, `{}`, map[string]string{"o.one": reasonHolder}, true},
		"a group that lacks a field":      {map[string]any{"one": map[string]any{}}, `{}`, map[string]string{"o.one": reasonLacking}, true},
		"a group without its secret":      {map[string]any{"one": map[string]any{"name": "a"}}, `{"one":{"name":"a"}}`, nil, true},
		"a text in place of a subtree":    {map[string]any{"one": "a"}, `{}`, map[string]string{"o.one": reasonType}, true},
		"an option of a later version":    {map[string]any{"hour": 4.0, "later": true, "never": nil}, `{"hour":4}`, map[string]string{"o.later": reasonUnknown}, true},
		"one in a group, which is merged": {map[string]any{"one": map[string]any{"name": "a", "later": 1.0}}, `{"one":{"name":"a"}}`, map[string]string{"o.one.later": reasonUnknown}, true},
		"one in a list, which is replaced": {
			map[string]any{"entries": []any{map[string]any{"name": "a", "later": 1.0}}}, `{}`, map[string]string{"o.entries.later": reasonUnknown, "o.entries": reasonLacking}, true,
		},
		"a later option with its default": {map[string]any{"standard": 3.0}, `{}`, nil, true},
		"a list in place of the number":   {map[string]any{"hour": []any{1.0}}, `{}`, map[string]string{"o.hour": reasonType}, true},
	} {
		t.Run(name, func(t *testing.T) {
			made, left := &tree{}, map[string]string{}
			d := decoder{creation: true, leave: func(path, reason string) { left[path] = reason }, remember: func(...string) {}}
			d.tree(top, reflect.ValueOf(made).Elem(), tc.found, schema, tc.keeps)
			raw, err := json.Marshal(made)
			require.NoError(t, err)
			assert.JSONEq(t, tc.want, string(raw))
			if tc.left == nil {
				tc.left = map[string]string{}
			}
			assert.Equal(t, tc.left, left)
		})
	}
}

func TestATextWithASecretInItIsOne(t *testing.T) {
	var spec v1alpha1.ServiceIntegrationEndpointSpec
	e, d := &exporter{}, &draft{what: "endpoint"}
	e.fillBlock(d, &spec, "external_schema_registry", map[string]any{"authentication": "none", "url": "https://user:s3cr3t-of-url@registry.example.org"})
	assert.Nil(t, spec.ExternalSchemaRegistry)
	require.NotEmpty(t, d.notes)
	assert.NotContains(t, fmt.Sprint(d.notes), "s3cr3t")
	assert.True(t, e.holdsSecret("https://user:s3cr3t-of-url@registry.example.org"))

	d = &draft{what: "endpoint"}
	e.fillBlock(d, &spec, "external_schema_registry", map[string]any{"authentication": "none", "url": "https://registry.example.org"})
	assert.NotNil(t, spec.ExternalSchemaRegistry)
	assert.Empty(t, d.notes)
}

func TestABlockWithSomethingThatCannotBeExportedIsNotWhole(t *testing.T) {
	for name, found := range map[string]map[string]any{
		"in the block": {"hour": 4.0, "later": true}, "in a group": {"one": map[string]any{"name": "a", "later": true}},
		"a secret in a group": {"one": map[string]any{"name": "a", "token": "s3cr3t"}}, "a group of another type": {"one": "a"}, "another type": {"hour": "x"},
	} {
		var left []string
		d := decoder{leave: func(path, _ string) { left = append(left, path) }, remember: func(...string) {}}
		assert.False(t, d.tree("o", reflect.ValueOf(&tree{}).Elem(), found, nil, false), "%s: an update would reset it", name)
		assert.NotEmpty(t, left)
	}
}

func TestATypeOfIntegrationFindsItsBlock(t *testing.T) {
	for of, spec := range map[string]any{"external_aws_cloudwatch_metrics": &v1alpha1.ServiceIntegrationSpec{}, "kafka_mirrormaker": &v1alpha1.ServiceIntegrationSpec{}} {
		field, _ := block(reflect.ValueOf(spec).Elem(), of)
		assert.True(t, field.IsValid(), of)
	}
}

// typesIn are those that a CRD allows in a field of the spec.
func typesIn(plural, field string) (types []string) {
	var crd apiextensionsv1.CustomResourceDefinition
	content, err := os.ReadFile("../../config/crd/bases/aiven.io_" + plural + ".yaml")
	if err = cmp.Or(err, yaml.UnmarshalStrict(content, &crd)); err != nil {
		panic(err)
	}
	for _, allowed := range crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties[field].Enum {
		types = append(types, strings.Trim(string(allowed.Raw), `"`))
	}
	return types
}

// endpointTypes are those that the kind has options for.
func endpointTypes() []string {
	return slices.DeleteFunc(typesIn("serviceintegrationendpoints", "endpointType"), func(of string) bool {
		options, _ := block(reflect.ValueOf(&v1alpha1.ServiceIntegrationEndpointSpec{}).Elem(), of)
		return !options.IsValid()
	})
}

func TestTheTypesOfIntegrationsAreThoseOfTheCRD(t *testing.T) {
	assert.Equal(t, typesIn("serviceintegrations", "integrationType"), integrationTypes)
	assert.Len(t, endpointTypes(), 14, "those of endpoints have options each")
}
