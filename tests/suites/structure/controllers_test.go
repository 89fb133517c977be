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

// ofControllers are the methods of controllers.AivenController and controllers.CredentialsResetter.
var ofControllers = []string{"Observe", "Create", "Update", "Delete", "ResetCredentials"}

// handWritten lists the methods of a file that belong to a controller.
func handWritten(file *ast.File) (methods []string) {
	for _, declared := range file.Decls {
		f, isFunction := declared.(*ast.FuncDecl)
		if isFunction && f.Recv != nil && slices.Contains(ofControllers, f.Name.Name) {
			methods = append(methods, f.Name.Name)
		}
	}
	return methods
}

func TestNoKindHasAControllerOfItsOwn(t *testing.T) {
	files := 0
	err := filepath.WalkDir(filepath.Join(root, "controllers/kinds"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files++
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		assert.Empty(t, handWritten(parsed), "%s: a kind is a resource.Definition or a service.Definition", path)
		return nil
	})
	require.NoError(t, err)
	assert.Greater(t, files, 8)
}

func TestControllersWrittenByHandAreFound(t *testing.T) {
	for name, tc := range map[string]struct {
		source string
		want   []string
	}{
		"a method":                          {"func (t *topic) Observe() {}", []string{"Observe"}},
		"a method of a generic type":        {"func (t topic[T]) ResetCredentials() {}", []string{"ResetCredentials"}},
		"several":                           {"func (topic) Create() {}; func (topic) Delete() {}", []string{"Create", "Delete"}},
		"not a function of a Definition":    {"func Update() {}", nil},
		"not a method with another purpose": {"func (t topic) String() string { return \"\" }", nil},
	} {
		t.Run(name, func(t *testing.T) {
			parsed, err := parser.ParseFile(token.NewFileSet(), "topic.go", "package kafka\n"+tc.source, 0)
			require.NoError(t, err)
			assert.Equal(t, tc.want, handWritten(parsed))
		})
	}
}
