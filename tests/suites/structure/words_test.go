package structure_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// styleGuide lists the words itself.
const styleGuide = "docs/contributor/style.md"

// kindPages are made from the CRDs, whose descriptions are checked. Those of options are Aiven's.
const kindPages = "docs/user/kinds/"

// text is a piece of a file that people read.
type text struct {
	line int // of the file at which it begins
	text string
}

// reader returns what is to be checked of a file.
type reader func(path string, data []byte) ([]text, error)

// wordSources are the files to check, by folder or file, and how each is read.
var wordSources = []struct {
	at, extension string
	read          reader
}{
	{"README.md", ".md", whole}, {"docs", ".md", whole}, {"docs/examples", ".yaml", whole}, {"charts", ".md", whole},
	{"tests/README.md", ".md", whole}, {"tests/harness", ".md", whole},
	{"charts/aero/values.yaml", ".yaml", comments}, {"charts/aero-crds/values.yaml", ".yaml", comments},
	{"charts", ".txt", whole}, {"charts", ".tpl", whole}, {"charts", "Chart.yaml", whole},
	{"charts/aero/templates", ".yaml", whole},
	{"monitoring/alerts.yaml", ".yaml", whole}, {"monitoring/dashboard.json", ".json", whole}, {"config/admission", ".yaml", whole},
	{"config/crd/bases", ".yaml", descriptions},
	{"CONTRIBUTING.md", ".md", whole}, {"SECURITY.md", ".md", whole}, {"SUPPORT.md", ".md", whole}, {"CHANGELOG.md", ".md", whole},
	{"CODEOWNERS", "CODEOWNERS", whole}, {".github", ".md", whole}, {".github", ".yml", whole},
	{"Makefile", "Makefile", whole}, {"tests/localaiven", ".md", whole},
	{"main.go", ".go", source}, {"cmd", ".go", source}, {"internal", ".go", source}, {"config/krew", ".yaml", whole}, {"site/layouts", ".html", whole}, {"controllers", ".go", source}, {"api", ".go", source},
	{"generators", ".go", source}, {"tests", ".go", source},
}

// TestTextsUseTheWordsOfTheField finds words of testdata/words.yaml in pages, messages, flags, metrics' help, comments and
// descriptions, and in the names that Go files declare.
func TestTextsUseTheWordsOfTheField(t *testing.T) {
	list := wordList(t)
	for _, s := range wordSources {
		files := 0
		require.NoError(t, filepath.WalkDir(filepath.Join(root, s.at), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, s.extension) {
				return err
			}
			files++
			name, _ := filepath.Rel(root, path)
			for _, f := range findings(t, list, path, s.read) {
				assert.Fail(t, fmt.Sprintf("%s:%d: %q: write instead: %s", name, f.Line, f.Word, f.Instead))
			}
			return nil
		}))
		assert.Positive(t, files, "%s has no file %s", s.at, s.extension)
	}
}

func findings(t *testing.T, list []bannedWord, path string, read reader) []finding {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	if strings.HasSuffix(path, styleGuide) || strings.Contains(path, kindPages) || filepath.Ext(path) == ".go" && bytes.Contains(data, []byte("DO NOT EDIT.")) {
		return nil
	}
	texts, err := read(path, data)
	require.NoError(t, err, path)
	list = listFor(list, path)
	var all []finding
	for _, piece := range texts {
		for _, f := range check(list, piece.text) {
			f.Line += piece.line - 1
			all = append(all, f)
		}
	}
	return all
}

func whole(_ string, data []byte) ([]text, error) { return []text{{1, string(data)}}, nil }

// comments are those of a YAML file, each block as a whole.
func comments(_ string, data []byte) ([]text, error) {
	lines := strings.Split(string(data), "\n")
	for i, line := range lines {
		before, comment, found := strings.Cut(line, "#")
		if !found || before != "" && !strings.HasSuffix(before, " ") {
			comment = ""
		}
		lines[i] = comment
	}
	return []text{{1, strings.Join(lines, "\n")}}, nil
}

// commentsAndStrings are those of a Go file. Imports and tags of fields aren't read by users.
func commentsAndStrings(path string, data []byte) ([]text, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, path, data, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var all []text
	for _, group := range parsed.Comments {
		all = append(all, text{files.Position(group.Pos()).Line, group.Text()})
	}
	ast.Inspect(parsed, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			node.Tag = nil
		case *ast.BasicLit:
			if value, err := strconv.Unquote(node.Value); err == nil && node.Kind == token.STRING {
				all = append(all, text{files.Position(node.Pos()).Line, value})
			}
		}
		return true
	})
	return all, nil
}

var (
	testFunction = regexp.MustCompile(`(?m)^func Test(\w+)\(t `)
	wordOfName   = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]|[0-9]+`)
)

// testNames are the sentences that the names of tests are.
func testNames(_ string, data []byte) ([]text, error) {
	var all []text
	for _, at := range testFunction.FindAllSubmatchIndex(data, -1) {
		name := wordOfName.FindAllString(string(data[at[2]:at[3]]), -1)
		all = append(all, text{1 + bytes.Count(data[:at[0]], []byte("\n")), strings.Join(name, " ")})
	}
	return all, nil
}

// descriptions are the texts of a CRD that aero writes: those of user options are Aiven's.
func descriptions(_ string, data []byte) ([]text, error) {
	var crd any
	if err := yaml.Unmarshal(data, &crd); err != nil {
		return nil, err
	}
	var all []text
	var walk func(node any)
	walk = func(node any) {
		switch node := node.(type) {
		case []any:
			for _, item := range node {
				walk(item)
			}
		case map[string]any:
			for key, value := range node {
				if written, ok := value.(string); ok && (key == "description" || key == "message") {
					all = append(all, text{1, written})
				} else if key != "userConfig" {
					walk(value)
				}
			}
		}
	}
	walk(crd)
	return all, nil
}
