package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// addLists adds the kind to the lists that name every kind.
func addLists(t *tree, k *kind) error {
	name := k.Names.Kind
	edits := []struct {
		file   string
		change func(text string) (string, error)
	}{
		{"controllers/kinds/kinds.go", func(text string) (string, error) { return addRegistration(t.root, text, k) }},
		// Without a reason, a test of the bench names the kind.
		{"tests/bench/kinds_test.go", func(text string) (string, error) {
			return insertSorted(text, "var unmeasured = map[string]string{", "}", "\t\""+name+"\": \"\",", strings.Compare)
		}},
		// Without edits, a test of the charts names the kind.
		{"tests/suites/charts/changes_test.go", func(text string) (string, error) {
			return insertSorted(text, "var changes = map[string][]string{", "}", "\t\""+k.Names.Singular+"\": {},", strings.Compare)
		}},
		{"CHANGELOG.md", func(text string) (string, error) { return addChange(text, k) }},
	}
	for _, e := range edits {
		if err := t.edit(e.file, e.change); err != nil {
			return err
		}
	}
	if !k.options() {
		return nil
	}
	if err := t.edit("Makefile", func(text string) (string, error) { return addOptions(text, k.product.serviceType) }); err != nil {
		return err
	}
	return t.edit("api/v1alpha1/compat_test.go", func(text string) (string, error) {
		return insertSorted(text, "var generated = map[string][]string{", "}", "\t\""+name+"\": {\"spec.userConfig\"},", strings.Compare)
	})
}

// insertSorted adds a line to a block of sorted lines, which begins behind one line and ends before another.
func insertSorted(text, begin, end, line string, compare func(a, b string) int) (string, error) {
	lines := strings.Split(text, "\n")
	first := slices.Index(lines, begin) + 1
	if first == 0 {
		return "", fmt.Errorf("no line is %q", begin)
	}
	length := slices.Index(lines[first:], end)
	if length < 0 {
		return "", fmt.Errorf("no line %q ends the list that begins with %q", end, begin)
	}
	at := first
	for at < first+length && compare(lines[at], line) < 0 {
		at++
	}
	return strings.Join(slices.Insert(lines, at, line), "\n"), nil
}

// definition is where a kind is defined.
var definition = regexp.MustCompile(`(?m)^var (\w+) = (?:resource|service)\.Definition\[\*v1alpha1\.(\w+)`)

// addRegistration adds the kind to All, which is sorted by the names of the kinds, and imports its package.
func addRegistration(root, text string, k *kind) (string, error) {
	names, err := registered(root)
	if err != nil {
		return "", err
	}
	line := "\t\t" + k.product.folder + "." + k.short() + ","
	names[line] = k.Names.Kind
	text, err = insertSorted(text, "\treturn []controllers.Registration{", "\t}", line, func(a, b string) int {
		return strings.Compare(names[a], names[b])
	})
	if err != nil {
		return "", err
	}
	path := "\t\"github.com/aero-operator/aero/controllers/kinds/" + k.product.folder + "\""
	if strings.Contains(text, path) {
		return text, nil
	}
	return insertSorted(text, "import (", ")", path, strings.Compare)
}

// registered are the names of the kinds by their lines in All.
func registered(root string) (map[string]string, error) {
	files, err := filepath.Glob(filepath.Join(root, "controllers/kinds/*/*.go"))
	if err != nil {
		return nil, fmt.Errorf("listing the kinds: %w", err)
	}
	names := map[string]string{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("reading a kind: %w", err)
		}
		for _, found := range definition.FindAllStringSubmatch(string(raw), -1) {
			names["\t\t"+filepath.Base(filepath.Dir(file))+"."+found[1]+","] = found[2]
		}
	}
	return names, nil
}

// addOptions adds a type of service to those whose option trees are generated.
func addOptions(text, serviceType string) (string, error) {
	list := regexp.MustCompile(`--services ([a-z_,]+)`)
	found := list.FindStringSubmatch(text)
	if found == nil {
		return "", fmt.Errorf("no target has the flag --services")
	}
	types := strings.Split(found[1], ",")
	if slices.Contains(types, serviceType) {
		return text, nil
	}
	types = append(types, serviceType)
	slices.Sort(types)
	return strings.Replace(text, found[0], "--services "+strings.Join(types, ","), 1), nil
}

// addChange adds a line to what isn't released, under the heading Added.
func addChange(text string, k *kind) (string, error) {
	const unreleased, added = "## [Unreleased]\n", "### Added\n"
	line := "- Kind `" + k.Names.Kind + "`.\n"
	before, rest, found := strings.Cut(text, unreleased)
	if !found {
		return "", fmt.Errorf("no heading Unreleased")
	}
	entry, older, found := strings.Cut(rest, "\n## [")
	if !found {
		return "", fmt.Errorf("no version is below the heading Unreleased")
	}
	if !strings.Contains(entry, added) {
		entry = "\n" + added + "\n" + line + entry
	} else {
		entry = strings.Replace(entry, added+"\n", added+"\n"+line, 1)
	}
	return before + unreleased + entry + "\n## [" + older, nil
}
