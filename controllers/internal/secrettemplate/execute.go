package secrettemplate

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/template/parse"
)

// What executes a template in the package text/template finds methods of its data by name, so that a program which can call it keeps
// the exported methods of all its types: a fifth of the operator. The data of these templates are texts, and maps and lists of them.
// They are executed as that package does it, which fuzz tests compare.

// These end an iteration of a loop, and the loop.
var (
	errContinue = errors.New("continue")
	errBreak    = errors.New("break")
)

// execute adds a template to the result. Its errors name the line, and hold no value.
func (x *execution) execute(tree *parse.Tree) error {
	x.tree, x.variables = tree, []variable{{"$", x.dot}}
	return x.node(tree.Root)
}

func (x *execution) node(node parse.Node) error {
	if err := x.step(1); err != nil {
		return x.at(node, err)
	}
	switch n := node.(type) {
	case *parse.ListNode:
		return x.list(n)
	case *parse.TextNode:
		return x.at(n, x.write(string(n.Text)))
	case *parse.ActionNode:
		value, err := x.pipeline(n.Pipe)
		if err != nil || len(n.Pipe.Decl) > 0 {
			return err
		}
		return x.at(n, x.print(value))
	case *parse.IfNode:
		return x.branch(&n.BranchNode, false)
	case *parse.WithNode:
		return x.branch(&n.BranchNode, true)
	case *parse.RangeNode:
		return x.loop(n)
	case *parse.BreakNode:
		return errBreak
	case *parse.ContinueNode:
		return errContinue
	default:
		return x.at(n, fmt.Errorf("%s can't be used", n))
	}
}

func (x *execution) list(n *parse.ListNode) error {
	for _, one := range n.Nodes {
		if err := x.node(one); err != nil {
			return err
		}
	}
	return nil
}

// print writes a value. Of lists and maps, text/template writes Go's form, which no application reads.
func (x *execution) print(value any) error {
	switch value.(type) {
	case []any, map[string]any:
		return errors.New("a list or a map can't be written: use range, join or toJson")
	default:
		return x.write(fmt.Sprint(value))
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

// loop executes a list for each endpoint.
func (x *execution) loop(n *parse.RangeNode) error {
	if !x.loops || !isEndpoints(n.Pipe) {
		return x.at(n, errors.New("range can only be used over .Endpoints"))
	}
	known, dot := len(x.variables), x.dot
	defer func() { x.variables, x.dot = x.variables[:known], dot }()
	value, err := x.value(n.Pipe.Cmds[0].Args[0])
	if err != nil {
		return err
	}
	items, isList := value.([]any)
	switch {
	case !isList:
		return x.at(n, errors.New("range can only be used over .Endpoints"))
	case len(items) == 0 && n.ElseList != nil:
		return x.node(n.ElseList)
	}
	for i, item := range items {
		x.variables = x.variables[:known]
		if err := x.declare(n.Pipe, i, item); err != nil {
			return err
		}
		x.dot = item
		if err := x.node(n.List); errors.Is(err, errBreak) {
			break
		} else if err != nil && !errors.Is(err, errContinue) {
			return err
		}
	}
	return nil
}

// isEndpoints reports whether a pipeline is .Endpoints, or $.Endpoints in an action that rebinds the dot.
func isEndpoints(pipe *parse.PipeNode) bool {
	if len(pipe.Cmds) != 1 || len(pipe.Cmds[0].Args) != 1 {
		return false
	}
	switch n := pipe.Cmds[0].Args[0].(type) {
	case *parse.FieldNode:
		return slices.Equal(n.Ident, []string{"Endpoints"})
	case *parse.VariableNode:
		return slices.Equal(n.Ident, []string{"$", "Endpoints"})
	default:
		return false
	}
}

// declare sets the variables of a loop: the item, or its position and the item.
func (x *execution) declare(pipe *parse.PipeNode, position int, item any) error {
	values := []any{item}
	if len(pipe.Decl) > 1 {
		values = []any{position, item}
	}
	for i, declared := range pipe.Decl {
		if err := x.set(declared, pipe.IsAssign, values[i]); err != nil {
			return err
		}
	}
	return nil
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
		if err := x.set(declared, pipe.IsAssign, value); err != nil {
			return nil, err
		}
	}
	return value, nil
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

// call calls a function with operands, and with the value of the command before it.
func (x *execution) call(name string, operands []parse.Node, former []any) (any, error) {
	args := make([]any, 0, len(operands)+len(former))
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
	called := x.functions[name]
	if len(args) < called.least || called.most > 0 && len(args) > called.most {
		return nil, fmt.Errorf("wrong number of arguments for %s", name)
	}
	if name == "required" && !isLiteral(operands) {
		return nil, errors.New("its message must be a text in quotes, as errors hold no values")
	}
	if err := x.spend(sizeOf(args...)); err != nil {
		return nil, err
	}
	return called.call(x, args)
}

// isLiteral reports whether the first operand is a text in the template.
func isLiteral(operands []parse.Node) bool {
	if len(operands) == 0 {
		return false
	}
	_, is := operands[0].(*parse.StringNode)
	return is
}

// longestContext is how much of a template an error quotes, in characters.
const longestContext = 60

// at names the place of an error in the template, once.
func (x *execution) at(node parse.Node, err error) error {
	var placed *placedError
	if err == nil || errors.As(err, &placed) {
		return err
	}
	location, context := x.tree.ErrorContext(node)
	if short := []rune(context); len(short) > longestContext {
		context = string(short[:longestContext]) + "…"
	}
	return &placedError{fmt.Errorf("line %s: at <%s>: %w", strings.TrimPrefix(location, "value:"), context, err)}
}

// placedError names its place.
type placedError struct{ error }
