// Command mutants tests the tests: it changes one operator of the source at a time, and runs the tests of the package, which
// should fail.
//
//	mutants --gremlins PROGRAM [--root DIR] [--out DIR] [PACKAGE]
//
// What it mutates is in mutants.yaml. gremlins makes the mutants and runs the tests, on a copy of the sources. A mutant whose
// tests don't end in time counts as killed. One that may live, for a reason in mutants.yaml, is listed, and is no part of the
// percentage. It fails if a package is below the threshold, and when gremlins reports a mutant
// as killed that no test can kill.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// limit is how long all packages may take.
const limit = time.Hour

// errBelow is the end of a run in which too many mutants live.
var errBelow = errors.New("too few mutants were killed")

// options are what the command line asks for, with absolute paths.
type options struct {
	gremlins string // the program
	root     string // folder of the project
	out      string // folder for gremlins' reports
	pkg      string // the only package; empty: all
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "mutants: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	o, err := parse()
	if err != nil {
		return err
	}
	p, err := readPlan()
	if err != nil {
		return err
	}
	packages, err := p.chosen(o.pkg)
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "Self-check: gremlins mutates a sample, of whose two mutants one must live. Its 50 % is not a result.")
	if err := o.checkGremlins(ctx); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "Self-check passed. The packages:")
	sources, err := copySources(ctx, o.root)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(sources) }()
	below := false
	for _, one := range packages {
		begin := time.Now()
		report, err := o.mutate(ctx, sources, one)
		if err != nil {
			return fmt.Errorf("%s: %w", one.Path, err)
		}
		lines, explained := p.survivorsOf(sources, report)
		s := report.score().explain(explained)
		fmt.Printf("%s: %s in %s\n", one.Path, s, time.Since(begin).Round(time.Second))
		for _, line := range append(lines, timeoutsOf(sources, report)...) {
			fmt.Println("  " + line)
		}
		below = below || s.percent() < p.Threshold
	}
	if below {
		return fmt.Errorf("%w: the threshold is %.0f %%", errBelow, p.Threshold)
	}
	return nil
}

func parse() (options, error) {
	var o options
	flag.StringVar(&o.gremlins, "gremlins", "", "`program` that mutates")
	flag.StringVar(&o.root, "root", "..", "`folder` of the project")
	flag.StringVar(&o.out, "out", "", "`folder` for the reports (default: bin/mutants of the project)")
	flag.Parse()
	o.pkg = flag.Arg(0)
	if o.out == "" {
		o.out = filepath.Join(o.root, "bin", "mutants")
	}
	for _, path := range []*string{&o.gremlins, &o.root, &o.out} {
		absolute, err := filepath.Abs(*path)
		if err != nil {
			return o, fmt.Errorf("finding %s: %w", *path, err)
		}
		*path = absolute
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return o, fmt.Errorf("creating the folder for the reports: %w", err)
	}
	return o, nil
}
