package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

const guidesFolder = "docs/user/guides"

// guide is a page that shows a task.
type guide struct{ file, title, text string }

// readGuides reads all guides, sorted by the names of their files.
func readGuides(root string) ([]guide, error) {
	paths, err := filepath.Glob(filepath.Join(root, guidesFolder, "*.md"))
	if err != nil {
		return nil, fmt.Errorf("listing the guides: %w", err)
	}
	var guides []guide
	for _, path := range paths {
		if filepath.Base(path) == "README.md" {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("reading a guide: %w", err)
		}
		title, _, _ := strings.Cut(string(text), "\n")
		guides = append(guides, guide{filepath.Base(path), strings.TrimPrefix(title, "# "), string(text)})
	}
	return guides, nil
}

// isAbout reports whether a guide names a kind, as code, in a manifest or in a command of kubectl.
func (g guide) isAbout(k kind) bool {
	return regexp.MustCompile(fmt.Sprintf("`%[1]s`|kind: %[1]s\\b|(?m:^kubectl .*\\b%[2]s\\b[ /])", k.name(), k.singular())).MatchString(g.text)
}

// guidesLine links the guides about the kind; empty without any.
func (k kind) guidesLine() string {
	if len(k.guides) == 0 {
		return ""
	}
	var links []string
	for _, g := range k.guides {
		links = append(links, fmt.Sprintf("[%s](../guides/%s)", g.title, g.file))
	}
	return "Guides: " + strings.Join(links, ", ") + "\n\n"
}
