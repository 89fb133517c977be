package controllers

import (
	"errors"
	"flag"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/trace"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/controllers/internal/status"
)

// Config is how the engine is set up. The zero value of a field is not a default: start from DefaultConfig.
type Config struct {
	AivenURL     string               // base URL of the Aiven API, "" for the public one
	DefaultToken string               // token of objects that name none, "" for none
	UserAgent    string               // what calls to Aiven identify themselves as
	Tracing      trace.TracerProvider // of OpenTelemetry, nil for none

	CallTimeout time.Duration // deadline of one call to Aiven
	QPS         float64       // calls a second for each token, 0 for no limit
	Burst       int           // calls at once for each token

	PollInterval      time.Duration
	WatchInterval     time.Duration
	WatchUnsettled    time.Duration
	ReadLag           time.Duration
	RequeueAsync      time.Duration
	RequeueDependency time.Duration
	QuietWait         time.Duration // no flag: a shorter wait has no event
	BackoffMin        time.Duration
	BackoffMax        time.Duration
	Degradation       time.Duration
	AuthGrace         time.Duration
	ProgressDeadline  time.Duration
	RecheckExhausted  time.Duration

	Workers    int            // objects of one kind that are worked on at once
	WorkersFor map[string]int // the same for one kind, by its name in lower case
}

// DefaultConfig is what the operator runs with when nothing else is asked for.
func DefaultConfig() Config {
	return Config{
		CallTimeout: 20 * time.Second, QPS: 100, Burst: 500,
		PollInterval: 10 * time.Minute, WatchInterval: time.Minute, WatchUnsettled: 2 * time.Second, ReadLag: 2 * time.Second,
		RequeueAsync: 10 * time.Second, RequeueDependency: 30 * time.Second, QuietWait: 30 * time.Second,
		BackoffMin: 5 * time.Second, BackoffMax: 5 * time.Minute, Degradation: 10 * time.Second,
		AuthGrace: time.Minute, ProgressDeadline: 30 * time.Minute, RecheckExhausted: 5 * time.Minute,
		Workers: 8, WorkersFor: map[string]int{},
	}
}

// durations are the timings with the names of their flags.
func (c *Config) durations() []namedDuration {
	return []namedDuration{
		{"poll-interval", "time between two looks at something in sync, give or take a tenth", &c.PollInterval},
		{"watch-interval", "time between two looks at all services of a project", &c.WatchInterval},
		{"watch-unsettled", "the same while Aiven works on one of them", &c.WatchUnsettled},
		{"aiven-lag", "how long after a write Aiven may still show what was before", &c.ReadLag},
		{"requeue-async", "time between two looks while Aiven works on something", &c.RequeueAsync},
		{"requeue-dependency", "time between two looks while something else isn't ready", &c.RequeueDependency},
		{"backoff-min", "first delay after an error", &c.BackoffMin},
		{"backoff-max", "longest delay after repeated errors", &c.BackoffMax},
		{"degradation-threshold", "how long trouble with Aiven is tolerated before an object is Degraded", &c.Degradation},
		{"auth-grace", "how long a 403 may be a lag in Aiven's access control", &c.AuthGrace},
		{"progress-deadline", "after which a change that isn't done is Degraded", &c.ProgressDeadline},
		{"recheck-exhausted", "time between two tries after a refusal for quota, billing or authentication", &c.RecheckExhausted},
		{"aiven-timeout", "deadline of one call to Aiven", &c.CallTimeout},
	}
}

type namedDuration struct {
	name, usage string
	value       *time.Duration
}

// BindFlags adds the engine's flags, with the present values as defaults.
func (c *Config) BindFlags(fs *flag.FlagSet, kinds ...Registration) {
	for _, d := range c.durations() {
		fs.DurationVar(d.value, d.name, *d.value, d.usage)
	}
	fs.Float64Var(&c.QPS, "aiven-qps", c.QPS, "most calls to Aiven a second for each token, less while Aiven asks for it, 0 for no limit")
	fs.IntVar(&c.Burst, "aiven-burst", c.Burst, "calls to Aiven at once for each token, with --aiven-qps")
	fs.IntVar(&c.Workers, "workers", c.Workers, "objects of one kind that are worked on at once")
	for _, kind := range kinds {
		name := kindName(kind.GetObject())
		fs.Func("workers-"+name, "the same for this kind alone", func(value string) error {
			n, err := positive(value)
			c.WorkersFor[name] = n
			return err
		})
	}
}

// Validate names the first value that can't be right.
func (c *Config) Validate() error {
	for _, d := range c.durations() {
		if *d.value <= 0 {
			return fmt.Errorf("--%s must be positive, not %s", d.name, *d.value)
		}
	}
	switch {
	case c.Workers < 1:
		return fmt.Errorf("--workers must be at least 1, not %d", c.Workers)
	case c.QPS < 0:
		return fmt.Errorf("--aiven-qps must not be negative, not %g", c.QPS)
	case c.QPS > 0 && c.Burst < 1:
		return errors.New("--aiven-burst must be at least 1 when --aiven-qps is set")
	case c.BackoffMax < c.BackoffMin:
		return fmt.Errorf("--backoff-max (%s) must not be shorter than --backoff-min (%s)", c.BackoffMax, c.BackoffMin)
	}
	return nil
}

func (c *Config) workersFor(kind string) int {
	if n, set := c.WorkersFor[kind]; set {
		return n
	}
	return c.Workers
}

func (c *Config) timings() status.Timings {
	return status.Timings{
		Poll: c.PollInterval, RequeueAsync: c.RequeueAsync, RequeueDependency: c.RequeueDependency, QuietWait: c.QuietWait,
		BackoffMax: c.BackoffMax, Degradation: c.Degradation, AuthGrace: c.AuthGrace,
		ProgressDeadline: c.ProgressDeadline, RecheckExhausted: c.RecheckExhausted,
	}
}

// backoff says how long an object waits after each error in a row.
func (c Config) backoff() workqueue.TypedRateLimiter[reconcile.Request] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](c.BackoffMin, c.BackoffMax)
}
