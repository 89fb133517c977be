package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// reasonTools are what provokes a reason: examples as they are and edited ones, what a user does at the console, and an answer of
// Aiven until it is taken back.
const reasonTools = `
variant() { sed "${@:2}" "docs/examples/$1.yaml" | kubectl apply --filename -; }
example() { for name; do kubectl apply --filename "docs/examples/$name.yaml"; done; }
ready() { kubectl wait --for=condition=Ready --timeout=2m "$@"; }
reconcile() { kubectl annotate --overwrite "$1" "$2" controllers.aiven.io/reconcile-requested-at="$RANDOM"; }
console() { curl --silent --fail --header "Authorization: aivenv1 another" "${@:2}" "$AIVEN_WEB_URL/v1/project/my-project/$1"; }
answers() {
  curl --silent --fail "$AIVEN_WEB_URL/_local/faults" \
    --data "{\"match\": {\"path\": \"/my-project/\", \"operation\": \"$1\"}, \"fault\": {\"status\": $2, \"body\": $3}}" |
    grep --only-matching '[0-9]*' > fault
}
recovers() { curl --silent --fail --output /dev/null --request DELETE "$AIVEN_WEB_URL/_local/faults/$(cat fault)"; }
`

// beforeReasons installs aero. One object is older than the admission policies, which would refuse it.
const beforeReasons = `
helm install aero-crds charts/aero-crds --namespace aero-system --create-namespace --wait > /dev/null
kubectl create namespace invaliddeletionpolicy
sed 's/my-project/invaliddeletionpolicy/; s/^metadata:$/&\n  annotations: {controllers.aiven.io\/deletion-policy: Keep}/' docs/examples/postgresql.yaml |
  kubectl --namespace invaliddeletionpolicy apply --filename -
helm install aero charts/aero --namespace aero-system --wait > /dev/null
`

// TestReasons provokes each reason in one cluster, compares what kubectl prints with what the page shows, and types the page.
func TestReasons(t *testing.T) {
	t.Parallel()
	m := cluster(t)
	m.types(beforeReasons)
	atOnce(t, 8, reasonCases, func(t *testing.T, c pageCase) { c.isMended(m.guest(t, strings.ToLower(c.name))) })
}

// isMended checks that a reason is as its page shows it, and that the commands of the page succeed.
func (s pageCase) isMended(m *machine) {
	m.t.Helper()
	m.types(token + reasonTools + s.given)
	m.sees(filepath.Join(root, pagesFolder, s.page))
	script := ""
	for _, command := range s.commands(m.t) {
		script += command.text
	}
	m.types(reasonTools + strings.NewReplacer(s.instead...).Replace(script) + s.then)
}

var (
	consoleBlock = regexp.MustCompile("(?ms)^```console\n(.*?)^```$")
	// ages are what kubectl prints of times and numbers of repetitions.
	ages = regexp.MustCompile(`(^|\s)(\d+[smhd](\d+[smh])?( \(x\d+ over \S+\))?|<unknown>)(\s|$)`)
)

// sees waits until the commands that a page shows with their output print the same.
func (m *machine) sees(page string) {
	m.t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(m.t, err)
	blocks := consoleBlock.FindAllStringSubmatch(string(text), -1)
	require.NotEmpty(m.t, blocks, page)
	for _, block := range blocks {
		for part := range strings.SplitSeq(block[1], "$ ") {
			command, shown, _ := strings.Cut(part, "\n")
			if command != "" {
				m.prints(command, strings.NewReplacer(m.replaced...).Replace(shown))
			}
		}
	}
}

// prints waits until a command prints these lines, whatever the ages in them.
func (m *machine) prints(command, shown string) {
	m.t.Helper()
	out := ""
	shows := func() bool {
		var err error
		out, err = m.run(command)
		printed := timeless(out)
		return err == nil && !slices.ContainsFunc(timeless(shown), func(line string) bool { return !slices.Contains(printed, line) })
	}
	if !assert.Eventually(m.t, shows, 90*time.Second, 2*time.Second) {
		require.Fail(m.t, "the page shows something else", "%s\nshown:\n%s\nprinted:\n%s", command, shown, out)
	}
}

// timeless are the lines of a text without ages, and with one space between words.
func timeless(text string) (lines []string) {
	for line := range strings.Lines(text) {
		lines = append(lines, spaced(ages.ReplaceAllString(line, " "))...)
	}
	return lines
}
