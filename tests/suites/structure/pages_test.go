package structure_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the code blocks of the pages")

// pagesWithCode are the pages whose marked code blocks are cut from the sources.
var pagesWithCode = []string{"CONTRIBUTING.md", "docs/contributor/adding-a-kind.md"}

// marked is a code block behind a comment that names a file and declarations in it, as in
// <!-- code: controllers/kinds/shared/database.go Database findDatabase -->. allKinds[Database] is the entry of a list whose
// field name is "Database".
var marked = regexp.MustCompile("(?ms)^<!-- code: (\\S+) ([^>\n]+) -->\n+```go\n(.*?)^```$")

func TestCodeBlocksAreThoseOfTheFilesTheyName(t *testing.T) {
	total := 0
	for _, page := range pagesWithCode {
		path := filepath.Join(root, page)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		now := marked.ReplaceAllStringFunc(string(text), func(block string) string {
			total++
			found := marked.FindStringSubmatch(block)
			code := cutFrom(t, found[1], strings.Fields(found[2]))
			if !*update {
				assert.Equal(t, code, found[3], "%s shows other code than %s has: run `go test ./suites/structure -update`", page, found[1])
			}
			return strings.Replace(block, "```go\n"+found[3], "```go\n"+code, 1)
		})
		if *update {
			require.NoError(t, os.WriteFile(path, []byte(now), 0o600))
		}
	}
	assert.Positive(t, total, "the pages must have an example")
}

// cutFrom cuts declarations out of a file, with their comments.
func cutFrom(t *testing.T, file string, names []string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, file))
	require.NoError(t, err)
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, text, parser.ParseComments)
	require.NoError(t, err)
	var parts []string
	for _, name := range names {
		list, entry, inList := strings.Cut(strings.TrimSuffix(name, "]"), "[")
		from, to := token.NoPos, token.NoPos
		for _, declaration := range parsed.Decls {
			doc, declared := declares(declaration)
			switch {
			case declared != list:
			case inList:
				from, to = entryOf(declaration, entry)
			default:
				from, to = declaration.Pos(), declaration.End()
				if doc != nil {
					from = doc.Pos()
				}
			}
		}
		require.True(t, from.IsValid(), "%s has no declaration of %s", file, name)
		code := string(text[set.Position(from).Offset:set.Position(to).Offset])
		if inList {
			code = strings.ReplaceAll(code, "\n\t", "\n") + ","
		}
		parts = append(parts, code)
	}
	return strings.Join(parts, "\n\n") + "\n"
}

// entryOf finds the entry of a list whose field name has a value.
func entryOf(list ast.Node, value string) (from, to token.Pos) {
	ast.Inspect(list, func(node ast.Node) bool {
		entry, is := node.(*ast.CompositeLit)
		if !is {
			return true
		}
		for _, element := range entry.Elts {
			pair, is := element.(*ast.KeyValueExpr)
			if !is {
				continue
			}
			key, named := pair.Key.(*ast.Ident)
			text, literal := pair.Value.(*ast.BasicLit)
			if named && literal && key.Name == "name" && text.Value == `"`+value+`"` {
				from, to = entry.Pos(), entry.End()
			}
		}
		return true
	})
	return from, to
}

// declares is the name of what a declaration declares first, and its comment. A method has its type in front.
func declares(declaration ast.Decl) (*ast.CommentGroup, string) {
	switch d := declaration.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return d.Doc, d.Name.Name
		}
		receiver := d.Recv.List[0].Type
		if pointer, is := receiver.(*ast.StarExpr); is {
			receiver = pointer.X
		}
		if name, is := receiver.(*ast.Ident); is {
			return d.Doc, name.Name + "." + d.Name.Name
		}
	case *ast.GenDecl:
		if len(d.Specs) == 0 {
			return nil, ""
		}
		switch spec := d.Specs[0].(type) {
		case *ast.TypeSpec:
			return d.Doc, spec.Name.Name
		case *ast.ValueSpec:
			return d.Doc, spec.Names[0].Name
		}
	}
	return nil, ""
}

// TestTheFiguresOfTheReadmeAreMeasured compares them with those of the page that has their commands.
func TestTheFiguresOfTheReadmeAreMeasured(t *testing.T) {
	measured := readPage(t, "docs/user/scale.md")
	rows := regexp.MustCompile(`(?m)^\| [^|]+ \| ([^|]+) \| ([^|]+) \| \[Figures\]\(docs/user/scale\.md#figures\) \|$`)
	figures := rows.FindAllStringSubmatch(readPage(t, "README.md"), -1)
	require.NotEmpty(t, figures)
	for _, row := range figures {
		assert.Regexp(t, fmt.Sprintf(`(?m)^\| [^|]+ \| %s \| [^|]+ \| %s \|`, row[1], row[2]), measured, "run the command of the figure again")
	}
}

// A safeguard that an author doesn't know of is missing in the new kind, and no test notices.
func TestThePageOnAddingAKindHasEveryFieldOfADefinition(t *testing.T) {
	resources, services, found := strings.Cut(readPage(t, "docs/contributor/adding-a-kind.md"), "\n## A service\n")
	require.True(t, found)
	for file, text := range map[string]string{"controllers/resource/resource.go": resources, "controllers/service/service.go": services} {
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		fields := 0
		ast.Inspect(parsed, func(n ast.Node) bool {
			if spec, is := n.(*ast.TypeSpec); is && spec.Name.Name == "Definition" {
				for _, field := range spec.Type.(*ast.StructType).Fields.List {
					fields++
					row := regexp.MustCompile("(?m)^\\|[^|]*`" + field.Names[0].Name + "`")
					assert.True(t, row.MatchString(text), "no table has the field %s of the Definition in %s", field.Names[0].Name, file)
				}
			}
			return true
		})
		assert.Positive(t, fields, file)
	}
}
