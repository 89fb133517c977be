package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/tests/localaiven/admin"
	"github.com/aero-operator/aero/tests/localaiven/lockeddir"
	"github.com/aero-operator/aero/tests/localaiven/process"
)

const (
	// waitTimeout is how long anything may take before the bench gives up.
	waitTimeout = 2 * time.Minute
	// stopTime is what a program gets for a clean end.
	stopTime = 15 * time.Second
	// tick is the pause between two checks of what is being waited for.
	tick = 100 * time.Millisecond

	token = "token-of-the-bench"
)

var (
	crdFolder     = filepath.Join("config", "crd", "bases")
	exampleFolder = filepath.Join("docs", "examples")
)

// world is what is measured: the programs, and the clients of them.
type world struct {
	options
	*report
	scratch *lockeddir.Folder
	// fail ends the run, with the reason.
	fail context.CancelCauseFunc

	plane, aiven, operator *process.Program // nil until they are started
	planes                 int              // how many control planes were started
	wire                   *wire            // from the operator to the local Aiven

	kube    client.WithWatch
	admin   *admin.Client
	audit   auditLog
	metrics string // URL of the operator's
	curves  curves
}

// measure starts what is needed, measures, and ends all of it whatever happens.
func measure(parent context.Context, o options, r *report) (err error) {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	w := &world{options: o, report: r, fail: cancel}
	if w.scratch, err = lockeddir.Temp("aero-bench-*"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.stop()) }()
	begin := time.Now()
	for _, step := range w.steps() {
		w.say("%4.0fs  %s", time.Since(begin).Seconds(), step.title)
		err := step.do(ctx)
		// Whatever a step made of it, the cause is why it was stopped.
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return err
		}
	}
	return w.curves.draw(w.pictures)
}

// step is a part of the bench.
type step struct {
	title string
	do    func(context.Context) error
}

func (w *world) steps() []step {
	aiven := step{"start the local Aiven", func(ctx context.Context) error { return w.restartAiven(ctx) }}
	kubernetes := step{"start Kubernetes", w.startPlane}
	if f := w.familyAlone(); f != nil {
		return []step{w.loadStep(f)}
	}
	if w.atLimit > 0 {
		return []step{aiven, kubernetes, {fmt.Sprintf("apply %d objects where Aiven accepts 120 calls a minute", w.atLimit), w.limit}}
	}
	steps := []step{
		{"run the demo", w.demo}, // alone, as users do
		aiven,
		{"measure the local Aiven", w.throughput},
		kubernetes,
		{"measure one object of each kind, from creation to deletion", w.kinds},
		{"apply a service with 150 databases and 150 users", w.family},
		{"watch them at rest for a minute, and delete some at the console", w.steady},
		{fmt.Sprintf("apply ten services with %d databases and users, %d more, and restart the operator", w.objects, newcomers), w.masses},
		{fmt.Sprintf("apply %d users of a service that doesn't answer, and users of another team", silentObjects), w.neighbors},
	}
	for i := range families {
		steps = append(steps, w.loadStep(&families[i]))
	}
	return steps
}

// familyAlone is the one to measure instead of all else, at the size that was asked for; nil for all else.
func (o *options) familyAlone() *family {
	if f := familyOf(o.family); f != nil {
		return f.sized(o.percent)
	}
	return nil
}

func (w *world) loadStep(f *family) step {
	objects, services := f.counts()
	return step{fmt.Sprintf("apply %d objects, %d of them services (%s)", objects, services, f.name), func(ctx context.Context) error {
		return w.load(ctx, f)
	}}
}

// say prints the progress; the table alone goes to standard output.
func (w *world) say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
}

// stop stops the operator first: it must not see Aiven or Kubernetes disappear.
func (w *world) stop() error {
	return errors.Join(w.operator.End(stopTime), w.wire.Close(), w.aiven.End(stopTime), w.plane.End(stopTime), w.scratch.Close())
}

// launch starts a program of the bin folder; should it end by itself, that ends the run.
func (w *world) launch(title, name string, args []string, env ...string) (*process.Program, error) {
	cmd := exec.Command(filepath.Join(w.bin, name), args...)
	// Settings of the environment are meant for another operator.
	cmd.Env = append(os.Environ(), "DEFAULT_AIVEN_TOKEN=", "WATCHED_NAMESPACES=", "LOG_LEVEL=")
	cmd.Env = append(cmd.Env, env...)
	p, err := process.Launch(title, w.scratch.File(name+".log"), cmd, syscall.SIGTERM)
	if err != nil {
		return nil, err
	}
	p.Watch(func(err error) { w.fail(p.Explain(err)) })
	return p, nil
}

