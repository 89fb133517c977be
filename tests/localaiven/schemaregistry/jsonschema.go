package schemaregistry

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// jsonSchema is compared by what documents it lets in: a reader must let in all that the writer does. Compared are type,
// enum, const, properties, required, additionalProperties, items, pattern and the bounds of numbers, strings and lists, also
// behind $ref. Combinations such as oneOf aren't.
type jsonSchema struct {
	source string
	schema *jsonschema.Schema
}

// jsonSchemaURL is where relative references of a schema without an $id begin.
const jsonSchemaURL = "registry:///schema.json"

func parseJSONSchema(text string, references map[string]string) (parsedSchema, error) {
	source, err := compact(text)
	if err != nil {
		return nil, err
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(source))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft7)
	compiler.UseLoader(referenced(references))
	if err := compiler.AddResource(jsonSchemaURL, document); err != nil {
		return nil, err
	}
	schema, err := compiler.Compile(jsonSchemaURL)
	if err != nil {
		return nil, err
	}
	return jsonSchema{source, schema}, nil
}

// referenced are the texts that a schema may refer to. Nothing else is ever loaded.
type referenced map[string]string

// Load finds a text by the name of its reference, which is a URL or the end of one; the longest that fits.
func (r referenced) Load(url string) (any, error) {
	found := ""
	for name := range r {
		if (url == name || strings.HasSuffix(url, "/"+name)) && len(name) > len(found) {
			found = name
		}
	}
	if found == "" {
		return nil, fmt.Errorf("no reference is named like %s: %w", url, fs.ErrNotExist)
	}
	return jsonschema.UnmarshalJSON(strings.NewReader(r[found]))
}

func (j jsonSchema) text() string { return j.source }
func (j jsonSchema) key() string  { return j.source }

func (j jsonSchema) reads(writer parsedSchema) []string {
	other, ok := writer.(jsonSchema)
	if !ok {
		return []string{"types of schemas differ"}
	}
	return (&jsonComparison{seen: map[[2]*jsonschema.Schema]bool{}}).compare("#", j.schema, other.schema)
}

// jsonComparison remembers what it compared, as schemas may contain themselves.
type jsonComparison struct {
	seen map[[2]*jsonschema.Schema]bool
}

// whole lets in everything.
var whole = &jsonschema.Schema{}

// follow goes where references lead. Those that lead to themselves say nothing, so they let in everything.
func follow(schema *jsonschema.Schema) *jsonschema.Schema {
	been := map[*jsonschema.Schema]bool{}
	for schema != nil && schema.Ref != nil && !been[schema] {
		been[schema] = true
		schema = schema.Ref
	}
	if schema == nil || schema.Bool != nil && *schema.Bool {
		return whole
	}
	return schema
}

func closed(schema *jsonschema.Schema) bool { return schema.Bool != nil && !*schema.Bool }

func (c *jsonComparison) compare(at string, reader, writer *jsonschema.Schema) []string {
	reader, writer = follow(reader), follow(writer)
	pair := [2]*jsonschema.Schema{reader, writer}
	if c.seen[pair] || closed(writer) {
		return nil
	}
	c.seen[pair] = true
	if closed(reader) {
		return []string{at + " lets nothing in"}
	}
	reasons := compareValues(at, reader, writer)
	reasons = append(reasons, compareBounds(at, reader, writer)...)
	reasons = append(reasons, c.compareObjects(at, reader, writer)...)
	return append(reasons, c.compare(at+"/items", items(reader), items(writer))...)
}

// compareValues compares type, enum and const.
func compareValues(at string, reader, writer *jsonschema.Schema) []string {
	var reasons []string
	if types := reader.Types; types != nil {
		accepted := types.ToStrings()
		if slices.Contains(accepted, "number") {
			accepted = append(accepted, "integer")
		}
		if writer.Types == nil {
			reasons = append(reasons, fmt.Sprintf("%s must be %v", at, types))
		} else {
			for _, t := range writer.Types.ToStrings() {
				if !slices.Contains(accepted, t) {
					reasons = append(reasons, fmt.Sprintf("%s must be %v, not %s", at, types, t))
				}
			}
		}
	}
	if accepted := values(reader); accepted != nil {
		given := values(writer)
		if given == nil {
			reasons = append(reasons, at+" must be one of a list")
		}
		for _, value := range given {
			if !slices.Contains(accepted, value) {
				reasons = append(reasons, fmt.Sprintf("%s must not be %s", at, value))
			}
		}
	}
	return reasons
}

