// Package cli has the commands of kubectl aero: it reads the cluster with the caller's own permissions, and leaves to other packages what
// to make of it.
package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/cli-runtime/pkg/printers"
	"k8s.io/client-go/rest"

	"github.com/aero-operator/aero/cmd/kubectl-aero/internal/table"
)

// completer is the name under which kubectl calls a plugin to complete its arguments.
const completer = "kubectl_complete-aero"

// plugin is what the commands share.
type plugin struct {
	flags   *genericclioptions.ConfigFlags
	streams genericiooptions.IOStreams
	colored bool
	now     func() time.Time
	version string
	// speaking keeps lines whole.
	speaking sync.Mutex
}

// Main runs the program, and returns its exit code.
func Main(ctx context.Context, args []string, version string) int {
	utilruntime.ErrorHandlers = nil // what they log is returned, too
	p := &plugin{
		streams: genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr},
		colored: printers.AllowsColorOutput(os.Stdout), now: time.Now, version: version,
	}
	given := args[1:]
	if filepath.Base(args[0]) == completer {
		given = append([]string{cobra.ShellCompRequestCmd}, given...)
	}
	err := p.run(ctx, given)
	var client *exec.ExitError
	var coded codedError
	var status exitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &status):
		return int(status)
	case errors.As(err, &coded):
		_, _ = fmt.Fprintln(p.streams.ErrOut, describe(err))
		return coded.code
	case errors.As(err, &client):
		return exitCode(client) // it has reported its error itself
	default:
		_, _ = fmt.Fprintln(p.streams.ErrOut, describe(err))
		return 1
	}
}

// endedBySignal is what shells add to the number of a signal for the exit code of a program that it has ended.
const endedBySignal = 128

// exitCode is that of a client, as a shell reports it.
func exitCode(client *exec.ExitError) int {
	if status, ok := client.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return endedBySignal + int(status.Signal())
	}
	return client.ExitCode()
}

func (p *plugin) run(ctx context.Context, args []string) error {
	warnings := rest.NewWarningWriter(escaping{p.streams.ErrOut}, rest.WarningWriterOptions{Deduplicate: true}) // the default is a log
	p.flags = genericclioptions.NewConfigFlags(true).WithDiscoveryQPS(-1).WithWrapConfigFn(func(config *rest.Config) *rest.Config {
		config.QPS = -1 // the API server has priority and fairness; a limit of the client's own would only add latency
		config.UserAgent = "kubectl-aero/" + p.version
		config.WarningHandler = warnings
		return config
	})
	root := p.root() //nolint:contextcheck // the commands have the context of ExecuteContext
	root.SetArgs(args)
	begun := false
	root.PersistentPreRun = func(*cobra.Command, []string) { begun = true }
	err := root.ExecuteContext(ctx)
	if err != nil && !begun {
		return usageError{err}
	}
	return err
}

func (p *plugin) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "kubectl-aero",
		Short:         "Explains, reconciles and connects to the objects of aero",
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl aero"},
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetIn(p.streams.In)
	root.SetOut(p.streams.Out)
	root.SetErr(p.streams.ErrOut)
	p.flags.AddFlags(root.PersistentFlags())
	complete(root, "namespace", p.completeNamespaces)
	root.AddCommand(p.why(), p.tree(), p.pause(), p.resume(), p.reconcile(), p.connect(), p.diff(), p.approve(), p.export(), p.versionCommand())
	return root
}

func (p *plugin) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version of the plugin", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(p.streams.Out, "kubectl-aero", p.version)
			return err
		},
	}
}

// naming is of a command whose arguments name objects: its error has how.
func naming(args cobra.PositionalArgs) cobra.PositionalArgs {
	return func(command *cobra.Command, given []string) error {
		if args(command, given) != nil {
			return fmt.Errorf("name an object: %s", command.UseLine())
		}
		return nil
	}
}

// writer writes tables to the standard output.
func (p *plugin) writer() *table.Writer {
	return &table.Writer{Out: p.streams.Out, Colored: p.colored, Now: p.now()}
}

// complete adds the completion of a flag, which is one of the command's.
func complete(command *cobra.Command, flag string, values cobra.CompletionFunc) {
	if err := command.RegisterFlagCompletionFunc(flag, values); err != nil {
		panic(err)
	}
}
