package secrettemplate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"
)

type variable struct {
	name  string
	value any
}

var (
	errNil        = errors.New("nil isn't a command")
	errComparison = errors.New("incompatible types for comparison")
)

// logic are functions of the package text/template that decide.
var logic = map[string]function{
	"and": {1, 0, last},
	"or":  {1, 0, last},
	"not": {1, 1, func(_ *execution, args []any) (any, error) { return !isTrue(args[0]), nil }},
	"eq":  {2, 0, func(_ *execution, args []any) (any, error) { return anyEqual(args[0], args[1:]) }},
	"ne": {2, 2, func(_ *execution, args []any) (any, error) {
		equal, err := anyEqual(args[0], args[1:])
		return !equal, err
	}},
	"lt": ordered(func(sign int) bool { return sign < 0 }),
	"le": ordered(func(sign int) bool { return sign <= 0 }),
	"gt": ordered(func(sign int) bool { return sign > 0 }),
	"ge": ordered(func(sign int) bool { return sign >= 0 }),
}

// value returns that of an operand.
func (x *execution) value(node parse.Node) (any, error) {
	if err := x.step(1); err != nil {
		return nil, x.at(node, err)
	}
	switch n := node.(type) {
	case *parse.StringNode:
		return n.Text, nil
	case *parse.BoolNode:
		return n.True, nil
	case *parse.NumberNode:
		return x.number(n)
	case *parse.DotNode:
		return x.dot, nil
	case *parse.NilNode:
		return nil, x.at(n, errNil)
	case *parse.PipeNode:
		return x.pipeline(n)
	case *parse.IdentifierNode:
		value, err := x.call(n.Ident, nil, nil)
		return value, x.at(n, err)
	default:
		return x.fieldOf(node)
	}
}

// fieldOf returns the value of an operand that may have the names of fields.
func (x *execution) fieldOf(node parse.Node) (any, error) {
	switch n := node.(type) {
	case *parse.VariableNode:
		value, err := x.variable(n.Ident[0])
		if err != nil {
			return nil, x.at(n, err)
		}
		return x.field(n, *value, n.Ident[1:])
	case *parse.FieldNode:
		return x.field(n, x.dot, n.Ident)
	case *parse.ChainNode:
		value, err := x.value(n.Node)
		if err != nil {
			return nil, err
		}
		return x.field(n, value, n.Field)
	default:
		return nil, x.at(node, x.noField)
	}
}

// field follows names from a value. The values themselves are in no error.
func (x *execution) field(node parse.Node, value any, names []string) (any, error) {
	for _, name := range names {
		fields, has := value.(map[string]any)
		if !has {
			return nil, x.at(node, x.noField)
		}
		if value, has = fields[name]; !has {
			return nil, x.at(node, fmt.Errorf("there is no .%s%s", name, alike(fields, name)))
		}
	}
	return value, nil
}

// alike names the fields with the same first letter as one that doesn't exist, for its error.
func alike(fields map[string]any, name string) string {
	var known []string
	for field := range fields {
		if strings.EqualFold(field[:1], name[:1]) {
			known = append(known, "."+field)
		}
	}
	if len(known) == 0 {
		return ""
	}
	slices.Sort(known)
	return ". Those that begin alike: " + strings.Join(known, ", ")
}

// set declares a variable, or assigns to the one that was declared last under its name.
func (x *execution) set(declared *parse.VariableNode, assigns bool, value any) error {
	if !assigns {
		x.variables = append(x.variables, variable{declared.Ident[0], value})
		return nil
	}
	known, err := x.variable(declared.Ident[0])
	if err != nil {
		return x.at(declared, err)
	}
	*known = value
	return nil
}

// variable returns the value of the variable that was declared last under a name.
func (x *execution) variable(name string) (*any, error) {
	for i := len(x.variables) - 1; i >= 0; i-- {
		if err := x.step(1); err != nil {
			return nil, err
		}
		if x.variables[i].name == name {
			return &x.variables[i].value, nil
		}
	}
	return nil, fmt.Errorf("undefined variable: %s", name)
}

// number has the types of Go's constants.
func (x *execution) number(n *parse.NumberNode) (any, error) {
	isRune, isHex := strings.HasPrefix(n.Text, "'"), strings.HasPrefix(strings.ToLower(n.Text), "0x") && !strings.ContainsAny(n.Text, "pP")
	switch {
	case n.IsComplex:
	case n.IsFloat && !isRune && !isHex && strings.ContainsAny(n.Text, ".eEpP"):
		return n.Float64, nil
	case n.IsInt:
		return int(n.Int64), nil
	}
	return nil, x.at(n, fmt.Errorf("%s can't be used", n.Text))
}

// decides reports whether the value of an argument is that of and, or of or, so that the others aren't executed.
func decides(name string, value any) bool {
	return name == "and" && !isTrue(value) || name == "or" && isTrue(value)
}

func last(_ *execution, args []any) (any, error) { return args[len(args)-1], nil }

func isTrue(value any) bool {
	truth, _ := template.IsTrue(value)
	return truth
}

// anyEqual reports whether a value equals one of others, of the same type.
func anyEqual(value any, others []any) (bool, error) {
	for _, other := range others {
		sign, err := compare(value, other)
		if err != nil || sign == 0 {
			return err == nil, err
		}
	}
	return false, nil
}

// ordered is a function that compares two values which have an order.
func ordered(holds func(sign int) bool) function {
	return function{2, 2, func(_ *execution, args []any) (any, error) {
		if _, is := args[0].(bool); is {
			return nil, errComparison
		}
		sign, err := compare(args[0], args[1])
		return holds(sign), err
	}}
}

// compare returns -1, 0 or 1. Some texts are marked as escaped, which makes no difference.
func compare(a, b any) (int, error) {
	switch one := a.(type) {
	case int:
		if two, same := b.(int); same {
			return cmp.Compare(one, two), nil
		}
	case float64:
		if two, same := b.(float64); same {
			return cmp.Compare(one, two), nil
		}
	case bool:
		if two, same := b.(bool); same && one == two {
			return 0, nil
		} else if same {
			return 1, nil
		}
	case string, escaped:
		switch b.(type) {
		case string, escaped:
			return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)), nil
		}
	}
	return 0, errComparison
}
