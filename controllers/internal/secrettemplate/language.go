package secrettemplate

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"text/template/parse"
)

// longestSource is that of a template.
const longestSource = 64 << 10

// mostVariables is the number of declarations in a template: the parser compares a use of a variable with all that were declared before.
const mostVariables = 64

var (
	errTooLong = fmt.Errorf("longer than %d bytes", longestSource)
	errSpent   = errors.New("the templates before it take too much")
)

// language is what a template may consist of, and what one execution may cost.
type language struct {
	functions map[string]function
	// refused finds the first word of an action that isn't in the language.
	refused *regexp.Regexp
	// loops means that range over the endpoints is in the language.
	loops bool
	// noField is the error of a field of what has none.
	noField error
	// most is what one execution may take.
	most cost
}

// cost is what executions take: output is the length of the results; bytes that of all texts that functions take; steps the number
// of nodes, operands and variables that are visited.
type cost struct{ output, bytes, steps int }

func (c *cost) exceeded() bool { return c.output < 0 || c.bytes < 0 || c.steps < 0 }

// function is one that templates call. It takes at least some arguments and at most others; most is 0 for any number. What it returns
// is at most a few times as long as its arguments, or it spends the difference itself.
type function struct {
	least, most int
	call        func(x *execution, args []any) (any, error)
}

// withLogic adds functions of the package text/template, whose results are no longer than their arguments.
func withLogic(functions map[string]function, names ...string) map[string]function {
	all := maps.Clone(functions)
	for _, name := range names {
		all[name] = logic[name]
	}
	return all
}

// execution is one of a template.
type execution struct {
	*language
	lookup func(Reference) (string, bool)
	left   *cost // what it may still write, take and do, with the others of its budget
	result strings.Builder

	tree      *parse.Tree
	dot       any
	variables []variable
}

// render executes a template. Its errors name the line and hold no value.
func (l *language) render(source string, x *execution) (string, error) {
	if !strings.Contains(source, "{{") {
		return source, nil
	}
	if x.language = l; x.left.exceeded() {
		return "", errSpent
	}
	tree, err := l.compile(source)
	if err == nil {
		err = x.execute(tree)
	}
	if err != nil {
		return "", errors.New(strings.Replace(err.Error(), "template: value:", "line ", 1))
	}
	return x.result.String(), nil
}

// compile knows no functions but those of the language: others of text/template make texts of any length.
func (l *language) compile(source string) (*parse.Tree, error) {
	if len(source) > longestSource {
		return nil, errTooLong
	}
	if word := l.refused.FindStringSubmatch(source); word != nil {
		return nil, fmt.Errorf("%s can't be used", word[1])
	}
	if strings.Count(source, ":=") > mostVariables {
		return nil, fmt.Errorf("it declares more than %d variables", mostVariables)
	}
	known := map[string]any{}
	for name := range l.functions {
		known[name] = true
	}
	trees, err := parse.Parse("value", source, "", "", known)
	if err != nil {
		return nil, err
	}
	return trees["value"], nil
}

func (x *execution) write(text string) error {
	if x.left.output -= len(text); x.left.output < 0 {
		return fmt.Errorf("the result is longer than %d bytes", x.most.output)
	}
	x.result.WriteString(text)
	return nil
}

func (x *execution) spend(bytes int) error {
	if x.left.bytes -= bytes; x.left.bytes < 0 {
		return fmt.Errorf("its functions take and make more than %d bytes", x.most.bytes)
	}
	return nil
}

func (x *execution) step(steps int) error {
	if x.left.steps -= steps; x.left.steps < 0 {
		return fmt.Errorf("it takes more than %d steps", x.most.steps)
	}
	return nil
}

// sizeOf is the length of what a function takes, or returns.
func sizeOf(args ...any) int {
	bytes := 0
	for _, arg := range args {
		switch value := arg.(type) {
		case string:
			bytes += len(value)
		case escaped:
			bytes += len(value)
		case []any:
			bytes += sizeOf(value...)
		case map[string]any:
			for key, one := range value {
				bytes += len(key) + sizeOf(one)
			}
		}
		bytes++
	}
	return bytes
}
