// Command demo shows the operator at work, from nothing to a query in a real PostgreSQL and back to nothing:
//
//	demo [--keep] [--no-color] [--bin DIR] [--root DIR]
//	demo --run [--debug ADDRESS] [--no-color] [--bin DIR] [--root DIR]
//
// With --run it starts the same programs, applies nothing, prints what to type, and ends with Ctrl-C. With --debug the operator
// runs under delve, which listens at the address.
//
// Everything it starts runs on loopback and keeps its state in one folder for temporary files. However the demo ends, it
// ends what it started: in order where it can, with the help of the kernel where it is killed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/aero-operator/aero/tests/localaiven/process"
)

const (
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	// Without it, controller-runtime prints a complaint with a stack trace in the middle of the story, 30 s after the start.
	log.SetLogger(logr.Discard())
	o, err := parse(os.Args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		fmt.Fprintf(os.Stderr, "demo: %v\n", err)
		os.Exit(exitUsage)
	}
	if err := forgetPostgres(); err != nil {
		fmt.Fprintf(os.Stderr, "demo: %v\n", err)
		os.Exit(exitFailed)
	}
	ctx, cancel := process.Interruptible(context.Background())
	defer cancel(nil)
	switch err := play(ctx, newScreen(os.Stdout, o.plain), o); {
	case errors.Is(err, process.ErrInterrupted):
		os.Exit(process.ExitInterrupted)
	case err != nil:
		os.Exit(exitFailed)
	}
}

// options are what the command line asks for, with absolute paths.
type options struct {
	keep  bool
	run   bool   // start the programs, and no story
	debug string // where delve listens; empty: no debugger
	plain bool   // no colors
	bin   string // where manager, localaiven, controlplane and k8s/ are
	root  string // where config/ and docs/ are
}

func parse(args []string) (options, error) {
	var o options
	self, err := os.Executable()
	if err != nil {
		return o, fmt.Errorf("finding the programs: %w", err)
	}
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	// One line for a mistake; the list of flags is for those who ask for it.
	flags.SetOutput(io.Discard)
	flags.BoolVar(&o.keep, "keep", false, "leave everything running until Ctrl-C")
	flags.BoolVar(&o.run, "run", false, "start the programs, apply nothing, and leave them running until Ctrl-C")
	flags.StringVar(&o.debug, "debug", "", "with --run: `address` at which delve listens for a debugger of the operator")
	flags.BoolVar(&o.plain, "no-color", os.Getenv("NO_COLOR") != "", "print without colors; so does NO_COLOR")
	flags.StringVar(&o.bin, "bin", filepath.Dir(self), "`folder` of the programs")
	flags.StringVar(&o.root, "root", "", "`folder` of the project (default: the parent of that of the programs)")
	err = flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		flags.SetOutput(os.Stdout)
		flags.Usage()
	}
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if err == nil && o.debug != "" && !o.run {
		err = errors.New("--debug needs --run")
	}
	if err != nil {
		return o, err
	}
	return o, o.locate()
}

// programs are the files that the command starts, in the folder of programs, and the make target that builds them.
func (o *options) programs() ([]string, string) {
	names := []string{operatorProgram, "localaiven", "controlplane", filepath.Join("k8s", "kubectl")}
	if o.debug != "" {
		return append(names, debuggerProgram, debuggableOperator), "make debug"
	}
	return names, "make build"
}

// locate makes the paths absolute and reports early what is missing.
func (o *options) locate() error {
	if o.root == "" {
		o.root = filepath.Join(o.bin, "..")
	}
	for _, path := range []*string{&o.bin, &o.root} {
		absolute, err := filepath.Abs(*path)
		if err != nil {
			return fmt.Errorf("finding %s: %w", *path, err)
		}
		*path = absolute
	}
	programs, target := o.programs()
	for _, name := range programs {
		if _, err := os.Stat(filepath.Join(o.bin, name)); err != nil {
			return fmt.Errorf("no %s in %s: run `%s`", name, o.bin, target)
		}
	}
	for _, name := range []string{"config/crd/bases", "docs/examples"} {
		if _, err := os.Stat(filepath.Join(o.root, name)); err != nil {
			return fmt.Errorf("no %s in %s: --root is the project's folder", name, o.root)
		}
	}
	return nil
}

// forgetPostgres drops the variables with which users preset PostgreSQL clients: the published Secret alone decides.
func forgetPostgres() error {
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, "PG") {
			if err := os.Unsetenv(name); err != nil {
				return fmt.Errorf("clearing %s: %w", name, err)
			}
		}
	}
	return nil
}
