// Package userconfig checks user_config against the descriptions that Aiven publishes: those of types of services, of
// integrations and of integration endpoints.
package userconfig

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/aiven/go-api-schemas/pkg/dist"
	"go.yaml.in/yaml/v3"
)

// Schema is a node of Aiven's published description of user_config.
type Schema struct {
	Type       oneOrMore          `yaml:"type"`
	Properties map[string]*Schema `yaml:"properties"`
	Items      *Schema            `yaml:"items"`
	OneOf      []*Schema          `yaml:"one_of"`
	Required   []string           `yaml:"required"`
	Enum       []struct {
		Value any `yaml:"value"`
	} `yaml:"enum"`
	Pattern    string `yaml:"pattern"`
	MinLength  *int   `yaml:"min_length"`
	MaxLength  *int   `yaml:"max_length"`
	MaxItems   *int   `yaml:"max_items"`
	Minimum    string `yaml:"minimum"`
	Maximum    string `yaml:"maximum"`
	Default    any    `yaml:"default"`
	CreateOnly bool   `yaml:"create_only"`
	UserError  string `yaml:"user_error"`
	Secure     bool   `yaml:"_secure"`
}

// oneOrMore are types, written as one or as a list.
type oneOrMore []string

// UnmarshalYAML reads either form.
func (o *oneOrMore) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*o = oneOrMore{node.Value}
		return nil
	}
	var list []string
	err := node.Decode(&list)
	*o = list
	return err
}

// The descriptions, by type.
var (
	services     = published(dist.ServiceTypes)
	integrations = published(dist.IntegrationTypes)
	endpoints    = published(dist.IntegrationEndpointTypes)
)

// published reads a file of descriptions once, when the first of them is needed.
func published(file []byte) func() map[string]*Schema {
	return sync.OnceValue(func() map[string]*Schema {
		var all map[string]*Schema
		if err := yaml.Unmarshal(file, &all); err != nil {
			panic(fmt.Sprintf("reading Aiven's schemas: %v", err)) // embedded in a module whose version is pinned
		}
		return all
	})
}

// OfService describes the user_config of a type of service.
func OfService(serviceType string) *Schema { return services()[serviceType] }

// OfIntegration describes that of a type of integration. Where Aiven publishes none, there are no settings.
func OfIntegration(integrationType string) *Schema {
	if sc, ok := integrations()[integrationType]; ok {
		return sc
	}
	return &Schema{Type: oneOrMore{"object"}}
}

// OfEndpoint describes that of a type of integration endpoint; nil where Aiven publishes none.
func OfEndpoint(endpointType string) *Schema { return endpoints()[endpointType] }

// Apply checks changes, and returns the config with them and with defaults. Objects are merged, null resets to the
// default. A config that is empty yet is that of a new service: only there can create_only keys be set.
func (sc *Schema) Apply(config, changes map[string]any) (map[string]any, error) {
	if len(config) > 0 {
		if err := sc.checkFixed("user_config", config, changes); err != nil {
			return nil, err
		}
	}
	merged := merge(config, changes)
	for key, p := range sc.Properties {
		if _, set := merged[key]; !set && p.Default != nil {
			merged[key] = p.defaultValue()
		}
	}
	return merged, sc.Check("user_config", merged)
}

// checkFixed refuses changes of create_only keys, also those inside.
func (sc *Schema) checkFixed(path string, config, changes map[string]any) error {
	for key, value := range changes {
		p := sc.Properties[key]
		if p == nil {
			continue
		}
		if p.CreateOnly && fmt.Sprint(config[key]) != fmt.Sprint(value) {
			return fmt.Errorf("Invalid %s: '%s' can only be set when the service is created", path, key)
		}
		inside, _ := value.(map[string]any)
		was, _ := config[key].(map[string]any)
		if err := p.checkFixed(path+"."+key, was, inside); err != nil {
			return err
		}
	}
	return nil
}

// merge returns a new object; null removes a key.
func merge(into, changes map[string]any) map[string]any {
	out := maps.Clone(into)
	if out == nil {
		out = map[string]any{}
	}
	for key, value := range changes {
		object, isObject := value.(map[string]any)
		switch {
		case value == nil:
			delete(out, key)
		case isObject:
			old, _ := out[key].(map[string]any)
			out[key] = merge(old, object)
		default:
			out[key] = value
		}
	}
	return out
}

