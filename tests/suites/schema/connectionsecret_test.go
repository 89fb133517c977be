// Package schema_test applies the schemas of CRDs to objects as the API server does, without one.
package schema_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"sigs.k8s.io/yaml"
)

const bases = "../../../config/crd/bases/"

// file is the CRD of a kind.
func file(t *testing.T, kind string) string {
	t.Helper()
	plural := strings.ToLower(kind) + "s"
	if kind == "OpenSearch" {
		plural = "opensearches"
	}
	files, err := filepath.Glob(bases + "*_" + plural + ".yaml")
	require.NoError(t, err)
	require.Len(t, files, 1, kind)
	return files[0]
}

// crd is one as the API server has it in memory.
func crd(t *testing.T, kind string) *apiextensions.CustomResourceDefinition {
	t.Helper()
	data, err := os.ReadFile(file(t, kind))
	require.NoError(t, err)
	read, internal := &apiextensionsv1.CustomResourceDefinition{}, &apiextensions.CustomResourceDefinition{}
	require.NoError(t, yaml.UnmarshalStrict(data, read))
	apiextensionsv1.SetDefaults_CustomResourceDefinition(read)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&read.Spec)
	require.NoError(t, apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(read, internal, nil))
	return internal
}

func TestTheCRDsAreAccepted(t *testing.T) {
	for _, kind := range append([]string{"ConnectionSecret", "ServiceUserRotation"}, ruled...) {
		checked := crd(t, kind)
		checked.Status.StoredVersions = []string{"v1alpha1"}
		assert.Empty(t, apiextensionsvalidation.ValidateCustomResourceDefinition(t.Context(), checked), "the cost of its rules counts too")
	}
}

// admit applies defaults, and returns what is wrong with an object, or with a change of it, where what was wrong before may stay.
func admit(t *testing.T, obj, old map[string]any) string {
	t.Helper()
	schema := crd(t, obj["kind"].(string)).Spec.Validation
	tree, err := structural.NewStructural(schema.OpenAPIV3Schema)
	require.NoError(t, err)
	validator, _, err := validation.NewSchemaValidator(schema.OpenAPIV3Schema)
	require.NoError(t, err)
	var before any
	var ratcheting []cel.Option
	defaulting.Default(obj, tree)
	problems := validation.ValidateCustomResource(nil, obj, validator)
	if old != nil {
		defaulting.Default(old, tree)
		before = old
		both := common.NewCorrelatedObject(obj, old, &model.Structural{Structural: tree})
		problems = validation.ValidateCustomResourceUpdate(nil, obj, old, validator, validation.WithRatcheting(both))
		ratcheting = append(ratcheting, cel.WithRatcheting(both))
	}
	problems = append(problems, listtype.ValidateListSetsAndMaps(nil, tree, obj)...)
	if len(problems) == 0 {
		rules := cel.NewValidator(tree, true, celconfig.PerCallLimit)
		problems, _ = rules.Validate(t.Context(), nil, tree, obj, before, celconfig.RuntimeCELCostBudget, ratcheting...)
	}
	if len(problems) == 0 {
		return ""
	}
	return problems.ToAggregate().Error()
}

// object has a spec in YAML, beside a source.
func object(t *testing.T, spec string) map[string]any {
	t.Helper()
	fields := map[string]any{}
	require.NoError(t, yaml.Unmarshal([]byte(spec), &fields))
	all := map[string]any{"sourceRef": map[string]any{"kind": "ServiceUser", "name": "orders"}}
	maps.Copy(all, fields)
	return runtime.DeepCopyJSON(map[string]any{
		"apiVersion": "aero-operator.io/v1alpha1", "kind": "ConnectionSecret", "metadata": map[string]any{"name": "orders"}, "spec": all,
	})
}

func TestAConnectionSecretIsAdmitted(t *testing.T) {
	for name, spec := range map[string]string{
		"with a preset":             `presets: [ServiceBinding]`,
		"with all presets":          `presets: [ServiceBinding, CloudNativePG, Libpq, KafkaProperties, KafkaEnv]`,
		"with a template":           `data: {DATABASE_URL: '{{ .URI }}&application_name=orders'}`,
		"with keys of any form":     `data: {a.b-c_D9: x}`,
		"with a template of 64 KiB": `data: {a: ` + strings.Repeat("x", 64<<10) + `}`,
		"with a keystore":           `keystore: {passwordSecretRef: {name: ks, key: password}}`,
		"of another namespace":      `{sourceRef: {kind: Kafka, name: events, namespace: data}, presets: [KafkaEnv]}`,
		"with a database":           `{database: orders, presets: [Libpq]}`,
		"with a reference":          `{databaseRef: {name: orders}, presets: [Libpq]}`,
		"with an endpoint":          `{endpoint: {component: pg, route: privatelink, usage: primary, privatelinkConnectionID: plc1}, fallbackRoute: dynamic, presets: [Libpq]}`,
		"with a target":             `{target: {name: app, type: Opaque, labels: {a: b}, annotations: {c: d}}, presets: [Libpq]}`,
	} {
		t.Run(name, func(t *testing.T) {
			assert.Empty(t, admit(t, object(t, spec), nil))
		})
	}
}

