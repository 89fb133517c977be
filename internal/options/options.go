// Package options has the operator's configuration: flags and environment variables.
package options

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/go-logr/logr"
	"go.uber.org/zap/zapcore"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/aero-operator/aero/controllers/config"
	"github.com/aero-operator/aero/controllers/kinds"
	"github.com/aero-operator/aero/controllers/otlp"
	"github.com/aero-operator/aero/internal/metricsserver"
	"github.com/aero-operator/aero/internal/startup"
)

// Options of the operator.
type Options struct {
	config.Config
	Metrics metricsserver.Options
	Traces  otlp.Options
	Startup startup.Options

	allowInsecureURL bool
	showVersion      bool
	log              zap.Options
}

// Parse reads flags and environment of a version of the operator. Nil without an error means that a flag such as --help has
// been answered.
func Parse(args []string, version string) (*Options, error) {
	o := &Options{Config: config.Default()}
	fs := flag.NewFlagSet("manager", flag.ContinueOnError)
	o.bindFlags(fs)
	fs.SetOutput(io.Discard)
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fs.SetOutput(os.Stdout)
		fs.PrintDefaults()
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%w (--help lists the flags)", err)
	}
	if fs.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q: flags start with --", fs.Arg(0))
	}
	if o.showVersion {
		fmt.Println(versionText(version))
		return nil, nil
	}
	o.UserAgent = "aero/" + version
	return o, o.readEnvironment()
}

func (o *Options) bindFlags(fs *flag.FlagSet) {
	o.Metrics.BindFlags(fs)
	o.Traces.BindFlags(fs)
	o.Startup.BindFlags(fs)
	fs.BoolVar(&o.allowInsecureURL, "allow-insecure-aiven-url", false, "Acceptance of an AIVEN_WEB_URL with a path, "+
		"or with http and a host that isn't loopback. Over http, tokens are sent unencrypted.")
	fs.BoolVar(&o.showVersion, "version", false, "Version of the operator, printed instead of running it.")
	o.BindFlags(fs, kinds.Names()...)
	o.log.BindFlags(fs)
}

// readEnvironment reads the environment, and checks it together with the flags.
func (o *Options) readEnvironment() error {
	o.DefaultToken = strings.TrimSpace(os.Getenv("DEFAULT_AIVEN_TOKEN"))
	o.AivenURL = os.Getenv("AIVEN_WEB_URL")
	if level := os.Getenv("LOG_LEVEL"); level != "" && o.log.Level == nil {
		parsed, err := zapcore.ParseLevel(level)
		if err != nil {
			return fmt.Errorf("LOG_LEVEL %q is not one of debug, info, warn, error", level)
		}
		o.log.Level = parsed
	}
	for _, check := range []func() error{o.checkURL, o.Metrics.Validate, o.Traces.Validate, o.Startup.Complete, o.completeNamespaces, o.ReadDefaultToken, o.Validate} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// completeNamespaces takes over what is known of the operator's own namespace. With permissions in some namespaces only, it can't read
// what the Namespaces set.
func (o *Options) completeNamespaces() error {
	o.OperatorNamespace, o.WatchedNamespaces = o.Startup.LeaseNamespace, o.Startup.Namespaces
	o.ClusterScope = len(o.WatchedNamespaces) == 0
	return nil
}

// Logger is the operator's logger, as the flags of zap have it. Without one that asks for them, errors have no stack traces: those of a
// reconcile end in the work queue, wherever they come from, and a reason for not being ready is one line. There is one for the whole
// program: each has counters of repeated messages, which take half a megabyte.
func (o *Options) Logger() logr.Logger {
	return zap.New(zap.UseFlagOptions(&o.log), func(z *zap.Options) {
		if z.StacktraceLevel == nil && !z.Development {
			z.StacktraceLevel = zapcore.PanicLevel
		}
	})
}

func versionText(version string) string {
	info, _ := debug.ReadBuildInfo()
	return fmt.Sprintf("aero %s (%s)", version, info.GoVersion)
}
