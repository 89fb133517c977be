package structure_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	avngen "github.com/aiven/go-client-codegen"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	// reading matches the operations of Aiven that change nothing.
	reading = regexp.MustCompile(`Get|List|Info|Status`)
	// deleting matches functions of a deletion. One that fails in part is repeated from what is left.
	deleting = regexp.MustCompile(`^(?i:delete|terminate)`)
)

// function is a function of a package, with the names of what it calls, once for each call.
type function struct {
	calls     []string
	sequences bool // it makes its calls by a fault.Sequence
}

// functionsOf reads the functions of a package by their names, tests left out.
func functionsOf(t *testing.T, folder string) map[string]function {
	t.Helper()
	functions := map[string]function{}
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		for _, declared := range parsed.Decls {
			if f, ok := declared.(*ast.FuncDecl); ok {
				functions[f.Name.Name] = read(f)
			}
		}
	}
	return functions
}

func read(f *ast.FuncDecl) function {
	var found function
	ast.Inspect(f, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.CallExpr:
			switch called := n.Fun.(type) {
			case *ast.Ident:
				found.calls = append(found.calls, called.Name)
			case *ast.SelectorExpr:
				found.calls = append(found.calls, called.Sel.Name)
			}
		case *ast.SelectorExpr:
			found.sequences = found.sequences || n.Sel.Name == "Sequence"
		}
		return true
	})
	return found
}

// writes counts the calls of a function that change something at Aiven. A function that makes several counts as one.
func writes(functions map[string]function, name string, seen ...string) (n int) {
	for _, called := range functions[name].calls {
		_, operation := reflect.TypeFor[avngen.Client]().MethodByName(called)
		_, ours := functions[called]
		switch {
		case operation && !reading.MatchString(called):
			n++
		case ours && !slices.Contains(seen, called) && writes(functions, called, append(seen, name)...) > 0:
			n++
		}
	}
	return n
}

func TestWritesOfSeveralCallsAreSequences(t *testing.T) {
	sequences := 0
	for _, folder := range []string{"controllers/kinds", "controllers/service"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.IsDir() {
				return err
			}
			functions := functionsOf(t, path)
			for name, f := range functions {
				if deleting.MatchString(name) || writes(functions, name) < 2 {
					continue
				}
				assert.True(t, f.sequences, "%s: %s makes several calls: a fault.Sequence shows that a write failed in part", path, name)
				sequences++
			}
			return nil
		})
		require.NoError(t, err)
	}
	assert.GreaterOrEqual(t, sequences, 4)
}