// values are those that a schema names; nil is any.
func values(schema *jsonschema.Schema) []string {
	var named []any
	switch {
	case schema.Const != nil:
		named = []any{*schema.Const}
	case schema.Enum != nil:
		named = schema.Enum.Values
	default:
		return nil
	}
	out := []string{}
	for _, value := range named {
		encoded, _ := json.Marshal(value) // it was read from JSON
		out = append(out, string(encoded))
	}
	return out
}

// compareBounds says where the reader is stricter.
func compareBounds(at string, reader, writer *jsonschema.Schema) []string {
	var reasons []string
	for _, bound := range []struct {
		keyword        string
		reader, writer *big.Rat
		upper          bool
	}{
		{"maximum", reader.Maximum, writer.Maximum, true}, {"minimum", reader.Minimum, writer.Minimum, false},
		{"exclusiveMaximum", reader.ExclusiveMaximum, writer.ExclusiveMaximum, true},
		{"exclusiveMinimum", reader.ExclusiveMinimum, writer.ExclusiveMinimum, false},
		{"maxLength", rat(reader.MaxLength), rat(writer.MaxLength), true}, {"minLength", rat(reader.MinLength), rat(writer.MinLength), false},
		{"maxItems", rat(reader.MaxItems), rat(writer.MaxItems), true}, {"minItems", rat(reader.MinItems), rat(writer.MinItems), false},
		{"maxProperties", rat(reader.MaxProperties), rat(writer.MaxProperties), true},
		{"minProperties", rat(reader.MinProperties), rat(writer.MinProperties), false},
	} {
		if bound.reader == nil {
			continue
		}
		if bound.writer == nil || bound.upper && bound.writer.Cmp(bound.reader) > 0 || !bound.upper && bound.writer.Cmp(bound.reader) < 0 {
			reasons = append(reasons, fmt.Sprintf("%s has a stricter %s", at, bound.keyword))
		}
	}
	if reader.Pattern != nil && (writer.Pattern == nil || writer.Pattern.String() != reader.Pattern.String()) {
		reasons = append(reasons, at+" has another pattern")
	}
	return reasons
}

func rat(n *int) *big.Rat {
	if n == nil {
		return nil
	}
	return new(big.Rat).SetInt64(int64(*n))
}

func (c *jsonComparison) compareObjects(at string, reader, writer *jsonschema.Schema) []string {
	var reasons []string
	for _, name := range reader.Required {
		if !slices.Contains(writer.Required, name) {
			reasons = append(reasons, fmt.Sprintf("%s must have %s", at, name))
		}
	}
	names := slices.Concat(slices.Collect(maps.Keys(reader.Properties)), slices.Collect(maps.Keys(writer.Properties)))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		reasons = append(reasons, c.compare(at+"/properties/"+name, property(reader, name), property(writer, name))...)
	}
	return append(reasons, c.compare(at+"/additionalProperties", property(reader, ""), property(writer, ""))...)
}

// property is what a schema says about one property; an empty name is any that it doesn't name.
func property(schema *jsonschema.Schema, name string) *jsonschema.Schema {
	if named, ok := schema.Properties[name]; ok && name != "" {
		return named
	}
	switch additional := schema.AdditionalProperties.(type) {
	case bool:
		return &jsonschema.Schema{Bool: &additional}
	case *jsonschema.Schema:
		return additional
	}
	return whole
}

// items is what a schema says about those of a list that have no place of their own.
func items(schema *jsonschema.Schema) *jsonschema.Schema {
	if schema.Items2020 != nil {
		return schema.Items2020
	}
	if all, ok := schema.Items.(*jsonschema.Schema); ok {
		return all
	}
	return whole
}
