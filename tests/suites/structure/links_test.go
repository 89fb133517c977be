package structure_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	fencedBlock   = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	pageHeading   = regexp.MustCompile(`(?m)^#+ (.*)$`)
	inlineCode    = regexp.MustCompile("`[^`\n]*`")
	pageLink      = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	notInAnAnchor = regexp.MustCompile(`[^\p{L}\p{N}_\- ]`)
)

// TestLinksOfPagesLeadSomewhere finds links to files and headings that don't exist.
func TestLinksOfPagesLeadSomewhere(t *testing.T) {
	links := 0
	for _, at := range []string{"README.md", "docs", "charts", "tests"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, at), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".md" {
				return err
			}
			for _, found := range pageLink.FindAllStringSubmatch(inlineCode.ReplaceAllString(prose(t, path), ""), -1) {
				if !strings.Contains(found[1], "://") {
					links++
					checkLink(t, path, found[1])
				}
			}
			return nil
		}))
	}
	assert.Greater(t, links, 100)
}

// prose is a page without its blocks of code.
func prose(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return fencedBlock.ReplaceAllString(string(data), "")
}

func checkLink(t *testing.T, page, link string) {
	t.Helper()
	file, anchor, _ := strings.Cut(link, "#")
	target := page
	if file != "" {
		target = filepath.Join(filepath.Dir(page), file)
	}
	if _, err := os.Stat(target); !assert.NoError(t, err, "%s: %s", page, link) || anchor == "" {
		return
	}
	var anchors []string
	for _, heading := range pageHeading.FindAllStringSubmatch(prose(t, target), -1) {
		plain := notInAnAnchor.ReplaceAllString(strings.ToLower(heading[1]), "")
		anchors = append(anchors, strings.ReplaceAll(plain, " ", "-"))
	}
	assert.Contains(t, anchors, anchor, "%s: %s", page, link)
}

// TestTheMapOfTheDocumentationHasEveryPage finds pages that docs/README.md doesn't link. Folders with a page for each kind, reason, alert
// or decision are linked as a whole, and so is a guide, or by itself.
func TestTheMapOfTheDocumentationHasEveryPage(t *testing.T) {
	linked := map[string]bool{}
	for _, found := range pageLink.FindAllStringSubmatch(prose(t, filepath.Join(root, "docs/README.md")), -1) {
		file, _, _ := strings.Cut(found[1], "#")
		linked[filepath.Join("docs", file)] = true
	}
	for _, pattern := range []string{"docs/user/*.md", "docs/user/guides/*.md", "docs/contributor/*.md", "*.md", "charts/*/README.md"} {
		pages, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		require.NotEmpty(t, pages, pattern)
		for _, page := range pages {
			name, err := filepath.Rel(root, page)
			require.NoError(t, err)
			assert.True(t, linked[name] || name == "README.md", "docs/README.md has no link to %s", name)
		}
	}
}