func TestAConnectionSecretThatCannotBeIsRefusedAtAdmission(t *testing.T) {
	for name, tc := range map[string]struct{ spec, says string }{
		"without keys":                     {`{}`, "set presets, data or keystore"},
		"without a source":                 {`{sourceRef: null, presets: [Libpq]}`, "spec.sourceRef"},
		"of a kind that publishes nothing": {`{sourceRef: {kind: KafkaTopic, name: a}, presets: [Libpq]}`, "spec.sourceRef.kind: Unsupported value"},
		"of no object":                     {`{sourceRef: {kind: Kafka, name: ""}, presets: [Libpq]}`, "spec.sourceRef.name"},
		"with an unknown preset":           {`presets: [JDBC]`, "spec.presets[0]: Unsupported value"},
		"with a preset twice":              {`presets: [Libpq, Libpq]`, "spec.presets[1]: Duplicate value"},
		"with no preset":                   {`presets: []`, "spec.presets"},
		"with no template":                 {`data: {}`, "spec.data"},
		"with a key that no Secret has":    {`data: {"a b": x}`, "a key has at most 253 letters"},
		"with an empty key":                {`data: {"": x}`, "a key has at most 253 letters"},
		"with a long key":                  {`data: {` + strings.Repeat("k", 254) + `: x}`, "a key has at most 253 letters"},
		"with 70 KiB of text":              {`data: {a: ` + strings.Repeat("x", 70<<10) + `}`, "may not be more than 65536"},
		"with two databases":               {`{databaseRef: {name: a}, database: b, presets: [Libpq]}`, "set databaseRef or database, not both"},
		"with an unknown route":            {`{endpoint: {route: vpn}, presets: [Libpq]}`, "spec.endpoint.route: Unsupported value"},
		"with a connection on no route":    {`{endpoint: {privatelinkConnectionID: plc1}, presets: [Libpq]}`, "needs the route privatelink"},
		"with a connection on a route":     {`{endpoint: {route: public, privatelinkConnectionID: plc1}, presets: [Libpq]}`, "needs the route privatelink"},
		"that falls back from nowhere":     {`{fallbackRoute: public, presets: [Libpq]}`, "fallbackRoute needs endpoint.route"},
		"that falls back to the same":      {`{endpoint: {route: public}, fallbackRoute: public, presets: [Libpq]}`, "and another value"},
		"that is a token of an account":    {`{target: {type: kubernetes.io/service-account-token}, presets: [Libpq]}`, "such a Secret is a token of the cluster: choose another type"},
		"that is a token for nodes":        {`{target: {type: bootstrap.kubernetes.io/token}, presets: [Libpq]}`, "such a Secret is a token of the cluster: choose another type"},
		"with a keystore for all":          {`keystore: {format: PKCS12}`, "spec.keystore.passwordSecretRef"},
		"with a keystore of another form":  {`keystore: {format: JKS, passwordSecretRef: {name: a, key: b}}`, "spec.keystore.format: Unsupported value"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.ErrorContains(t, refusal(admit(t, object(t, tc.spec), nil)), tc.says)
		})
	}
}

func TestTheTargetOfAConnectionSecretIsImmutable(t *testing.T) {
	for name, tc := range map[string]struct{ before, after, says string }{
		"another name":   {`target: {name: a}`, `target: {name: b}`, "spec.target.name: Invalid value: \"b\": field is immutable"},
		"another type":   {`target: {type: a}`, `target: {type: b}`, "spec.target.type: Invalid value: \"b\": field is immutable"},
		"a first name":   {``, `target: {name: b}`, "spec.target.name: Invalid value: field can't be added"},
		"a first type":   {`target: {name: a}`, `target: {name: a, type: b}`, "spec.target.type: Invalid value: field can't be added"},
		"no name":        {`target: {name: a, type: b}`, `target: {type: b}`, "spec.target.name: Invalid value: field can't be added or removed"},
		"no target":      {`target: {type: b}`, ``, "spec.target.type: Invalid value: field can't be added or removed"},
		"another label":  {`target: {name: a, labels: {x: y}}`, `target: {name: a, labels: {x: z}}`, ""},
		"a first label":  {``, `target: {labels: {x: z}}`, ""},
		"another source": {``, `sourceRef: {kind: Kafka, name: events}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			withKeys := func(spec string) map[string]any {
				obj := object(t, spec)
				obj["spec"].(map[string]any)["presets"] = []any{"Libpq"}
				return obj
			}
			problem := admit(t, withKeys(tc.after), withKeys(tc.before))
			if tc.says == "" {
				assert.Empty(t, problem)
				return
			}
			assert.Contains(t, problem, tc.says)
		})
	}
}

type refusal string

func (r refusal) Error() string { return string(r) }
