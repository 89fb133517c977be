// Package clone checks that a release is made of a commit.
package clone

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Commit is what a release is said to be made of.
type Commit struct {
	Revision string    // in full
	Created  time.Time // the committer's
	Version  string    // the tag of this name, if there is one, is on the commit
}

// built are the folders that make writes to, and nothing is compiled from.
var built = []string{"!! bin/", "!! .cache/"}

// Time reads the time of a commit, in seconds since 1970. The error names the flag, and the variable of make that sets it.
func Time(created string) (time.Time, error) {
	seconds, err := strconv.ParseInt(created, 10, 64)
	if err != nil || seconds < 0 {
		return time.Time{}, fmt.Errorf("--created: %q isn't a number of seconds since 1970: set SOURCE_DATE_EPOCH to the time of the commit", created)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// Check refuses a clone that isn't at the commit, or has anything that the commit hasn't: a file that git ignores or doesn't compare is
// compiled like any other.
func Check(ctx context.Context, folder string, commit Commit) error {
	head, err := git(ctx, folder, "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	if head != commit.Revision {
		return fmt.Errorf("the clone is at %s: leave REVISION out", head)
	}
	for _, check := range []func(context.Context, string, Commit) error{checkTime, checkTag, checkFiles} {
		if err := check(ctx, folder, commit); err != nil {
			return err
		}
	}
	return nil
}

func checkTime(ctx context.Context, folder string, commit Commit) error {
	printed, err := git(ctx, folder, "show", "--no-patch", "--format=%ct", "HEAD")
	if err != nil {
		return err
	}
	if printed != strconv.FormatInt(commit.Created.Unix(), 10) {
		return fmt.Errorf("the time of the commit is %s: leave SOURCE_DATE_EPOCH out", printed)
	}
	return nil
}

func checkTag(ctx context.Context, folder string, commit Commit) error {
	found, err := git(ctx, folder, "for-each-ref", "--format=%(objectname) %(*objectname)", "refs/tags/"+commit.Version)
	if err != nil {
		return err
	}
	if found != "" && !slices.Contains(strings.Fields(found), commit.Revision) {
		return fmt.Errorf("the tag %s is on another commit: check that commit out, or choose another VERSION", commit.Version)
	}
	return nil
}

func checkFiles(ctx context.Context, folder string, _ Commit) error {
	changes, err := lines(git(ctx, folder, "-c", "status.showUntrackedFiles=all", "status", "--porcelain", "--ignored=matching"))
	if err != nil {
		return err
	}
	changes = slices.DeleteFunc(changes, func(line string) bool { return slices.Contains(built, line) })
	if len(changes) > 0 {
		return fmt.Errorf("the clone differs from its commit in %d files, ignored ones included: commit or remove the changes, first %s",
			len(changes), changes[0])
	}
	hidden, err := lines(git(ctx, folder, "ls-files", "-v"))
	if err != nil {
		return err
	}
	hidden = slices.DeleteFunc(hidden, func(line string) bool { return strings.HasPrefix(line, "H ") })
	if len(hidden) > 0 {
		return fmt.Errorf("git doesn't compare %d files with the commit, first %s: release from a new clone", len(hidden), hidden[0][2:])
	}
	return nil
}

func lines(text string, err error) ([]string, error) {
	return strings.FieldsFunc(text, func(r rune) bool { return r == '\n' }), err
}

func git(ctx context.Context, folder string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = folder
	output, err := cmd.CombinedOutput()
	text := strings.TrimSpace(string(output))
	if err != nil {
		// git adds a line of hints where the clone would be on another file system.
		reason, _, _ := strings.Cut(text, "\n")
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, reason)
	}
	return text, nil
}
