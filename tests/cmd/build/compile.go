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

// build compiles the programs beside their places, all at once so that compilers work while linkers do, and then moves them there. It
// returns how many there were to build.
func (o order) build(ctx context.Context, programs []program) (int, error) {
	// go build refuses to write over something that isn't a program, such as
	// what a build leaves that was killed.
	partial := filepath.Join(o.out, ".partial")
	if err := os.RemoveAll(partial); err != nil {
		return 0, fmt.Errorf("removing what an earlier build left: %w", err)
	}
	if err := os.Mkdir(partial, 0o755); err != nil {
		return 0, fmt.Errorf("creating a folder for the programs: %w", err)
	}
	defer func() { _ = os.RemoveAll(partial) }()
	output := partial + string(filepath.Separator)
	if len(programs) == 1 {
		output = filepath.Join(partial, programs[0].name)
	}
	// A debugger finds the source by its path; without it, any copy of the source gives the same program, and Go's cache serves all.
	args := []string{"build", "-v", "-buildvcs=false", fmt.Sprintf("-trimpath=%t", !o.debuggable), "-ldflags", o.ldflags, "-o", output}
	if o.debuggable {
		// They take the place of those in GOFLAGS, which may leave debugging information out.
		args = append(args, "-gcflags", "./...=-N -l")
	}
	old := map[string]os.FileInfo{}
	for _, p := range programs {
		old[p.name] = seed(filepath.Join(partial, p.name), filepath.Join(o.out, p.name))
		args = append(args, p.pkg)
	}

	step := begin("building "+title(programs), "packages")
	err := o.goCommand(ctx, args, step)
	built := slices.DeleteFunc(slices.Clone(programs), func(p program) bool {
		return isSame(old[p.name], filepath.Join(partial, p.name))
	})
	step.end(err == nil && len(built) > 0, "built "+title(built))
	if err != nil {
		return 0, fmt.Errorf("building %s: %w", title(programs), err)
	}
	for _, p := range programs {
		if err := os.Rename(filepath.Join(partial, p.name), filepath.Join(o.out, p.name)); err != nil {
			return 0, fmt.Errorf("putting %s in place: %w", p.name, err)
		}
		if err := o.stamp(p); err != nil {
			return 0, err
		}
	}
	return len(built), nil
}

// title names a program, or counts several: a line that is updated in place has to be short.
func title(programs []program) string {
	if len(programs) == 1 {
		return programs[0].name
	}
	return fmt.Sprintf("%d programs", len(programs))
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
