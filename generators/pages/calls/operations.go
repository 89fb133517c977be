package calls

import (
	"fmt"
	"go/ast"
	"strings"

	"golang.org/x/tools/go/packages"
)

// handlers are the packages of the generated client.
const handlers = "github.com/aiven/go-client-codegen/handler/"

// Operation is one of the Aiven API, as the generated client documents it.
type Operation struct {
	ID       string   // ServiceGet
	Request  string   // GET /v1/project/{project}/service/{service_name}
	Required []string // roles and permissions of which one is enough, such as project:services:read; empty if none is documented
}

// readOperations reads the comments of the client's methods, by their names.
func readOperations(root string) (map[string]Operation, error) {
	loaded, err := packages.Load(&packages.Config{Dir: root, Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax}, handlers+"...")
	if err != nil {
		return nil, fmt.Errorf("loading the generated client: %w", err)
	}
	operations := map[string]Operation{}
	for _, p := range loaded {
		for _, file := range p.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				if handler, ok := n.(*ast.InterfaceType); ok {
					for _, method := range handler.Methods.List {
						name := method.Names[0].Name
						operations[name] = parse(name, method.Doc.Text())
					}
				}
				return true
			})
		}
	}
	return operations, nil
}

// parse reads the comment of a method: what it does, then the request, the address of its documentation, and what it requires.
func parse(name, comment string) Operation {
	o := Operation{ID: name}
	for i, line := range strings.Split(strings.TrimSpace(comment), "\n") {
		if i == 1 {
			o.Request = line
		}
		if required, found := strings.CutPrefix(line, "Required roles or permissions: "); found {
			o.Required = strings.Split(required, ", ")
		}
	}
	return o
}
