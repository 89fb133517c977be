package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/aero-operator/aero/generators/internal/gotypes"
)

const recordings = "api/v1alpha1/testdata/reference"

// recorded is the wire format of a kind in aiven-operator.
type recorded struct {
	Names struct {
		Kind     string `yaml:"kind"`
		Plural   string `yaml:"plural"`
		Singular string `yaml:"singular"`
	} `yaml:"names"`
	Columns []column `yaml:"printerColumns"`
	Spec    *schema  `yaml:"spec"`
	Status  *schema  `yaml:"status"`
}

type column struct {
	Name     string `yaml:"name"`
	Type     string `yaml:"type"`
	JSONPath string `yaml:"jsonPath"`
	Wide     bool   `yaml:"-"`
}

// schema is one property as a CRD has it.
type schema struct {
	Type       string             `yaml:"type"`
	Format     string             `yaml:"format"`
	Properties map[string]*schema `yaml:"properties"`
	Items      *schema            `yaml:"items"`
	Values     *schema            `yaml:"additionalProperties"`
	Required   []string           `yaml:"required"`
	Enum       []yaml.Node        `yaml:"enum"`
	Default    yaml.Node          `yaml:"default"`
	Pattern    string             `yaml:"pattern"`
	Minimum    string             `yaml:"minimum"`
	Maximum    string             `yaml:"maximum"`
	MinItems   *int64             `yaml:"minItems"`
	MaxItems   *int64             `yaml:"maxItems"`
	MinLength  *int64             `yaml:"minLength"`
	MaxLength  *int64             `yaml:"maxLength"`
	ListType   string             `yaml:"x-kubernetes-list-type"`
	ListKeys   []string           `yaml:"x-kubernetes-list-map-keys"`
	Rules      []rule             `yaml:"x-kubernetes-validations"`
}

type rule struct {
	Rule    string `yaml:"rule"`
	Message string `yaml:"message"`
}

// immutable reports whether the property can't be changed.
func (s *schema) immutable() bool {
	return slices.ContainsFunc(s.Rules, func(r rule) bool { return r.Rule == "self == oldSelf" })
}

// readRecorded reads the recorded schema of a kind.
func readRecorded(root, name string) (*recorded, error) {
	known, err := knownKinds(root)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(known, name) {
		return nil, fmt.Errorf("unknown kind %q: the recorded ones are %s. For another one, write its schema into %s first: see docs/contributor/adding-a-kind.md",
			name, strings.Join(known, ", "), recordings)
	}
	raw, err := os.ReadFile(filepath.Join(root, recordings, name+".json"))
	if err != nil {
		return nil, fmt.Errorf("reading the recorded schema: %w", err)
	}
	var r recorded
	if err := yaml.Unmarshal(raw, &r); err != nil { // JSON is YAML, and keeps the texts of numbers like this
		return nil, fmt.Errorf("parsing the recorded schema of %s: %w", name, err)
	}
	return &r, nil
}

// knownKinds are the kinds that have a recorded schema, sorted.
func knownKinds(root string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(root, recordings, "*.json"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no recorded schemas in %s", filepath.Join(root, recordings))
	}
	var names []string
	for _, file := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(file), ".json"))
	}
	slices.Sort(names)
	return names, nil
}

// node returns what gotypes renders.
func (s *schema) node() *gotypes.Node {
	n := &gotypes.Node{
		Type: gotypes.TypeNames{s.Type}, Required: s.Required, Pattern: s.Pattern, Minimum: s.Minimum, Maximum: s.Maximum,
		MinItems: s.MinItems, MaxItems: s.MaxItems, MinLength: s.MinLength, MaxLength: s.MaxLength, Markers: s.markers(),
		Properties: map[string]*gotypes.Node{}, Go: formats[s.Type+" "+s.Format],
	}
	for _, value := range s.Enum {
		n.Enum = append(n.Enum, gotypes.EnumValue{Value: value})
	}
	for name, property := range s.Properties {
		n.Properties[name] = property.node()
	}
	if s.Values != nil {
		n.Values = s.Values.node()
	}
	if s.Items != nil {
		n.Items = s.Items.node()
		n.ItemMarkers = s.Items.itemMarkers()
		n.Items.TypeMarkers = n.Items.Markers
	}
	return n
}

// formats are the Go types of formats that aren't those of their types.
var formats = map[string]string{"integer int64": "int64", "string date-time": "metav1.Time"}

// markers are those that the published schemas don't need.
func (s *schema) markers() []string {
	var out []string
	if s.ListType != "" {
		out = append(out, "+listType="+s.ListType)
	}
	for _, key := range s.ListKeys {
		out = append(out, "+listMapKey="+key)
	}
	for _, r := range s.Rules {
		message := r.Message
		if r.Rule == gotypes.ImmutableRule {
			message = gotypes.ImmutableMessage
		}
		out = append(out, fmt.Sprintf("+kubebuilder:validation:XValidation:rule=%s,message=%s", strconv.Quote(r.Rule), strconv.Quote(message)))
	}
	if !s.Default.IsZero() {
		out = append(out, "+kubebuilder:default="+literal(s.Default))
	}
	return out
}

// itemMarkers are those of the items of an array of scalars.
func (s *schema) itemMarkers() []string {
	var out []string
	add := func(marker, value string) { out = append(out, "+kubebuilder:validation:items:"+marker+"="+value) }
	if s.MinLength != nil {
		add("MinLength", strconv.FormatInt(*s.MinLength, 10))
	}
	if s.MaxLength != nil {
		add("MaxLength", strconv.FormatInt(*s.MaxLength, 10))
	}
	if s.Pattern != "" {
		add("Pattern", strconv.Quote(s.Pattern))
	}
	if len(s.Enum) > 0 {
		var values []string
		for _, value := range s.Enum {
			values = append(values, literal(value))
		}
		add("Enum", strings.Join(values, ";"))
	}
	return out
}

func literal(value yaml.Node) string {
	if value.Tag == "!!str" {
		return strconv.Quote(value.Value)
	}
	return value.Value
}

// same reports whether two properties have one schema.
func same(a, b *schema) bool {
	left, err := json.Marshal(a.comparable())
	if err != nil {
		return false
	}
	right, err := json.Marshal(b.comparable())
	return err == nil && string(left) == string(right)
}

// comparable is the schema without the positions of its nodes in their files.
func (s *schema) comparable() any {
	if s == nil {
		return nil
	}
	properties := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		properties[name] = s.Properties[name].comparable()
	}
	plain := *s
	plain.Properties, plain.Items, plain.Values, plain.Enum, plain.Default = nil, nil, nil, nil, yaml.Node{}
	var enum []string
	for _, value := range s.Enum {
		enum = append(enum, literal(value))
	}
	return []any{plain, properties, s.Items.comparable(), s.Values.comparable(), enum, literal(s.Default)}
}
