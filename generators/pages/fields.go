package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

const tableHead = "| field | type | meaning |\n|---|---|---|\n"

// immutable is the message of a rule that is shown as a word.
const immutable = "field is immutable"

// field is a row of a table of fields.
type field struct {
	path      string // below that of the table: userConfig.ip_filter[].network
	schema    *apiextensionsv1.JSONSchemaProps
	required  bool
	immutable bool // by a rule of its own, of one above it, or of one above it that names it
	elsewhere bool // its fields have a page of their own
}

// fieldsOf lists the fields below a schema, each before those below it. Those of a field for which elsewhere says so are left out.
func fieldsOf(schema *apiextensionsv1.JSONSchemaProps, prefix string, elsewhere func(*apiextensionsv1.JSONSchemaProps) bool) []field {
	var all []field
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		property := schema.Properties[name]
		f := field{path: prefix + name, schema: &property, required: slices.Contains(schema.Required, name)}
		f.immutable = fixes(schema, "") || fixes(schema, name) || fixes(&property, "")
		f.elsewhere = elsewhere != nil && elsewhere(&property)
		all = append(all, f)
		if f.elsewhere {
			continue
		}
		below, path := &property, f.path+"."
		switch {
		case property.Items != nil && property.Items.Schema != nil:
			below, path = property.Items.Schema, f.path+"[]."
		case property.AdditionalProperties != nil && property.AdditionalProperties.Schema != nil:
			below, path = property.AdditionalProperties.Schema, f.path+".*."
		}
		for _, inner := range fieldsOf(below, path, elsewhere) {
			inner.immutable = inner.immutable || f.immutable
			all = append(all, inner)
		}
	}
	return all
}

// fixes reports whether a rule makes a field of the schema immutable, or all of the schema if the name is empty.
func fixes(schema *apiextensionsv1.JSONSchemaProps, name string) bool {
	return slices.ContainsFunc(schema.XValidations, func(rule apiextensionsv1.ValidationRule) bool {
		return isImmutable(rule) && fieldOf(rule) == name
	})
}

// fieldOf is the field that a rule is about; empty if that is all of the schema.
func fieldOf(rule apiextensionsv1.ValidationRule) string {
	return strings.TrimPrefix(rule.FieldPath, ".")
}

// row is the row of a field. Its options are on another page.
func (f field) row(optionsPage string) string {
	words := []string{typeOf(f.schema)}
	if f.required {
		words = append(words, "required")
	}
	if f.immutable {
		words = append(words, "immutable")
	}
	meaning := inline(f.schema.Description)
	if f.immutable { // kubectl explain has no column that says so
		meaning = strings.Replace(meaning, "Immutable. ", "", 1)
		meaning = strings.TrimSuffix(meaning, " Immutable.")
	}
	for _, sentence := range append(limits(f.schema), sentences(f.schema.XValidations)...) {
		meaning += " " + sentence
	}
	if f.elsewhere {
		anchor := strings.ToLower(strings.ReplaceAll(f.path, ".", ""))
		meaning += fmt.Sprintf(" [Its options](%s#%s).", optionsPage, anchor)
	}
	return fmt.Sprintf("| `%s` | %s | %s |\n", f.path, strings.Join(words, ", "), cell(strings.TrimSpace(meaning)))
}

// typeOf is the type of a field, with that of its elements.
func typeOf(schema *apiextensionsv1.JSONSchemaProps) string {
	switch {
	case schema.XIntOrString:
		return "integer or string"
	case schema.Items != nil && schema.Items.Schema != nil:
		return "list of " + typeOf(schema.Items.Schema)
	case schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil:
		return "map of " + typeOf(schema.AdditionalProperties.Schema)
	case schema.Format == "date-time":
		return "time"
	}
	return schema.Type
}

// limits are the constraints of a field other than rules, a sentence each, without those that its description states. Those of the
// elements of a list are its own.
func limits(schema *apiextensionsv1.JSONSchemaProps) []string {
	var all []string
	add := func(format string, values ...any) { all = append(all, fmt.Sprintf(format, values...)) }
	if schema.Default != nil && !strings.Contains(schema.Description, "Defaults to ") {
		add("Default: `%s`.", strings.Trim(string(schema.Default.Raw), `"`))
	}
	all = append(all, valueLimits(schema)...)
	if schema.Items != nil && schema.Items.Schema != nil {
		for _, limit := range valueLimits(schema.Items.Schema) {
			all = append(all, "Each: "+limit)
		}
	}
	bounds(add, "element", "elements", schema.MinItems, schema.MaxItems)
	bounds(add, "entry", "entries", schema.MinProperties, schema.MaxProperties)
	return slices.DeleteFunc(all, func(limit string) bool { return states(schema.Description, limit) })
}

