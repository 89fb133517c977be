package testenv

import (
	"context"
	"flag"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/config"
	"github.com/aero-operator/aero/internal/informers"
	"github.com/aero-operator/aero/internal/startup"
)

const (
	defaultDivisor = 200
	// faster is how much more often than that an object is polled: tests that prove that nothing happens wait for polls.
	faster = 3
	// concluded is what the engine logs at the end of each reconcile.
	concluded = `"Concluded"`
	// longer than any test.
	never = time.Hour
)

// OnlyWatches is a Config for tests that prove that something is noticed at once: no timer would ever notice it.
// What Aiven itself works on is still polled often.
func OnlyWatches(c *config.Config) {
	c.Poll, c.RequeueDependency, c.RecheckExhausted = never, never, never
	c.ProgressDeadline = 2 * never
}

// Operator is the operator of one test, running in the test's process. It sees the objects of one namespace.
type Operator struct {
	env    *Env
	config config.Config
	log    *logBook
	kinds  []string // that the test has named

	transport func(http.RoundTripper) http.RoundTripper

	stop    context.CancelFunc
	stopped chan error
	cache   cache.Cache
}

func newOperator(e *Env, o Options) *Operator {
	divisor := o.Divisor
	if divisor == 0 {
		divisor = defaultDivisor
	}
	c := scaled(e, divisor)
	c.AivenURL, c.UserAgent, c.OperatorNamespace = e.Aiven.URL, "aero-test", e.Second
	if o.Traced {
		e.spans = tracetest.NewSpanRecorder()
		c.Tracing = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(e.spans))
	}
	if o.Config != nil {
		o.Config(&c)
	}
	op := &Operator{env: e, config: c, log: &logBook{}, kinds: o.Kinds, transport: o.Transport}
	op.config.WatchedNamespaces = slices.Sorted(maps.Keys(op.namespaces()))
	cleanup(e.T, op.Stop)
	return op
}

// scaled is the default configuration with every timing divided, but for the deadline of a call: it doesn't get faster. Polls
// are divided once more.
func scaled(e *Env, divisor int) config.Config {
	c := config.Default()
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	c.BindFlags(flags)
	flags.VisitAll(func(f *flag.Flag) {
		getter, readable := f.Value.(flag.Getter)
		if !readable || f.Name == "aiven-timeout" {
			return
		}
		if d, isDuration := getter.Get().(time.Duration); isDuration {
			require.NoError(e.T, f.Value.Set((d / time.Duration(divisor)).String()))
		}
	})
	c.Poll /= faster
	c.Workers = 8 // the race detector makes each of them dear, and tests have few objects
	// These have no flags.
	c.QuietWait /= time.Duration(divisor)
	c.FirstStatus /= time.Duration(divisor)
	c.EventDelay /= time.Duration(divisor)
	c.ListInterval = c.WatchInterval
	return c
}

// Config is what the operator runs with.
func (o *Operator) Config() config.Config { return o.config }

// Start starts the operator, and returns once it watches.
func (o *Operator) Start() {
	t := o.env.T
	t.Helper()
	require.NotEmpty(t, o.kinds, "name the kinds that the test needs in Options.Kinds; testenv.KindNames() are all of them")
	skip := true
	config := o.env.RESTConfig()
	config.UserAgent = o.UserAgent()
	if o.transport != nil {
		config.Wrap(o.transport)
	}
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:   o.env.Client.Scheme(),
		Logger:   o.log.logger(),
		Metrics:  metricsserver.Options{BindAddress: "0"},
		NewCache: informers.NewCache,
		// All operators of the process see the same API.
		MapperProvider: func(*rest.Config, *http.Client) (meta.RESTMapper, error) { return o.env.Client.RESTMapper(), nil },
		Cache:          cache.Options{DefaultNamespaces: o.namespaces(), ByObject: o.cachedObjects()},
		// The operators of many tests live in one process.
		Controller: ctrlconfig.Controller{SkipNameValidation: &skip},
	})
	require.NoError(t, err)
	require.NoError(t, controllers.Setup(mgr, o.config, o.env.kinds...))
	ctx, cancel := context.WithCancel(context.Background())
	o.stop, o.stopped, o.cache = cancel, make(chan error, 1), mgr.GetCache()
	go func() { o.stopped <- mgr.Start(ctx) }()
	require.True(t, mgr.GetCache().WaitForCacheSync(ctx), "the operator's cache must fill")
}

// cachedObjects are cached as the program does it.
func (o *Operator) cachedObjects() map[client.Object]cache.ByObject {
	objects := []runtime.Object{&aero.ConnectionSecret{}, &aero.ServiceUserRotation{}}
	for _, kind := range o.env.kinds {
		objects = append(objects, kind.GetObject())
	}
	return startup.CachedObjects(objects, controllers.FieldManager)
}

func (o *Operator) namespaces() map[string]cache.Config {
	all := map[string]cache.Config{o.env.Namespace: {}}
	if o.env.Second != "" {
		all[o.env.Second] = cache.Config{}
	}
	for _, namespace := range o.env.Tenants {
		all[namespace] = cache.Config{}
	}
	return all
}

// UserAgent is how the audit log names the operator of this test.
func (o *Operator) UserAgent() string { return "operator-of-" + o.env.Namespace }

// Stop ends the operator and waits until it is gone. Another Start is a restart.
func (o *Operator) Stop() {
	if o.stop == nil {
		return
	}
	o.stop()
	o.stop = nil
	require.NoError(o.env.T, <-o.stopped)
}

// Restart stops the operator and starts another one, which knows nothing of the first.
func (o *Operator) Restart() {
	o.env.T.Helper()
	o.Stop()
	o.Start()
}

// Reconciles is how many reconciles have ended since the test began.
func (o *Operator) Reconciles() int { return o.log.count(concluded) }

// Log is what the operator has logged, a line an entry.
func (o *Operator) Log() []string { return o.log.all() }

// logBook keeps the lines of a log.
type logBook struct {
	mu    sync.Mutex
	lines []string
}

func (b *logBook) logger() logr.Logger {
	return funcr.New(func(prefix, args string) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.lines = append(b.lines, strings.TrimSpace(prefix+" "+args))
	}, funcr.Options{Verbosity: 1, LogTimestamp: true, TimestampFormat: "15:04:05.000"})
}

func (b *logBook) all() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.lines...)
}

func (b *logBook) count(part string) int {
	n := 0
	for _, line := range b.all() {
		if strings.Contains(line, part) {
			n++
		}
	}
	return n
}
