package startup_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/openapi"
	"sigs.k8s.io/yaml"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/kinds"
	"github.com/aero-operator/aero/internal/startup"
)

// published are the documents of an API server, by path.
type published map[string]string

func (p published) PathsWithContext(context.Context) (map[string]openapi.GroupVersionWithContext, error) {
	paths := map[string]openapi.GroupVersionWithContext{}
	for path, document := range p {
		paths[path] = text(document)
	}
	return paths, nil
}

type text string

func (d text) SchemaWithContext(context.Context, string) ([]byte, error) { return []byte(d), nil }
func (d text) ServerRelativeURL() string                                 { return "" }

// unavailable is an API server that answers with an error.
type unavailable struct{ error }

func (u unavailable) PathsWithContext(context.Context) (map[string]openapi.GroupVersionWithContext, error) {
	return nil, u.error
}

var group = schema.GroupVersion{Group: "example.com", Version: "v1"}

// gadget has a field of every shape that matters.
type gadget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec struct {
		shared `json:",inline"`

		Size    *int                `json:"size,omitempty"`
		Parts   []part              `json:"parts,omitempty"`
		ByName  map[string]part     `json:"byName,omitempty"`
		Port    *intstr.IntOrString `json:"port,omitempty"`
		Data    []byte              `json:"data,omitempty"`
		Private string              `json:"-"`
	} `json:"spec"`
}

type shared struct {
	Owner string `json:"owner"`
}

type part struct {
	Weight int          `json:"weight"`
	Since  *metav1.Time `json:"since,omitempty"`
}

const (
	partSchema = `{"properties": {"weight": {}, "since": {}}}`
	specSchema = `"owner": {}, "size": {}, "port": {}, "data": {}, "parts": {"items": ` + partSchema + `},
		"byName": {"additionalProperties": ` + partSchema + `}`
)

// document is the document of the kind Gadget with this schema of its spec.
func document(spec string) string {
	return `{"components": {"schemas": {"meta": {}, "gadget": {"x-kubernetes-group-version-kind":
		[{"group": "example.com", "version": "v1", "kind": "Gadget"}], "required": ["spec"], "properties": {"spec": ` + spec + `}}}}}`
}

func TestKindsMustBeServedWithAllTheirFields(t *testing.T) {
	cases := map[string]struct {
		documents published
		fails     []string // parts of the reason; nil for none
	}{
		"all fields": {documents: published{"apis/example.com/v1": document(`{"properties": {` + specSchema + `}}`)}},
		"more fields": {
			documents: published{"apis/example.com/v1": document(`{"properties": {"new": {}, ` + specSchema + `}}`), "apis/apps/v1": `{}`},
		},
		"unknown fields are kept": {documents: published{"apis/example.com/v1": document(`{"x-kubernetes-preserve-unknown-fields": true}`)}},
		"a map of any values":     {documents: published{"apis/example.com/v1": document(`{"properties": {` + strings.ReplaceAll(specSchema, `{"additionalProperties": `+partSchema+`}`, `{"additionalProperties": true}`) + `}}`)}},
		"no kind of the group": {
			documents: published{"apis/apps/v1": `{}`},
			fails:     []string{"aren't served: Gadget", "helm upgrade aero-crds", "kubectl apply --server-side -k config/crd"},
		},
		"another kind of the group": {
			documents: published{"apis/example.com/v1": strings.ReplaceAll(document(`{}`), "Gadget", "Widget")},
			fails:     []string{"aren't served: Gadget"},
		},
		"the kind in another version": {
			documents: published{"apis/example.com/v1": strings.ReplaceAll(document(`{}`), `"v1"`, `"v2"`)},
			fails:     []string{"aren't served: Gadget"},
		},
		"a field is missing": {
			documents: published{"apis/example.com/v1": document(`{"properties": {` + strings.Replace(specSchema, `"size": {},`, "", 1) + `}}`)},
			fails:     []string{"lack fields: Gadget (spec.size)", "helm upgrade aero-crds"},
		},
		"a field of an embedded struct is missing": {
			documents: published{"apis/example.com/v1": document(`{"properties": {` + strings.Replace(specSchema, `"owner": {},`, "", 1) + `}}`)},
			fails:     []string{"Gadget (spec.owner)"},
		},
		"fields within lists and maps are missing": {
			documents: published{"apis/example.com/v1": document(`{"properties": {` + strings.ReplaceAll(specSchema, `"weight": {},`, "") + `}}`)},
			fails:     []string{"Gadget (spec.byName{}.weight, spec.parts[].weight)"},
		},
		"all fields are missing": {
			documents: published{"apis/example.com/v1": document(`{}`)},
			fails:     []string{"Gadget (spec.byName, spec.data, spec.owner, spec.parts, spec.port and 1 more)"},
		},
		"a spec that can be removed": {
			documents: published{"apis/example.com/v1": strings.Replace(document(`{"properties": {`+specSchema+`}}`), `"required": ["spec"]`, `"required": ["status"]`, 1)},
			fails:     []string{"kinds whose spec can be removed: Gadget", "helm upgrade aero-crds"},
		},
		"a spec that a rule keeps": {
			documents: published{"apis/example.com/v1": strings.Replace(document(`{"properties": {`+specSchema+`}}`), `"required": ["spec"]`,
				`"x-kubernetes-validations": [{"rule": "has(self.spec) || !has(oldSelf.spec)"}]`, 1)},
		},
		"what isn't JSON": {
			documents: published{"apis/example.com/v1": "no"},
			fails:     []string{"reading the schemas of example.com/v1 from the API server"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			check := &startup.Kinds{Schemas: tc.documents, Version: group, Types: map[string]reflect.Type{"Gadget": reflect.TypeFor[gadget]()}}
			err := check.Served(t.Context())
			if len(tc.fails) == 0 {
				require.NoError(t, err)
			}
			for _, part := range tc.fails {
				assert.ErrorContains(t, err, part)
			}
		})
	}
}

