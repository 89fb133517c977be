package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sums has the checksum of each file below a folder.
func sums(t *testing.T, folder string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		name, _ := filepath.Rel(folder, path)
		found[name] = fmt.Sprintf("%x", sha256.Sum256(content))
		return err
	})
	require.NoError(t, err)
	return found
}

func TestTwoBuildsOfOneSourceAreTheSame(t *testing.T) {
	first := build(t, standIn(t, 0))
	t.Setenv("GOFLAGS", "-tags=other")
	t.Setenv("GOAMD64", "v3")
	t.Setenv("CGO_ENABLED", "1")
	t.Setenv("TZ", "Asia/Tokyo")
	second := build(t, standIn(t, 1000*time.Hour), "--platforms", "linux/arm64,linux/amd64")
	assert.Equal(t, sums(t, first), sums(t, second), "in another folder, with files of another time, in another environment")
}

func TestAnotherBuildHasAnotherDigest(t *testing.T) {
	digest := func(module string, more ...string) string {
		index, _ := open(t, build(t, module, append([]string{"--platforms", "linux/amd64"}, more...)...))
		digest, err := index.Digest()
		require.NoError(t, err)
		return digest.String()
	}
	module := standIn(t, 0)
	digests := map[string]string{digest(module): "the same"}
	for name, flags := range map[string][]string{
		"another commit":             {"--revision", strings.Repeat("fedc", 10)},
		"another time of the commit": {"--created", "1700000001"},
	} {
		assert.NotContains(t, digests, digest(module, flags...), name)
	}
	require.NoError(t, os.WriteFile(filepath.Join(module, "more.go"), []byte("package main\n\nfunc init() { println() }\n"), 0o644))
	assert.NotContains(t, digests, digest(module), "another source")
}

func TestWhatIsBuiltIsReported(t *testing.T) {
	out := t.TempDir()
	var said bytes.Buffer
	require.NoError(t, run(t.Context(), arguments(standIn(t, 0), out), &said))
	index, _ := open(t, out)
	digest, err := index.Digest()
	require.NoError(t, err)
	assert.Contains(t, said.String(), digest.String())
	for platform, one := range images(t, index) {
		digest, err := one.Digest()
		require.NoError(t, err)
		assert.Regexp(t, platform+` +`+digest.String()+` +\d+\.\d MiB compressed`, said.String())
	}
}

func TestABuildThatFailsShowsTheCompilersWords(t *testing.T) {
	module, out := standIn(t, 0), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(module, "broken.go"), []byte("package main\n\nvar _ = missing\n"), 0o644))
	err := run(t.Context(), arguments(module, out), io.Discard)
	require.ErrorContains(t, err, "building for linux/amd64")
	require.ErrorContains(t, err, "undefined: missing")
	entries, err := os.ReadDir(out)
	require.NoError(t, err)
	assert.Empty(t, entries)
}
