// Command controlplane runs a real Kubernetes control plane on loopback, until
// SIGTERM or SIGINT:
//
//	controlplane --kubeconfig PATH [--crds DIR]... [--run IMAGE=PROGRAM]... [--audit-log PATH] [--data-dir DIR]
//
// With --run it has a node, on which pods with that image run as processes (see tests/harness/fakekubelet); without, no pod ever runs.
// It prints "ready" once the kubeconfig is written and everything answers. Its
// programs are in KUBEBUILDER_ASSETS, else in the folder k8s beside it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/aero-operator/aero/tests/harness/controlplane"
	"github.com/aero-operator/aero/tests/harness/fakekubelet"
)

// exitUsage is the exit code for a command line that can't be understood.
const exitUsage = 2

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// The libraries would complain of a missing logger; their errors are returned.
	log.SetLogger(logr.Discard())

	o, err := parse(os.Args[1:], os.Stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		fmt.Fprintf(os.Stderr, "controlplane: %v\n", err)
		os.Exit(exitUsage)
	}
	if err := run(ctx, o); err != nil {
		fmt.Fprintf(os.Stderr, "controlplane: %v\n", err)
		os.Exit(1)
	}
}

// order is what the command line asks for.
type order struct {
	kubeconfig string
	options    controlplane.Options
	programs   map[string]string // by the images that they represent
}

func parse(args []string, help io.Writer) (order, error) {
	o := order{options: controlplane.Options{Log: os.Stderr}, programs: map[string]string{}}
	flags := flag.NewFlagSet("controlplane", flag.ContinueOnError)
	// One line for a mistake; the list of flags is for those who ask for it.
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.kubeconfig, "kubeconfig", "", "`file` to write the admin's kubeconfig to (required)")
	flags.Func("crds", "`folder` of CRDs to install; may be repeated", func(dir string) error {
		_, err := os.Stat(dir)
		o.options.CRDDirs = append(o.options.CRDDirs, dir)
		return err
	})
	flags.Func("run", "`image=program`: run pods with this image as processes; may be repeated", o.addProgram)
	flags.StringVar(&o.options.AuditLog, "audit-log", "", "`file` for the audit log; none without it")
	flags.StringVar(&o.options.DataDir, "data-dir", "", "`folder` for state and logs, kept after the end; a temporary one without it")
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		flags.SetOutput(help)
		flags.Usage()
	}
	switch {
	case err != nil:
		return o, err
	case flags.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case o.kubeconfig == "":
		return o, errors.New("--kubeconfig is missing: where should the kubeconfig go?")
	}
	return o, nil
}

// addProgram reads IMAGE=PROGRAM. The image has no tag.
func (o *order) addProgram(text string) error {
	image, program, both := strings.Cut(text, "=")
	if !both || image == "" {
		return errors.New("an image and a program are needed, such as aero=bin/manager")
	}
	path, err := filepath.Abs(program)
	if err == nil {
		_, err = os.Stat(path)
	}
	o.programs[image] = path
	return err
}

func run(ctx context.Context, o order) error {
	assets, err := findAssets()
	if err != nil {
		return err
	}
	o.options.AssetsDir = assets
	plane, err := controlplane.Start(ctx, o.options)
	if err != nil && ctx.Err() != nil {
		return nil //nolint:nilerr // told to stop while starting: what had been started is stopped by now
	}
	if err != nil {
		return err
	}
	if err := writeKubeconfig(o.kubeconfig, plane.Kubeconfig()); err != nil {
		return errors.Join(err, plane.Stop())
	}
	stop, err := o.startNode(plane)
	if err != nil {
		return errors.Join(err, plane.Stop())
	}
	fmt.Println("ready")
	select {
	case <-ctx.Done():
	case <-plane.Done():
		// What Stop says about the dead part is what Err says.
	}
	return errors.Join(stop(), plane.Stop())
}

// startNode starts a node if there is a program for it, and returns what stops it.
func (o *order) startNode(plane *controlplane.ControlPlane) (stop func() error, err error) {
	if len(o.programs) == 0 {
		return func() error { return nil }, nil
	}
	n, err := fakekubelet.Start(fakekubelet.Options{
		Config: plane.RESTConfig(), Programs: o.programs, Log: os.Stderr, Arguments: fakekubelet.LeaseNamespace,
	})
	if err != nil {
		return nil, err
	}
	return n.Stop, nil
}

// findAssets leaves it to the environment where the programs are, if that says
// so.
func findAssets() (string, error) {
	if os.Getenv("KUBEBUILDER_ASSETS") != "" {
		return controlplane.FindAssets()
	}
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding the programs of the control plane: %w", err)
	}
	return filepath.Join(filepath.Dir(self), "k8s"), nil
}

// writeKubeconfig makes the file appear whole, and readable by its owner only:
// who polls for it never reads half of it.
func writeKubeconfig(path string, content []byte) error {
	// A temporary file has mode 0600.
	file, err := os.CreateTemp(filepath.Dir(path), ".kubeconfig-*")
	if err != nil {
		return fmt.Errorf("writing the kubeconfig: %w", err)
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("writing the kubeconfig: %w", errors.Join(err, os.Remove(file.Name())))
	}
	return nil
}
