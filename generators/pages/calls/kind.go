package calls

import (
	"fmt"
	"go/ast"
	"go/constant"
	"maps"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Kind is what the declaration of a kind shows.
type Kind struct {
	// Operations are sorted by their ids.
	Operations []Operation
	// InService is set for what lives in a service.
	InService bool
	// Sets are the fields of the declaration, such as Diff, Free and Protected.
	Sets map[string]bool
	// Compared are the fields of the spec that its comparison names, and WriteOnly those that are sent without one, sorted. Names
	// that are made when it runs are missing.
	Compared, WriteOnly []string
}

// ByKind are the kinds by their names, as the code below a folder has them.
func ByKind(root string) (map[string]Kind, error) {
	c, err := load(root)
	if err != nil {
		return nil, err
	}
	byKind := map[string]Kind{}
	for _, p := range c.packages {
		if !strings.HasPrefix(p.PkgPath, kinds) {
			continue
		}
		for _, d := range definitions(p) {
			byKind[d.kind] = c.kindOf(d)
		}
	}
	if len(byKind) == 0 {
		return nil, fmt.Errorf("no kind is declared below %s", kinds)
	}
	return byKind, nil
}

// comparison is that of all services.
const comparison = "(*" + services + ".desired).compare"

func (c *code) kindOf(d definition) Kind {
	k := Kind{
		Operations: c.operationsOf(d), InService: d.inServices(), Sets: map[string]bool{},
		Compared: c.fieldsOf(node{d.fields["Diff"], d.in}), WriteOnly: c.fieldsOf(node{d.fields["WriteOnly"], d.in}),
	}
	if d.isService {
		k.Compared = c.fieldsOf(c.functions[comparison])
	}
	for name := range d.fields {
		k.Sets[name] = true
	}
	return k
}

// inServices reports whether the place of a leaf kind is in services.
func (d definition) inServices() bool {
	call, ok := d.fields["Place"].(*ast.CallExpr)
	if !ok {
		return false
	}
	in := false
	ast.Inspect(call.Fun, func(n ast.Node) bool { // a method of the place may follow
		selector, ok := n.(*ast.SelectorExpr)
		in = in || ok && strings.HasPrefix(selector.Sel.Name, "InService")
		return true
	})
	return in
}

// pathOfField is a path in a spec. Of a field with options or elements, their names are behind it.
var pathOfField = regexp.MustCompile(`^spec\.(\w+)([.[]|$)`)

// fieldsOf are the fields of the spec that some code of kinds and services names.
func (c *code) fieldsOf(from node) []string {
	found := map[string]bool{}
	c.follow([]node{from}, func(in *packages.Package, child ast.Node) {
		expression, ok := child.(ast.Expr)
		if !ok || !strings.HasPrefix(in.PkgPath, kinds) && in.PkgPath != services {
			return
		}
		if value := in.TypesInfo.Types[expression].Value; value != nil && value.Kind() == constant.String {
			if path := pathOfField.FindStringSubmatch(constant.StringVal(value)); path != nil {
				found[path[1]] = true
			}
		}
	})
	return slices.Sorted(maps.Keys(found))
}
