package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/localaiven/admin"
)

const (
	// patience is how long anything may take before the bench gives up.
	patience = 2 * time.Minute
	// tick is the pause between two looks at what is being waited for.
	tick = 100 * time.Millisecond

	token = "token-of-the-bench"
)

var (
	crdFolder     = filepath.Join("config", "crd", "bases")
	exampleFolder = filepath.Join("docs", "examples")
)

// world is what is measured: the programs, and the doors to them.
type world struct {
	options
	*report
	scratch string // folder for temporary files
	// fail ends the run, with the reason.
	fail context.CancelCauseFunc

	plane, aiven, operator *program // nil until they are started

	kube    client.WithWatch
	admin   *admin.Client
	metrics string // URL of the operator's
}

// measure starts what is needed, measures, and ends all of it whatever happens.
func measure(parent context.Context, o options, r *report) (err error) {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	w := &world{options: o, report: r, fail: cancel}
	if w.scratch, err = os.MkdirTemp("", "aero-bench-*"); err != nil {
		return fmt.Errorf("creating a folder for temporary files: %w", err)
	}
	defer func() { err = errors.Join(err, w.stop()) }()
	steps := []struct {
		title string
		do    func(context.Context) error
	}{
		{"start the local Aiven", w.startAiven},
		{"measure the local Aiven", w.throughput},
		{"start Kubernetes", w.startPlane},
		{"measure one object of each kind, from creation to deletion", w.kinds},
		{"make 200 objects, and measure a minute at rest", w.fleet},
		{"measure how soon new objects are noticed", w.pickup},
	}
	begin := time.Now()
	for _, step := range steps {
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
	return nil
}

// say tells those who wait how far it is; the table alone goes to standard output.
func (w *world) say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
}

// stop stops the operator first: it must not see Aiven or Kubernetes disappear.
func (w *world) stop() error {
	return errors.Join(w.operator.stop(), w.aiven.stop(), w.plane.stop(), os.RemoveAll(w.scratch))
}

func (w *world) file(name string) string { return filepath.Join(w.scratch, name) }

func (w *world) startAiven(ctx context.Context) error {
	cmd := w.command("localaiven", []string{"--listen", "127.0.0.1:0", "--engines", "none", "--data-dir", w.file("aiven")})
	var err error
	if w.aiven, err = launch("the local Aiven", w.file("aiven.log"), cmd, w.fail); err != nil {
		return err
	}
	url, err := w.aiven.ready(ctx)
	w.admin = &admin.Client{URL: url}
	return err
}

func (w *world) startPlane(ctx context.Context) error {
	cmd := w.command("controlplane", []string{
		"--kubeconfig", w.file("kubeconfig"), "--crds", filepath.Join(w.root, crdFolder), "--data-dir", w.file("kube"),
	})
	var err error
	if w.plane, err = launch("the control plane", w.file("kube.log"), cmd, w.fail); err != nil {
		return err
	}
	if _, err := w.plane.ready(ctx); err != nil {
		return err
	}
	if err := w.connect(); err != nil {
		return err
	}
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
	config, err := clientcmd.BuildConfigFromFlags("", w.file("kubeconfig"))
	if err != nil {
		return fmt.Errorf("reading the kubeconfig: %w", err)
	}
	config.QPS = -1 // the bench must not be what takes time
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return fmt.Errorf("registering the kinds of Kubernetes: %w", err)
	}
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		return fmt.Errorf("registering the kinds of aiven.io: %w", err)
	}
	if w.kube, err = client.NewWithWatch(config, client.Options{Scheme: scheme}); err != nil {
		return fmt.Errorf("connecting to Kubernetes: %w", err)
	}
	return nil
}

// startOperator replaces the operator that runs, if one does. It has its default settings, but for the given flags.
func (w *world) startOperator(ctx context.Context, flags ...string) error {
	if err := w.operator.stop(); err != nil {
		return err
	}
	metrics, probes, err := freeAddresses()
	if err != nil {
		return err
	}
	w.metrics = "http://" + metrics + "/metrics"
	flags = append(flags, "--metrics-bind-address", metrics, "--health-probe-bind-address", probes)
	cmd := w.command("manager", flags, "KUBECONFIG="+w.file("kubeconfig"), "AIVEN_WEB_URL="+w.admin.URL)
	if w.operator, err = launch("the operator", w.file("operator.log"), cmd, w.fail); err != nil {
		return err
	}
	return until(ctx, "the operator to start", func(ctx context.Context) (bool, error) {
		return answers(ctx, "http://"+probes+"/readyz"), nil
	})
}

func answers(ctx context.Context, url string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	return response.Body.Close() == nil && response.StatusCode == http.StatusOK
}

// freeAddresses are two addresses of loopback that nobody listens at.
func freeAddresses() (metrics, probes string, err error) {
	first, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", "", fmt.Errorf("finding a free port: %w", err)
	}
	second, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", "", errors.Join(fmt.Errorf("finding a free port: %w", err), first.Close())
	}
	return first.Addr().String(), second.Addr().String(), errors.Join(first.Close(), second.Close())
}

// until waits for something to be done. It gives up after patience.
func until(ctx context.Context, what string, done wait.ConditionWithContextFunc) error {
	if err := wait.PollUntilContextTimeout(ctx, tick, patience, true, done); err != nil {
		return fmt.Errorf("waiting for %s: %w", what, err)
	}
	return nil
}
