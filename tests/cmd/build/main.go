// Command build builds Go programs and shows progress: which program
// is being built, or how many at once, and how long it has taken.
//
//	build --module DIR --out DIR [--variant NAME] [--skip-current] [--debuggable] [--ldflags FLAGS] PACKAGE...
//
// A PACKAGE is a path within the module such as ./cmd/etcd; NAME=PACKAGE gives
// a program that is built alone a name other than the last element of its path. A file called
// ldflags in the module's folder adds to --ldflags. A variant of the module has
// the same packages with other versions: go.NAME.mod, go.NAME.sum and
// ldflags.NAME take the place of go.mod, go.sum and ldflags.
//
// A program appears in the out folder whole or not at all: whatever ends the
// build, no half-written program is left under its name.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/avast/retry-go/v5"
)

// exitInterrupted is what a shell reports for a program ended by Ctrl-C.
const exitInterrupted = 130

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:])
	switch {
	case err == nil:
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "build: stopped")
		os.Exit(exitInterrupted)
	default:
		fmt.Fprintf(os.Stderr, "build: %v\n", err)
		os.Exit(1)
	}
}

// order is what the command line asks for.
type order struct {
	module      string    // folder of the module
	variant     string    // empty, or with a dot in front, as in names of files
	out         string    // folder of the programs
	ldflags     string    // for the linker
	debuggable  bool      // keeps what a debugger needs, and doesn't optimize the module's own packages
	skipCurrent bool      // trust the stamps
	programs    []program // in the order of the command line
}

// program is one main package and the name of its binary.
type program struct {
	name string
	pkg  string
}

func run(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return fmt.Errorf("creating the out folder: %w", err)
	}
	unlock, err := lock(ctx, filepath.Join(o.out, ".lock"))
	if err != nil {
		return err
	}
	defer unlock()
	stale, err := o.stale()
	if err != nil || len(stale) == 0 {
		return err
	}
	if err := o.fetch(ctx, stale); err != nil {
		return err
	}
	_, err = o.build(ctx, stale)
	return err
}

func parse(args []string) (order, error) {
	var o order
	flags := flag.NewFlagSet("build", flag.ExitOnError)
	flags.StringVar(&o.module, "module", ".", "folder of the Go module")
	flags.StringVar(&o.out, "out", "bin", "folder for the programs")
	variant := flags.String("variant", "", "name of the requirements to build with, as in go.NAME.mod")
	flags.StringVar(&o.ldflags, "ldflags", "", "flags for the linker, on top of -s -w and the module's ldflags file")
	flags.BoolVar(&o.skipCurrent, "skip-current", false,
		"skip what was built from the same module files and toolchain; only for modules that import nothing unreleased from outside their folder")
	flags.BoolVar(&o.debuggable, "debuggable", false,
		"keep debugging information, and don't optimize the packages of the module")
	// It exits by itself: with the list of flags, whether asked for or not understood.
	_ = flags.Parse(args)
	for _, arg := range flags.Args() {
		name, pkg, named := strings.Cut(arg, "=")
		if !named {
			name, pkg = filepath.Base(arg), arg
		}
		if name == "" || name == "." || name == ".." || strings.ContainsRune(name, filepath.Separator) {
			return o, fmt.Errorf("%q doesn't name a program: use NAME=PACKAGE", arg)
		}
		o.programs = append(o.programs, program{name: name, pkg: pkg})
	}
	err := o.checkNames()
	if err != nil {
		return o, err
	}
	if o.out, err = filepath.Abs(o.out); err != nil {
		return o, fmt.Errorf("finding the out folder: %w", err)
	}
	if *variant != "" {
		o.variant = "." + *variant
		if _, err := os.Stat(filepath.Join(o.module, o.requirements()[0])); err != nil {
			return o, fmt.Errorf("there is no variant %s: %w", *variant, err)
		}
	}
	extra, err := os.ReadFile(filepath.Join(o.module, "ldflags"+o.variant))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return o, fmt.Errorf("reading the linker flags: %w", err)
	}
	strip := "-s -w "
	if o.debuggable {
		strip = ""
	}
	o.ldflags = strings.Join(strings.Fields(strip+string(extra)+" "+o.ldflags), " ")
	return o, nil
}

// checkNames refuses a command line without programs, and names that the go tool doesn't give.
func (o order) checkNames() error {
	if len(o.programs) == 0 {
		return errors.New("no package given")
	}
	for _, p := range o.programs {
		if len(o.programs) > 1 && p.name != filepath.Base(p.pkg) {
			return fmt.Errorf("%s=%s: the go tool names programs that are built together: build this one alone", p.name, p.pkg)
		}
	}
	return nil
}

// requirements are the names of the files that pin the modules.
func (o order) requirements() []string {
	return []string{"go" + o.variant + ".mod", "go" + o.variant + ".sum"}
}

// lock keeps two builds from writing the same programs: the second waits.
func lock(ctx context.Context, path string) (func(), error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("opening the lock: %w", err)
	}
	err = retry.New(
		retry.UntilSucceeded(), retry.Context(ctx), retry.Delay(time.Second/5), retry.DelayType(retry.FixedDelay),
		retry.RetryIf(func(err error) bool { return errors.Is(err, syscall.EWOULDBLOCK) }),
		retry.OnRetry(func(n uint, _ error) {
			if n == 0 {
				fmt.Fprintf(os.Stderr, "waiting for another build in %s\n", filepath.Dir(path))
			}
		}),
	).Do(func() error { return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) })
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("locking the out folder: %w", err)
	}
	return func() { _ = file.Close() }, nil
}
