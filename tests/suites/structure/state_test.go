package structure_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// stateless is what makes variables of a package that don't change after its initialization.
var stateless = []string{
	"resource.Definition.Kind", "service.Definition.Kind", "reference.Declaration", "regexp.MustCompile", "errors.New", "[]string",
}

// variablesWithState lists the variables of a package that may hold state.
func variablesWithState(file *ast.File) (names []string) {
	for _, declared := range file.Decls {
		group, isGroup := declared.(*ast.GenDecl)
		if !isGroup || group.Tok != token.VAR {
			continue
		}
		for _, spec := range group.Specs {
			variable := spec.(*ast.ValueSpec)
			for i, name := range variable.Names {
				of := typeName(variable.Type)
				if variable.Type == nil && i < len(variable.Values) {
					of = typeName(variable.Values[i])
				}
				if name.Name != "_" && !slices.Contains(stateless, of) {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}

// typeName is the name of a type, or of what makes a value, without type parameters. It is empty for maps, pointers and
// whatever else has no name.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.CompositeLit:
		return typeName(e.Type)
	case *ast.CallExpr:
		return typeName(e.Fun)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.IndexListExpr:
		return typeName(e.X)
	case *ast.ArrayType:
		return "[]" + typeName(e.Elt)
	case *ast.SelectorExpr:
		return typeName(e.X) + "." + e.Sel.Name
	case *ast.Ident:
		return e.Name
	default:
		return ""
	}
}

func TestAKindKeepsNothingInVariablesOfItsPackage(t *testing.T) {
	files := 0
	err := filepath.WalkDir(filepath.Join(root, "controllers/kinds"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files++
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		assert.Empty(t, variablesWithState(parsed), "%s: what a kind remembers belongs into Env.Memory, a table into a function", path)
		return err
	})
	require.NoError(t, err)
	assert.Greater(t, files, 8)
}

func TestTheCheckOfVariablesFindsState(t *testing.T) {
	for source, want := range map[string][]string{
		"var seen = map[string]bool{}":                                            {"seen"},
		"var seen map[string]bool":                                                {"seen"},
		"var seen = make(map[string]bool)":                                        {"seen"},
		"var seen sync.Map":                                                       {"seen"},
		"var (\n\tlock sync.Mutex\n\tlast = &upgrade{}\n)":                        {"lock", "last"},
		"var a, b = 1, upgrades{}":                                                {"a", "b"},
		"var (\n\tnames = []string{\"a\"}\n\tform = regexp.MustCompile(\"a\")\n)": nil,
		"var Topic = resource.Definition[*v1alpha1.KafkaTopic, topic]{}.Kind()":   nil,
		"var Kafka = service.Definition[*v1alpha1.Kafka]{}.Kind()":                nil,
		"var _ resource.Kind = Topic":                                             nil,
		"func f() { var seen = map[string]bool{} }":                               nil,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package kafka\n"+source, 0)
		require.NoError(t, err)
		assert.Equal(t, want, variablesWithState(file), source)
	}
}
