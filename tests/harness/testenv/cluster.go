package testenv

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/controlplane"
)

// parallel is how many tests run at once unless -parallel says otherwise. They mostly wait, so it has little to do with
// the number of processors.
const parallel = "12"

// The heap of the test's process may grow so far between two garbage collections, up to a limit from which on they come more often.
const (
	gcPercent   = 400
	memoryLimit = 3 << 30
)

// cluster is what all tests of a package share.
type cluster struct {
	rest   *rest.Config
	client client.WithWatch
	root   string // folder of the project
	plane  *controlplane.ControlPlane
}

// shared is set by Main.
var shared *cluster

// Main starts a control plane with the project's CRDs, runs the tests of the package, stops the control plane, and
// returns the code to exit with. What is changed in the options of the control plane holds for all of them.
func Main(m *testing.M, change ...func(*controlplane.Options)) int {
	code, err := run(m, change)
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

func run(m *testing.M, change []func(*controlplane.Options)) (code int, err error) {
	flag.Parse()
	if err := widen(); err != nil {
		return 0, err
	}
	// make sets it for compilers and tests. The operator chooses its own, which its memory depends on.
	if err := os.Unsetenv("GOGC"); err != nil {
		return 0, err
	}
	// controller-runtime complains about a missing logger; each manager gets one of its own.
	ctrl.SetLogger(logr.Discard())
	root, err := findRoot()
	if err != nil {
		return 0, err
	}
	options := controlplane.Options{CRDDirs: []string{filepath.Join(root, "config", "crd", "bases")}}
	for _, edit := range change {
		edit(&options)
	}
	plane, err := controlplane.Start(context.Background(), options)
	if err != nil {
		return 0, err
	}
	// As many operators as tests at once: with the default, a sixth of the process's time goes into collections.
	debug.SetGCPercent(gcPercent)
	debug.SetMemoryLimit(memoryLimit)
	defer func() { err = errors.Join(err, plane.Stop()) }()
	config := plane.RESTConfig()
	reads := rest.CopyConfig(config)
	reads.Wrap(func(next http.RoundTripper) http.RoundTripper { return again{next} })
	c, err := newClient(reads)
	if err != nil {
		return 0, err
	}
	shared = &cluster{rest: config, client: c, root: root, plane: plane}
	return m.Run(), nil
}

// widen raises the number of parallel tests, unless -parallel does.
func widen() error {
	chosen := false
	flag.Visit(func(f *flag.Flag) { chosen = chosen || f.Name == "test.parallel" })
	if chosen {
		return nil
	}
	if err := flag.Set("test.parallel", parallel); err != nil {
		return fmt.Errorf("raising the number of parallel tests: %w", err)
	}
	return nil
}

// findRoot finds the folder of the project in the working folder or above it.
func findRoot() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("finding the project: %w", err)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "docs", "examples")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no docs/examples in %s or above", start)
		}
	}
}

func newScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme), aero.AddToScheme(scheme)); err != nil {
		return nil, fmt.Errorf("registering kinds: %w", err)
	}
	return scheme, nil
}

func newClient(config *rest.Config) (client.WithWatch, error) {
	scheme, err := newScheme()
	if err != nil {
		return nil, err
	}
	c, err := client.NewWithWatch(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("creating a client: %w", err)
	}
	return c, nil
}
