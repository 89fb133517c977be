package main

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

// program is the manager for one platform.
type program struct {
	platform v1.Platform
	binary   []byte           // an executable of that platform
	info     *debug.BuildInfo // as the binary has it: the modules that were linked
}

// compileAll compiles in a folder that is gone afterwards, and says what it is at.
func (o options) compileAll(ctx context.Context, out io.Writer) ([]program, error) {
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return nil, fmt.Errorf("creating the out folder: %w", err)
	}
	folder, err := os.MkdirTemp(o.out, ".image-")
	if err != nil {
		return nil, fmt.Errorf("creating a folder for the programs: %w", err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	var programs []program
	for i, p := range o.platforms {
		if _, err := fmt.Fprintf(out, "building for %s (%d/%d)\n", p, i+1, len(o.platforms)); err != nil {
			return nil, err
		}
		path := filepath.Join(folder, p.Architecture)
		stop := repeat(out, fmt.Sprintf("building for %s", p))
		err := o.compile(ctx, p, path)
		stop()
		if err != nil {
			return nil, err
		}
		one, err := load(p, path)
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
func (o options) compile(ctx context.Context, p v1.Platform, path string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w -X main.version="+o.release.version, "-o", path, ".")
	cmd.Dir = o.module
	// An empty GOFLAGS would give way to that of go env -w, so it has the default's value.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.OS, "GOARCH="+p.Architecture,
		"GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=-mod=readonly", "GOWORK=off", "GOEXPERIMENT=", "GOFIPS140=off")
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building for %s: %w\n%s", p, err, bytes.TrimSpace(output))
	}
	return nil
}

// load reads a program and what it says of itself.
func load(p v1.Platform, path string) (program, error) {
	binary, err := os.ReadFile(path)
	if err != nil {
		return program{}, fmt.Errorf("reading the program for %s: %w", p, err)
	}
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil {
		return program{}, fmt.Errorf("reading the modules of the program for %s: %w", p, err)
	}
	return program{platform: p, binary: binary, info: info}, nil
}
