package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestThePageNamesWhatIsProvenAndWhatIsNot(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "a_test.go"), []byte(`package a
func TestQ99_ThatItIsDone(t *testing.T) {}
var rows = map[string]int{"`+"C-"+`98 a row": 1}
`), 0o600))
	groups, err := read([]byte("Group:\n  Q99: does it\n  C-98: has rows\n  Q97: forgets this\n  Q96: {says: never, na: \"it can't\"}\n"))
	require.NoError(t, err)
	found, err := search(root)
	require.NoError(t, err)
	text := page(groups, found)
	assert.Contains(t, text, "2 of 3 are proven")
	assert.Contains(t, text, "| Q99 | does it | `..TestQ99_ThatItIsDone` |")
	assert.Contains(t, text, "| C-98 | has rows | `..rows` |")
	assert.Contains(t, text, "- Q97: forgets this")
	assert.Contains(t, text, "| Q96 | never | can't apply: it can't |")
}

func TestTheListCanBeRead(t *testing.T) {
	groups, err := read(list)
	require.NoError(t, err)
	total := 0
	for _, g := range groups {
		for _, r := range g.requirements {
			assert.NotEmpty(t, r.says, r.id)
			assert.Regexp(t, idPattern, r.id)
			total++
		}
	}
	assert.Greater(t, total, 150)
}

// Other lists have ids of the same form: a test that names one of them would prove nothing, or a requirement of another meaning.
func TestEveryIDInATestIsThatOfARequirement(t *testing.T) {
	groups, err := read(list)
	require.NoError(t, err)
	known := map[string]bool{}
	for _, g := range groups {
		for _, r := range g.requirements {
			known[r.id] = r.na == ""
		}
	}
	found, err := search(filepath.Join("..", "..", ".."))
	require.NoError(t, err)
	for id, tests := range found {
		tests = slices.DeleteFunc(tests, func(test string) bool { return strings.HasPrefix(test, "tests/cmd/requirements.") })
		assert.True(t, known[id] || len(tests) == 0, "%s isn't an id of requirements.yaml that applies: %v", id, tests)
	}
}

func TestThePageInTheDocumentationIsCurrent(t *testing.T) {
	groups, err := read(list)
	require.NoError(t, err)
	root := filepath.Join("..", "..", "..")
	found, err := search(root)
	require.NoError(t, err)
	current, err := os.ReadFile(filepath.Join(root, "docs", "contributor", "requirements.md"))
	require.NoError(t, err)
	assert.Equal(t, page(groups, found), string(current), "run make requirements")
}
