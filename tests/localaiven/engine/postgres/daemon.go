package postgres

import (
	"fmt"
	"os"
	"os/user"
	"strings"

	"github.com/aero-operator/aero/tests/localaiven/process"
)

// said fails unless the log of a server holds this text beyond the first bytes.
func said(p *process.Program, text string, after int) error {
	content, err := os.ReadFile(p.Log)
	if err != nil {
		return fmt.Errorf("reading the log: %w", err)
	}
	if !strings.Contains(string(content[min(after, len(content)):]), text) {
		return fmt.Errorf("its log lacks %q", text)
	}
	return nil
}

func currentUser() (string, error) {
	current, err := user.Current()
	if err != nil {
		return "", fmt.Errorf("looking up the current user: %w", err)
	}
	return current.Username, nil
}