// Check compares a value with its description; path names it in the error.
func (sc *Schema) Check(path string, value any) error {
	if value == nil {
		return nil
	}
	if len(sc.Type) > 0 && !slices.ContainsFunc(sc.Type, func(t string) bool { return isType(t, value) }) {
		return fmt.Errorf("Invalid input for %s: must be of type %s", path, strings.Join(sc.Type, " or "))
	}
	if len(sc.OneOf) > 0 {
		return sc.checkOneOf(path, value)
	}
	if len(sc.Enum) > 0 && !sc.allows(value) {
		return fmt.Errorf("Invalid input for %s: '%v' is not one of the allowed values", path, value)
	}
	switch v := value.(type) {
	case map[string]any:
		return sc.checkObject(path, v)
	case []any:
		return sc.checkList(path, v)
	case string:
		return sc.checkString(path, v)
	}
	return sc.checkNumber(path, value)
}

func isType(name string, value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return name == "object"
	case []any:
		return name == "array"
	case string:
		return name == "string"
	case bool:
		return name == "boolean"
	case float64:
		return name == "number" || name == "integer" && v == float64(int64(v))
	case int:
		return name == "number" || name == "integer"
	}
	return false
}

func (sc *Schema) allows(value any) bool {
	for _, e := range sc.Enum {
		if fmt.Sprint(e.Value) == fmt.Sprint(value) {
			return true
		}
	}
	return false
}

func (sc *Schema) checkObject(path string, value map[string]any) error {
	for _, key := range slices.Sorted(maps.Keys(value)) {
		p, known := sc.Properties[key]
		if !known {
			return fmt.Errorf("Invalid %s: '%s' was unexpected", path, key)
		}
		if err := p.Check(path+"."+key, value[key]); err != nil {
			return err
		}
	}
	for _, key := range sc.Required {
		if value[key] == nil {
			return fmt.Errorf("Invalid %s: '%s' is a required property", path, key)
		}
	}
	return nil
}

func (sc *Schema) checkList(path string, value []any) error {
	if sc.MaxItems != nil && len(value) > *sc.MaxItems {
		return fmt.Errorf("Invalid input for %s: at most %d items", path, *sc.MaxItems)
	}
	if sc.Items == nil {
		return nil
	}
	for i, item := range value {
		if err := sc.Items.Check(path+"."+strconv.Itoa(i), item); err != nil {
			return err
		}
	}
	return nil
}

// checkString never shows the value: it may be a password.
func (sc *Schema) checkString(path, value string) error {
	switch {
	case sc.MinLength != nil && len(value) < *sc.MinLength:
		return fmt.Errorf("Invalid input for %s: at least %d characters", path, *sc.MinLength)
	case sc.MaxLength != nil && len(value) > *sc.MaxLength:
		return fmt.Errorf("Invalid input for %s: at most %d characters", path, *sc.MaxLength)
	case sc.Pattern == "":
		return nil
	}
	pattern, err := regexp.Compile(sc.Pattern)
	if err != nil || pattern.MatchString(value) {
		return nil //nolint:nilerr // Aiven's patterns are Python's: one that Go doesn't know is not checked
	}
	return fmt.Errorf("Invalid input for %s: %s", path, strings.TrimSpace(sc.UserError+" (must match "+sc.Pattern+")"))
}

func (sc *Schema) checkNumber(path string, value any) error {
	number, err := strconv.ParseFloat(fmt.Sprint(value), 64)
	if err != nil {
		return nil //nolint:nilerr // a boolean, which has no bounds
	}
	if low, err := strconv.ParseFloat(sc.Minimum, 64); err == nil && number < low {
		return fmt.Errorf("Invalid input for %s: must be at least %s", path, sc.Minimum)
	}
	if high, err := strconv.ParseFloat(sc.Maximum, 64); err == nil && number > high {
		return fmt.Errorf("Invalid input for %s: must be at most %s", path, sc.Maximum)
	}
	return nil
}
