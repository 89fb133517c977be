package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/tests/localaiven/admin"
	"github.com/aero-operator/aero/tests/localaiven/engine/postgres"
	"github.com/aero-operator/aero/tests/localaiven/process"
)

// stepTimeout is how long anything may take before the demo gives up. Machines can be slow.
const stepTimeout = 2 * time.Minute

func (d *demo) start(ctx context.Context) error {
	for _, start := range []func(context.Context) error{d.startPlane, d.startAiven, d.startOperator} {
		if err := start(ctx); err != nil {
			return err
		}
	}
	if d.noDatabase = postgres.New().Available(); d.noDatabase != nil {
		d.say("%v. The demo goes on without a real database.", d.noDatabase)
	}
	return nil
}

// launch starts a program; should it end before the demo does, that ends the demo.
func (d *demo) launch(title, program string, args, env []string) (*process.Program, error) {
	cmd := exec.Command(filepath.Join(d.bin, program), args...)
	cmd.Env = append(os.Environ(), env...)
	p, err := process.Launch(title, d.scratch.File(program+".log"), cmd, syscall.SIGTERM)
	if err != nil {
		return nil, err
	}
	p.Watch(d.fail)
	return p, nil
}

func (d *demo) kubeconfig() string { return d.scratch.File("kubeconfig") }

// planeParts are what the control plane starts, in order. It prints a line when one is up.
var planeParts = []string{"etcd", "kube-apiserver", "the custom resources", "kube-controller-manager"}

// planePart is what is being started when some are up.
func planePart(up int) string { return planeParts[min(up, len(planeParts)-1)] }

func (d *demo) startPlane(ctx context.Context) error {
	var err error
	d.plane, err = d.launch("the control plane", "controlplane", []string{
		"--kubeconfig", d.kubeconfig(), "--data-dir", d.scratch.File("kube"),
		"--crds", filepath.Join(d.root, "config", "crd", "bases"), "--crds", filepath.Join(d.root, "tests", "harness", "controlplane", "crds"),
	}, []string{"KUBEBUILDER_ASSETS=" + filepath.Join(d.bin, "k8s")})
	if err != nil {
		return err
	}
	err = d.await(ctx, stepTimeout, func(context.Context) ([]row, error) {
		r := row{name: "Kubernetes control plane"}
		if _, r.done = d.plane.Ready(); r.done {
			r.state = "with the custom resources of aiven.io"
		} else {
			r.state = "waiting for " + planePart(len(d.plane.Lines(len(planeParts))))
		}
		return []row{r}, nil
	})
	if err != nil {
		return err
	}
	return d.connect()
}

// connect makes the client with which the demo watches.
func (d *demo) connect() error {
	config, err := clientcmd.BuildConfigFromFlags("", d.kubeconfig())
	if err != nil {
		return fmt.Errorf("reading the kubeconfig: %w", err)
	}
	if d.kube, err = client.New(config, client.Options{}); err != nil {
		return fmt.Errorf("connecting to Kubernetes: %w", err)
	}
	return nil
}

func (d *demo) startAiven(ctx context.Context) error {
	var err error
	d.aiven, err = d.launch("the local Aiven", "localaiven", []string{
		"--listen", "127.0.0.1:0", "--engines", "auto", "--data-dir", d.scratch.File("aiven"),
	}, nil)
	if err != nil {
		return err
	}
	return d.await(ctx, stepTimeout, func(context.Context) ([]row, error) {
		r := row{name: "Local Aiven", state: "starting"}
		if url, ready := d.aiven.Ready(); ready {
			r.done, r.state = true, url
			d.admin = &admin.Client{URL: url}
		}
		return []row{r}, nil
	})
}

// The operator, and what runs it under a debugger: the operator with its debugging information, and delve.
const (
	operatorProgram    = "manager"
	debuggableOperator = "debug/manager"
	debuggerProgram    = "dlv"
)

// operatorCommand is the operator with these flags, under the debugger if one is asked for. The operator doesn't wait for
// a debugger to connect.
func (d *demo) operatorCommand(flags []string) (program string, args []string) {
	if d.debug == "" {
		return operatorProgram, flags
	}
	return debuggerProgram, append([]string{
		"exec", "--headless", "--listen=" + d.debug, "--api-version=2", "--accept-multiclient", "--continue",
		filepath.Join(d.bin, debuggableOperator), "--",
	}, flags...)
}

// startOperator starts it with shorter timings than its own, so that the demo is quick.
func (d *demo) startOperator(ctx context.Context) error {
	ports, err := process.FreePorts(2)
	if err != nil {
		return err
	}
	address := fmt.Sprintf("%s:%d", process.Loopback, ports[0])
	d.metrics = "0"
	if d.run {
		d.metrics = fmt.Sprintf("%s:%d", process.Loopback, ports[1])
	}
	program, args := d.operatorCommand([]string{
		"--requeue-async", "1s", "--requeue-dependency", "2s", "--zap-encoder", "console",
		"--metrics-bind-address", d.metrics, "--health-probe-bind-address", address,
	})
	d.operator, err = d.launch("the operator", program, args, []string{
		"KUBECONFIG=" + d.kubeconfig(), "AIVEN_WEB_URL=" + d.admin.URL,
		// Settings of the environment are meant for another operator.
		"DEFAULT_AIVEN_TOKEN=", "WATCHED_NAMESPACES=", "LOG_LEVEL=",
	})
	if err != nil {
		return err
	}
	return d.await(ctx, stepTimeout, func(ctx context.Context) ([]row, error) {
		r := row{name: "Operator", state: "filling its caches"}
		if r.done = process.Answers(ctx, "http://"+address+"/readyz"); r.done {
			r.state = filepath.Join("bin", program)
		}
		return []row{r}, nil
	})
}
