// Package config is how the engine is set up: its flags, their defaults, and which values can't be right.
package config

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/trace"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/credentials"
	"github.com/aero-operator/aero/controllers/internal/namespace"
	"github.com/aero-operator/aero/controllers/internal/policy"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// Config is the engine's configuration. The zero value of a field is not a default: start from Default.
type Config struct {
	AivenURL     string // base URL of the Aiven API, "" for the public one
	DefaultToken string // token of objects that name none, "" for none
	// DefaultTokenFile has it instead, and is read again when it changes. If it is optional, it may be missing.
	DefaultTokenFile     string
	DefaultTokenOptional bool
	defaultToken         *credentials.Default // of the file
	// DefaultTokenFor are the Namespaces whose objects may use it.
	DefaultTokenFor      namespace.Selector
	DefaultTokenFallback bool                 // also for objects taken over from aiven-operator that name a Secret that doesn't exist
	UserAgent            string               // User-Agent header of calls to Aiven
	Tracing              trace.TracerProvider // of OpenTelemetry, nil for none

	CallTimeout time.Duration // deadline of one call to Aiven
	QPS         float64       // calls a second for the tokens of one Aiven user, 0 for no limit
	Burst       int           // calls at once for the tokens of one Aiven user

	status.Timings
	WatchInterval  time.Duration // between two lists of a project's services
	WatchUnsettled time.Duration // the shortest between two reads of a service that Aiven works on
	ReadLag        time.Duration // time after a write in which Aiven may return the previous state
	RateWindow     time.Duration // over which Aiven counts the calls of a user
	ListInterval   time.Duration // between two reads of a list outside of services, 0 for WatchInterval
	EventDelay     time.Duration // for which events are held back, behind statuses; those of one object become one
	BackoffMin     time.Duration // first delay after an error; Timings has the longest

	WatchedNamespaces []string // none for all
	ClusterScope      bool     // Namespaces are read, whose annotations are settings, and CRDs
	OperatorNamespace string   // which has the token Secrets that Namespaces name, "" for none

	// ConfirmDataLoss makes what loses data need consent, in an annotation: see policy.MayLoseData.
	ConfirmDataLoss bool
	AdoptionPolicy  string // what becomes of resources that exist and that an object doesn't own: see package policy
	RecreatePolicy  string // whether what held data is created again
	ChangePolicy    string // which changes wait for approval

	NoCrossNamespaceRefs  bool // references don't lead to other namespaces
	MetricsNamespaceLabel bool // objects are counted by namespace

	Workers     int            // concurrent reconciles of one kind
	KindWorkers map[string]int // exceptions, by the kind's name in lower case
}

// Default is the configuration without flags.
func Default() Config {
	return Config{
		CallTimeout: 20 * time.Second, QPS: 100, Burst: 500,
		Timings: status.Timings{
			Poll: 10 * time.Minute, RequeueAsync: 10 * time.Second, RequeueDependency: 30 * time.Second, QuietWait: 30 * time.Second,
			FirstStatus: 2 * time.Second, BackoffMax: 5 * time.Minute, Degradation: 10 * time.Second, AuthGrace: time.Minute,
			ProgressDeadline: 30 * time.Minute, RecheckExhausted: 5 * time.Minute, ExpiryWarning: 30 * 24 * time.Hour,
		},
		WatchInterval: time.Minute, WatchUnsettled: time.Second, ReadLag: 2 * time.Second, RateWindow: time.Minute,
		EventDelay: time.Second, BackoffMin: 5 * time.Second,
		DefaultTokenFallback: true, ClusterScope: true,
		AdoptionPolicy: policy.Never, RecreatePolicy: policy.Never, ChangePolicy: policy.Auto, ConfirmDataLoss: true,
		Workers: 16, KindWorkers: map[string]int{},
	}
}

