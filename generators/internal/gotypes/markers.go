package gotypes

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// maxSafeInteger is the largest integer that survives JSON readers with 64-bit floats, 2^53-1.
var maxSafeInteger = big.NewFloat(1<<53 - 1)

// The rule of a field that can't be changed. What kubectl shows before the message is "Invalid value", with the value.
const (
	ImmutableRule    = "self == oldSelf"
	ImmutableMessage = "field is immutable: create another object instead"
)

// markers returns the validation of a field as controller-gen reads it, in a fixed order.
func markers(name string, n *Node) []string {
	var out []string
	add := func(marker, value string) { out = append(out, "+kubebuilder:validation:"+marker+"="+value) }
	addInt := func(marker string, value *int64) {
		if value != nil {
			add(marker, strconv.FormatInt(*value, 10))
		}
	}
	addBound := func(marker, value string) {
		if isSafeNumber(value) {
			add(marker, value)
		}
	}

	switch n.Kind() {
	case KindArray:
		addInt("MinItems", n.MinItems)
		addInt("MaxItems", n.MaxItems)
	case KindString:
		addInt("MinLength", n.MinLength)
		addInt("MaxLength", n.MaxLength)
		if isPortablePattern(n.Pattern) {
			add("Pattern", quote(n.Pattern))
		}
	case KindInteger, KindNumber:
		addBound("Minimum", n.Minimum)
		addBound("Maximum", n.Maximum)
	}
	if values := enumValues(n); len(values) > 0 && !isVersion(name) {
		add("Enum", strings.Join(values, ";"))
	}
	if n.CreateOnly {
		out = append(out, fmt.Sprintf("+kubebuilder:validation:XValidation:rule=%q,message=%q", ImmutableRule, ImmutableMessage))
	}
	return append(out, n.Markers...)
}

// Comment returns the description of a field on one line, so that no word of it can pass for a marker.
func Comment(name string, n *Node) string {
	text := n.Description
	if text == "" {
		text = n.Title
	}
	if text == "" {
		text = name
	}
	parts := []string{sentence(text)}
	if list := versions(n); isVersion(name) && len(list) > 0 {
		parts = append(parts, "Versions: "+strings.Join(list, ", ")+".")
	}
	if n.IsDeprecated {
		parts = append(parts, "Deprecated: "+sentence(n.DeprecationNotice))
	}
	return strings.TrimLeft(strings.Join(parts, " "), "+ ")
}

// isVersion reports the fields whose values come and go with Aiven's releases: an enum would refuse tomorrow's version.
func isVersion(name string) bool { return strings.HasSuffix(name, "_version") }

// versions lists the supported versions, and the last deprecated one, which services may still run.
func versions(n *Node) []string {
	lastDeprecated := -1
	for i, value := range n.Enum {
		if value.IsDeprecated && !value.isNull() {
			lastDeprecated = i
		}
	}
	var out []string
	for i, value := range n.Enum {
		if !value.isNull() && (!value.IsDeprecated || i == lastDeprecated) {
			out = append(out, value.Value.Value)
		}
	}
	return out
}

// enumValues returns the allowed values as marker text. Strings are always quoted: off, 1 or true would change type.
func enumValues(n *Node) []string {
	var out []string
	for _, value := range n.Enum {
		switch {
		case value.isNull():
		case n.Kind() == KindString:
			out = append(out, strconv.Quote(value.Value.Value))
		default:
			out = append(out, value.Value.Value)
		}
	}
	return out
}

// isSafeNumber reports whether text is a number that JSON readers don't round.
func isSafeNumber(text string) bool {
	number, ok := new(big.Float).SetString(text)
	return ok && number.Abs(number).Cmp(maxSafeInteger) <= 0
}

// isPortablePattern reports whether the API server, which has Go's regular expressions, can check the pattern.
func isPortablePattern(pattern string) bool {
	if pattern == "" {
		return false
	}
	_, err := regexp.Compile(pattern)
	return err == nil
}

// quote prefers raw quotes, because patterns are full of backslashes.
func quote(text string) string {
	if strings.Contains(text, "`") {
		return strconv.Quote(text)
	}
	return "`" + text + "`"
}

// sentence puts text on one line and ends it with a full stop.
func sentence(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".!?") {
		return text
	}
	return fmt.Sprint(text, ".")
}
