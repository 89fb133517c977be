package controlplane

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/aero-operator/aero/tests/localaiven/process"
)

// Options say how to start a control plane. The zero value is fit for a test.
type Options struct {
	// AssetsDir holds the programs; empty means what FindAssets finds.
	AssetsDir string
	// CRDDirs are folders (or files) of CRDs to install. A missing one is an error.
	CRDDirs []string
	// AuditLog is the file of the audit log, one JSON event a line, written
	// before the answer is: all requests at level Metadata, those for the group
	// aiven.io at level Request. Empty means no audit log.
	AuditLog string
	// AdmissionPlugins are plugins of the API server to turn on, beside those
	// that are on by themselves.
	AdmissionPlugins []string
	// DataDir keeps state, certificates and the programs' logs, and is left
	// behind by Stop: the next Start finds its objects again. Empty means a
	// temporary folder, which Stop removes.
	DataDir string
	// Log receives a line when each part is up; nil means none.
	Log io.Writer
}

// ControlPlane is a running control plane. Its methods may be called from
// several goroutines.
type ControlPlane struct {
	data        dataDir
	authority   *authority
	endpoint    string
	admin       *rest.Config
	adminToken  string
	adminAccess []byte             // the admin's kubeconfig
	children    []*process.Program // in the order of their start

	done     chan struct{}
	mu       sync.Mutex
	err      error
	stopping bool
	stopOnce sync.Once
	stopErr  error
}

// Start starts a control plane and returns once its API is ready, the CRDs are
// served and the controllers run. ctx bounds the start only: Stop ends what
// was started. An error names the part that failed, with the end of its log;
// nothing is left running then.
func Start(ctx context.Context, o Options) (*ControlPlane, error) {
	if o.Log == nil {
		o.Log = io.Discard
	}
	if o.AssetsDir == "" {
		dir, err := FindAssets()
		if err != nil {
			return nil, err
		}
		o.AssetsDir = dir
	}
	if err := checkAssets(o.AssetsDir); err != nil {
		return nil, err
	}
	data, err := openDataDir(o.DataDir)
	if err != nil {
		return nil, err
	}
	c := &ControlPlane{data: data, done: make(chan struct{})}
	if err := c.start(ctx, o); err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	for _, child := range c.children {
		child.Watch(func(err error) { c.fail(child.Explain(err)) })
	}
	return c, nil
}

func (c *ControlPlane) start(ctx context.Context, o Options) error {
	begun := time.Now()
	report := func(what string) {
		_, _ = fmt.Fprintf(o.Log, "%s after %.1fs\n", what, time.Since(begun).Seconds())
	}
	if err := c.writePKI(); err != nil {
		return err
	}
	store, err := c.startEtcd(ctx, o)
	if err != nil {
		return err
	}
	report("etcd is up")
	if err := c.startAPIServer(ctx, o, store); err != nil {
		return err
	}
	report("kube-apiserver is up")
	// Before the controllers, so that the garbage collector knows the kinds at once.
	if err := c.installCRDs(ctx, o.CRDDirs); err != nil {
		return err
	}
	if len(o.CRDDirs) > 0 {
		report("CRDs are served")
	}
	if err := c.startControllers(ctx, o); err != nil {
		return err
	}
	report("kube-controller-manager is up")
	return nil
}

// installCRDs waits until discovery lists the kinds, which it does for
// established CRDs only.
func (c *ControlPlane) installCRDs(ctx context.Context, dirs []string) error {
	if len(dirs) == 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("installing the CRDs: %w", err)
	}
	_, err := envtest.InstallCRDs(c.admin, envtest.CRDInstallOptions{
		Paths:              dirs,
		ErrorIfPathMissing: true,
		MaxTime:            startLimit,
	})
	if err != nil {
		return fmt.Errorf("installing the CRDs: %w", err)
	}
	return nil
}

// Done is closed when a part ended without Stop; Err says which.
func (c *ControlPlane) Done() <-chan struct{} { return c.done }

// Err is nil until Done is closed. Then it names the part that ended, with the
// end of its log.
func (c *ControlPlane) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// fail makes it known that a part ended by itself, unless all are to end anyway.
func (c *ControlPlane) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopping || c.err != nil {
		return
	}
	c.err = err
	close(c.done)
}

// Stop ends all parts, in the reverse order of their start, and waits until
// they are gone. A temporary data folder is removed. It fails when a part had
// ended before, or had to be killed; calling it again returns the same.
func (c *ControlPlane) Stop() error {
	c.stopOnce.Do(func() {
		c.mu.Lock()
		c.stopping = true
		c.mu.Unlock()
		var errs []error
		for _, child := range slices.Backward(c.children) {
			errs = append(errs, child.Explain(errors.Join(child.Death(), child.End(stopLimit))))
		}
		c.stopErr = errors.Join(append(errs, c.data.Close())...)
	})
	return c.stopErr
}

// writeSecret writes a file that only its owner reads.
func writeSecret(path string, content []byte) error {
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
