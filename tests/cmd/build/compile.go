package main

import (
	"bufio"
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// keptLines bounds what is shown of a failed build.
const keptLines = 60

// fetch downloads the modules that the programs need, as a step of its own:
// on a fresh machine that is a good part of the wait.
func (o order) fetch(ctx context.Context, programs []program) error {
	args := []string{"list", "-deps", "-f", "{{if .Error}}{{.ImportPath}}: {{.Error}}{{end}}"}
	for _, p := range programs {
		args = append(args, p.pkg)
	}
	step := begin("fetching modules", "downloads")
	err := o.goCommand(ctx, args, step)
	// Nothing was downloaded: no wait, nothing to report.
	step.end(err == nil && step.count() > 0, "fetched modules")
	if err != nil {
		return fmt.Errorf("fetching modules: %w", err)
	}
	return nil
}

// build compiles one program beside its place and then moves it there. It reports whether there was anything to do.
func (o order) build(ctx context.Context, p program, position string) (bool, error) {
	partial := filepath.Join(o.out, "."+p.name+".partial")
	target := filepath.Join(o.out, p.name)
	// go build refuses to write over something that isn't a program, such as
	// what a build leaves that was killed.
	if err := os.RemoveAll(partial); err != nil {
		return false, fmt.Errorf("removing what an earlier build left: %w", err)
	}
	defer func() { _ = os.Remove(partial) }()
	old := seed(partial, target)

	step := begin(fmt.Sprintf("building %s (%s)", p.name, position), "packages")
	// A debugger finds the source by its path; without it, any copy of the source gives the same program, and Go's cache serves all.
	args := []string{"build", "-v", "-buildvcs=false", fmt.Sprintf("-trimpath=%t", !o.debuggable), "-ldflags", o.ldflags, "-o", partial}
	if o.debuggable {
		// They take the place of those in GOFLAGS, which may leave debugging information out.
		args = append(args, "-gcflags", "./...=-N -l")
	}
	err := o.goCommand(ctx, append(args, p.pkg), step)
	built := !isSame(old, partial)
	step.end(err == nil && built, "built "+p.name)
	if err != nil {
		return false, fmt.Errorf("building %s: %w", p.name, err)
	}
	if err := os.Rename(partial, target); err != nil {
		return false, fmt.Errorf("putting %s in place: %w", p.name, err)
	}
	return built, o.stamp(p)
}

// seed copies the program that there is beside its place, because the go tool
// keeps a program that is current, and links one where there is
// none. What isn't a Go program, or can't be copied, is one that there isn't.
func seed(partial, target string) os.FileInfo {
	if _, err := buildinfo.ReadFile(target); err != nil {
		return nil
	}
	content, err := os.ReadFile(target)
	if err != nil || os.WriteFile(partial, content, 0o755) != nil {
		_ = os.Remove(partial)
		return nil
	}
	info, err := os.Stat(partial)
	if err != nil {
		return nil
	}
	return info
}

// isSame reports whether the file is still the one that it was.
func isSame(old os.FileInfo, path string) bool {
	now, err := os.Stat(path)
	return err == nil && old != nil && os.SameFile(old, now)
}

// goCommand runs the go tool in the module and feeds the step with what it
// says. Its error holds the last lines of the tool's complaints.
func (o order) goCommand(ctx context.Context, args []string, step *step) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = o.module
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if o.variant != "" {
		cmd.Args = slices.Insert(cmd.Args, 2, "-modfile="+o.requirements()[0])
	}
	// The tool and its compilers form a group of their own, so that one signal
	// ends them all.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return fmt.Errorf("connecting to the go tool: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting the go tool: %w", err)
	}
	var complaints []string
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if step.took(lines.Text()) {
			continue
		}
		complaints = append(complaints, lines.Text())
		complaints = complaints[max(0, len(complaints)-keptLines):]
	}
	err = cmd.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("%w\n%s", err, strings.Join(complaints, "\n"))
	}
	return nil
}
