package structure_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPagesThatListTheKindsListAllOfThem(t *testing.T) {
	named := regexp.MustCompile(`(?m)^    kind: (\w+)$`)
	for _, page := range []string{"README.md", "docs/README.md", "docs/user/migrate.md"} {
		text, err := os.ReadFile(filepath.Join(root, page))
		require.NoError(t, err)
		var missing []string
		for _, crd := range allKinds(t) {
			schema, err := os.ReadFile(crd)
			require.NoError(t, err)
			kind := named.FindSubmatch(schema)
			require.NotNil(t, kind, crd)
			if code := "`" + string(kind[1]) + "`"; !strings.Contains(string(text), code) {
				missing = append(missing, code)
			}
		}
		assert.Empty(t, missing, "add the kinds to the list in %s", page)
	}
}
