package structure_test

import (
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

// opening is an entry of testdata/openings.yaml.
type opening struct {
	Words   []string `json:"words"`
	Instead string   `json:"instead"`
}

func openings(t *testing.T) []opening {
	t.Helper()
	data, err := os.ReadFile("testdata/openings.yaml")
	require.NoError(t, err)
	var list []opening
	require.NoError(t, yaml.UnmarshalStrict(data, &list))
	require.NotEmpty(t, list)
	return list
}

// badOpening returns the words with which a text begins and must not, and what to write instead.
func badOpening(list []opening, text string) (words, instead string) {
	for _, o := range list {
		for _, words := range o.Words {
			if rest, found := strings.CutPrefix(text, words); found && (rest == "" || rest[0] == ' ') {
				return words, o.Instead
			}
		}
	}
	return "", ""
}

func TestTheCheckOfOpeningsFindsThem(t *testing.T) {
	list := openings(t)
	for text, want := range map[string]string{
		"Whether it is created again.":            "Whether",
		"1 while the operator waits, else 0.":     "1",
		"Start without a token.":                  "Start",
		"Use the default token.":                  "Use the",
		"Use of the default token.":               "",
		"Startup without a token.":                "",
		"Policy for resources that exist.":        "",
		"Settings of the logger: What they mean.": "",
	} {
		found, _ := badOpening(list, text)
		assert.Equal(t, want, found, text)
	}
}

func TestFlagsValuesAndMetricsBeginWithANounPhrase(t *testing.T) {
	list := openings(t)
	check := func(at, text string) {
		words, instead := badOpening(list, text)
		assert.Empty(t, words, "%s: %q begins with %q: write instead: %s", at, text, words, instead)
	}
	// A test of internal/options compares this page with --help.
	rows := regexp.MustCompile("(?m)^\\| `--([^`]+)`[^|]*\\|[^|]*\\| (.+) \\|$").FindAllStringSubmatch(readPage(t, "docs/user/operating.md"), -1)
	assert.Greater(t, len(rows), 40)
	for _, row := range rows {
		check("--"+row[1], row[2])
	}
	values := regexp.MustCompile(`(?m)(?:^|:\n|[^#\n]*\n) *# (.+)(?:\n *# .*)*\n( *\w+):`).FindAllStringSubmatch(readPage(t, "charts/aero/values.yaml"), -1)
	assert.Greater(t, len(values), 80)
	for _, value := range values {
		check("charts/aero/values.yaml: "+strings.TrimSpace(value[2]), value[1])
	}
	found := map[string]int{}
	for _, top := range []string{"cmd", "controllers", "internal"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, top), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			files := token.NewFileSet()
			parsed, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			ast.Inspect(parsed, func(node ast.Node) bool {
				if what, usage := helpText(node); usage != "" {
					found[what]++
					check(files.Position(node.Pos()).String(), usage)
				}
				return true
			})
			return nil
		}))
	}
	assert.Greater(t, found["flag"], 40)
	assert.Greater(t, found["metric"], 20)
}

var bindsFlag = regexp.MustCompile(`^(Func|(Bool|Duration|Float64|Int|String|StringSlice|StringToString)(Var)?P?)$`)

// helpText returns how the text of a flag or a metric begins, where a node has one.
func helpText(node ast.Node) (what, text string) {
	switch node := node.(type) {
	case *ast.KeyValueExpr: // prometheus.GaugeOpts and the like
		if key, ok := node.Key.(*ast.Ident); ok && key.Name == "Help" {
			return "metric", beginning(node.Value)
		}
	case *ast.CallExpr:
		called, ok := node.Fun.(*ast.SelectorExpr)
		switch {
		case !ok || len(node.Args) < 2:
		case called.Sel.Name == "NewDesc":
			return "metric", beginning(node.Args[1])
		case called.Sel.Name == "Func": // name, text, function
			return "flag", beginning(node.Args[1])
		case bindsFlag.MatchString(called.Sel.Name):
			return "flag", beginning(node.Args[len(node.Args)-1])
		}
	}
	return "", ""
}

// beginning returns the first text of a sum of texts, "" if it is no constant.
func beginning(expression ast.Expr) string {
	switch e := expression.(type) {
	case *ast.BinaryExpr:
		return beginning(e.X)
	case *ast.BasicLit:
		text, _ := strconv.Unquote(e.Value)
		return text
	}
	return ""
}
