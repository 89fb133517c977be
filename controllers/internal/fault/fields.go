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
	// Value is set where Aiven's text doesn't have it.
	Value string
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
func (f Fields) Of(err error) error { return f.named(err, Rejected) }

// Missing names the field whose value Aiven's 404 for a change is about, as Of does.
func (f Fields) Missing(err error) error { return f.named(err, NotFound) }

func (f Fields) named(err error, class Class) error {
	answer, answered := answerOf(err)
	if !answered || len(f) == 0 || !Is(err, class) {
		return err
	}
	names, texts := f.byLength(), append([]string{answer.Message}, detailsOf(answer)...)
	for _, text := range texts {
		if name, below, found := subjectOf(text, names); found {
			field := f[name]
			if field.Tree {
				field.Path += below
			}
			return AtField(field, err)
		}
	}
	for _, text := range texts {
		if at := slices.IndexFunc(names, func(name string) bool { return mentions(text, name) }); at >= 0 {
			return AtField(f[names[at]], err)
		}
	}
	return err
}

// mentions reports whether a text has a parameter anywhere. Only names of the API count: a word such as plan may mean anything.
func mentions(text, parameter string) bool {
	return strings.Contains(parameter, "_") && strings.Contains(text, parameter) &&
		regexp.MustCompile(`(?:^|[^\w.-])`+regexp.QuoteMeta(parameter)+`(?:[^\w.-]|$)`).MatchString(text)
}

// byLength lists the names, the longest first: of those that match a text, it wins.
func (f Fields) byLength() []string {
	return slices.SortedFunc(maps.Keys(f), func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) })
}

var (
	// introductions may be before the parameter that a text begins with, the longest first.
	introductions = []*regexp.Regexp{
		regexp.MustCompile(`(?i)^invalid (?:input: |(?:input|value) (?:for|of) )`), regexp.MustCompile(`(?i)^invalid `), regexp.MustCompile(`^`),
	}
	// belowName is what is below a parameter, up to its end.
	belowName = regexp.MustCompile("^((?:\\.[\\w-]+)*)(?:['\"`:\\s]|$)")
)

// subjectOf returns the first of the names that a text begins with, behind the word "invalid", and what is below it. The names are
// compared one by one: a pattern of all of them takes more memory than an object with many keys.
func subjectOf(text string, names []string) (name, below string, found bool) {
	for _, introduction := range introductions {
		subject := text[len(introduction.FindString(text)):]
		for _, begins := range []string{withoutQuote(subject), subject} {
			spaced := strings.ReplaceAll(begins, " ", "_")
			for _, name := range names {
				if name == "" || len(name) > len(begins) || !strings.EqualFold(spaced[:len(name)], strings.ReplaceAll(name, " ", "_")) {
					continue
				}
				if match := belowName.FindStringSubmatch(begins[len(name):]); match != nil {
					return name, match[1], true
				}
			}
		}
	}
	return "", "", false
}

func withoutQuote(text string) string {
	if text != "" && strings.IndexByte("'\"`", text[0]) >= 0 {
		return text[1:]
	}
	return text
}
