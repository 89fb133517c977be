package main

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// node is one option, or a group of options, in the published schemas.
type node struct {
	Type       typeNames        `yaml:"type"`
	Properties map[string]*node `yaml:"properties"`
	Items      *node            `yaml:"items"`
	Required   []string         `yaml:"required"`

	Enum      []enumValue `yaml:"enum"`
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
}

// enumValue is one allowed value.
type enumValue struct {
	// Value stays a YAML node: the number 1.10 has to come out as 1.10.
	Value        yaml.Node `yaml:"value"`
	IsDeprecated bool      `yaml:"is_deprecated"`
}

// isNull reports whether the value is null, which Go fields and CRDs have no use for.
func (e enumValue) isNull() bool { return e.Value.Tag == "!!null" || e.Value.IsZero() }

// typeNames is `type` in both its spellings, a word or a list of words.
type typeNames []string

// UnmarshalYAML reads a word or a list of words.
func (t *typeNames) UnmarshalYAML(value *yaml.Node) error {
	if value.Kind == yaml.ScalarNode {
		*t = typeNames{value.Value}
		return nil
	}
	return value.Decode((*[]string)(t))
}

// kind is what a node becomes in Go.
type kind int

const (
	kindUnknown kind = iota
	kindObject
	kindArray
	kindString
	kindInteger
	kindNumber
	kindBoolean
)

var kindsByName = map[string]kind{
	"object": kindObject, "array": kindArray, "string": kindString,
	"integer": kindInteger, "number": kindNumber, "boolean": kindBoolean,
}

// kind returns what the node becomes in Go. Where several types are allowed, an object wins: the others are
// shorthands for it.
func (n *node) kind() kind {
	names := slices.DeleteFunc(slices.Clone(n.Type), func(s string) bool { return s == "null" })
	if slices.Contains(names, "object") {
		return kindObject
	}
	if len(names) != 1 {
		return kindUnknown
	}
	return kindsByName[names[0]]
}

// scalars are the Go types of strings, numbers and booleans.
var scalars = map[kind]string{
	kindString: "string", kindInteger: "int", kindNumber: "float64", kindBoolean: "bool",
}

// supported reports whether the node has a Go type. An object that requires something without one hasn't either:
// nobody could fill it in.
func (n *node) supported() bool {
	switch n.kind() {
	case kindUnknown:
		return false
	case kindArray:
		return n.Items != nil && n.Items.kind() != kindArray && n.Items.supported()
	case kindObject:
		return !slices.ContainsFunc(n.Required, func(name string) bool {
			property, ok := n.Properties[name]
			return !ok || !property.supported()
		})
	}
	return true
}

// parseSchemas reads one published file: a map from type name to root node.
func parseSchemas(source []byte) (map[string]*node, error) {
	schemas := map[string]*node{}
	if err := yaml.Unmarshal(source, &schemas); err != nil {
		return nil, fmt.Errorf("parsing YAML: %w", err)
	}
	return schemas, nil
}
