package fault

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Fields are the fields of an object by what Aiven's texts call them: a parameter of its API, or a phrase that begins a
// sentence.
type Fields map[string]Field

// Field is a field of an object, and what to do if Aiven rejects its value.
type Field struct {
	// Path is the field as users write it: "spec.plan", "metadata.name".
	Path string
	// Remedy is empty where Aiven's own text says what to do.
	Remedy string
	// Tree is set if paths below the parameter are paths below the field.
	Tree bool
}

// NameField is the field that names a resource: the one of the spec if it is set, else the name of the object. Neither can be
// changed. path is empty if there is no such field in the spec.
func NameField(path, value string) Field {
	const name, rename = "metadata.name", "Recreate the object under another name"
	switch {
	case path == "":
		return Field{Path: name, Remedy: rename}
	case value == "":
		return Field{Path: name, Remedy: rename + ", or with " + path}
	default:
		return Fixed(path)
	}
}

// Fixed is a field that can't be changed.
func Fixed(path string) Field {
	return Field{Path: path, Remedy: "Recreate the object with another " + path}
}

// Of names the field that Aiven's rejection of a change is about. Where its text names none of them, err stays as it is.
func (f Fields) Of(err error) error {
	answer, answered := answerOf(err)
	if !answered || !Is(err, Rejected) {
		return err
	}
	for _, text := range append([]string{answer.Message}, detailsOf(answer)...) {
		if field, found := f.subject(text); found {
			return &fieldError{field: field.Path, remedy: field.Remedy, err: err}
		}
	}
	return err
}

// subject is the field that a text begins with, behind the word "invalid". The longest name wins.
func (f Fields) subject(text string) (Field, bool) {
	byLength := func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) }
	for _, name := range slices.SortedFunc(maps.Keys(f), byLength) {
		match := subjectPattern(name).FindStringSubmatch(text)
		if match == nil {
			continue
		}
		field := f[name]
		if field.Tree {
			field.Path += match[1]
		}
		return field, true
	}
	return Field{}, false
}

// subjectPattern matches a text about a parameter, with what is below it.
func subjectPattern(name string) *regexp.Regexp {
	name = strings.ReplaceAll(regexp.QuoteMeta(name), "_", "[_ ]")
	return regexp.MustCompile("(?i)^(?:invalid (?:(?:input|value) (?:for|of) )?)?['\"`]?" + name + "((?:\\.[\\w-]+)*)(?:['\"`:\\s]|$)")
}
