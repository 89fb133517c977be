// Package compile compiles the programs of a release. One commit gives the same bytes, whenever and wherever it is compiled with the
// same release of Go.
package compile

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// Order is what to compile.
type Order struct {
	Module    string // folder of the module
	Package   string // the program, such as ./cmd/kubectl-aero
	Version   string // what the program says of itself
	Platforms []v1.Platform
	Scratch   string // folder for programs that are read and removed
}

// Program is a program for one platform.
type Program struct {
	Platform v1.Platform
	Binary   []byte           // an executable of that platform
	Info     *debug.BuildInfo // as the binary has it: the modules that were linked
}

// All compiles for each platform in a folder that is gone afterwards, and reports its progress.
func All(ctx context.Context, out io.Writer, o Order) ([]Program, error) {
	if err := os.MkdirAll(o.Scratch, 0o755); err != nil {
		return nil, fmt.Errorf("creating the out folder: %w", err)
	}
	folder, err := os.MkdirTemp(o.Scratch, ".programs-")
	if err != nil {
		return nil, fmt.Errorf("creating a folder for the programs: %w", err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	var programs []Program
	for i, p := range o.Platforms {
		if _, err := fmt.Fprintf(out, "building for %s (%d/%d)\n", p, i+1, len(o.Platforms)); err != nil {
			return nil, err
		}
		path := filepath.Join(folder, p.OS+"_"+p.Architecture)
		stop := repeat(out, fmt.Sprintf("building for %s", p))
		err := o.compile(ctx, p, path)
		stop()
		if err != nil {
			return nil, err
		}
		one, err := Load(p, path)
		if err != nil {
			return nil, err
		}
		programs = append(programs, one)
	}
	return programs, nil
}

// reportInterval is the pause between two lines about one build, which takes minutes on a fresh machine.
const reportInterval = 15 * time.Second

// repeat writes a line with the time that has passed, from time to time until it is stopped.
func repeat(out io.Writer, line string) (stop func()) {
	start, quit := time.Now(), make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		ticker := time.NewTicker(reportInterval)
		defer ticker.Stop()
		for {
			select {
			case <-quit:
				return
			case <-ticker.C:
				// A line of progress that can't be written is no reason to end the build.
				_, _ = fmt.Fprintf(out, "%s … %s\n", line, time.Since(start).Round(time.Second))
			}
		}
	})
	return func() { close(quit); running.Wait() }
}

// compile fixes all that could make another binary of the same source: the C library, paths of this machine, the state of
// the clone, and settings of the go tool in the environment.
func (o Order) compile(ctx context.Context, p v1.Platform, path string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-gcflags", "all=-dwarf=false", "-buildvcs=false",
		"-ldflags", "-s -w -X main.version="+o.Version, "-o", path, o.Package)
	cmd.Dir = o.Module
	// An empty GOFLAGS would give way to that of go env -w, so it has the default's value.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.OS, "GOARCH="+p.Architecture,
		"GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=-mod=readonly", "GOWORK=off", "GOEXPERIMENT=", "GOFIPS140=off")
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building for %s: %w\n%s", p, err, bytes.TrimSpace(output))
	}
	return nil
}

// Load reads a program and what it says of itself.
func Load(p v1.Platform, path string) (Program, error) {
	binary, err := os.ReadFile(path)
	if err != nil {
		return Program{}, fmt.Errorf("reading the program for %s: %w", p, err)
	}
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil {
		return Program{}, fmt.Errorf("reading the modules of the program for %s: %w", p, err)
	}
	return Program{Platform: p, Binary: binary, Info: info}, nil
}
