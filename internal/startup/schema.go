package startup

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// property is an OpenAPI schema, reduced to which fields exist, and whether they may be removed.
type property struct {
	Properties map[string]*property      `json:"properties"`
	Items      *property                 `json:"items"`
	Values     *property                 `json:"additionalProperties"`
	Open       bool                      `json:"x-kubernetes-preserve-unknown-fields"`
	Kinds      []schema.GroupVersionKind `json:"x-kubernetes-group-version-kind"`
	Required   []string                  `json:"required"`
	Rules      []struct{ Rule string }   `json:"x-kubernetes-validations"`
}

// keepsSpec is the rule of a CRD that doesn't require a spec. Rules about a change, such as those of immutable fields, apply only where both
// versions of an object have one: without this rule, a spec is removed, and another one is set. Its text never changes, as an operator of an
// earlier version searches newer CRDs for it.
const keepsSpec = "has(self.spec) || !has(oldSelf.spec)"

// losesSpec reports whether the spec of an object of the kind can be removed.
func (p *property) losesSpec() bool {
	return !slices.Contains(p.Required, "spec") && !slices.ContainsFunc(p.Rules, func(rule struct{ Rule string }) bool { return rule.Rule == keepsSpec })
}

// UnmarshalJSON also reads true and false, which additionalProperties may be.
func (p *property) UnmarshalJSON(data []byte) error {
	data = bytes.TrimSpace(data)
	if bytes.Equal(data, []byte("true")) || bytes.Equal(data, []byte("false")) {
		p.Open = data[0] == 't'
		return nil
	}
	type plain property
	return json.Unmarshal(data, (*plain)(p))
}

var (
	marshaler     = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	// The API server adds these to each kind.
	typeMeta, objectMeta = reflect.TypeFor[metav1.TypeMeta](), reflect.TypeFor[metav1.ObjectMeta]()
)

// lacks returns the paths, such as spec.ipFilter[].network, of the fields of a Go type that the schema would prune.
func (p *property) lacks(t reflect.Type, path string) []string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == typeMeta, t == objectMeta:
		return nil
	case p == nil:
		return []string{path}
	case p.Open, opaque(t):
		return nil
	}
	switch t.Kind() {
	case reflect.Struct:
		return p.lacksFields(t, path)
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 { // a string, in base64
			return nil
		}
		return p.Items.lacks(t.Elem(), path+"[]")
	case reflect.Map:
		return p.Values.lacks(t.Elem(), path+"{}")
	}
	return nil
}

func (p *property) lacksFields(t reflect.Type, path string) (paths []string) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-" || !field.IsExported() && !field.Anonymous:
		case field.Anonymous && name == "":
			paths = append(paths, p.lacks(field.Type, path)...)
		default:
			paths = append(paths, p.Properties[name].lacks(field.Type, strings.TrimPrefix(path+"."+name, "."))...)
		}
	}
	return paths
}

// opaque reports whether the JSON of a type isn't that of its fields.
func opaque(t reflect.Type) bool {
	pointer := reflect.PointerTo(t)
	return pointer.Implements(marshaler) || pointer.Implements(textMarshaler)
}
