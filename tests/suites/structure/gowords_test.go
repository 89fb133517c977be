package structure_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
)

// wordCases has banned words in its cases, as the check itself is tested with them.
const wordCases = "wordlist_test.go"

// source are the comments and strings of a Go file, and the names that it declares. Single words of a name are checked, and
// phrases aren't: kindOf is a good name.
func source(path string, data []byte) ([]text, error) {
	if filepath.Base(path) == wordCases {
		return nil, nil
	}
	all, err := commentsAndStrings(path, data)
	if err != nil {
		return nil, err
	}
	names, err := testNames(path, data)
	if err != nil {
		return nil, err
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, path, data, 0)
	if err != nil {
		return nil, err
	}
	for _, name := range declared(parsed) {
		words := strings.Join(wordOfName.FindAllString(name.Name, -1), ".")
		names = append(names, text{files.Position(name.Pos()).Line, words})
	}
	return append(all, names...), nil
}

// declared are the names that a file gives to its functions, types, fields, constants and variables.
func declared(file *ast.File) []*ast.Ident {
	var all []*ast.Ident
	add := func(names ...ast.Expr) {
		for _, name := range names {
			if name, ok := name.(*ast.Ident); ok {
				all = append(all, name)
			}
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncDecl:
			add(node.Name)
		case *ast.TypeSpec:
			add(node.Name)
		case *ast.ValueSpec:
			all = append(all, node.Names...)
		case *ast.Field:
			all = append(all, node.Names...)
		case *ast.RangeStmt:
			add(node.Key, node.Value)
		case *ast.AssignStmt:
			if node.Tok == token.DEFINE {
				add(node.Lhs...)
			}
		}
		return true
	})
	return all
}