// states reports whether a description has a limit, maybe without what is counted: "At most 10." for "At most 10 elements."
func states(description, limit string) bool {
	number := strings.TrimRight(limit, ".abcdefghijklmnopqrstuvwxyz ") + "."
	return strings.Contains(description, limit) || strings.ContainsAny(number, "0123456789") && strings.Contains(description, number)
}

// valueLimits are those of a single value.
func valueLimits(schema *apiextensionsv1.JSONSchemaProps) []string {
	var all []string
	add := func(format string, values ...any) { all = append(all, fmt.Sprintf(format, values...)) }
	var values []string
	for _, value := range schema.Enum {
		values = append(values, "`"+strings.Trim(string(value.Raw), `"`)+"`")
	}
	if len(values) > 0 {
		add("One of %s.", strings.Join(values, ", "))
	}
	switch low, high := schema.Minimum, schema.Maximum; {
	case low != nil && high != nil:
		add("From %s to %s.", number(*low), number(*high))
	case low != nil:
		add("At least %s.", number(*low))
	case high != nil:
		add("At most %s.", number(*high))
	}
	bounds(add, "character", "characters", schema.MinLength, schema.MaxLength)
	if schema.Pattern != "" {
		add("Matches `%s`.", schema.Pattern)
	}
	return all
}

// bounds adds how many there may be of something, with the words for one and for several.
func bounds(add func(string, ...any), one, several string, low, high *int64) {
	counted := func(n int64) string {
		if n == 1 {
			return "1 " + one
		}
		return fmt.Sprintf("%d %s", n, several)
	}
	switch {
	case low != nil && high != nil && *low == *high:
		add("Exactly %s.", counted(*low))
	case low != nil && high != nil:
		add("%d to %s.", *low, counted(*high))
	case low != nil && *low == 1:
		add("Not empty.")
	case low != nil:
		add("At least %s.", counted(*low))
	case high != nil:
		add("At most %s.", counted(*high))
	}
}

// number is without an exponent and without zeros behind the point.
func number(n float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.6f", n), "0"), ".")
}

func isImmutable(rule apiextensionsv1.ValidationRule) bool {
	return strings.HasPrefix(rule.Message, immutable)
}

// sentences are the messages of rules but for the one that is a word.
func sentences(rules []apiextensionsv1.ValidationRule) []string {
	var all []string
	for _, rule := range rules {
		if !isImmutable(rule) {
			all = append(all, sentence(rule))
		}
	}
	return all
}

// verbs begin messages that go on from the name of the field: "is only for the type autoscaler".
var verbs = []string{"can't", "is", "must"}

// sentence is the message of a rule. The name of a field keeps its first letter.
func sentence(rule apiextensionsv1.ValidationRule) string {
	message := strings.TrimSuffix(rule.Message, ".") + "."
	if name := fieldOf(rule); name != "" {
		return "`" + name + "`" + predicate(message)
	}
	first, _, _ := strings.Cut(message, " ")
	if strings.ContainsAny(first, ".`") || strings.ToLower(first) != first {
		return message
	}
	return strings.ToUpper(message[:1]) + message[1:]
}

// predicate is a message behind the name of its field.
func predicate(message string) string {
	message = strings.TrimPrefix(message, "field ")
	message = strings.Replace(message, "can't be added or removed:", "can't be added or removed later:", 1)
	if first, _, _ := strings.Cut(message, " "); !slices.Contains(verbs, first) {
		return ": " + message
	}
	return " " + message
}

// rulesOf is a list of the rules about several fields of an object.
func rulesOf(schema *apiextensionsv1.JSONSchemaProps, of string) string {
	var list strings.Builder
	if fixes(schema, "") {
		list.WriteString("- " + wholeIsImmutable(schema, of) + "\n")
	}
	for _, message := range sentences(schema.XValidations) {
		fmt.Fprintf(&list, "- %s\n", message)
	}
	if list.Len() == 0 {
		return ""
	}
	if of != "" {
		of = " of `" + of + "`"
	}
	return "Rules" + of + ":\n\n" + list.String() + "\n"
}

// wholeIsImmutable is a rule against every change as a sentence. A token can be replaced in the Secret that the object names.
func wholeIsImmutable(schema *apiextensionsv1.JSONSchemaProps, of string) string {
	if _, has := schema.Properties["authSecretRef"]; has {
		return "The whole " + of + " is immutable, `authSecretRef` included: to use another token, change the value in its Secret."
	}
	return "The whole " + of + " is immutable: create another object instead."
}

// paragraph is a description as a text of its own. Descriptions have Markdown, and no HTML.
func paragraph(description string) string { return withoutTags.Replace(strings.TrimSpace(description)) }

// inline is a description in one line.
func inline(description string) string {
	return withoutTags.Replace(strings.Join(strings.Fields(description), " "))
}

var withoutTags = strings.NewReplacer("<", "&lt;")

// cell is a text that may be in a cell of a table.
func cell(text string) string {
	return withoutTags.Replace(strings.NewReplacer("|", `\|`, "\n", " ").Replace(text))
}
