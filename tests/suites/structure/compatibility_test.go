package structure_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/modfile"
	"sigs.k8s.io/yaml"
)

const (
	compatibilityPage = "docs/user/compatibility.md"
	controlPlane      = "tests/harness/controlplane/binaries"
	releaseWorkflow   = ".github/workflows/release.yml"
)

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, name))
	require.NoError(t, err)
	return string(data)
}

// TestThePageOnCompatibilityNamesTheVersionsThatAreTested finds a version that was moved without its page.
func TestThePageOnCompatibilityNamesTheVersionsThatAreTested(t *testing.T) {
	page := readFile(t, compatibilityPage)
	tested, err := filepath.Glob(filepath.Join(root, controlPlane, "go*.mod"))
	require.NoError(t, err)
	require.Greater(t, len(tested), 1, "more than one version is tested")
	for _, name := range tested {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		file, err := modfile.ParseLax(name, data, nil)
		require.NoError(t, err)
		for _, required := range file.Require {
			if required.Mod.Path == "k8s.io/kubernetes" {
				assert.Contains(t, page, "on a control plane of "+strings.TrimPrefix(required.Mod.Version, "v"))
			}
		}
	}
	assert.Contains(t, page, "`go-client-codegen` "+requirements(t, ".")["github.com/aiven/go-client-codegen"])
	assert.Contains(t, page, "`go-api-schemas` "+requirements(t, "generators")["github.com/aiven/go-api-schemas"])
	assert.Contains(t, page, "Helm "+strings.TrimPrefix(requirements(t, "tools")["helm.sh/helm/v4"], "v"))
}

// TestTheOldestKubernetesIsOneVersionEverywhere compares what the charts refuse with what the tests render for and the pages say.
func TestTheOldestKubernetesIsOneVersionEverywhere(t *testing.T) {
	asked := regexp.MustCompile(`(?m)^kubeVersion: ">=(\d+\.\d+)\.0-0"$`)
	found := asked.FindStringSubmatch(readFile(t, "charts/aero/Chart.yaml"))
	require.NotNil(t, found)
	oldest := found[1]
	assert.Equal(t, found, asked.FindStringSubmatch(readFile(t, "charts/aero-crds/Chart.yaml")))
	for name, want := range map[string]string{
		"tests/harness/helm/helm.go": `oldest = "v` + oldest + `.0"`,
		"docs/user/install.md":       "Kubernetes cluster of version " + oldest + " or later",
		"README.md":                  "Kubernetes " + oldest + " or later",
		compatibilityPage:            "| before " + oldest + " | refused by the charts |",
	} {
		assert.Contains(t, readFile(t, name), want, name)
	}
}

// workflow is what a test can check of a workflow without running it.
type workflow struct {
	Jobs map[string]struct {
		Strategy struct {
			Matrix map[string][]string `json:"matrix"`
		} `json:"strategy"`
		Steps []struct {
			Uses string            `json:"uses"`
			Run  string            `json:"run"`
			With map[string]any    `json:"with"`
			Env  map[string]string `json:"env"`
		} `json:"steps"`
	} `json:"jobs"`
}

var (
	makeCommand = regexp.MustCompile(`(?m)^\s*make ([a-z-]+)((?: [A-Z0-9_]+=(?:\$\{\{[^}]*\}\}|\S+))*)(?: \||$)`)
	assignment  = regexp.MustCompile(`[A-Z0-9_]+=`)
	pinned      = regexp.MustCompile(`^[\w-]+/[\w-]+@[0-9a-f]{40}$`)
	withRelease = regexp.MustCompile(`(?m)uses: \S+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
)

// TestWorkflowsCallTargetsThatExist finds targets, variables and scripts that are gone: no test runs a workflow.
func TestWorkflowsCallTargetsThatExist(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(root, ".github/workflows/*.yml"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	makefile := readFile(t, "Makefile")
	called := map[string]bool{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		var w workflow
		require.NoError(t, yaml.Unmarshal(data, &w))
		uses := 0
		for _, name := range slices.Sorted(maps.Keys(w.Jobs)) {
			for _, step := range w.Jobs[name].Steps {
				if step.Uses != "" {
					uses++
					assert.Regexp(t, pinned, step.Uses, "an action is pinned to a commit, since a tag can be moved")
				}
				assert.Equal(t, strings.Count(step.Run, "make "), len(makeCommand.FindAllString(step.Run, -1)), "%s: a call of make can't be read", step.Run)
				for _, call := range makeCommand.FindAllStringSubmatch(step.Run, -1) {
					called[call[1]] = true
					assert.Contains(t, makefile, "\n"+call[1]+":", "%s calls a target that doesn't exist", path)
					for _, set := range assignment.FindAllString(call[2], -1) {
						assert.Contains(t, makefile, "$("+strings.TrimSuffix(set, "=")+")", "%s sets a variable that no target reads", path)
					}
				}
			}
		}
		assert.Len(t, withRelease.FindAllString(string(data), -1), uses, "the release of an action is beside its commit")
	}
	for _, target := range []string{"test", "test-kubernetes", "release", "image", "verify-image"} {
		assert.True(t, called[target], "a release is made by make %s", target)
	}
}

// TestAReleaseIsTestedAndBuiltWithTheVersionsOfThePage compares the workflow with the page.
func TestAReleaseIsTestedAndBuiltWithTheVersionsOfThePage(t *testing.T) {
	var w workflow
	require.NoError(t, yaml.Unmarshal([]byte(readFile(t, releaseWorkflow)), &w))
	page := readFile(t, compatibilityPage)
	versions := w.Jobs["kubernetes"].Strategy.Matrix["version"]
	require.NotEmpty(t, versions)
	for _, version := range versions {
		assert.FileExists(t, filepath.Join(root, controlPlane, "go."+version+".mod"))
		assert.Contains(t, page, "`make test-kubernetes K8S="+version+"`")
	}
	for name, job := range w.Jobs {
		for _, step := range job.Steps {
			if strings.HasPrefix(step.Uses, "actions/setup-go@") {
				assert.Contains(t, page, "A release is built with Go "+step.With["go-version"].(string)+" ", name)
			}
		}
	}
}
