package structure_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/reason"
)

// reasonPages is the folder of the pages, one for each reason.
const reasonPages = "docs/user/reasons"

// reasonHeadings are those of a page about a reason, in this order.
var reasonHeadings = []string{
	"What you see", "Likely causes", "What to check", "What to do", "Meanwhile", "How fast it recovers", "Metrics and alerts",
}

var (
	sectionHeading = regexp.MustCompile(`(?m)^## (.*)$`)
	runbookLink    = regexp.MustCompile(`\(\.\./runbooks/(\w+\.md)\)`)
	// flagOrMetric is one of the operator's in a page.
	flagOrMetric = regexp.MustCompile("`(--[a-z-]+|aero_[a-z_]+)")
)

func TestEachReasonHasAPageWithAllItsParts(t *testing.T) {
	list, err := os.ReadFile(filepath.Join(root, reasonPages, "README.md"))
	require.NoError(t, err)
	known := []string{"README.md"}
	for _, r := range reason.All() {
		file := r.Name + ".md"
		known = append(known, file)
		page, err := os.ReadFile(filepath.Join(root, reasonPages, file))
		if !assert.NoError(t, err, "the reason %s has no page", r.Name) {
			continue
		}
		assert.True(t, strings.HasPrefix(string(page), "# "+r.Name+"\n"), "%s has another title", file)
		assert.Contains(t, string(list), "("+file+")", "run `make generate`")
		var headings []string
		for _, found := range sectionHeading.FindAllStringSubmatch(fencedBlock.ReplaceAllString(string(page), ""), -1) {
			headings = append(headings, found[1])
		}
		want := reasonHeadings
		if r.Ready == "True" { // there is nothing to mend
			want = slices.DeleteFunc(slices.Clone(want), func(heading string) bool { return !slices.Contains(headings, heading) })
			assert.Contains(t, headings, reasonHeadings[0], file)
		}
		assert.Equal(t, want, headings, file)
		assert.Contains(t, string(page), "```console\n$ kubectl ", "%s shows what kubectl prints", file)
	}
	files, err := os.ReadDir(filepath.Join(root, reasonPages))
	require.NoError(t, err)
	for _, file := range files {
		assert.Contains(t, known, file.Name(), "a page about no reason")
	}
}

func TestARunbookLeadsToTheReasonsThatLeadToIt(t *testing.T) {
	links := 0
	for _, r := range reason.All() {
		page, err := os.ReadFile(filepath.Join(root, reasonPages, r.Name+".md"))
		require.NoError(t, err)
		for _, found := range runbookLink.FindAllStringSubmatch(string(page), -1) {
			runbook, err := os.ReadFile(filepath.Join(root, "docs/user/runbooks", found[1]))
			require.NoError(t, err, r.Name)
			links++
			leadsBack := strings.Contains(string(runbook), "(../reasons/"+r.Name+".md") || strings.Contains(string(runbook), "(../reasons/README.md")
			assert.True(t, leadsBack, "%s links neither to %s nor to the list of reasons", found[1], r.Name)
		}
	}
	assert.Greater(t, links, 20)
}

func TestFlagsAndMetricsOnThePagesOfReasonsExist(t *testing.T) {
	listed := prose(t, filepath.Join(root, "docs/user/operating.md")) + prose(t, filepath.Join(root, "docs/user/monitoring.md"))
	for _, r := range reason.All() {
		for _, found := range flagOrMetric.FindAllStringSubmatch(prose(t, filepath.Join(root, reasonPages, r.Name+".md")), -1) {
			assert.Contains(t, listed, "| `"+found[1]+"`", r.Name)
		}
	}
}
