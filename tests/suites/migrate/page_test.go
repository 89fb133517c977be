package migrate

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// commandTimeout is longer than any command of the page takes.
const commandTimeout = 2 * time.Minute

// block is a piece of shell in a page.
var block = regexp.MustCompile("(?s)```sh\n(.*?)```")

// page are the commands of a page, by its headings.
type page map[string][]string

func readPage(t *testing.T, name string) page {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "user", name))
	require.NoError(t, err)
	all := page{}
	for _, section := range strings.Split(string(text), "\n## ")[1:] {
		title, rest, _ := strings.Cut(section, "\n")
		for _, found := range block.FindAllStringSubmatch(rest, -1) {
			all[title] = append(all[title], found[1])
		}
	}
	return all
}

// shell types commands of the page.
type shell struct {
	t     *testing.T
	dir   string
	names string // typed first, in each block
	page  page
}

// section types all blocks of a section, and returns what they print.
func (s *shell) section(title string) string {
	s.t.Helper()
	require.NotEmpty(s.t, s.page[title], "the page has no commands under %q", title)
	var out strings.Builder
	for _, commands := range s.page[title] {
		out.WriteString(s.do(commands))
	}
	return out.String()
}

// do types commands that must succeed, and returns what they print.
func (s *shell) do(commands string) string {
	s.t.Helper()
	out, err := s.try(commands)
	require.NoError(s.t, err, "%s\n%s", commands, out)
	return out
}

// try types commands, and returns what they print.
func (s *shell) try(commands string) (string, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.t.Context()), commandTimeout) // also at the end of a test
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", "set -eu\n"+s.names+commands)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), served.Environment(), "KUBECONFIG="+access, "PATH="+tools+string(os.PathListSeparator)+os.Getenv("PATH"))
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	s.t.Logf("%s\n%s", commands, out)
	return string(out), err
}

// typed are the sections whose commands the tests of this package type.
var typed = []string{
	"Names", check, guard, stop, forget, remove, installAero, drift, tidy, goBack, rescue,
}

// The headings of the page.
const (
	check       = "1 Check"
	guard       = "2 Guard the CRDs"
	stop        = "3 Stop aiven-operator"
	forget      = "4 Let Helm forget the CRDs"
	remove      = "5 Remove aiven-operator"
	installAero = "6 Install aero"
	drift       = "7 Review the drift"
	tidy        = "8 Tidy up"
	goBack      = "Going back"
	rescue      = "A CRD is being deleted"
)

func TestEveryCommandOfThePageIsTyped(t *testing.T) {
	assert.ElementsMatch(t, typed, slices.Collect(maps.Keys(readPage(t, "migrate.md"))))
}