func TestSchemasThatCannotBeReadAreAReasonUnlessTheyAreForbidden(t *testing.T) {
	check := &startup.Kinds{Schemas: unavailable{assert.AnError}, Version: group}
	require.ErrorIs(t, check.Served(t.Context()), assert.AnError)
	check.Schemas = unavailable{apierrors.NewForbidden(schema.GroupResource{}, "/openapi/v3", nil)}
	require.NoError(t, check.Served(t.Context()))
}

// What the operator is built with must be what its own CRDs have, or it would never start.
func TestOurOwnKindsHaveAllTheirFields(t *testing.T) {
	scheme := runtime.NewScheme()
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	var objects []runtime.Object
	for _, kind := range kinds.All() {
		objects = append(objects, kind.GetObject())
	}
	types, err := startup.KindsOf(scheme, v1alpha1.GroupVersion, objects)
	require.NoError(t, err)
	require.Len(t, types, len(kinds.All()))
	document := crdDocument(t)
	check := &startup.Kinds{Schemas: published{"apis/aiven.io/v1alpha1": document}, Version: v1alpha1.GroupVersion, Types: types}
	require.NoError(t, check.Served(t.Context()))
	check.Schemas = published{"apis/aiven.io/v1alpha1": strings.ReplaceAll(document, `"databaseName"`, `"old"`)}
	assert.ErrorContains(t, check.Served(t.Context()), "ConnectionPool (spec.databaseName), Database (spec.databaseName)")
	check.Schemas = published{"apis/aiven.io/v1alpha1": strings.ReplaceAll(document, "!has(oldSelf.spec)", "true")}
	assert.ErrorContains(t, check.Served(t.Context()), "kinds whose spec can be removed: Clickhouse, ClickhouseDatabase")
}

// crdDocument is the document that an API server publishes for the CRDs in config.
func crdDocument(t *testing.T) string {
	t.Helper()
	paths, err := filepath.Glob("../../config/crd/bases/*.yaml")
	require.NoError(t, err)
	schemas := map[string]any{}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		var crd struct {
			Spec struct {
				Group    string
				Names    struct{ Kind string }
				Versions []struct {
					Name   string
					Schema struct{ OpenAPIV3Schema map[string]any }
				}
			}
		}
		require.NoError(t, yaml.Unmarshal(content, &crd))
		version := crd.Spec.Versions[0]
		one := version.Schema.OpenAPIV3Schema
		one["x-kubernetes-group-version-kind"] = []any{
			map[string]any{"group": crd.Spec.Group, "version": version.Name, "kind": crd.Spec.Names.Kind},
		}
		schemas[crd.Spec.Names.Kind] = one
	}
	content, err := json.Marshal(map[string]any{"components": map[string]any{"schemas": schemas}})
	require.NoError(t, err)
	return string(content)
}
