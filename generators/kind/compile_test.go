package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// samples are kinds that differ in their place, and in what their schemas use. They have recorded
// schemas under other names, so that the tests still hold when the recorded kinds are built.
var samples = []struct{ kind, like, in string }{
	{"KafkaSampleQuota", "KafkaQuota", "kafka"},
	{"KafkaSampleSchema", "KafkaSchema", "kafka"},
	{"ClickhouseSampleUser", "ClickhouseUser", "clickhouse"},
	{"ClickhouseSampleRole", "ClickhouseRole", "clickhouse"},
	{"ServiceIntegrationSample", "ServiceIntegration", inProject},
	{"SampleEndpoint", "ServiceIntegrationEndpoint", inProject},
	{"SampleStep", "UpgradePipelineStep", inOrganization},
	{"SampleSQL", "MySQL", inService},
	{"SampleTenant", "Project", anywhere},
}

func TestWrittenKindsCompileAndFailOnlyForWhatIsMissing(t *testing.T) {
	root := repository(t)
	products = append(products, product{"mysql", "SampleSQL", "samplesql", "Aiven for Samples", "startup-4"})
	var names []string
	for _, sample := range samples {
		record(t, root, sample.kind, sample.like)
		_, err := generate(root, sample.kind, sample.in)
		require.NoError(t, err)
		names = append(names, sample.kind)
	}
	slices.Sort(names)
	// Without cases there is no control plane to start.
	require.NoError(t, os.Remove(filepath.Join(root, "tests/suites/conformance/main_test.go")))

	for _, command := range [][]string{
		{"make", "generate"},
		{"go", "build", "./..."},
		{"go", "vet", "./api/...", "./controllers/..."},
	} {
		out, err := run(t, root, command...)
		require.NoError(t, err, "%s", out)
	}

	out, err := run(t, root, "go", "test", "./controllers/kinds")
	require.Error(t, err, "the Secrets aren't pinned, and who holds data is said once")
	assert.Equal(t, []string{"TestTheSecretOfEveryPublishingKindIsPinned", "TestWhetherTheResourcesOfAKindHoldDataIsSaidTwice"}, failures(out), out)
	for _, name := range names {
		assert.Contains(t, out, name+": say here, too, whether its resources hold data")
	}
	for _, name := range []string{"ClickhouseSampleUser", "SampleSQL"} {
		assert.Contains(t, out, name+" publishes a Secret: add what Aiven answers to publishing")
	}

	out, err = run(t, root, "go", "test", "./api/...")
	require.Error(t, err, "descriptions are missing, and tables are too wide")
	assert.Equal(t, []string{
		"TestADescriptionSaysWhatExplainDoesNotShow", "TestANameInAPathCantBeEmptyOrADotSegment", "TestASourceIsAnyKindThatPublishesASecret",
		"TestATableOfAllNamespacesFitsInto140Columns", "TestEveryFieldHasADescriptionOfItsOwn",
	}, failures(out), out)
	for _, name := range names {
		assert.Contains(t, out, name+" has no description")
	}
	assert.Contains(t, out, "spec.clientId")

	out, err = run(t, root, "go", "test", "-vet=off", "./controllers/internal/impact", "./controllers/export",
		"-run", "^(TestEveryPathOfEverySpecHasAnImpactOrIsHarmless|TestNoKindDiffersOnceItIsExported)$/Sample")
	require.Error(t, err, "what a change does isn't known, and nothing is exported")
	for _, name := range names {
		assert.Contains(t, out, name+" has no state: add to states")
	}
	assert.Contains(t, out, "KafkaSampleQuota: add spec.consumerByteRate to the table, or to harmless")

	out, err = run(t, filepath.Join(root, "tests"), "go", "test", "-vet=off", "./bench", "-run", "^TestEveryKindIsMeasured")
	require.Error(t, err, "the reasons are missing")
	assert.Equal(t, []string{"TestEveryKindIsMeasuredOrHasAReasonNotToBe"}, failures(out), out)
	for _, name := range names {
		assert.Contains(t, out, "measure "+name+" in a family")
	}
	out, err = run(t, filepath.Join(root, "tests"), "go", "vet", "./suites/charts")
	require.NoError(t, err, "%s", out)

	out, err = run(t, filepath.Join(root, "tests"), "go", "test", "-vet=off", "./suites/conformance",
		"-run", "^(TestEveryKindHasCases|TestEveryEntryIsFilledIn)$")
	require.Error(t, err, "the entries aren't filled in")
	want := []string{"TestEveryEntryIsFilledIn"}
	for _, name := range names {
		want = append(want, "TestEveryEntryIsFilledIn/"+name)
		assert.Contains(t, out, "fill in the entry of "+name+" in allKinds")
	}
	assert.Equal(t, want, failures(out), out)
}

// record gives a kind the recorded schema of another one.
func record(t *testing.T, root, name, like string) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, recordings, like+".json"))
	require.NoError(t, err)
	var names []string
	for old, renamed := range map[string]string{like: name, strings.ToLower(like): strings.ToLower(name)} {
		for _, suffix := range []string{"", "List", "s"} {
			names = append(names, `": "`+old+suffix+`"`, `": "`+renamed+suffix+`"`)
		}
	}
	text := strings.NewReplacer(names...).Replace(string(raw))
	require.NoError(t, os.WriteFile(filepath.Join(root, recordings, name+".json"), []byte(text), 0o644))
}

// failed is the line of a test that fails.
var failed = regexp.MustCompile(`(?m)^ *--- FAIL: (\S+)`)

// failures are the tests that fail, sorted.
func failures(out string) []string {
	var names []string
	for _, found := range failed.FindAllStringSubmatch(out, -1) {
		names = append(names, found[1])
	}
	slices.Sort(names)
	return names
}

// run has no deadline but that of all tests: it compiles.
func run(t *testing.T, dir string, command ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Dir = dir
	// With trimpath the build cache serves every copy of the tree.
	cmd.Env = append(os.Environ(), "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -trimpath"), "MAKEFLAGS=", "MAKELEVEL=")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// repository is a copy of the tree without what was built.
func repository(t *testing.T) string {
	t.Helper()
	source, target := filepath.Join("..", ".."), t.TempDir()
	require.NoError(t, filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(source, path)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (name == "bin" || name == ".git"):
			return filepath.SkipDir
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(target, name), 0o755)
		case !entry.Type().IsRegular(), name == ".git":
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(target, name), content, 0o644)
	}))
	return target
}
