// Command bench measures what the operator costs and how fast it is, against budgets:
//
//	bench [--bin DIR] [--root DIR] [--out FILE] [--pictures DIR] [--objects N] [--at-limit N] [--family NAME] [--percent N] [--strict]
//
// It runs the programs that users run, as processes of their own: the control plane, the local Aiven without engines, and
// the operator. What it finds it prints as a table, and writes as JSON. It ends all it started, however it ends itself.
//
//	demo.go        seconds that the demo takes
//	throughput.go  calls a second that the local Aiven can take
//	kinds.go       calls to Aiven in the life of one object of each kind
//	family.go      a service with 150 databases and 150 users, applied at once
//	steady.go      the same at rest, and what happens when a person deletes a user at the console
//	masses.go      ten services with very many objects, a new one among them, and a restart
//	neighbors.go   a thousand objects of a service that doesn't answer, and those of another team
//	limit.go       a thousand objects where Aiven accepts 120 calls a minute, by --at-limit 1000 and instead of all else
//	limitedit.go   a person's edits meanwhile
//	families.go    services full of other kinds, each family also alone by --family, and in part by --percent
//	load.go        measures a family when it is applied, at rest, and when objects are added to it
//	certified.go   what users with certificates take beyond others
//	measures.go    what is measured of each
//	place.go       gives examples names and services
//	crowd.go       applies many objects and watches them become ready
//	audit.go       what the operator writes to Kubernetes
//	wire.go        which connections it opens to Aiven
//	memory.go      what it has allocated
//	curves.go      draws what happened, as SVG
//	budgets.go     what all of that may be
//	reference.go   what it is with aiven-operator
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/aero-operator/aero/tests/localaiven/process"
)

const (
	exitFailed = 1
	exitUsage  = 2

	// limit is how long measuring may take.
	limit = 2 * time.Hour
	// fewObjects are enough to see the trend where there are few cores.
	fewObjects, fewCores = 2000, 2
	// leastObjects are one database and one user in each service.
	leastObjects = 2 * services
	// whole is the percentage of all.
	whole = 100
)

var errTooSlow = fmt.Errorf("not done within %s", limit)

func main() {
	log.SetLogger(logr.Discard()) // what the clients say isn't the bench's output
	o, err := parse(os.Args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(exitUsage)
	}
	ctx, cancel := process.Interruptible(context.Background())
	ctx, release := context.WithTimeoutCause(ctx, limit, errTooSlow)
	err = run(ctx, o, os.Stdout)
	release()
	cancel(nil)
	if err != nil {
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
	}
	switch {
	case errors.Is(err, process.ErrInterrupted):
		os.Exit(process.ExitInterrupted)
	case err != nil:
		os.Exit(exitFailed)
	}
}

// run measures, prints and writes. What was measured before something failed is printed too, but not written: the
// file is complete, or there is none.
func run(ctx context.Context, o options, out io.Writer) error {
	var r report
	err := measure(ctx, o, &r)
	if printErr := r.print(out); err == nil {
		err = printErr
	}
	if err == nil {
		err = r.complete(o.budgets())
	}
	if err != nil {
		return err
	}
	if err := r.write(o.out); err != nil {
		return err
	}
	if over := r.over(); o.strict && over != nil {
		return over
	}
	return nil
}

// options are what the command line asks for, with absolute paths.
type options struct {
	bin      string // where manager, localaiven, controlplane and demo are
	root     string // where config/ and docs/ are
	out      string // file for the JSON
	pictures string // where the curves go
	objects  int    // how many very many are
	atLimit  int    // how many objects to measure at Aiven's rate limit, and nothing else; 0 measures all else
	family   string // what to measure alone; empty measures all
	percent  int    // how much of it
	strict   bool   // a missed budget is a failure
}

// budgets are those of what is measured.
func (o *options) budgets() map[string]budget {
	if f := o.familyAlone(); f != nil {
		return f.limits()
	}
	if o.atLimit > 0 {
		return limitBudgets
	}
	all := maps.Clone(budgets)
	for i := range families {
		maps.Copy(all, families[i].limits())
	}
	return all
}

func parse(args []string) (options, error) {
	var o options
	self, err := os.Executable()
	if err != nil {
		return o, fmt.Errorf("finding the programs: %w", err)
	}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	// One line for a mistake; the list of flags is for those who ask for it.
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.bin, "bin", filepath.Dir(self), "`folder` of the programs")
	flags.StringVar(&o.root, "root", "", "`folder` of the project (default: the parent of that of the programs)")
	flags.StringVar(&o.out, "out", "", "`file` for the JSON (default: bench.json or bench-limit.json beside the programs)")
	flags.StringVar(&o.pictures, "pictures", "", "`folder` for the curves (default: curves beside the programs)")
	flags.IntVar(&o.objects, "objects", usualObjects(), "`number` of databases and users that count as very many")
	flags.IntVar(&o.atLimit, "at-limit", 0, "measure this `number` of objects at Aiven's rate limit, and nothing else; the budgets are about 1000")
	flags.StringVar(&o.family, "family", "", "measure this `family` of kinds, and nothing else: "+strings.Join(familyNames(), ", "))
	flags.IntVar(&o.percent, "percent", whole, "`percentage` of its objects to measure with --family")
	flags.BoolVar(&o.strict, "strict", false, "fail if a budget is missed")
	err = flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		flags.SetOutput(os.Stdout)
		flags.Usage()
	}
	switch {
	case err != nil:
		return o, err
	case flags.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case o.atLimit < 0:
		return o, fmt.Errorf("--at-limit must not be negative, and is %d", o.atLimit)
	case o.family != "" && familyOf(o.family) == nil:
		return o, fmt.Errorf("--family must be one of %s, not %q", strings.Join(familyNames(), ", "), o.family)
	case o.percent < 1 || o.percent > whole:
		return o, fmt.Errorf("--percent must be from 1 to %d, not %d", whole, o.percent)
	case o.objects < leastObjects:
		return o, fmt.Errorf("--objects must be at least %d, not %d", leastObjects, o.objects)
	}
	return o, o.locate()
}

func usualObjects() int {
	if runtime.NumCPU() <= fewCores {
		return fewObjects
	}
	return full
}

// locate makes the paths absolute and says early what is missing.
func (o *options) locate() error {
	if o.root == "" {
		o.root = filepath.Join(o.bin, "..")
	}
	if o.out == "" {
		o.out = filepath.Join(o.bin, "bench.json")
		switch {
		case o.family != "":
			o.out = filepath.Join(o.bin, "bench-"+o.family+".json")
		case o.atLimit > 0:
			o.out = filepath.Join(o.bin, "bench-limit.json")
		}
	}
	if o.pictures == "" {
		o.pictures = filepath.Join(o.bin, "curves")
	}
	for _, path := range []*string{&o.bin, &o.root, &o.out, &o.pictures} {
		absolute, err := filepath.Abs(*path)
		if err != nil {
			return fmt.Errorf("finding %s: %w", *path, err)
		}
		*path = absolute
	}
	for _, name := range []string{"manager", "localaiven", "controlplane", "demo"} {
		if _, err := os.Stat(filepath.Join(o.bin, name)); err != nil {
			return fmt.Errorf("no %s in %s: run `make build`, or name their folder with --bin", name, o.bin)
		}
	}
	for _, name := range []string{crdFolder, exampleFolder} {
		if _, err := os.Stat(filepath.Join(o.root, name)); err != nil {
			return fmt.Errorf("no %s in %s: --root is the project's folder", name, o.root)
		}
	}
	return nil
}
