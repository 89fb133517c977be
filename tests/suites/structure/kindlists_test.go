package structure_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPagesThatListTheKindsListAllOfThem(t *testing.T) {
	for page, entry := range map[string]string{
		"README.md": "[`%s`](docs/user/kinds/%s.md)", "docs/README.md": "[`%s`](user/kinds/%s.md)", "docs/user/migrate.md": "`%[1]s`",
	} {
		text := readPage(t, page)
		var missing []string
		for kind := range schemas(t) {
			if !strings.Contains(text, fmt.Sprintf(entry, kind, strings.ToLower(kind))) {
				missing = append(missing, kind)
			}
		}
		assert.Empty(t, missing, "add the kinds to the list in %s", page)
	}
}

func TestThePageOfConnectionSecretsListsTheKindsThatHaveOne(t *testing.T) {
	const page = "docs/user/connection-secrets.md"
	text := readPage(t, page)
	var publishing, rows []string
	for kind, schema := range schemas(t) {
		if strings.Contains(schema, "\n              connInfoSecretTarget:\n") {
			publishing = append(publishing, kind)
		}
	}
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\| `(\\w+_)` \\|").FindAllStringSubmatch(text, -1) {
		rows = append(rows, row[1])
		assert.Equal(t, strings.ToUpper(row[1])+"_", row[2], "the default prefix of %s", row[1])
	}
	assert.ElementsMatch(t, publishing, rows, "the table of keys in %s", page)

	first, _, found := strings.Cut(text, " publish connection details")
	require.True(t, found)
	var named []string
	for _, kind := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(first, -1) {
		named = append(named, kind[1])
	}
	assert.ElementsMatch(t, publishing, named, "the first sentence of %s", page)
}

func TestEveryKindHasItsPage(t *testing.T) {
	for kind := range schemas(t) {
		assert.Contains(t, readPage(t, kindPages+strings.ToLower(kind)+".md"), "# "+kind+"\n", "make generate writes it")
	}
}

func readPage(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, page))
	require.NoError(t, err)
	return string(text)
}

// schemas are the CRDs by the names of their kinds.
func schemas(t *testing.T) map[string]string {
	t.Helper()
	named, all := regexp.MustCompile(`(?m)^    kind: (\w+)$`), map[string]string{}
	own, err := filepath.Glob(filepath.Join(root, "config/crd/bases/aero-operator.io_*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, own)
	for _, crd := range append(allKinds(t), own...) {
		schema, err := os.ReadFile(crd)
		require.NoError(t, err)
		kind := named.FindSubmatch(schema)
		require.NotNil(t, kind, crd)
		all[string(kind[1])] = string(schema)
	}
	return all
}
