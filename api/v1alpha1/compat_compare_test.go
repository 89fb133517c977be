package v1alpha1_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// finding is one difference between aiven-operator's schema and ours.
type finding struct {
	path string
	text string
	// name is what a deviation is listed by: a rule, a required field, or the text of any other finding.
	name string
	// looser is true where ours accepts everything that aiven-operator accepts, and more.
	looser bool
}

func (f finding) String() string { return f.path + ": " + f.text }

// comparer walks two structural schemas side by side and collects what differs.
type comparer struct {
	findings []finding
}

func (c *comparer) stricter(path, format string, args ...any) {
	c.findings = append(c.findings, finding{path: path, text: fmt.Sprintf(format, args...), name: fmt.Sprintf(format, args...)})
}

// named is stricter with the name by which a deviation lists it.
func (c *comparer) named(name, path, format string, args ...any) {
	c.findings = append(c.findings, finding{path: path, text: fmt.Sprintf(format, args...), name: name})
}

func (c *comparer) looser(path, format string, args ...any) {
	c.findings = append(c.findings, finding{path: path, text: fmt.Sprintf(format, args...), name: fmt.Sprintf(format, args...), looser: true})
}

// compareSchemas returns every difference between two schemas, descriptions aside. A property that only ours has is looser: objects
// of today don't have it.
func compareSchemas(path string, ref, ours map[string]any) []finding {
	c := &comparer{}
	c.schema(path, ref, ours)
	return c.findings
}

// schema compares one level. A keyword that it doesn't know has to be equal.
func (c *comparer) schema(path string, ref, ours map[string]any) {
	keywords := maps.Clone(ref)
	maps.Copy(keywords, ours)
	for _, keyword := range slices.Sorted(maps.Keys(keywords)) {
		was, is := ref[keyword], ours[keyword]
		switch keyword {
		case "description":
		case "properties":
			c.properties(path, asMap(was), asMap(is))
		case "items", "additionalProperties":
			c.nested(path, keyword, was, is)
		case "required":
			c.set(path, "required", asList(is), asList(was))
		case "enum":
			c.enum(path, was, is)
		case "pattern":
			c.pattern(path, was, is)
		case "maximum", "maxLength", "maxItems", "maxProperties":
			c.bound(path, keyword, was, is, 1)
		case "minimum", "minLength", "minItems", "minProperties":
			c.bound(path, keyword, was, is, -1)
		case "x-kubernetes-validations":
			c.rules(path, asList(was), asList(is))
		default:
			if !reflect.DeepEqual(was, is) {
				c.stricter(path, "%s is %v, aiven-operator has %v", keyword, shown(is), shown(was))
			}
		}
	}
}

func (c *comparer) properties(path string, ref, ours map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(ref)) {
		field := path + "." + name
		if ours[name] == nil {
			c.stricter(field, "the field is missing")
			continue
		}
		c.schema(field, asMap(ref[name]), asMap(ours[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(ours)) {
		if ref[name] == nil {
			c.looser(path+"."+name, "aiven-operator hasn't the field")
		}
	}
}

// nested compares a schema inside a keyword, which may also be a plain boolean.
func (c *comparer) nested(path, keyword string, was, is any) {
	refSchema, ourSchema := asMap(was), asMap(is)
	if refSchema == nil || ourSchema == nil {
		if !reflect.DeepEqual(was, is) {
			c.stricter(path, "%s is %v, aiven-operator has %v", keyword, shown(is), shown(was))
		}
		return
	}
	c.schema(path+"[]", refSchema, ourSchema)
}

// set compares two sets of words; members that only `more` has are a restriction.
func (c *comparer) set(path, keyword string, more, fewer []any) {
	for _, member := range more {
		if !slices.Contains(fewer, member) {
			c.named(fmt.Sprintf("%s %v", keyword, member), path, "%s has %v, which aiven-operator hasn't", keyword, member)
		}
	}
	for _, member := range fewer {
		if !slices.Contains(more, member) {
			c.looser(path, "%s lacks %v", keyword, member)
		}
	}
}

func (c *comparer) enum(path string, was, is any) {
	switch {
	case is == nil:
		c.looser(path, "the enum %v is missing", was)
	case was == nil:
		c.stricter(path, "the enum %v is new", is)
	default:
		for _, value := range asList(was) {
			if !slices.Contains(asList(is), value) {
				c.stricter(path, "enum lacks %v", value)
			}
		}
		for _, value := range asList(is) {
			if !slices.Contains(asList(was), value) {
				c.looser(path, "enum has %v, which aiven-operator hasn't", value)
			}
		}
	}
}

func (c *comparer) pattern(path string, was, is any) {
	switch {
	case is == nil:
		c.looser(path, "the pattern %v is missing", was)
	case was != is:
		c.stricter(path, "pattern is %v, aiven-operator has %v", is, shown(was))
	}
}

// bound compares an upper (direction 1) or lower (direction -1) bound.
func (c *comparer) bound(path, keyword string, was, is any, direction float64) {
	refBound, refHas := asNumber(was)
	ourBound, oursHas := asNumber(is)
	switch {
	case !oursHas:
		c.looser(path, "%s %v is missing", keyword, was)
	case !refHas, ourBound*direction < refBound*direction:
		c.stricter(path, "%s is %v, aiven-operator has %v", keyword, is, shown(was))
	case ourBound != refBound:
		c.looser(path, "%s is %v, aiven-operator has %v", keyword, is, was)
	}
}

// rules compares CEL rules, but for their messages, which no client depends on: aiven-operator's name no remedy. A lost rule counts like an added one: a rule is a promise too, to
// refuse what the operator couldn't carry out.
func (c *comparer) rules(path string, was, is []any) {
	for _, rule := range is {
		if !slices.ContainsFunc(was, sameRule(rule)) {
			c.named(text(rule), path, "the CEL rule %q is not aiven-operator's", text(rule))
		}
	}
	for _, rule := range was {
		if !slices.ContainsFunc(is, sameRule(rule)) {
			c.named("without "+text(rule), path, "the CEL rule %q is missing", text(rule))
		}
	}
}

func sameRule(rule any) func(any) bool {
	return func(other any) bool { return text(rule) == text(other) }
}

// text is what a CEL rule says.
func text(rule any) string {
	s, _ := asMap(rule)["rule"].(string)
	return s
}

func asMap(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func asList(v any) []any {
	l, _ := v.([]any)
	return l
}

func asNumber(v any) (float64, bool) {
	n, ok := v.(float64)
	return n, ok
}

// shown makes an absent value readable.
func shown(v any) any {
	if v == nil {
		return "none"
	}
	return v
}
