// Package gotypes turns schemas into Go structs with the markers that controller-gen reads.
package gotypes

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// Node is one option, or a group of options, in the published schemas.
type Node struct {
	Type       TypeNames        `yaml:"type"`
	Properties map[string]*Node `yaml:"properties"`
	Items      *Node            `yaml:"items"`
	Required   []string         `yaml:"required"`

	Enum      []EnumValue `yaml:"enum"`
	Pattern   string      `yaml:"pattern"`
	MinItems  *int64      `yaml:"min_items"`
	MaxItems  *int64      `yaml:"max_items"`
	MinLength *int64      `yaml:"min_length"`
	MaxLength *int64      `yaml:"max_length"`
	// Bounds stay text: the published file quotes them, and a float64 would round the largest ones.
	Minimum string `yaml:"minimum"`
	Maximum string `yaml:"maximum"`

	Title             string `yaml:"title"`
	Description       string `yaml:"description"`
	CreateOnly        bool   `yaml:"create_only"`
	Secure            bool   `yaml:"_secure"`
	IsDeprecated      bool   `yaml:"is_deprecated"`
	DeprecationNotice string `yaml:"deprecation_notice"`

	// What only the schemas of custom resources have.

	// Go is the type of a property that exists already, such as one that kinds share.
	Go string `yaml:"-"`
	// Embeds are the structs that an object embeds.
	Embeds []string `yaml:"-"`
	// Values is the schema of the values of a map.
	Values *Node `yaml:"-"`
	// Markers are the further ones of the field.
	Markers []string `yaml:"-"`
	// TypeMarkers are on the type of an object that is no field, such as the items of an array. A rule on a field and on its
	// type would be in the CRD twice, which the API server refuses.
	TypeMarkers []string `yaml:"-"`
	// ItemMarkers are those of the items of an array that aren't objects.
	ItemMarkers []string `yaml:"-"`
}

// EnumValue is one allowed value.
type EnumValue struct {
	// Value stays a YAML node: the number 1.10 has to come out as 1.10.
	Value        yaml.Node `yaml:"value"`
	IsDeprecated bool      `yaml:"is_deprecated"`
}

// isNull reports whether the value is null, which Go fields and CRDs have no use for.
func (e EnumValue) isNull() bool { return e.Value.Tag == "!!null" || e.Value.IsZero() }

// TypeNames is `type` in both its spellings, a word or a list of words.
type TypeNames []string

// UnmarshalYAML reads a word or a list of words.
func (t *TypeNames) UnmarshalYAML(value *yaml.Node) error {
	if value.Kind == yaml.ScalarNode {
		*t = TypeNames{value.Value}
		return nil
	}
	return value.Decode((*[]string)(t))
}

// Kind is what a node becomes in Go.
type Kind int

// The kinds. KindUnknown has no Go type.
const (
	KindUnknown Kind = iota
	KindObject
	KindArray
	KindString
	KindInteger
	KindNumber
	KindBoolean
)

var kindsByName = map[string]Kind{
	"object": KindObject, "array": KindArray, "string": KindString,
	"integer": KindInteger, "number": KindNumber, "boolean": KindBoolean,
}

// Kind returns what the node becomes in Go. Where several types are allowed, an object wins: the others are
// shorthands for it.
func (n *Node) Kind() Kind {
	names := slices.DeleteFunc(slices.Clone(n.Type), func(s string) bool { return s == "null" })
	if slices.Contains(names, "object") {
		return KindObject
	}
	if len(names) != 1 {
		return KindUnknown
	}
	return kindsByName[names[0]]
}

// scalars are the Go types of strings, numbers and booleans.
var scalars = map[Kind]string{
	KindString: "string", KindInteger: "int", KindNumber: "float64", KindBoolean: "bool",
}

// supported reports whether the node has a Go type. An object that requires something without one has none either: no value
// of it would be valid.
func (n *Node) supported() bool {
	if n.Go != "" {
		return true
	}
	switch n.Kind() {
	case KindUnknown:
		return false
	case KindArray:
		return n.Items != nil && n.Items.Kind() != KindArray && n.Items.supported()
	case KindObject:
		return !slices.ContainsFunc(n.Required, func(name string) bool {
			property, ok := n.Properties[name]
			return !ok || !property.supported()
		})
	}
	return true
}

// Parse reads one published file: a map from type name to root node.
func Parse(source []byte) (map[string]*Node, error) {
	schemas := map[string]*Node{}
	if err := yaml.Unmarshal(source, &schemas); err != nil {
		return nil, fmt.Errorf("parsing YAML: %w", err)
	}
	return schemas, nil
}
