package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pageCase is a reader at work on a page.
type pageCase struct {
	name string
	// page is a file in docs/user, or a pattern for several.
	page string
	// headings are those of the parts that are typed; none means the whole page.
	headings []string
	// on is the machine at which it is typed.
	on func(*testing.T) *machine
	// given was typed before.
	given string
	// instead is what is typed in place of a part of the page, in turn, such as for what readers have names of their own for.
	instead []string
	// wants are in what is printed.
	wants []string
	// then is typed at the end, to see what it has come to.
	then string
}

// commands are those of the page that the case types.
func (s pageCase) commands(t *testing.T) []command {
	t.Helper()
	pages, err := filepath.Glob(filepath.Join(root, pagesFolder, s.page))
	require.NoError(t, err)
	var some []command
	for _, path := range pages {
		for _, c := range commandsOf(t, path) {
			chosen := len(s.headings) == 0 || slices.Contains(s.headings, c.heading)
			if chosen && !isUntyped(c) {
				some = append(some, c)
			}
		}
	}
	require.NotEmpty(t, some, s.page)
	return some
}

// printed is what a page shows as the output of the command above it. The lines are compared; in a block of another
// language, such as console, readers see other values.
var printed = regexp.MustCompile("(?ms)^```text\n(.*?)^```")

// outputs are the lines that the pages of a case show as printed.
func (s pageCase) outputs(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob(filepath.Join(root, pagesFolder, s.page))
	require.NoError(t, err)
	var lines []string
	for _, path := range pages {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, block := range printed.FindAllStringSubmatch(string(text), -1) {
			lines = append(lines, strings.Split(strings.TrimSpace(block[1]), "\n")...)
		}
	}
	return lines
}

// spaced are the lines of a text, with one space between words.
func spaced(text string) (lines []string) {
	for line := range strings.Lines(text) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// typedAt types the case at a machine, and compares what is printed with what it wants and what the page shows.
func (s pageCase) typedAt(m *machine) {
	t := m.t
	t.Helper()
	instead := slices.Clone(s.instead)
	for i := 1; i < len(instead); i += 2 {
		instead[i] = m.typed(instead[i])
		if instead[i] == freeAddress {
			instead[i] = listenable(t)
		}
	}
	m.replaced = append(m.replaced, instead...)
	script := s.given
	for _, c := range s.commands(t) {
		script += withoutBuilds(c.text) + "echo\n" // not every output ends its last line
	}
	out := m.types(script + s.then)
	lines := spaced(out)
	for _, shown := range spaced(m.typed(strings.Join(s.outputs(t), "\n"))) {
		assert.Contains(t, lines, shown)
	}
	for _, want := range s.wants {
		assert.Contains(t, out, m.typed(want))
	}
	if t.Failed() {
		t.Log(strings.TrimSpace(out))
	}
}
