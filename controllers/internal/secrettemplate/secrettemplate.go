// Package secrettemplate executes values that take parts of Secrets: Go templates with the function fromSecret.
//
// Users write them, and the operator executes them, also when it indexes objects. So a template
// can't run for long or grow: it has no loops, no templates of its own, and few functions, and what these return is bounded.
//
//	secrettemplate.go  templates in, texts and references out, and the functions
//	execute.go         executes what the package text/template/parse returns
package secrettemplate

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"

	"k8s.io/apimachinery/pkg/util/validation"
)

const (
	// longestSource is that of a template, longestResult that of its result and of all that its functions return. A Secret
	// has at most 1 MiB.
	longestSource = 64 << 10
	longestResult = 2 << 20
)

// Reference is a key of a Secret in the namespace of the object.
type Reference struct{ Secret, Key string }

var (
	// functions are those of a template besides logic; the values are what the parser asks for, and call has what they do.
	functions = map[string]any{"fromSecret": true, "print": true, "printf": true, "urlquery": true}
	// logic are the functions of the package text/template whose results are no longer than their arguments.
	logic = map[string]any{"and": true, "or": true, "not": true, "eq": true, "ne": true}
	// repeating begins an action that executes others more than once, or defines them.
	repeating = regexp.MustCompile(`\{\{-?\s*(range|template|define|block)\b`)
	// verbs are those of printf that may be used. With others a result may be longer than its arguments, or a value of a Secret
	// in digits, which no text could be freed from.
	verbs = regexp.MustCompile(`^(?:[^%]|%[%svqdt])*$`)
)

// References lists what a template reads, each once. It is executed with empty values and with others, so that both
// branches of a condition on a value count.
func References(source string) ([]Reference, error) {
	var found []Reference
	for _, value := range []string{"", "x"} {
		_, err := Render(source, func(ref Reference) (string, bool) {
			if !slices.Contains(found, ref) {
				found = append(found, ref)
			}
			return value, true
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// Render executes a template with the values that lookup returns. Its errors are about the template, and hold no value.
func Render(source string, lookup func(Reference) (string, bool)) (string, error) {
	if !strings.Contains(source, "{{") {
		return source, nil
	}
	x := &execution{lookup: lookup, left: longestResult, dot: struct{}{}}
	tree, err := compile(source)
	if err == nil {
		err = x.execute(tree)
	}
	if err != nil {
		return "", errors.New(strings.Replace(err.Error(), "template: value:", "line ", 1))
	}
	return x.result.String(), nil
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

// execution is one of a template.
type execution struct {
	lookup func(Reference) (string, bool)
	left   int // bytes that it may still produce
	result strings.Builder

	tree      *parse.Tree
	dot       any
	variables []variable
}

// compile knows no functions but those of execution and logic: the others of text/template make texts of any length.
func compile(source string) (*parse.Tree, error) {
	if len(source) > longestSource {
		return nil, fmt.Errorf("longer than %d bytes", longestSource)
	}
	if word := repeating.FindStringSubmatch(source); word != nil {
		return nil, fmt.Errorf("%s can't be used", word[1])
	}
	trees, err := parse.Parse("value", source, "", "", functions, logic)
	if err != nil {
		return nil, err
	}
	return trees["value"], nil
}

func (x *execution) write(text string) error {
	if err := x.spend(len(text)); err != nil {
		return err
	}
	x.result.WriteString(text)
	return nil
}

func (x *execution) spend(bytes int) error {
	if x.left -= bytes; x.left < 0 {
		return fmt.Errorf("the result is longer than %d bytes", longestResult)
	}
	return nil
}

// spendAll is for a function that returns at most a few times as much as its arguments have.
func (x *execution) spendAll(args []any) error {
	bytes := 0
	for _, arg := range args {
		switch text := arg.(type) {
		case string:
			bytes += len(text)
		case escaped:
			bytes += len(text)
		}
		bytes++
	}
	return x.spend(bytes)
}

// fromSecret doesn't quote its arguments in errors: they may be values of Secrets themselves.
func (x *execution) fromSecret(name, key string) (string, error) {
	if len(validation.IsDNS1123Subdomain(name)) > 0 || len(validation.IsConfigMapKey(key)) > 0 {
		return "", errors.New("it needs the name of a Secret and one of its keys, and neither may depend on the value of another one")
	}
	value, known := x.lookup(Reference{Secret: name, Key: key})
	if !known {
		return "", errors.New("which Secret is read must not depend on the value of another one")
	}
	return value, nil
}

func (x *execution) print(args ...any) (any, error) {
	if err := x.spendAll(args); err != nil {
		return nil, err
	}
	return escape(fmt.Sprint(args...), false, args)
}

func (x *execution) printf(format string, args ...any) (any, error) {
	if !verbs.MatchString(format) {
		return nil, errors.New("printf takes plain verbs: %s, %v, %q, %d or %t")
	}
	if err := x.spendAll(append(args, format)); err != nil {
		return nil, err
	}
	return escape(fmt.Sprintf(format, args...), strings.Contains(format, "%q"), args)
}

func (x *execution) urlquery(args ...any) (any, error) {
	if err := x.spendAll(args); err != nil {
		return nil, err
	}
	return escape(template.URLQueryEscaper(args...), true, args)
}
