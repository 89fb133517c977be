package clone

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// now is the time of the commits that the tests make.
var now = time.Unix(1700000000, 0).UTC()

// repository makes a clone of one commit, in which *.out is ignored.
func repository(t *testing.T) (folder string, commit Commit) {
	t.Helper()
	folder = t.TempDir()
	for name, value := range map[string]string{
		"GIT_COMMITTER_DATE": "@1700000000 +0000", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.com",
		"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.com",
	} {
		t.Setenv(name, value)
	}
	write(t, folder, "main.go", "package main\n")
	write(t, folder, ".gitignore", "/bin/\n/.cache/\n*.out\n")
	run(t, folder, "init", "--quiet")
	run(t, folder, "add", ".")
	run(t, folder, "commit", "--quiet", "--message=First")
	return folder, Commit{Revision: run(t, folder, "rev-parse", "HEAD"), Created: now, Version: "v1.0.0"}
}

func run(t *testing.T, folder string, args ...string) string {
	t.Helper()
	printed, err := git(t.Context(), folder, args...)
	require.NoError(t, err)
	return printed
}

func write(t *testing.T, folder, name, content string) {
	t.Helper()
	path := filepath.Join(folder, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
}

func TestOnlyACommitIsReleased(t *testing.T) {
	for name, test := range map[string]struct {
		change  func(t *testing.T, folder string, commit *Commit)
		refused string
	}{
		"the commit":           {func(*testing.T, string, *Commit) {}, ""},
		"with what make built": {func(t *testing.T, folder string, _ *Commit) { write(t, folder, "bin/manager", "") }, ""},
		"with its tag":         {func(t *testing.T, folder string, _ *Commit) { run(t, folder, "tag", "v1.0.0") }, ""},
		"with its own tag, annotated": {func(t *testing.T, folder string, _ *Commit) {
			run(t, folder, "tag", "--annotate", "--message=v1.0.0", "v1.0.0")
		}, ""},
		"another commit": {func(_ *testing.T, _ string, commit *Commit) { commit.Revision = "0" }, "leave REVISION out"},
		"another time":   {func(_ *testing.T, _ string, commit *Commit) { commit.Created = now.Add(time.Second) }, "leave SOURCE_DATE_EPOCH out"},
		"a tag on another commit": {func(t *testing.T, folder string, commit *Commit) {
			run(t, folder, "tag", "v1.0.0")
			run(t, folder, "commit", "--quiet", "--allow-empty", "--message=Second")
			commit.Revision = run(t, folder, "rev-parse", "HEAD")
		}, "the tag v1.0.0 is on another commit"},
		"a change":   {func(t *testing.T, folder string, _ *Commit) { write(t, folder, "main.go", "package other\n") }, "in 1 files"},
		"a new file": {func(t *testing.T, folder string, _ *Commit) { write(t, folder, "more/more.go", "") }, "first ?? more/more.go"},
		"new files that a setting of git doesn't show": {func(t *testing.T, folder string, _ *Commit) {
			run(t, folder, "config", "status.showUntrackedFiles", "no")
			write(t, folder, "more.go", "")
		}, "first ?? more.go"},
		"an ignored file": {func(t *testing.T, folder string, _ *Commit) { write(t, folder, "more.out", "") }, "first !! more.out"},
		"a file that this clone alone ignores": {func(t *testing.T, folder string, _ *Commit) {
			write(t, folder, ".git/info/exclude", "more.go\n")
			write(t, folder, "more.go", "")
		}, "first !! more.go"},
		"a change that git is to take for none": {func(t *testing.T, folder string, _ *Commit) {
			run(t, folder, "update-index", "--assume-unchanged", "main.go")
			write(t, folder, "main.go", "package other\n")
		}, "git doesn't compare 1 files with the commit, first main.go"},
		"a file that git is to skip": {func(t *testing.T, folder string, _ *Commit) {
			run(t, folder, "update-index", "--skip-worktree", "main.go")
			write(t, folder, "main.go", "package other\n")
		}, "git doesn't compare 1 files"},
	} {
		t.Run(name, func(t *testing.T) {
			folder, commit := repository(t)
			test.change(t, folder, &commit)
			err := Check(t.Context(), folder, commit)
			if test.refused == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, test.refused)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}
