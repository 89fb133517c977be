package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/generators/internal/compile"
)

// instruction is a line of the Dockerfile, such as USER and its arguments, in its stage.
type instruction struct {
	stage int
	word  string
	rest  string
}

// dockerfile splits the Dockerfile into instructions, with continued lines joined.
func dockerfile(t *testing.T) []instruction {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, "Dockerfile"))
	require.NoError(t, err)
	var found []instruction
	stage := -1
	for line := range strings.Lines(strings.ReplaceAll(string(content), "\\\n", "")) {
		word, rest, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || word == "#" {
			continue
		}
		if word == "FROM" {
			stage++
		}
		if stage < 0 {
			continue // build arguments that stages ask for
		}
		found = append(found, instruction{stage: stage, word: word, rest: strings.TrimSpace(rest)})
	}
	require.Equal(t, 1, stage, "one stage builds, one is the image")
	return found
}

// last returns the arguments of the last such instruction of the image itself, which is the one that counts.
func last(t *testing.T, word string) string {
	t.Helper()
	rest := ""
	for _, one := range dockerfile(t) {
		if one.stage == 1 && one.word == word {
			rest = one.rest
		}
	}
	require.NotEmpty(t, rest, "the Dockerfile has no %s", word)
	return rest
}

func TestTheDockerfileMakesTheSameImage(t *testing.T) {
	built, err := assemble(release{version: "${VERSION}", revision: "${REVISION}"}, []compile.Program{{Platform: platforms[0], Info: info()}})
	require.NoError(t, err)
	config, err := built.platforms["linux/amd64"].ConfigFile()
	require.NoError(t, err)
	want := config.Config.Labels
	want["org.opencontainers.image.created"] = "${CREATED}"

	assert.Equal(t, config.Config.User, last(t, "USER"))
	var entrypoint []string
	require.NoError(t, json.Unmarshal([]byte(last(t, "ENTRYPOINT")), &entrypoint))
	assert.Equal(t, config.Config.Entrypoint, entrypoint)
	assert.Equal(t, "--from=build /manager "+entrypoint[0], last(t, "COPY"))
	labels := map[string]string{}
	for _, label := range regexp.MustCompile(`(\S+)="([^"]*)"`).FindAllStringSubmatch(last(t, "LABEL"), -1) {
		labels[label[1]] = label[2]
	}
	assert.Equal(t, want, labels)
	assert.Equal(t, "${BASE_IMAGE}", last(t, "FROM"))
}

func TestTheDockerfileMakesNoReleaseOfABaseWithoutADigest(t *testing.T) {
	check := ""
	for _, one := range dockerfile(t) {
		if one.stage == 0 && one.word == "RUN" && strings.Contains(one.rest, "RELEASE") {
			check = one.rest
		}
	}
	require.NotEmpty(t, check)
	digest := "@sha256:" + strings.Repeat("ab", 32)
	for name, test := range map[string]struct{ release, golang, base, refused string }{
		"no release":               {"", "golang:1.26", "static:nonroot", ""},
		"a release of digests":     {"1", "golang:1.26" + digest, "static:nonroot" + digest, ""},
		"a release of a tag of Go": {"1", "golang:1.26", "static:nonroot" + digest, "golang:1.26"},
		"a release of another tag": {"1", "golang:1.26" + digest, "static:nonroot", "static:nonroot"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "sh", "-c", check)
			cmd.Env = []string{"RELEASE=" + test.release, "GO_IMAGE=" + test.golang, "BASE_IMAGE=" + test.base}
			output, err := cmd.CombinedOutput()
			if test.refused == "" {
				require.NoError(t, err, string(output))
				return
			}
			require.Error(t, err)
			assert.Contains(t, string(output), "a release needs the digest of "+test.refused)
		})
	}
}

func TestTheDockerfileCopiesAllThatTheManagerIsMadeOf(t *testing.T) {
	var patterns []string
	for _, one := range dockerfile(t) {
		if one.stage == 0 && one.word == "COPY" {
			fields := strings.Fields(one.rest)
			patterns = append(patterns, fields[:len(fields)-1]...)
		}
	}
	folder, err := filepath.Abs(root)
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f",
		`{{if and .Module .Module.Main}}{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{range .EmbedFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{end}}`, ".")
	cmd.Dir = folder
	output, err := cmd.Output()
	require.NoError(t, err)
	files := strings.Fields(string(output))
	require.Greater(t, len(files), 50)
	for _, file := range files {
		name, err := filepath.Rel(folder, file)
		require.NoError(t, err)
		copied := false
		for _, pattern := range patterns {
			matches, err := filepath.Match(pattern, name)
			require.NoError(t, err)
			copied = copied || matches || strings.HasPrefix(name, pattern+"/")
		}
		assert.True(t, copied, "%s is a part of the manager, and the Dockerfile doesn't copy it", name)
	}
}
