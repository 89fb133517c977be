package structure_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// family is a package of kinds, from its sources.
type family struct {
	fileOf map[string][]string // of each name of the package; a type is also in the files of its methods
	uses   map[string][]string // the names that the declaration of a name uses
}

// filesOf returns the files of each kind, by the names of the kinds' variables. A kind has the file with its name, those whose name
// begins with it, such as user_credentials.go, and those of which only files of the kind use something, directly or by other
// declarations. What several kinds use belongs to the family.
func (f family) filesOf(t *testing.T, kinds []string) map[string][]string {
	t.Helper()
	owner := func(file string) string {
		for _, kind := range kinds {
			if stem := strings.ToLower(kind); file == stem+".go" || strings.HasPrefix(file, stem+"_") {
				return kind
			}
		}
		return ""
	}
	users := map[string]map[string]bool{} // kinds, of each file
	for _, kind := range kinds {
		require.Equal(t, []string{strings.ToLower(kind) + ".go"}, f.fileOf[kind], "the file of kind %s", kind)
		seen := map[string]bool{}
		var visit func(name string)
		visit = func(name string) {
			for _, file := range f.fileOf[name] {
				if of := owner(file); seen[name] || of != "" && of != kind {
					return // what a file of another kind uses, that kind uses
				}
			}
			seen[name] = true
			for _, file := range f.fileOf[name] {
				if users[file] == nil {
					users[file] = map[string]bool{}
				}
				users[file][kind] = true
			}
			for _, used := range f.uses[name] {
				visit(used)
			}
		}
		for name, files := range f.fileOf {
			if owner(files[0]) == kind {
				visit(name)
			}
		}
	}
	files := map[string][]string{}
	for file, kinds := range users {
		for kind := range kinds {
			if len(kinds) == 1 {
				files[kind] = append(files[kind], file)
			}
		}
	}
	return files
}

// parseFamily reads the files of a package, by their names.
func parseFamily(t *testing.T, sources map[string]string) family {
	t.Helper()
	positions := token.NewFileSet()
	var parsed []*ast.File
	for name, source := range sources {
		file, err := parser.ParseFile(positions, name, source, parser.SkipObjectResolution)
		require.NoError(t, err)
		parsed = append(parsed, file)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	ignore := func(error) {} // there are many, as nothing is imported: what other packages declare isn't needed
	config := types.Config{Importer: noImports{}, Error: ignore}
	of, _ := config.Check("family", positions, parsed, info)

	f := family{fileOf: map[string][]string{}, uses: map[string][]string{}}
	declare := func(name string, declaration ast.Node) {
		f.fileOf[name] = append(f.fileOf[name], positions.Position(declaration.Pos()).Filename)
		ast.Inspect(declaration, func(node ast.Node) bool {
			if identifier, is := node.(*ast.Ident); is {
				if used := info.Uses[identifier]; used != nil && used.Parent() == of.Scope() {
					f.uses[name] = append(f.uses[name], used.Name())
				}
			}
			return true
		})
	}
	for _, file := range parsed {
		for _, declaration := range file.Decls {
			declareNames(declaration, declare)
		}
	}
	return f
}

// declareNames calls declare with each name of a declaration. A method is declared as its type.
func declareNames(declaration ast.Decl, declare func(name string, declaration ast.Node)) {
	if function, is := declaration.(*ast.FuncDecl); is {
		name := function.Name.Name
		if function.Recv != nil {
			ast.Inspect(function.Recv.List[0].Type, func(node ast.Node) bool {
				identifier, is := node.(*ast.Ident)
				if is {
					name = identifier.Name
				}
				return !is
			})
		}
		declare(name, function)
		return
	}
	for _, spec := range declaration.(*ast.GenDecl).Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			declare(spec.Name.Name, spec)
		case *ast.ValueSpec:
			for _, name := range spec.Names {
				declare(name.Name, spec)
			}
		}
	}
}

type noImports struct{}

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not imported") }

func TestTheFilesOfAKindAreThoseThatNoOtherKindUses(t *testing.T) {
	files := parseFamily(t, map[string]string{
		"user.go":     `package family; import "controllers/resource"; var User = resource.Definition[int, remote]{Find: find, Limit: most}.Kind()`,
		"user_a.go":   `package family; const unused = 1`,
		"users.go":    `package family; import "context"; func find(ctx context.Context) *remote { return remote{}.kept() }`,
		"remote.go":   `package family; type remote struct{ name string }`,
		"methods.go":  `package family; func (r *remote) kept() *remote { return cut(r) }`,
		"circle.go":   `package family; func cut(r *remote) *remote { find(nil); return quote(r) }`,
		"text.go":     `package family; func quote[V any](v V) V { return v }; func both() int { return ofUser }; var x = 1`,
		"only.go":     `package family; const ofUser, ofNone = 1, 2; type list[V any] []V; func (l list[V]) all() int { return both() }`,
		"uses.go":     `package family; func (r *remote) listed() list[int] { return nil }`,
		"database.go": `package family; var Database = func() int { return quote(len(names)) }; const most = limit`,
		"names.go":    `package family; var names []string`,
		"limit.go":    `package family; const limit = 1`,
		"shadow.go":   `package family; var remove int`,
		"role.go":     `package family; import names "strings"; var Role = func(remove int) any { return names.Cut(remove) }`,
		"doc.go":      `package family`,
	}).filesOf(t, []string{"User", "Database", "Role"})
	assert.ElementsMatch(t, []string{
		"user.go", "user_a.go", "users.go", "remote.go", "methods.go", "circle.go", "only.go", "uses.go",
	}, files["User"], "text.go is Database's, too, but not what User alone uses of it")
	assert.ElementsMatch(t, []string{"database.go", "names.go", "limit.go"}, files["Database"], "what User uses of it is its own")
	assert.Equal(t, []string{"role.go"}, files["Role"], "names of parameters and imports are no uses")
}
