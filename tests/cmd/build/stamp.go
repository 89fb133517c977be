package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// stale lists the programs to build. A program is current when its stamp holds
// the hash of everything that went into it.
func (o order) stale() ([]program, error) {
	if !o.skipCurrent {
		return o.programs, nil
	}
	var stale []program
	for _, p := range o.programs {
		want, err := o.hash(p)
		if err != nil {
			return nil, err
		}
		have, err := os.ReadFile(o.stampPath(p))
		_, missing := os.Stat(filepath.Join(o.out, p.name))
		if err != nil || missing != nil || string(have) != want {
			stale = append(stale, p)
		}
	}
	return stale, nil
}

// stamp records what the program was built from.
func (o order) stamp(p program) error {
	if !o.skipCurrent {
		return nil
	}
	hash, err := o.hash(p)
	if err != nil {
		return err
	}
	if err := os.WriteFile(o.stampPath(p), []byte(hash), 0o644); err != nil {
		return fmt.Errorf("stamping %s: %w", p.name, err)
	}
	return nil
}

func (o order) stampPath(p program) string {
	return filepath.Join(o.out, "."+p.name+".stamp")
}

// hash covers the toolchain, the flags, the module's requirements and
// its source.
func (o order) hash(p program) (string, error) {
	toolchain := exec.Command("go", "env", "GOVERSION", "GOOS", "GOARCH", "GOAMD64", "GOARM64", "GOEXPERIMENT", "GOFLAGS", "CGO_ENABLED")
	toolchain.Dir = o.module
	env, err := toolchain.Output()
	if err != nil {
		return "", fmt.Errorf("asking the go tool for its version: %w", err)
	}
	sum := sha256.New()
	_, _ = fmt.Fprintf(sum, "%s\n%s\n%s\n", env, o.ldflags, p.pkg)
	for _, name := range o.requirements() {
		if err := hashFile(sum, filepath.Join(o.module, name)); err != nil {
			return "", err
		}
	}
	err = filepath.WalkDir(o.module, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		return hashFile(sum, path)
	})
	if err != nil {
		return "", fmt.Errorf("reading the source of %s: %w", o.module, err)
	}
	return fmt.Sprintf("%x\n", sum.Sum(nil)), nil
}

func hashFile(sum io.Writer, path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("hashing the source: %w", err)
	}
	// Name and length keep two files from passing for one.
	_, _ = fmt.Fprintf(sum, "%s %d\n", filepath.Base(path), len(content))
	_, err = sum.Write(content)
	return err
}
