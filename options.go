package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"runtime/debug"
	"strings"

	"go.uber.org/zap/zapcore"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/config"
	"github.com/aero-operator/aero/controllers/kinds"
	"github.com/aero-operator/aero/controllers/otlp"
)

// options is what the environment and the flags ask for.
type options struct {
	config.Config
	metrics        metricsOptions
	tracing        otlp.Options
	probes         string
	leaderElect    bool
	leaseNamespace string
	namespaces     []string

	referenceNamespaces []string // where the reference operator's lease is looked for; where there are rights to, if empty
	log                 zap.Options
}

// parse reads flags and environment; nil options without an error mean that the question is answered.
func parse(args []string) (*options, error) {
	o := &options{Config: config.Default()}
	fs := flag.NewFlagSet("manager", flag.ContinueOnError)
	o.metrics.bindFlags(fs)
	o.tracing.BindFlags(fs)
	fs.StringVar(&o.probes, "health-probe-bind-address", ":8081", "address of the health endpoints, 0 for none")
	fs.BoolVar(&o.leaderElect, "leader-elect", false, "let one of several replicas work")
	fs.StringVar(&o.leaseNamespace, "leader-election-namespace", "", "namespace of the lease, that of the pod if empty")
	fs.Func("reference-namespaces", "namespaces, separated by commas, to look for the lease of the reference operator in; "+
		"if empty, those of WATCHED_NAMESPACES and that of the pod, or all", func(list string) error {
		o.referenceNamespaces = names(list)
		return nil
	})
	showVersion := fs.Bool("version", false, "print the version and exit")
	o.BindFlags(fs, kindNames()...)
	o.log.BindFlags(fs)
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
	if *showVersion {
		fmt.Println(versionText())
		return nil, nil
	}
	return o, o.readEnvironment()
}

func (o *options) readEnvironment() error {
	o.DefaultToken = strings.TrimSpace(os.Getenv("DEFAULT_AIVEN_TOKEN"))
	o.AivenURL = os.Getenv("AIVEN_WEB_URL")
	o.UserAgent = "aero/" + version
	if u, err := url.Parse(o.AivenURL); err != nil || o.AivenURL != "" && (u.Host == "" || !strings.HasPrefix(u.Scheme, "http")) {
		return errors.New("AIVEN_WEB_URL is no base URL such as https://api.aiven.io")
	}
	o.namespaces = names(os.Getenv("WATCHED_NAMESPACES"))
	if level := os.Getenv("LOG_LEVEL"); level != "" && o.log.Level == nil {
		parsed, err := zapcore.ParseLevel(level)
		if err != nil {
			return fmt.Errorf("LOG_LEVEL %q is not one of debug, info, warn, error", level)
		}
		o.log.Level = parsed
	}
	if err := o.metrics.validate(); err != nil {
		return err
	}
	if err := o.tracing.Validate(); err != nil {
		return err
	}
	return o.Validate()
}

func kindNames() (all []string) {
	for _, kind := range kinds.All() {
		all = append(all, controllers.KindName(kind))
	}
	return all
}

// names are those in a list with commas.
func names(list string) (all []string) {
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			all = append(all, name)
		}
	}
	return all
}

func watched(namespaces []string) map[string]cache.Config {
	if len(namespaces) == 0 {
		return nil
	}
	out := map[string]cache.Config{}
	for _, name := range namespaces {
		out[name] = cache.Config{}
	}
	return out
}

func versionText() string {
	info, _ := debug.ReadBuildInfo()
	return fmt.Sprintf("aero %s (%s)", version, info.GoVersion)
}
