package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhatIsLeftNamesTheRulesThatTheExampleHasToSatisfy(t *testing.T) {
	k, err := newKind(here, "KafkaQuota", "kafka")
	require.NoError(t, err)
	left := strings.Join(k.left(), "\n")
	assert.Contains(t, left, "docs/examples/kafkaquota.yaml has to satisfy \"has(self.user) || has(self.clientId)\"")
	assert.NotContains(t, left, "oldSelf", "an example isn't changed")
	assert.Contains(t, left, "HoldsData and IsRule")
	for _, list := range []string{"tests/suites/ha/leader_test.go", "docs/user/status.md"} {
		assert.Contains(t, left, list)
	}
}

func TestWhatIsLeftNamesEachFileOfThePage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(here, "docs/contributor/adding-a-kind.md"))
	require.NoError(t, err)
	rows := regexp.MustCompile(`(?m)^\| \d \|([^|]+)\|[^|]*\| ([^|]*)\|[^|]*\|$`).FindAllStringSubmatch(string(page), -1)
	require.Equal(t, len(regexp.MustCompile(`(?m)^\| \d \|`).FindAll(page, -1)), len(rows), "a row has five cells")
	k, err := newKind(here, "KafkaQuota", "kafka")
	require.NoError(t, err)
	left := strings.Join(k.left(), "\n")
	ofKind := strings.NewReplacer("database", k.Names.Singular, "<family>/<name>.go", "kafka/quota.go", "<family>", "kafka")
	for _, row := range rows {
		if strings.HasPrefix(row[2], "nothing") {
			continue
		}
		for _, file := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
			assert.Contains(t, left, ofKind.Replace(file[1]), "it is in the table of the page")
		}
	}
}

func TestWhatIsLeftOfAServiceIsWhatPoweringOffLoses(t *testing.T) {
	k, err := newKind(here, "MySQL", inService)
	require.NoError(t, err)
	left := strings.Join(k.left(), "\n")
	assert.Contains(t, left, "NoBackups, OffLosesData, BackupsOff")
	assert.NotContains(t, left, "IsRule")
}

func TestAShortNameHasNoPrefixUnlessItIsTaken(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, "api/v1alpha1"), 0o755))
	taken := []byte("// +kubebuilder:resource:shortName=avnuser,categories=aiven\n")
	require.NoError(t, os.WriteFile(filepath.Join(root, "api/v1alpha1/serviceuser_types.go"), taken, 0o644))
	for kind, tc := range map[string]struct{ in, want string }{
		"KafkaQuota":          {"kafka", "avnquota"},
		"ClickhouseUser":      {"clickhouse", "avnclickhouseuser"},
		"MySQL":               {inService, "avnmysql"},
		"OrganizationProject": {inOrganization, "avnorganizationproject"},
	} {
		t.Run(kind, func(t *testing.T) {
			k, err := newKind(here, kind, tc.in)
			require.NoError(t, err)
			name, err := k.shortName(root)
			require.NoError(t, err)
			assert.Equal(t, tc.want, name)
		})
	}
}

func TestANewKindIsInListsWhoseTestsFailUntilItIsFilledIn(t *testing.T) {
	k, err := newKind(here, "KafkaQuota", "kafka")
	require.NoError(t, err)
	lists := &tree{root: here, files: map[string]string{}}
	require.NoError(t, addLists(lists, k))
	assert.Regexp(t, `"KafkaQuota": +"",`, lists.files["tests/bench/kinds_test.go"])
	assert.Regexp(t, `"kafkaquota": +{},`, lists.files["tests/suites/charts/changes_test.go"])
	assert.Contains(t, lists.files["CHANGELOG.md"], "- Kind `KafkaQuota`.")
}

func TestAKindIsAChangeThatIsNotReleased(t *testing.T) {
	k, err := newKind(here, "KafkaQuota", "kafka")
	require.NoError(t, err)
	const older = "\n## [0.1.0] - 2026-11-24\n\n### Added\n\n- Old.\n"
	for name, test := range map[string]struct{ before, want string }{
		"the first change":  {"", "\n### Added\n\n- Kind `KafkaQuota`.\n"},
		"one of several":    {"\n### Added\n\n- Other.\n", "\n### Added\n\n- Kind `KafkaQuota`.\n- Other.\n"},
		"none but a change": {"\n### Fixed\n\n- Other.\n", "\n### Added\n\n- Kind `KafkaQuota`.\n\n### Fixed\n\n- Other.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := addChange("# Changelog\n\n## [Unreleased]\n"+test.before+older, k)
			require.NoError(t, err)
			assert.Equal(t, "# Changelog\n\n## [Unreleased]\n"+test.want+older, got)
		})
	}
}

func TestWhatIsLeftIsPrintedWhateverBecomesOfTheGeneration(t *testing.T) {
	stub := filepath.Join(t.TempDir(), "go")
	require.NoError(t, os.WriteFile(stub, []byte("#!/bin/sh\necho 'Left to do: all'\n"), 0o755))
	for name, tc := range map[string]struct {
		generate string
		fails    bool
	}{
		"it succeeds": {"true", false},
		"it fails":    {"false", true},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := run(t, here, "make", "kind", "KIND=KafkaSampleQuota", "IN=kafka", "GO="+stub, "MAKE="+tc.generate)
			assert.Equal(t, tc.fails, err != nil, "what has failed isn't hidden")
			assert.Contains(t, out, "\nLeft to do: all\n")
		})
	}
}
