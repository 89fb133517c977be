package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// command is a piece of shell in a page, under a heading.
type command struct{ page, heading, text string }

// headingOrShell finds, in turn, the headings of a page and the blocks of shell.
var headingOrShell = regexp.MustCompile("(?ms)^##+ ([^\n]*)\n|^```sh\n(.*?)^```")

const (
	// pagesFolder has the pages for users.
	pagesFolder = "docs/user"
	// readme is the first page, from there.
	readme = "../../README.md"
)

// indentedShell is a block of shell that headingOrShell doesn't find, such as one in a list.
var indentedShell = regexp.MustCompile("(?m)^[ >]+```sh")

// commandsOf are the commands of a page, in its order.
func commandsOf(t *testing.T, path string) []command {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	page, err := filepath.Rel(filepath.Join(root, pagesFolder), path)
	require.NoError(t, err)
	var all []command
	assert.NotRegexp(t, indentedShell, string(text), "%s: a block of shell begins its lines at the margin, to be typed", page)
	heading := ""
	for _, found := range headingOrShell.FindAllStringSubmatch(string(text), -1) {
		if found[1] != "" {
			heading = found[1]
			continue
		}
		all = append(all, command{page, heading, found[2]})
	}
	return all
}

// untyped are commands that no test types, by a part of them, with the reason.
var untyped = map[string]string{
	"port-forward":      "needs a kubelet that forwards ports",
	"promtool":          "tests/suites/monitoring runs it where it is installed",
	"kubectl top":       "needs a metrics server, which needs machines",
	"crane ":            "a program that isn't among the tools of the project",
	"oras ":             "a program that isn't among the tools of the project",
	"jq ":               "a program that isn't among the tools of the project",
	"git checkout":      "there is no release yet",
	"releases/download": "there is no release yet",
	"make image       ": "the pages on installing type it, with a registry",
	"SIGNING_KEY":       "generators/image tests it",
	"make verify-image": "generators/image tests it",
	"make docker-image": "needs Docker",
	"make vulncheck":    "needs a database that the tests don't reach",

	"kind load": "needs kind, which needs containers",

	"rollout status deployment/shop": "needs a kubelet that runs an application; the guide's case connects with what the Deployment says",
	"job/orders-grants":              "needs a kubelet that runs a container to its end; the guide types the same SQL without a Job",
	"job/copy-suppliers":             "needs a kubelet that runs a container to its end; the guide's case runs what the Job says",
	"job/orders-owner":               "needs a kubelet that runs a container to its end; the guide's case runs what the Job says",
}

// builds are the commands that compile. `make integration` builds the same before the tests, whose machines have it. The case of the README
// runs the demo.
var builds = []string{
	"make image PUSH=registry.example.com/aero:dev\n", "make image PUSH=registry.example.com/aero:next\n",
	"make image VERSION=dev\n", "make image VERSION=next\n",
	"make build helm\n", "make build\n", "make plugin\n", "make demo\n",
}

// typedElsewhere are pages that have tests of their own.
var typedElsewhere = map[string]string{"migrate.md": "tests/suites/migrate", recoveryPage: "TestAClusterThatIsLostIsMadeAgainWithoutAWriteAtAiven"}

// userPages are the pages with commands. Those of the kinds have none.
func userPages(t *testing.T) []string {
	t.Helper()
	var pages []string
	for _, pattern := range []string{readme, "*.md", "runbooks/*.md", "reasons/*.md", "guides/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pagesFolder, pattern))
		require.NoError(t, err)
		pages = append(pages, found...)
	}
	require.NotEmpty(t, pages)
	return pages
}

// TestEveryCommandIsTyped finds pages, or parts of them, that no case types.
func TestEveryCommandIsTyped(t *testing.T) {
	typed := map[command]bool{}
	for _, s := range allCases() {
		for _, c := range s.commands(t) {
			typed[c] = true
		}
	}
	for _, path := range userPages(t) {
		for _, c := range commandsOf(t, path) {
			if typedElsewhere[c.page] != "" {
				continue
			}
			assert.True(t, typed[c] || isUntyped(c), "%s, %q: no test types\n%s", c.page, c.heading, c.text)
		}
	}
}

// TestEveryReasonNotToTypeIsThatOfACommand finds reasons whose command is gone.
func TestEveryReasonNotToTypeIsThatOfACommand(t *testing.T) {
	var all strings.Builder
	for _, path := range userPages(t) {
		for _, c := range commandsOf(t, path) {
			all.WriteString(c.text)
		}
	}
	for part, reason := range untyped {
		assert.Contains(t, all.String(), part, "no page has it any longer: remove the reason %q", reason)
	}
}

// notRun are products of others that no test runs, by what pages say for them, with the words that a page then has: why it isn't run.
var notRun = map[string]string{
	"stakater.com":                       "don't run Reloader, as they run no containers",
	"argocd.argoproj.io/sync-options":    "don't run Argo CD, as they run no containers",
	"spec.commonMetadata.annotations":    "don't run Flux or Argo CD, as they run no containers",
	"spec.source.kustomize.commonAnnota": "don't run Flux or Argo CD, as they run no containers",
	"as Velero does":                     "don't run Velero, as they run no containers",
	"terraform state rm":                 "don't run Terraform, which they can't install",
}

// TestAPageSaysWhatOfOtherProductsNoTestRuns finds pages that let readers believe otherwise.
func TestAPageSaysWhatOfOtherProductsNoTestRuns(t *testing.T) {
	for part, sentence := range notRun {
		pages := 0
		for _, path := range userPages(t) {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			if plain := strings.Join(strings.Fields(string(text)), " "); strings.Contains(plain, part) {
				pages++
				assert.True(t, strings.Contains(plain, sentence), "%s has %q, and doesn't say: %s", path, part, sentence)
			}
		}
		assert.Positive(t, pages, "no page has %s any longer: remove it", part)
	}
}

// TestNoPageCompilesInsideADeadline finds commands that would compile while a test waits for them.
func TestNoPageCompilesInsideADeadline(t *testing.T) {
	for _, s := range allCases() {
		for _, c := range s.commands(t) {
			assert.NotRegexp(t, `(?m)^\s*(make|go) `, withoutBuilds(c.text),
				"%s, %q: add the command to builds, and what it makes to the prerequisites of make integration", c.page, c.heading)
		}
	}
}

// withoutBuilds is what is typed of a piece of shell.
func withoutBuilds(text string) string {
	for _, build := range builds {
		text = strings.ReplaceAll(text, build, "")
	}
	return text
}

func isUntyped(c command) bool {
	for part := range untyped {
		if strings.Contains(c.text, part) {
			return true
		}
	}
	return false
}
