// Command localaiven serves a local Aiven until SIGTERM or SIGINT. See package localaiven.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/aero-operator/aero/tests/localaiven"
	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/clickhouse"
	"github.com/aero-operator/aero/tests/localaiven/engine/kafka"
	"github.com/aero-operator/aero/tests/localaiven/engine/mysql"
	"github.com/aero-operator/aero/tests/localaiven/engine/postgres"
	"github.com/aero-operator/aero/tests/localaiven/engine/valkey"
)

// shutdownTime is what calls in flight get to finish.
const shutdownTime = 2 * time.Second

// engines are all there are, by their names on the command line.
var engines = map[string]func() engine.Engine{
	"clickhouse": func() engine.Engine { return clickhouse.New() },
	"kafka":      func() engine.Engine { return kafka.New() },
	"mysql":      func() engine.Engine { return mysql.New() },
	"postgresql": func() engine.Engine { return postgres.New() },
	"valkey":     func() engine.Engine { return valkey.New() },
}

type config struct {
	listen  string
	options localaiven.Options
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "localaiven:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	c, err := parse(args)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", c.listen)
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	aiven, err := localaiven.New(c.options)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	server := &http.Server{Handler: aiven, ReadHeaderTimeout: 10 * time.Second}
	telling, quiet := context.WithCancel(ctx)
	defer quiet()
	go (&progress{log: c.options.Log}).follow(telling, aiven.Services)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	if _, err := fmt.Fprintf(out, "ready http://%s\n", listener.Addr()); err != nil {
		return fmt.Errorf("saying ready: %w", err)
	}
	select {
	case err := <-served:
		return errors.Join(fmt.Errorf("serving: %w", err), aiven.Close())
	case <-ctx.Done():
	}
	return errors.Join(shutdown(server), aiven.Close())
}

// shutdown ends the calls that take too long, such as those that a fault holds.
func shutdown(server *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTime)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return server.Close()
	}
	return nil
}

func parse(args []string) (config, error) {
	var c config
	o := &c.options
	var tokens, projects, engineNames string
	speed, level, retryAfter := 1.0, slog.LevelInfo, true
	flags := flag.NewFlagSet("localaiven", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&c.listen, "listen", "127.0.0.1:18080", "address to serve at; port 0 takes a free one")
	flags.DurationVar(&o.Latency, "latency", 0, "added to each call")
	flags.DurationVar(&o.Jitter, "jitter", 0, "anything up to this is added to each call besides")
	flags.IntVar(&o.RateLimit.Calls, "rate-limit", 0, "calls that each user may make in a window; 0 sets no limit")
	flags.DurationVar(&o.RateLimit.Window, "rate-window", time.Minute, "window of --rate-limit")
	flags.BoolVar(&retryAfter, "rate-retry-after", true, "send the header Retry-After with 429")
	flags.Float64Var(&speed, "speed", 1, "how many times as fast as a clock the states of services, topics and VPCs change")
	flags.DurationVar(&o.Eventual, "eventual", 0, "how far reads of services, and of what is inside, lag behind changes")
	flags.DurationVar(&o.ProvisionTime, "provision-time", 2*time.Second, "how long services and VPCs take to be ready, and VPCs to go")
	flags.DurationVar(&o.TopicTime, "topic-time", 0, "how long Kafka topics take to be ready (default: a tenth of --provision-time)")
	flags.StringVar(&engineNames, "engines", "auto", "auto, none, or a list: "+names())
	flags.StringVar(&o.DataDir, "data-dir", "", "where engines keep their data (default: a temporary directory)")
	flags.StringVar(&tokens, "tokens", "", "accepted tokens, each as TOKEN or USER=TOKEN (default: any, each with a user of its own)")
	flags.BoolVar(&o.RefuseUserInfo, "refuse-user-info", false, "refuse UserInfo with 403")
	flags.StringVar(&projects, "projects", "", "existing projects (default: any)")
	flags.TextVar(&level, "log-level", level, "debug, info, warn or error")
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
	if min(o.Latency, o.Jitter, o.Eventual, o.ProvisionTime, o.TopicTime) < 0 {
		return c, errors.New("--latency, --jitter, --eventual, --provision-time and --topic-time must not be negative")
	}
	if o.RateLimit.Calls < 0 || o.RateLimit.Window <= 0 {
		return c, errors.New("--rate-limit must not be negative, and --rate-window must be greater than 0")
	}
	if !(speed > 0) {
		return c, errors.New("--speed must be greater than 0")
	}
	if speed != 1 {
		o.Clock = localaiven.NewFastClock(speed)
	}
	o.RateLimit.NoRetryAfter, o.RateLimit.Clock = !retryAfter, localaiven.NewFastClock(1) // clients wait by the machine's clock
	o.Tokens, o.Projects = list(tokens), list(projects)
	o.Log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
	var err error
	o.Engines, err = choose(engineNames)
	return c, err
}

func names() string { return strings.Join(slices.Sorted(maps.Keys(engines)), ",") }

func list(value string) []string {
	if value == "" {
		return nil
	}
	return strings.Split(value, ",")
}

// choose returns the engines of a flag's value. One that was asked for by name must be available; auto takes what there is.
func choose(value string) ([]engine.Engine, error) {
	var chosen []engine.Engine
	switch value {
	case "none":
		return nil, nil
	case "auto":
		for _, name := range slices.Sorted(maps.Keys(engines)) {
			chosen = append(chosen, engines[name]())
		}
		return chosen, nil
	}
	for _, name := range list(value) {
		create, ok := engines[name]
		if !ok {
			return nil, fmt.Errorf("unknown engine %q in --engines: have auto, none, %s", name, names())
		}
		e := create()
		if err := e.Available(); err != nil {
			return nil, fmt.Errorf("engine %s: %w", name, err)
		}
		chosen = append(chosen, e)
	}
	return chosen, nil
}
