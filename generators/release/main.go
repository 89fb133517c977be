// Command release writes the files of a release into a folder: the image and the charts as OCI layouts, the charts for helm push, plain
// manifests, kubectl's plugin for each platform with its manifest for krew, SBOMs, the provenance of the image, notes, and the
// checksums of all of these. One commit gives the same bytes, whenever and wherever it is released with the same release of Go.
//
// Usage; make release fills in the flags, and builds the image between the two:
//
//	release --check --version v1.2.3 --revision COMMIT --created SECONDS [--root DIR]
//	release --version v1.2.3 --revision COMMIT --created SECONDS [--root DIR] [--image DIR] [--out DIR]
//
// A release is of a commit alone, and its version is that of the top entry of CHANGELOG.md: with --check nothing else is done.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/aero-operator/aero/generators/internal/clone"
)

func main() {
	log.SetFlags(0)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch err := run(ctx, os.Args[1:], os.Stdout); {
	case errors.Is(ctx.Err(), context.Canceled):
		log.Fatal("release: stopped")
	case err != nil:
		log.Fatalf("release: %v", err)
	}
}

// run checks all that may be refused before anything is compiled, since that takes minutes.
func run(ctx context.Context, args []string, out io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	changes, err := changesOf(filepath.Join(o.root, "CHANGELOG.md"), o.version)
	if err != nil {
		return err
	}
	if err := clone.Check(ctx, o.root, clone.Commit{Revision: o.revision, Created: o.created, Version: o.version}); err != nil {
		return err
	}
	if o.checkOnly {
		return nil
	}
	return o.release(ctx, changes, out)
}

// release replaces the folder, which appears whole or not at all.
func (o options) release(ctx context.Context, changes string, out io.Writer) error {
	made := o
	made.out = o.out + ".partial"
	if err := os.RemoveAll(made.out); err != nil {
		return fmt.Errorf("removing what an earlier release left: %w", err)
	}
	defer func() { _ = os.RemoveAll(made.out) }()
	if err := os.MkdirAll(made.out, 0o755); err != nil {
		return fmt.Errorf("creating the folder: %w", err)
	}
	if err := made.write(ctx, changes, out); err != nil {
		return err
	}
	if err := made.finish(); err != nil {
		return err
	}
	if err := os.RemoveAll(o.out); err != nil {
		return fmt.Errorf("removing the previous release: %w", err)
	}
	if err := os.Rename(made.out, o.out); err != nil {
		return fmt.Errorf("putting the release in place: %w", err)
	}
	return report(out, o.out)
}

// write writes all files but the checksums. What is compiled comes last: it takes the longest.
func (o options) write(ctx context.Context, changes string, out io.Writer) error {
	digest, err := o.writeImage()
	if err != nil {
		return err
	}
	charts, err := o.writeCharts(ctx)
	if err != nil {
		return err
	}
	if err := o.writeManifests(digest); err != nil {
		return err
	}
	notes := changes + published("Image", registry+"/aero:"+o.version, digest)
	for _, chart := range charts {
		notes += published("Chart", registry+"/charts/"+chart.name+":"+chart.version, chart.digest)
	}
	if err := os.WriteFile(filepath.Join(o.out, "notes.md"), []byte(notes), 0o644); err != nil {
		return fmt.Errorf("writing the notes: %w", err)
	}
	return o.writePlugins(ctx, out)
}

// registry is where a release is pushed to.
const registry = "ghcr.io/aero-operator"

// published is a line of the notes.
func published(what, name, digest string) string {
	return fmt.Sprintf("\n%s: `%s`, `%s`\n", what, name, digest)
}
