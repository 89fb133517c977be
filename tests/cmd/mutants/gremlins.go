package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// The states of a mutant, as gremlins names them.
const (
	killed   = "KILLED"
	timedOut = "TIMED OUT"
	lived    = "LIVED"
)

// timeoutCoefficient is how many times longer than on the original tests may take before they count as endless. A mutant is compiled
// within that time.
const timeoutCoefficient = "10"

// report is what gremlins writes about a package.
type report struct {
	Files []struct {
		Name      string `json:"file_name"`
		Mutations []struct {
			Type   string `json:"type"`
			Status string `json:"status"`
			Line   int    `json:"line"`
		} `json:"mutations"`
	} `json:"files"`
}

// score counts the mutants of covered code. Those that may live, for a reason, count for no percentage.
type score struct{ killed, timedOut, lived, explained int }

// score has all that live as unexplained: see explain.
func (r *report) score() score {
	var s score
	for _, file := range r.Files {
		for _, m := range file.Mutations {
			switch m.Status {
			case killed:
				s.killed++
			case timedOut:
				s.timedOut++
			case lived:
				s.lived++
			}
		}
	}
	return s
}

// explain takes the mutants that may live out of those that live.
func (s score) explain(mayLive int) score {
	s.lived -= mayLive
	s.explained += mayLive
	return s
}

// percent is the share of the mutants that were killed. Tests that don't end have noticed something.
func (s score) percent() float64 {
	all := s.killed + s.timedOut + s.lived
	if all == 0 {
		return 0
	}
	return 100 * float64(s.killed+s.timedOut) / float64(all)
}

func (s score) String() string {
	return fmt.Sprintf("%.1f %% (%d killed, %d timed out, %d live, %d more may live)",
		s.percent(), s.killed, s.timedOut, s.lived, s.explained)
}

// mutate runs gremlins on a package of the sources. Its progress goes to standard error.
func (o options) mutate(ctx context.Context, sources string, p pkg) (*report, error) {
	name := strings.ReplaceAll(p.Path, "/", "-")
	output := filepath.Join(o.out, name+".json")
	args := []string{"unleash", "./" + p.Path, "--workers", "2", "--timeout-coefficient", timeoutCoefficient}
	for _, pattern := range p.excluded() {
		args = append(args, "--exclude-files", pattern)
	}
	if err := os.RemoveAll(output); err != nil {
		return nil, fmt.Errorf("removing the previous report: %w", err)
	}
	// A deadline is a multiple of how long gremlins' run of the original takes. Without the first run, that includes compiling all that the
	// package imports: a mutant that never ends took minutes.
	if err := o.unleash(ctx, sources, io.Discard, append(args, "--dry-run")); err != nil {
		return nil, fmt.Errorf("compiling the tests: %w", err)
	}
	if err := o.unleash(ctx, sources, os.Stderr, append(args, "--output", output)); err != nil {
		return nil, fmt.Errorf("mutating: %w", err)
	}
	text, err := os.ReadFile(output)
	if err != nil {
		return nil, fmt.Errorf("reading the report: %w", err)
	}
	r := &report{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("reading the report: %w", err)
	}
	for i := range r.Files { // gremlins names files from the package's folder
		r.Files[i].Name = filepath.Join(p.Path, r.Files[i].Name)
	}
	return r, nil
}

// unleash runs gremlins in a folder.
func (o options) unleash(ctx context.Context, dir string, progress io.Writer, args []string) error {
	cmd := exec.CommandContext(ctx, o.gremlins, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, progress, os.Stderr
	cmd.Env = environment(os.Environ())
	// gremlins removes its copies when it is interrupted.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	return cmd.Run()
}

// environment lets each worker use one core, and shares what is compiled: without -trimpath each copy of the sources has a
// cache of its own. Every mutant is linked, without what a debugger needs. gremlins has --test-cpu for the former, but passes it to go test as one argument, "-cpu 1": every run
// fails, and every mutant counts as killed. Results of tests are never taken from the cache, because gremlins derives a
// mutant's deadline from how long the tests take on the original: a cached result leaves no time to compile.
func environment(env []string) []string {
	return append(env, "GOMAXPROCS=1", strings.TrimSpace("GOFLAGS="+os.Getenv("GOFLAGS")+" -trimpath -vet=off -count=1 -ldflags=-w"))
}

// copySources copies what belongs to the project, without what was built: gremlins copies all that it finds for each worker.
// The module of the tests isn't needed.
func copySources(ctx context.Context, root string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", "ls-files", "--cached", "--others", "--exclude-standard", "-z")
	cmd.Dir = root
	listed, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("listing the sources: %w", err)
	}
	dir, err := os.MkdirTemp("", "aero-mutants-")
	if err != nil {
		return "", fmt.Errorf("creating a folder for the sources: %w", err)
	}
	for file := range bytes.SplitSeq(bytes.TrimRight(listed, "\x00"), []byte{0}) {
		name := string(file)
		if strings.HasPrefix(name, "tests/") {
			continue
		}
		if err := copyFile(filepath.Join(root, name), filepath.Join(dir, name)); err != nil {
			return "", err
		}
	}
	return dir, nil
}

func copyFile(from, to string) error {
	content, err := os.ReadFile(from)
	if os.IsNotExist(err) {
		return nil // deleted, and not committed yet
	}
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o755)
	}
	if err == nil {
		err = os.WriteFile(to, content, 0o644)
	}
	if err != nil {
		return fmt.Errorf("copying %s: %w", from, err)
	}
	return nil
}
