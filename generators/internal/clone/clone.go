// Package clone checks that a release is made of a commit.
package clone

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// Check refuses a clone that isn't at the commit, or has anything that the commit hasn't. Files that git ignores don't count.
func Check(ctx context.Context, folder, revision string) error {
	head, err := git(ctx, folder, "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	if head != revision {
		return fmt.Errorf("the clone is at %s: leave REVISION out", head)
	}
	changes, err := git(ctx, folder, "status", "--porcelain")
	if err != nil {
		return err
	}
	if changes != "" {
		return fmt.Errorf("the clone differs from its commit in %d files: commit or remove the changes", strings.Count(changes, "\n")+1)
	}
	return nil
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
