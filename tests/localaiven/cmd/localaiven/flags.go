package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/aero-operator/aero/tests/localaiven"
)

type config struct {
	listen  string
	options localaiven.Options

	engines    string
	speed      float64
	level      slog.Level
	retryAfter bool
}

func parse(args []string) (config, error) {
	c := config{level: slog.LevelInfo}
	flags := flag.NewFlagSet("localaiven", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	c.serverFlags(flags)
	c.timeFlags(flags)
	c.accessFlags(flags)
	c.variantFlags(flags)
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			flags.SetOutput(os.Stderr)
			flags.Usage()
		}
		return c, err
	}
	if flags.NArg() > 0 {
		return c, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if err := c.check(); err != nil {
		return c, err
	}
	o := &c.options
	if c.speed != 1 {
		o.Clock = localaiven.NewFastClock(c.speed)
	}
	o.RateLimit.NoRetryAfter, o.RateLimit.Clock = !c.retryAfter, localaiven.NewFastClock(1) // clients wait by the machine's clock
	o.Log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: c.level}))
	var err error
	o.Engines, err = choose(c.engines)
	return c, err
}

func (c *config) serverFlags(flags *flag.FlagSet) {
	flags.StringVar(&c.listen, "listen", "127.0.0.1:18080", "Address to serve at; port 0 takes a free one.")
	flags.StringVar(&c.engines, "engines", "auto", "Engines to run: auto, none, or a list of "+names()+".")
	flags.StringVar(&c.options.DataDir, "data-dir", "", "Directory for the data of engines (default: a temporary one).")
	flags.TextVar(&c.level, "log-level", c.level, "Log level: debug, info, warn or error.")
}

func (c *config) timeFlags(flags *flag.FlagSet) {
	o := &c.options
	flags.DurationVar(&o.Latency, "latency", 0, "Time added to each call.")
	flags.DurationVar(&o.Jitter, "jitter", 0, "Random time up to this, added to each call besides.")
	flags.Float64Var(&c.speed, "speed", 1, "Speed of the clock that states change by; 1 is the machine's.")
	flags.DurationVar(&o.Eventual, "eventual", 0, "Lag of reads behind writes.")
	flags.DurationVar(&o.ProvisionTime, "provision-time", 2*time.Second, "Time until services and VPCs are ready, and until VPCs are deleted.")
	flags.DurationVar(&o.TopicTime, "topic-time", 0, "Time until Kafka topics and connectors are ready (default: a tenth of --provision-time).")
	flags.DurationVar(&o.IntegrationTime, "integration-time", 0, "Time until service integrations are active.")
	flags.DurationVar(&o.DatabaseTime, "database-time", 0, "Time until databases of ClickHouse are created, and removed.")
	flags.DurationVar(&o.ConnectTime, "connect-time", 0, "Time of 404 after the start of Kafka Connect, and of 409 after each change of a connector.")
	flags.DurationVar(&o.MembershipTime, "membership-time", 0, "Time that a new project's calls are refused with 403.")
}

func (c *config) accessFlags(flags *flag.FlagSet) {
	o := &c.options
	flags.Func("tokens", "Accepted tokens, each as TOKEN or USER=TOKEN (default: any, each with a user of its own).", into(&o.Tokens))
	flags.Func("projects", "Existing projects (default: any).", into(&o.Projects))
	flags.Func("foreign-projects", "Projects of other organizations: 403 for each call, and the names are taken.", into(&o.ForeignProjects))
	flags.BoolVar(&o.RefuseUserInfo, "refuse-user-info", false, "Refuse UserInfo with 403.")
	flags.IntVar(&o.RateLimit.Calls, "rate-limit", 0, "Calls that each user may make in a window; 0 sets no limit.")
	flags.DurationVar(&o.RateLimit.Window, "rate-window", time.Minute, "Window of --rate-limit.")
	flags.BoolVar(&c.retryAfter, "rate-retry-after", true, "Header Retry-After in answers with 429.")
}

func (c *config) variantFlags(flags *flag.FlagSet) {
	v := &c.options.Variants
	flags.Func("no-backups", "Types of services without backups, besides kafka_connect.", into(&v.NoBackups))
	flags.Func("null-connection-info", "Fields of connection_info that are null, or all for the whole of it.", into(&v.NullConnectionInfo))
	usage := "Behaviour that Aiven has in some cases only, a list of: " + strings.Join(localaiven.VariantNames(), ", ") + "."
	flags.Func("variants", usage, func(value string) error {
		for _, name := range list(value) {
			if err := v.Enable(name); err != nil {
				return err
			}
		}
		return nil
	})
}

func (c *config) check() error {
	o := &c.options
	switch {
	case min(o.Latency, o.Jitter, o.Eventual, o.ProvisionTime, o.TopicTime, o.IntegrationTime, o.ConnectTime, o.DatabaseTime, o.MembershipTime) < 0:
		return errors.New("--latency, --jitter, --eventual and the times must not be negative")
	case o.RateLimit.Calls < 0 || o.RateLimit.Window <= 0:
		return errors.New("--rate-limit must not be negative, and --rate-window must be greater than 0")
	case !(c.speed > 0):
		return errors.New("--speed must be greater than 0")
	}
	return nil
}

// into puts the entries of a list into a field.
func into(field *[]string) func(string) error {
	return func(value string) error {
		*field = list(value)
		return nil
	}
}

func list(value string) []string {
	if value == "" {
		return nil
	}
	return strings.Split(value, ",")
}
