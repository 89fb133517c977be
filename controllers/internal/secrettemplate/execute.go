package secrettemplate

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"text/template"
	"text/template/parse"

	"k8s.io/utils/ptr"
)

// What executes a template in the package text/template finds methods of its data by name, so that a program which can call it keeps
// the exported methods of all its types: a fifth of the operator. These templates have no data. What they have is executed
// as that package does it, which FuzzTemplatesAreExecutedAsByTextTemplate compares.

type variable struct {
	name  string
	value any
}

var (
	errNoData = errors.New("a template has no data: its values come from fromSecret")
	errNil    = errors.New("nil isn't a command")
)

// execute adds a template to the result. Its errors name the line, and hold no value.
func (x *execution) execute(tree *parse.Tree) error {
	x.tree, x.variables = tree, []variable{{"$", x.dot}}
	return x.node(tree.Root)
}

func (x *execution) node(node parse.Node) error {
	switch n := node.(type) {
	case *parse.ListNode:
		for _, one := range n.Nodes {
			if err := x.node(one); err != nil {
				return err
			}
		}
		return nil
	case *parse.TextNode:
		return x.at(n, x.write(string(n.Text)))
	case *parse.ActionNode:
		value, err := x.pipeline(n.Pipe)
		if err != nil || len(n.Pipe.Decl) > 0 {
			return err
		}
		return x.at(n, x.write(fmt.Sprint(value)))
	case *parse.IfNode:
		return x.branch(&n.BranchNode, false)
	case *parse.WithNode:
		return x.branch(&n.BranchNode, true)
	default:
		return x.at(n, fmt.Errorf("%s can't be used", n))
	}
}

// branch executes one of two lists. What is declared in it ends with it.
func (x *execution) branch(n *parse.BranchNode, rebinds bool) error {
	known, dot := len(x.variables), x.dot
	defer func() { x.variables, x.dot = x.variables[:known], dot }()
	value, err := x.pipeline(n.Pipe)
	switch {
	case err != nil:
		return err
	case isTrue(value):
		if rebinds {
			x.dot = value
		}
		return x.node(n.List)
	case n.ElseList != nil:
		return x.node(n.ElseList)
	default:
		return nil
	}
}

// pipeline returns the value of the last command. That of each is the last argument of the next one.
func (x *execution) pipeline(pipe *parse.PipeNode) (value any, err error) {
	var former []any
	for _, command := range pipe.Cmds {
		if value, err = x.command(command, former); err != nil {
			return nil, err
		}
		former = []any{value}
	}
	for _, declared := range pipe.Decl {
		name := declared.Ident[0]
		if !pipe.IsAssign {
			x.variables = append(x.variables, variable{name, value})
			continue
		}
		known, err := x.variable(name)
		if err != nil {
			return nil, x.at(declared, err)
		}
		*known = value
	}
	return value, nil
}

// variable returns the value of the variable that was declared last under a name.
func (x *execution) variable(name string) (*any, error) {
	for i := len(x.variables) - 1; i >= 0; i-- {
		if x.variables[i].name == name {
			return &x.variables[i].value, nil
		}
	}
	return nil, fmt.Errorf("undefined variable: %s", name)
}

func (x *execution) command(command *parse.CommandNode, former []any) (any, error) {
	if name, isFunction := command.Args[0].(*parse.IdentifierNode); isFunction {
		value, err := x.call(name.Ident, command.Args[1:], former)
		return value, x.at(name, err)
	}
	if len(command.Args) > 1 || len(former) > 0 {
		return nil, x.at(command, fmt.Errorf("can't give an argument to %s, which is no function", command.Args[0]))
	}
	return x.value(command.Args[0])
}

// value returns that of an operand.
func (x *execution) value(node parse.Node) (any, error) {
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
	case *parse.VariableNode:
		value, err := x.variable(n.Ident[0])
		if err != nil || len(n.Ident) == 1 {
			return ptr.Deref(value, nil), x.at(n, err)
		}
	}
	return nil, x.at(node, errNoData)
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

// call calls a function with operands, and with the value of the command before it.
func (x *execution) call(name string, operands []parse.Node, former []any) (any, error) {
	args := make([]any, 0, len(operands)+1)
	for _, operand := range operands {
		value, err := x.value(operand)
		if err != nil {
			return nil, err
		}
		if args = append(args, value); decides(name, value) {
			return value, nil
		}
	}
	args = append(args, former...)
	if least, most := arity(name); len(args) < least || most > 0 && len(args) > most {
		return nil, fmt.Errorf("wrong number of arguments for %s", name)
	}
	return x.apply(name, args)
}

// apply calls a function with as many arguments as it takes.
func (x *execution) apply(name string, args []any) (any, error) {
	switch name {
	case "fromSecret":
		secret, isText := args[0].(string)
		key, areTexts := args[1].(string)
		if !isText || !areTexts {
			return nil, errors.New("it needs the name of a Secret and one of its keys, as texts")
		}
		return x.fromSecret(secret, key)
	case "print":
		return x.print(args...)
	case "printf":
		format, isText := args[0].(string)
		if !isText {
			return nil, errors.New("printf needs a format that is a text")
		}
		return x.printf(format, args[1:]...)
	case "urlquery":
		return x.urlquery(args...)
	case "not":
		return !isTrue(args[0]), nil
	case "eq", "ne":
		if err := x.spendAll(args); err != nil {
			return nil, err
		}
		equal, err := anyEqual(args[0], args[1:])
		return equal == (name == "eq"), err
	default: // and, or
		return args[len(args)-1], nil
	}
}

// decides reports whether the value of an argument is that of and, or of or, so that the others aren't executed.
func decides(name string, value any) bool {
	return name == "and" && !isTrue(value) || name == "or" && isTrue(value)
}

// arity is how many arguments a function takes; most is 0 for any number.
func arity(name string) (least, most int) {
	switch name {
	case "fromSecret", "ne":
		return 2, 2
	case "eq":
		return 2, 0
	case "not":
		return 1, 1
	case "printf", "and", "or":
		return 1, 0
	default:
		return 0, 0
	}
}

func isTrue(value any) bool {
	truth, _ := template.IsTrue(value)
	return truth
}

// anyEqual reports whether a value equals one of others, of the same kind.
func anyEqual(value any, others []any) (bool, error) {
	one := reflect.ValueOf(value)
	for _, other := range others {
		two := reflect.ValueOf(other)
		switch {
		case one.Kind() == reflect.Struct || one.Kind() != two.Kind():
			return false, errors.New("incompatible types for comparison")
		case one.Kind() == reflect.String && one.String() == two.String(): // some texts are marked as escaped
			return true, nil
		case one.Kind() != reflect.String && one.Equal(two):
			return true, nil
		}
	}
	return false, nil
}

// at names the place of an error in the template, once.
func (x *execution) at(node parse.Node, err error) error {
	var placed *placedError
	if err == nil || errors.As(err, &placed) {
		return err
	}
	location, context := x.tree.ErrorContext(node)
	return &placedError{fmt.Errorf("line %s: at <%s>: %w", strings.TrimPrefix(location, "value:"), context, err)}
}

// placedError names its place.
type placedError struct{ error }
