package reason_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/reason"
)

// statusFolder has the code that decides, and a status for each situation.
const statusFolder = "../internal/status"

func TestEachReasonOfReadyInAnySituationIsExplained(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(statusFolder, "testdata", "rows.json"))
	require.NoError(t, err)
	var rows []struct {
		Situation string
		Status    v1alpha1.CommonStatus
	}
	require.NoError(t, json.Unmarshal(text, &rows))
	require.NotEmpty(t, rows)
	for _, row := range rows {
		ready := row.Status.Conditions[0]
		require.Equal(t, condition.Ready, ready.Type, row.Situation)
		explained, found := reason.Of(ready.Reason)
		assert.True(t, found && explained.Name == ready.Reason, "%s: all.go doesn't explain %s", row.Situation, ready.Reason)
		assert.Equal(t, string(ready.Status), explained.Ready, "%s: %s", row.Situation, ready.Reason)
	}
}

func TestEachReasonThatTheCodeCanGiveReadyIsExplainedAndNoOther(t *testing.T) {
	possible := map[string]bool{}
	values := constants(t, filepath.Join("..", "internal", "condition", "condition.go"))
	for _, name := range reasonsOfOutcomes(t) {
		require.Contains(t, values, name)
		possible[values[name]] = true
	}
	require.Greater(t, len(possible), 15)
	for name := range possible {
		explained, found := reason.Of(name)
		assert.True(t, found && explained.Ready != "", "all.go has no entry for the reason %s of Ready", name)
	}
	for _, r := range reason.All() {
		assert.True(t, r.Ready == "" || possible[r.Name], "no code gives Ready the reason %s", r.Name)
	}
}

func TestEachWarningThatTheCodeCanReportIsExplained(t *testing.T) {
	file := filepath.Join(statusFolder, "event.go")
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	require.NoError(t, err)
	normal := map[string]bool{}
	for _, declared := range parsed.Decls {
		f, isFunction := declared.(*ast.FuncDecl)
		if !isFunction || !slices.Contains([]string{"normalEvent", "mutated", "deletionEvent"}, f.Name.Name) {
			continue
		}
		ast.Inspect(f, func(node ast.Node) bool {
			if name, is := node.(*ast.Ident); is {
				normal[name.Name] = true
			}
			return true
		})
	}
	warnings := map[string]bool{}
	for name, value := range constants(t, file) {
		if !strings.HasPrefix(name, "Event") || normal[name] {
			continue
		}
		warnings[value] = true
		_, found := reason.Of(value)
		assert.True(t, found, "no entry of all.go has the warning %s", value)
	}
	require.Greater(t, len(warnings), 10)
	for _, r := range reason.All() {
		for _, warning := range r.Warnings {
			assert.True(t, warnings[warning], "%s: no code reports %s", r.Name, warning)
		}
	}
}

func TestEachEntryIsComplete(t *testing.T) {
	names := map[string]bool{}
	for _, r := range reason.All() {
		assert.False(t, names[r.Name], "%s is there twice", r.Name)
		names[r.Name] = true
		assert.Contains(t, []string{"True", "False", "Unknown", ""}, r.Ready, r.Name)
		assert.NotEmpty(t, r.Means, r.Name)
		assert.True(t, r.Remedy != "" || r.Ready == "True" || r.Ready == "Unknown", "%s needs a remedy", r.Name)
		for _, text := range []string{r.Means, r.Remedy} {
			assert.False(t, strings.HasSuffix(text, "."), "%s: %s", r.Name, text)
		}
		assert.True(t, r.Ready != "" || slices.Equal(r.Warnings, []string{r.Name}), "%s: an entry without a status of Ready is about the warning of its name", r.Name)
		assert.Equal(t, reason.Pages+r.Name+".md", r.Page())
	}
}

func TestOfPrefersTheNameAndThenTheFirstCause(t *testing.T) {
	for asked, want := range map[string]string{
		"AuthFailed":                     "AuthFailed", // a reason of Ready and of a warning
		"RemoteMissing":                  "RemoteMissing",
		"RemoteResourceMissing":          "RemoteResourceMissing",
		"UnableToCreateOrUpdateAtAiven":  "InvalidSpec",
		"UnableToWaitForPreconditions":   "ReferenceNotFound",
		"UnableToDelete":                 "ProgressingWithRetry",
		"CannotPublishConnectionDetails": "InvalidSpec",
	} {
		found, is := reason.Of(asked)
		assert.True(t, is, asked)
		assert.Equal(t, want, found.Name, asked)
	}
	_, found := reason.Of("InstanceIsRunning")
	assert.False(t, found)
}

func TestAllCannotBeChangedByItsReaders(t *testing.T) {
	reason.All()[0].Name = "changed"
	assert.NotEqual(t, "changed", reason.All()[0].Name)
}

// reasonsOfOutcomes are the names of the constants that become the reason of an outcome: of its field, by an assignment to it, or as a
// key of what waits for consent.
func reasonsOfOutcomes(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(statusFolder, "*.go"))
	require.NoError(t, err)
	for _, path := range append(files, "../internal/connectionsecret/conclude.go") {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		ast.Inspect(parsed, func(node ast.Node) bool {
			names = append(names, reasonsIn(node)...)
			return true
		})
	}
	return names
}

func reasonsIn(node ast.Node) (names []string) {
	switch n := node.(type) {
	case *ast.KeyValueExpr:
		if key, is := n.Key.(*ast.Ident); is && key.Name == "reason" {
			names = append(names, ofCondition(n.Value))
		}
	case *ast.AssignStmt:
		for i, to := range n.Lhs {
			if field, is := to.(*ast.SelectorExpr); is && field.Sel.Name == "reason" && len(n.Rhs) == len(n.Lhs) {
				names = append(names, ofCondition(n.Rhs[i]))
			}
		}
	case *ast.ValueSpec:
		if n.Names[0].Name == "consents" {
			for _, element := range n.Values[0].(*ast.CompositeLit).Elts {
				names = append(names, ofCondition(element.(*ast.KeyValueExpr).Key))
			}
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

// ofCondition is the name of a constant of the package condition, or empty.
func ofCondition(value ast.Expr) string {
	if constant, is := value.(*ast.SelectorExpr); is {
		if from, is := constant.X.(*ast.Ident); is && from.Name == "condition" {
			return constant.Sel.Name
		}
	}
	return ""
}

// constants are the values of the text constants of a file, by their names.
func constants(t *testing.T, path string) map[string]string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	require.NoError(t, err)
	values := map[string]string{}
	for _, declared := range parsed.Decls {
		group, is := declared.(*ast.GenDecl)
		if !is || group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs {
			constant := spec.(*ast.ValueSpec)
			for i, value := range constant.Values {
				if text, is := value.(*ast.BasicLit); is && text.Kind == token.STRING {
					values[constant.Names[i].Name], err = strconv.Unquote(text.Value)
					require.NoError(t, err)
				}
			}
		}
	}
	return values
}
