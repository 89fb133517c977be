package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

var (
	// entry is the heading of a version in the form of Keep a Changelog.
	entry = regexp.MustCompile(`(?m)^## \[([^\]]+)\](?: - (\d{4}-\d{2}-\d{2}))?$`)
	// links are the targets of the headings, at the end of the file.
	links = regexp.MustCompile(`(?m)^\[[^\]]+\]: \S+\n?`)
)

// relative is a link of the changelog to a file of the repository.
var relative = regexp.MustCompile(`\]\(([^):#][^):]*(?:#[^)]*)?)\)`)

// absolute leads links to files of the repository, which the page of a release isn't in, to these files at a version.
func absolute(changes, version string) string {
	return relative.ReplaceAllString(changes, "]("+source+"/blob/"+version+"/$1)")
}

// changesOf are the changes of a version, which must be the top entry of the changelog. An entry for what isn't released may stand
// above it, as long as it is empty.
func changesOf(path, version string) (string, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("reading the changelog: %w", err)
	}
	text := links.ReplaceAllString(string(content), "")
	for at := entry.FindStringSubmatchIndex(text); at != nil; at = entry.FindStringSubmatchIndex(text) {
		name, dated := text[at[2]:at[3]], at[4] >= 0
		text = text[at[1]:]
		body := text
		if next := entry.FindStringIndex(text); next != nil {
			body = text[:next[0]]
		}
		body = strings.TrimSpace(body)
		switch {
		case name == "Unreleased" && body == "":
			continue
		case name != strings.TrimPrefix(version, "v"):
			return "", fmt.Errorf("the top entry of CHANGELOG.md is %s: set VERSION to it, or give what changed the heading ## [%s] - DATE",
				name, strings.TrimPrefix(version, "v"))
		case !dated:
			return "", fmt.Errorf("the entry %s of CHANGELOG.md has no date: write ## [%[1]s] - YYYY-MM-DD", name)
		case body == "":
			return "", fmt.Errorf("the entry %s of CHANGELOG.md is empty: write what changed", name)
		}
		return absolute(body, version) + "\n", nil
	}
	return "", fmt.Errorf("CHANGELOG.md has no entry: write one with the heading ## [%s] - DATE", strings.TrimPrefix(version, "v"))
}