// ready waits for the line that says so, and returns what else is on it.
func ready(ctx context.Context, p *process.Program) (rest string, err error) {
	err = until(ctx, p.Title+" to start", func(context.Context) (said bool, _ error) {
		rest, said = p.Ready()
		return said, nil
	})
	return rest, err
}

// restartAiven replaces the local Aiven that runs, if one does, by one that has nothing in it.
func (w *world) restartAiven(ctx context.Context, flags ...string) error {
	if err := errors.Join(w.operator.End(stopTime), w.wire.Close(), w.aiven.End(stopTime)); err != nil {
		return err
	}
	var err error
	w.aiven, err = w.launch("the local Aiven", "localaiven", append(flags,
		"--listen", "127.0.0.1:0", "--engines", "none", "--data-dir", w.scratch.File("aiven")))
	if err != nil {
		return err
	}
	url, err := ready(ctx, w.aiven)
	if err != nil {
		return err
	}
	w.admin = &admin.Client{URL: url}
	w.wire, err = newWire(ctx, strings.TrimPrefix(url, "http://"))
	return err
}

// startPlane replaces the control plane that runs, if one does, by one that has nothing in it.
func (w *world) startPlane(ctx context.Context) error {
	if err := errors.Join(w.operator.End(stopTime), w.plane.End(stopTime)); err != nil {
		return err
	}
	var err error
	w.planes++
	w.audit.path = w.scratch.File(fmt.Sprintf("audit-%d.log", w.planes))
	w.plane, err = w.launch("the control plane", "controlplane", []string{
		"--kubeconfig", w.scratch.File("kubeconfig"), "--crds", filepath.Join(w.root, crdFolder),
		"--data-dir", w.scratch.File(fmt.Sprintf("kube-%d", w.planes)), "--audit-log", w.audit.path,
	})
	if err != nil {
		return err
	}
	if _, err := ready(ctx, w.plane); err != nil {
		return err
	}
	if err := w.connect(); err != nil {
		return err
	}
	return w.giveToken(ctx, namespace)
}

// giveToken creates the Secret of the token in a namespace.
func (w *world) giveToken(ctx context.Context, namespace string) error {
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "aiven-token", Namespace: namespace},
		StringData: map[string]string{"token": token},
	}
	if err := w.kube.Create(ctx, secret); err != nil {
		return fmt.Errorf("creating the token Secret: %w", err)
	}
	return nil
}

func (w *world) connect() error {
	config, err := clientcmd.BuildConfigFromFlags("", w.scratch.File("kubeconfig"))
	if err != nil {
		return fmt.Errorf("reading the kubeconfig: %w", err)
	}
	config.QPS, config.DisableCompression = -1, true // the bench must not be what takes time, here or in the API server
	scheme, err := newScheme()
	if err != nil {
		return err
	}
	if w.kube, err = client.NewWithWatch(config, client.Options{Scheme: scheme}); err != nil {
		return fmt.Errorf("connecting to Kubernetes: %w", err)
	}
	return nil
}

// startOperator replaces the operator that runs, if one does. It has its default settings, but for the given flags.
func (w *world) startOperator(ctx context.Context, flags ...string) error {
	if err := w.operator.End(stopTime); err != nil {
		return err
	}
	ports, err := process.FreePorts(2)
	if err != nil {
		return err
	}
	metrics, probes := fmt.Sprintf("%s:%d", process.Loopback, ports[0]), fmt.Sprintf("%s:%d", process.Loopback, ports[1])
	w.metrics = "http://" + metrics + "/metrics"
	flags = append(flags, "--metrics-bind-address", metrics, "--health-probe-bind-address", probes)
	w.operator, err = w.launch("the operator", "manager", flags, "KUBECONFIG="+w.scratch.File("kubeconfig"), "AIVEN_WEB_URL="+w.wire.URL)
	if err != nil {
		return err
	}
	return until(ctx, "the operator to start", func(ctx context.Context) (bool, error) {
		return process.Answers(ctx, "http://"+probes+"/readyz"), nil
	})
}

// until waits for something to be done. It gives up after waitTimeout.
func until(ctx context.Context, what string, done wait.ConditionWithContextFunc) error {
	return untilWithin(ctx, waitTimeout, what, done)
}

// untilWithin gives up after a limit.
func untilWithin(ctx context.Context, limit time.Duration, what string, done wait.ConditionWithContextFunc) error {
	if err := wait.PollUntilContextTimeout(ctx, tick, limit, true, done); err != nil {
		return fmt.Errorf("waiting for %s: %w", what, err)
	}
	return nil
}
