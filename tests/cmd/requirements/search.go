package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
)

// proofs are the tests that name a requirement, by its id.
type proofs map[string][]string

var idPattern = regexp.MustCompile(`\b([A-Z]\d\d|C-\d\d)\b`)

// search reads every test file below a folder.
func search(root string) (proofs, error) {
	found := proofs{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "bin") {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		return found.file(root, path)
	})
	return found, err
}

// file notes what the declarations of a test file name. A table outside of a test counts under its own name.
func (p proofs) file(root, path string) error {
	parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		return fmt.Errorf("reading a test: %w", err)
	}
	folder, err := filepath.Rel(root, filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("reading a test: %w", err)
	}
	for _, declaration := range parsed.Decls {
		name := nameOf(declaration)
		p.note(folder, name, strings.ReplaceAll(name, "_", " "))
		ast.Inspect(declaration, func(node ast.Node) bool {
			if text, isText := node.(*ast.BasicLit); isText && text.Kind == token.STRING {
				p.note(folder, name, text.Value)
			}
			return true
		})
	}
	return nil
}

func nameOf(declaration ast.Decl) string {
	switch d := declaration.(type) {
	case *ast.FuncDecl:
		return d.Name.Name
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if value, isValue := spec.(*ast.ValueSpec); isValue {
				return value.Names[0].Name
			}
		}
	}
	return ""
}

func (p proofs) note(folder, name, text string) {
	for _, id := range idPattern.FindAllString(strings.TrimPrefix(text, "Test"), -1) {
		if id[0] == 'C' && id[1] != '-' { // the name of a test has no dash
			id = "C-" + id[1:]
		}
		test := folder + "." + name
		if known := p[id]; len(known) == 0 || known[len(known)-1] != test {
			p[id] = append(known, test)
		}
	}
}