// durations are the timings with the names of their flags.
func (c *Config) durations() []namedDuration {
	return []namedDuration{
		{"poll-interval", "Interval between reconciliations of objects in sync, with 10 % jitter.", &c.Poll},
		{"watch-interval", "Interval between lists of all services of an Aiven project.", &c.WatchInterval},
		{"watch-unsettled", "Shortest interval between reads of a service while Aiven builds or changes it.", &c.WatchUnsettled},
		{"aiven-lag", "Time after a write in which Aiven may return the previous state.", &c.ReadLag},
		{"requeue-async", "Interval between reconciliations while Aiven works on the resource.", &c.RequeueAsync},
		{"requeue-dependency", "Interval between reconciliations while a dependency isn't ready.", &c.RequeueDependency},
		{"backoff-min", "First delay after an error.", &c.BackoffMin},
		{"backoff-max", "Longest delay after repeated errors.", &c.BackoffMax},
		{"degradation-threshold", "Time for which errors of the Aiven API are tolerated before an object is Degraded.", &c.Degradation},
		{"auth-grace", "Time for which a 403 is taken for a lag of Aiven's access control.", &c.AuthGrace},
		{"progress-deadline", "Time after which a change that isn't complete makes an object Degraded. An edit starts it again.", &c.ProgressDeadline},
		{"recheck-exhausted", "Interval between attempts after Aiven refused a call for quota, billing or authentication.", &c.RecheckExhausted},
		{"expiry-warning", "Time before the end of a certificate in a connection Secret from which on the object has the condition CredentialsExpiring.", &c.ExpiryWarning},
		{"aiven-timeout", "Deadline of one call to Aiven.", &c.CallTimeout},
	}
}

type namedDuration struct {
	name, usage string
	value       *time.Duration
}

// BindFlags adds the engine's flags, with the present values as defaults. Kinds are their names in lower case.
func (c *Config) BindFlags(fs *flag.FlagSet, kinds ...string) {
	for _, d := range c.durations() {
		fs.DurationVar(d.value, d.name, *d.value, d.usage)
	}
	fs.Float64Var(&c.QPS, "aiven-qps", c.QPS, "Maximum number of calls to Aiven per second for the tokens of one Aiven user, lowered while Aiven throttles. 0 means unlimited.")
	fs.IntVar(&c.Burst, "aiven-burst", c.Burst, "Maximum number of calls to Aiven at once for the tokens of one Aiven user, with --aiven-qps.")
	fs.StringVar(&c.DefaultTokenFile, "default-token-file", c.DefaultTokenFile, "File with the token for objects that name none, instead of "+
		"DEFAULT_AIVEN_TOKEN. Read again when it changes.")
	fs.BoolVar(&c.DefaultTokenOptional, "default-token-optional", c.DefaultTokenOptional, "Startup without a default token while --default-token-file "+
		"doesn't exist.")
	fs.Func("default-token-namespaces", "Namespaces whose objects may use the default token, separated by commas. Defaults to all; an empty list means none.", func(list string) error {
		c.DefaultTokenFor.Names = strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
		return nil
	})
	fs.Func("default-token-namespace-selector", "Label selector of further namespaces whose objects may use the default token. Defaults to all, or to "+
		"none with --default-token-namespaces.", func(selector string) (err error) {
		c.DefaultTokenFor.Labels = nil
		if selector != "" { // which would select all
			c.DefaultTokenFor.Labels, err = labels.Parse(selector)
		}
		return err
	})
	fs.BoolVar(&c.DefaultTokenFallback, "default-token-fallback", c.DefaultTokenFallback, "Use of the default token by objects taken over from "+
		"aiven-operator that name a Secret that doesn't exist, as that operator does.")
	fs.StringVar(&c.AdoptionPolicy, "adoption-policy", c.AdoptionPolicy, "Policy for resources that exist at Aiven and that their objects didn't create, "+
		"unless an annotation says otherwise: Never (leave them alone), Adopt (manage them, create none) or AdoptOrCreate.")
	fs.StringVar(&c.RecreatePolicy, "recreate-policy", c.RecreatePolicy, "Policy for resources that hold data and are missing after they were ready, "+
		"unless an annotation says otherwise: Never, or Always (create them again, empty).")
	fs.StringVar(&c.ChangePolicy, "change-policy", c.ChangePolicy, "Changes of resources at Aiven that wait for approval, unless an annotation says "+
		"otherwise: Auto (none), HoldDisruptive (those that may disturb their users) or HoldAll.")
	fs.BoolVar(&c.ConfirmDataLoss, "confirm-data-loss", c.ConfirmDataLoss, "Requirement of an annotation that confirms a change of the spec that loses data, "+
		"such as powering off Kafka. aiven-operator requires none.")
	fs.BoolVar(&c.NoCrossNamespaceRefs, "no-cross-namespace-refs", c.NoCrossNamespaceRefs, "Refusal of references of the kinds of aiven.io to objects in other namespaces, such as "+
		"spec.projectVPCRef.namespace.")
	fs.BoolVar(&c.MetricsNamespaceLabel, "metrics-namespace-label", c.MetricsNamespaceLabel, "Label object_namespace of the metrics aero_objects and "+
		"aero_unready_since_timestamp_seconds. Multiplies their series by the number of namespaces.")
	fs.IntVar(&c.Workers, "workers", c.Workers, "Number of concurrent reconciliations for each kind. One namespace gets half of them at most.")
	for _, kind := range kinds {
		fs.Func("workers-"+kind, "Number of concurrent reconciliations of this kind. Defaults to --workers.", func(value string) error {
			n, err := positive(value)
			c.KindWorkers[kind] = n
			return err
		})
	}
}

