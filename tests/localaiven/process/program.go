package process

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/avast/retry-go/v5"
)

// errUnchecked is what a wait lacks that was over before its first check.
var errUnchecked = errors.New("not checked yet")

const (
	// pollEvery is the pause between two checks of what a program is awaited for.
	pollEvery = 20 * time.Millisecond
	// tailLines and tailBytes bound what an error shows of a program's log.
	tailLines = 15
	tailBytes = 16 << 10
)

// Program is a process that prints to a file rather than to a pipe: should its
// parent be killed, it doesn't stumble over a closed pipe while it cleans up.
type Program struct {
	*Process
	Title string // for messages
	Log   string // file of all that it prints

	asked atomic.Bool // to end
}

// Launch starts the command as Start does, with a new file for all it prints.
func Launch(title, log string, cmd *exec.Cmd, onParentDeath syscall.Signal) (*Program, error) {
	file, err := os.OpenFile(log, os.O_CREATE|os.O_WRONLY|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the log of %s: %w", title, err)
	}
	cmd.Stdout, cmd.Stderr = file, file
	child, err := Start(cmd, onParentDeath)
	// The child has its own handle by now.
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	return &Program{Process: child, Title: title, Log: log}, nil
}

// DeathError is the end of a program that was not asked to end.
type DeathError struct{ Program *Program }

func (e *DeathError) Error() string {
	return fmt.Sprintf("%s ended by itself (%s)", e.Program.Title, e.Program.State())
}

// Death is a DeathError, or nil for a program that runs or was asked to end.
func (p *Program) Death() error {
	if !p.Ended() || p.asked.Load() {
		return nil
	}
	return &DeathError{p}
}

// Watch calls failed with a DeathError should the program end by itself.
func (p *Program) Watch(failed func(error)) {
	go func() {
		<-p.Done()
		if err := p.Death(); err != nil {
			failed(err)
		}
	}()
}

// Await polls check until it succeeds. It fails when the program has ended or
// ctx is done, with the end of the log.
func (p *Program) Await(ctx context.Context, check func(context.Context) error) error {
	alive, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-p.Done():
			cancel(&DeathError{p})
		case <-alive.Done():
		}
	}()
	missing := errUnchecked
	err := retry.New(
		retry.UntilSucceeded(), retry.Context(alive), retry.Delay(pollEvery), retry.DelayType(retry.FixedDelay),
	).Do(func() error {
		missing = check(ctx)
		return missing
	})
	var death *DeathError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &death):
		return p.Explain(death)
	default:
		return p.Explain(fmt.Errorf("waiting for %s: %w: %w", p.Title, ctx.Err(), missing))
	}
}

// End ends the program by SIGTERM, and waits until it has. After limit
// it kills it, and fails. A program that has ended, or is nil, is no failure.
func (p *Program) End(limit time.Duration) error {
	if p == nil {
		return nil
	}
	p.asked.Store(true)
	p.Signal(syscall.SIGTERM)
	select {
	case <-p.Done():
		return nil
	case <-time.After(limit):
	}
	p.Stop(context.Background())
	return fmt.Errorf("%s had to be killed: it didn't stop within %s", p.Title, limit)
}

// Ready is what the program printed behind the word ready, and whether it did.
func (p *Program) Ready() (string, bool) {
	content, err := os.ReadFile(p.Log)
	if err != nil {
		return "", false
	}
	for line := range strings.Lines(string(content)) {
		if line, whole := strings.CutSuffix(line, "\n"); whole {
			if rest, found := strings.CutPrefix(line, "ready"); found {
				return strings.TrimSpace(rest), true
			}
		}
	}
	return "", false
}

// Answers reports whether a server says OK at url.
func Answers(ctx context.Context, url string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	return response.Body.Close() == nil && response.StatusCode == http.StatusOK
}

// Lines are the last n lines of the program's log, at most 16 KiB of them.
func (p *Program) Lines(n int) []string {
	content, err := os.ReadFile(p.Log)
	text := strings.TrimSpace(string(content[max(0, len(content)-tailBytes):]))
	if err != nil || text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	return lines[max(0, len(lines)-n):]
}

// Explain puts the end of the program's log behind an error, if it is one.
func (p *Program) Explain(err error) error {
	lines := p.Lines(tailLines)
	if err == nil || len(lines) == 0 {
		return err
	}
	return fmt.Errorf("%w\nlast lines of %s:\n  %s", err, p.Log, strings.Join(lines, "\n  "))
}
