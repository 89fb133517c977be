// Package calls finds the operations of the Aiven API that each kind calls, and the fields that it compares, by following the functions that
// its declaration names.
//
// A function counts as called wherever it is mentioned, so the result is a superset of the calls of a run. The tests on the real control
// plane compare the two.
package calls

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

const (
	module    = "github.com/aero-operator/aero"
	kinds     = module + "/controllers/kinds/"
	leaves    = module + "/controllers/resource"
	services  = module + "/controllers/service"
	client    = "(*" + module + "/controllers/internal/aiven.Client)."
	operation = "operation " // before the name of a method of the generated client
)

// definition is the declaration of a kind: a composite literal of type Definition.
type definition struct {
	kind      string
	isService bool
	in        *packages.Package
	fields    map[string]ast.Expr
}

func definitions(p *packages.Package) (all []definition) {
	for _, file := range p.Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			literal, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			name := nameOf(p.TypesInfo.TypeOf(literal))
			if name != leaves+".Definition" && name != services+".Definition" {
				return true
			}
			object := p.TypesInfo.TypeOf(literal).(*types.Named).TypeArgs().At(0).(*types.Pointer).Elem().(*types.Named)
			d := definition{kind: object.Obj().Name(), isService: name == services+".Definition", in: p, fields: map[string]ast.Expr{}}
			for _, element := range literal.Elts {
				pair := element.(*ast.KeyValueExpr)
				d.fields[pair.Key.(*ast.Ident).Name] = pair.Value
			}
			all = append(all, d)
			return true
		})
	}
	return all
}

// operationsOf follows all that a definition names, and what is done for every kind like it.
func (c *code) operationsOf(d definition) []Operation {
	var from []node
	for _, value := range d.fields {
		from = append(from, node{value, d.in})
	}
	shared := func(names ...string) {
		for _, name := range names {
			from = append(from, c.functions[name])
		}
	}
	switch {
	case d.isService:
		shared(c.methods[services+".controller"]...)
		shared(client+"ServiceAbsent", client+"HourlyPrice") // the engine shows what a change costs that waits
	case d.inServices():
		shared(client+"Service", client+"ServiceAbsent")
	}
	found := c.reachable(from)
	if d.isService {
		dropOptional(d, found)
	}
	if found["ServiceGet"] { // the watch lists the services of a project in which one is read
		found["ServiceList"] = true
	}
	var operations []Operation
	for _, name := range slices.Sorted(maps.Keys(found)) {
		operations = append(operations, c.operations[name])
	}
	return operations
}

// dropOptional drops the calls that are made for a service only if its definition asks for them.
func dropOptional(d definition, found map[string]bool) {
	if d.fields["NeedsCA"] == nil {
		delete(found, "ProjectKmsGetCA")
	}
	if d.fields["NoBackups"] != nil {
		delete(found, "ServiceBackupsGet")
	}
	if d.fields["Migration"] == nil {
		delete(found, "ServiceGetMigrationStatus")
	}
}

// node is a piece of code, and the package that it is in.
type node struct {
	ast.Node
	in *packages.Package
}

// code is what is followed.
type code struct {
	packages   []*packages.Package
	functions  map[string]node      // and the values of variables of packages, by their full names
	methods    map[string][]string  // full names, by that of their type
	operations map[string]Operation // by the names of the methods of the generated client
}

func load(root string) (*code, error) {
	mode := packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports
	loaded, err := packages.Load(&packages.Config{Dir: root, Mode: mode}, "./controllers/...")
	if err != nil {
		return nil, fmt.Errorf("loading the code: %w", err)
	}
	c := &code{packages: loaded, functions: map[string]node{}, methods: map[string][]string{}}
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("loading %s: %w", p.PkgPath, p.Errors[0])
		}
		for _, file := range p.Syntax {
			for _, d := range file.Decls {
				c.declare(p, d)
			}
		}
	}
	c.operations, err = readOperations(root)
	return c, err
}

func (c *code) declare(p *packages.Package, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		f := p.TypesInfo.Defs[d.Name].(*types.Func)
		c.functions[fullName(f)] = node{d, p}
		if receiver := f.Signature().Recv(); receiver != nil {
			of := receiver.Type()
			if pointer, ok := of.(*types.Pointer); ok {
				of = pointer.Elem()
			}
			c.methods[nameOf(of)] = append(c.methods[nameOf(of)], fullName(f))
		}
	case *ast.GenDecl:
		if d.Tok != token.VAR {
			return
		}
		for _, spec := range d.Specs {
			values := spec.(*ast.ValueSpec)
			for i, value := range values.Values {
				c.functions[p.PkgPath+"."+values.Names[i].Name] = node{value, p}
			}
		}
	}
}

// fullName is a function's, that of a generic type's method without the names of the parameters.
func fullName(f *types.Func) string {
	name := f.Origin().FullName()
	if before, rest, generic := strings.Cut(name, "["); generic {
		_, after, _ := strings.Cut(rest, "]")
		return before + after
	}
	return name
}

// nameOf is the full name of a named type; empty for others.
func nameOf(t types.Type) string {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return ""
	}
	return named.Obj().Pkg().Path() + "." + named.Obj().Name()
}

// reachable are the operations that some code mentions, or that what it mentions does.
func (c *code) reachable(from []node) map[string]bool {
	found := map[string]bool{}
	c.follow(from, func(in *packages.Package, child ast.Node) {
		for _, name := range c.mentions(in, child) {
			if id, ok := strings.CutPrefix(name, operation); ok {
				found[id] = true
			}
		}
	})
	return found
}

// follow visits some code, and all that it mentions, each function once.
func (c *code) follow(from []node, visit func(in *packages.Package, child ast.Node)) {
	seen := map[string]bool{}
	for len(from) > 0 {
		n := from[len(from)-1]
		from = from[:len(from)-1]
		if n.Node == nil {
			continue
		}
		ast.Inspect(n.Node, func(child ast.Node) bool {
			visit(n.in, child)
			for _, name := range c.mentions(n.in, child) {
				if !seen[name] {
					seen[name] = true
					from = append(from, c.functions[name])
				}
			}
			return true
		})
	}
}

// mentions are the full names of what one node may run. A value of a type may be used through an interface, so it mentions all
// methods of the type.
func (c *code) mentions(p *packages.Package, n ast.Node) []string {
	switch n := n.(type) {
	case *ast.CompositeLit:
		return c.methods[nameOf(p.TypesInfo.TypeOf(n))]
	case *ast.Ident:
		switch used := p.TypesInfo.Uses[n].(type) {
		case *types.Func:
			if used.Pkg() != nil && strings.HasPrefix(used.Pkg().Path(), handlers) && used.Signature().Recv() != nil {
				return []string{operation + used.Name()}
			}
			return []string{fullName(used)}
		case *types.Var:
			if used.Pkg() != nil && used.Parent() == used.Pkg().Scope() {
				return []string{used.Pkg().Path() + "." + used.Name()}
			}
		}
	}
	return nil
}