// Validate returns an error that names the first invalid value.
func (c *Config) Validate() error {
	for _, d := range c.durations() {
		if *d.value <= 0 {
			return fmt.Errorf("--%s must be positive, not %s", d.name, *d.value)
		}
	}
	adoptions, recreations := []string{policy.Never, policy.Adopt, policy.AdoptOrCreate}, []string{policy.Never, policy.Always}
	switch {
	case !slices.Contains(adoptions, c.AdoptionPolicy):
		return fmt.Errorf("--adoption-policy must be one of %s, not %q", strings.Join(adoptions, ", "), c.AdoptionPolicy)
	case !slices.Contains(recreations, c.RecreatePolicy):
		return fmt.Errorf("--recreate-policy must be one of %s, not %q", strings.Join(recreations, ", "), c.RecreatePolicy)
	case !slices.Contains(policy.Changes(), c.ChangePolicy):
		return fmt.Errorf("--change-policy must be one of %s, not %q", strings.Join(policy.Changes(), ", "), c.ChangePolicy)
	case c.Workers < 1:
		return fmt.Errorf("--workers must be at least 1, not %d", c.Workers)
	case c.DefaultTokenFor.Labels != nil && !c.ClusterScope:
		return errors.New("--default-token-namespace-selector needs the labels of namespaces, which an operator with WATCHED_NAMESPACES doesn't read: " +
			"use --default-token-namespaces")
	case c.QPS < 0:
		return fmt.Errorf("--aiven-qps must not be negative, not %g", c.QPS)
	case c.QPS > 0 && c.Burst < 1:
		return errors.New("--aiven-burst must be at least 1 when --aiven-qps is set")
	case c.BackoffMax < c.BackoffMin:
		return fmt.Errorf("--backoff-max (%s) must not be shorter than --backoff-min (%s)", c.BackoffMax, c.BackoffMin)
	}
	return nil
}

// Watches reports whether the operator watches a namespace.
func (c *Config) Watches(namespace string) bool {
	return len(c.WatchedNamespaces) == 0 || slices.Contains(c.WatchedNamespaces, namespace)
}

// WorkersFor is the number of concurrent reconciles of a kind, which is its name in lower case.
func (c *Config) WorkersFor(kind string) int {
	if n, set := c.KindWorkers[kind]; set {
		return n
	}
	return c.Workers
}

// Aiven has what clients of Aiven are made with.
func (c *Config) Aiven() aiven.Options {
	return aiven.Options{
		BaseURL: c.AivenURL, UserAgent: c.UserAgent, Timeout: c.CallTimeout, QPS: c.QPS, Burst: c.Burst, Tracing: c.Tracing,
		WatchInterval: c.WatchInterval, UnsettledInterval: c.WatchUnsettled, ReadLag: c.ReadLag,
		RateWindow: c.RateWindow, ListInterval: c.ListInterval,
	}
}

// Policies are those of objects whose Namespace sets none.
func (c *Config) Policies() policy.Defaults {
	return policy.Defaults{Adoption: c.AdoptionPolicy, Recreate: c.RecreatePolicy, Change: c.ChangePolicy, LosesData: !c.ConfirmDataLoss}
}

// Backoff returns how long an object waits after each error in a row.
func (c *Config) Backoff() workqueue.TypedRateLimiter[reconcile.Request] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](c.BackoffMin, c.BackoffMax)
}

func positive(value string) (int, error) {
	n, err := strconv.Atoi(value)
	if err == nil && n < 1 {
		err = fmt.Errorf("must be at least 1, not %d", n)
	}
	return n, err
}
