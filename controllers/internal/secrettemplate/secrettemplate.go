// Package secrettemplate executes Go templates that users write for values of Secrets.
//
// The operator executes them, also when it indexes objects. So a template can't run for long or grow: what it is made of is limited
// to a language, and each execution has a budget of steps and of bytes. There are two languages:
//
//   - Budget is for values that take parts of Secrets by the function fromSecret. They have no data, and no loops. All templates of an
//     object share one.
//   - Execute is for values that are made from connection details. It has more functions, and range over the endpoints.
//
// No error holds a value: not of a Secret, and not of the data.
//
//	secrettemplate.go  values that take parts of Secrets: texts and references out, and their functions
//	details.go         values that are made from data, and their functions
//	language.go        what a template may consist of, and what an execution may cost
//	execute.go         executes what the package text/template/parse returns
//	values.go          what operands are: fields, numbers, comparisons
package secrettemplate

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Reference is a key of a Secret in the namespace of the object.
type Reference struct{ Secret, Key string }

// secrets is the language of values that take parts of Secrets. A Secret has at most 1 MiB.
var secrets = &language{
	functions: withLogic(map[string]function{
		"fromSecret": {2, 2, fromSecret},
		"print":      {0, 0, printed},
		"printf":     {1, 0, printf},
		"urlquery":   {0, 0, urlquery},
	}, "and", "or", "not", "eq", "ne"),
	refused: regexp.MustCompile(`\{\{-?\s*(range|template|define|block)\b`),
	noField: errors.New("a template has no data: its values come from fromSecret"),
	most:    cost{output: 2 << 20, bytes: 2 << 20, steps: 1 << 20},
}

// verbs are those of printf that may be used. With others a result may be longer than its arguments, or a value of a Secret
// in digits, which no text could be freed from.
var verbs = regexp.MustCompile(`^(?:[^%]|%[%svqdt])*$`)

// Budget is what all templates of one object may take together, as much as one of them alone: an object may have thousands. What
// is executed with empty values, with others, and with those of Secrets has a share each, so that every template is executed once in
// each. It is for one use of an object, and not safe for concurrent use.
type Budget struct{ empty, filled, real cost }

// NewBudget returns one of which nothing is spent.
func NewBudget() *Budget {
	return &Budget{empty: secrets.most, filled: secrets.most, real: secrets.most}
}

// Exceeded reports whether a template has taken more than was left. Those after it aren't executed.
func (b *Budget) Exceeded() bool {
	return b.empty.exceeded() || b.filled.exceeded() || b.real.exceeded()
}

// References lists what a template reads, each once. It is executed with empty values and with others, so that both
// branches of a condition on a value count.
func (b *Budget) References(source string) ([]Reference, error) {
	var found []Reference
	known := map[Reference]bool{}
	for _, run := range []struct {
		value string
		left  *cost
	}{{"", &b.empty}, {"x", &b.filled}} {
		_, err := render(source, run.left, func(ref Reference) (string, bool) {
			if !known[ref] {
				known[ref], found = true, append(found, ref)
			}
			return run.value, true
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// Render executes a template with the values that lookup returns. Its errors are about the template, and hold no value.
func (b *Budget) Render(source string, lookup func(Reference) (string, bool)) (string, error) {
	return render(source, &b.real, lookup)
}

func render(source string, left *cost, lookup func(Reference) (string, bool)) (string, error) {
	return secrets.render(source, &execution{lookup: lookup, left: left, dot: struct{}{}})
}

// escaped is a text of which a part was escaped or quoted. That isn't done twice: what hides values of Secrets in texts knows
// how they are written once.
type escaped string

// escape marks a text that a function returns.
func escape(text string, escapes bool, args []any) (any, error) {
	marked := slices.ContainsFunc(args, func(arg any) bool { _, is := arg.(escaped); return is })
	switch {
	case marked && escapes:
		return nil, errors.New("a part of its argument is escaped already")
	case marked || escapes:
		return escaped(text), nil
	default:
		return text, nil
	}
}

// fromSecret doesn't quote its arguments in errors: they may be values of Secrets themselves.
func fromSecret(x *execution, args []any) (any, error) {
	name, isText := args[0].(string)
	key, areTexts := args[1].(string)
	if !isText || !areTexts {
		return nil, errors.New("it needs the name of a Secret and one of its keys, as texts")
	}
	if len(validation.IsDNS1123Subdomain(name)) > 0 || len(validation.IsConfigMapKey(key)) > 0 {
		return nil, errors.New("its Secret and key must be constant names without a slash")
	}
	value, known := x.lookup(Reference{Secret: name, Key: key})
	if !known {
		return nil, errors.New("which Secret is read must not depend on the value of another one")
	}
	return value, nil
}

func printed(_ *execution, args []any) (any, error) { return escape(fmt.Sprint(args...), false, args) }

func printf(_ *execution, args []any) (any, error) {
	format, isText := args[0].(string)
	if !isText {
		return nil, errors.New("printf needs a format that is a text")
	}
	if !verbs.MatchString(format) {
		return nil, errors.New("printf takes plain verbs: %s, %v, %q, %d or %t")
	}
	return escape(fmt.Sprintf(format, args[1:]...), strings.Contains(format, "%q"), args[1:])
}

func urlquery(_ *execution, args []any) (any, error) {
	return escape(template.URLQueryEscaper(args...), true, args)
}
