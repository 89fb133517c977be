package structure_test

import (
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheOverviewOfTestsNamesEachFolder(t *testing.T) {
	page := readPage(t, "tests/README.md")
	for _, group := range []struct{ folder, written string }{{"suites", "suites/"}, {"harness", ""}, {"cmd", ""}} {
		folders, err := filepath.Glob(filepath.Join(root, "tests", group.folder, "*"))
		require.NoError(t, err)
		require.NotEmpty(t, folders)
		for _, folder := range folders {
			name := "`" + group.written + filepath.Base(folder) + "`"
			assert.Regexp(t, regexp.QuoteMeta(name), page, "the table of tests/README.md has no %s of tests/%s", name, group.folder)
		}
	}
}
