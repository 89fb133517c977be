package startup

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
	coreclient "k8s.io/client-go/kubernetes/typed/core/v1"
	eventsclient "k8s.io/client-go/kubernetes/typed/events/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/api/v1alpha1"
)

// syncTimeout is shorter than the timeout of any probe.
const syncTimeout = 500 * time.Millisecond

// Supervisor waits until the manager can work, reports why it is not ready, and runs it until ctx ends, aiven-operator starts, or
// a watched namespace that was missing can be read.
type Supervisor struct {
	readiness     Readiness
	watches       Watches
	namespaces    *Namespaces
	aivenOperator *AivenOperator
	checks        []Check
}

// Cluster is the cluster that the manager runs against.
type Cluster struct {
	Config *rest.Config
	Scheme *runtime.Scheme
	Kinds  []runtime.Object // served by the manager, of both groups
}

// NewSupervisor serves probes and logs until ctx ends, and prepares the checks.
func NewSupervisor(ctx context.Context, o *Options, cluster Cluster, log logr.Logger) (*Supervisor, error) {
	s := &Supervisor{watches: Watches{Now: time.Now}}
	if err := s.readiness.Serve(ctx, o.ProbeAddress); err != nil {
		return nil, err
	}
	go s.readiness.Log(ctx, log)
	return s, s.addChecks(ctx, o, cluster, log)
}

// addChecks adds the checks in their order.
func (s *Supervisor) addChecks(ctx context.Context, o *Options, cluster Cluster, log logr.Logger) error {
	schemas, err1 := discovery.NewDiscoveryClientForConfig(cluster.Config)
	leases, err2 := coordinationclient.NewForConfig(cluster.Config)
	objects, err3 := metadata.NewForConfig(cluster.Config)
	events, err4 := eventsclient.NewForConfig(cluster.Config)
	core, err5 := coreclient.NewForConfig(cluster.Config)
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return fmt.Errorf("making clients of the cluster: %w", err)
	}
	var served []func(context.Context) error // of each group
	for _, version := range []schema.GroupVersion{v1alpha1.GroupVersion, aero.GroupVersion} {
		types, err := KindsOf(cluster.Scheme, version, cluster.Kinds)
		if err != nil {
			return err
		}
		served = append(served, (&Kinds{Schemas: schemas.OpenAPIV3WithContext(ctx), Version: version, Types: types}).Served)
	}
	s.namespaces = &Namespaces{Metadata: objects, Events: events, Names: o.Namespaces, Log: log}
	s.checks = []Check{{checkKinds, bounded(all(served))}, {checkNamespaces, s.namespaces.Readable}}
	s.addLeases(o, leases, core)
	return nil
}

// all is the first error of some checks.
func all(checks []func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		for _, check := range checks {
			if err := check(ctx); err != nil {
				return err
			}
		}
		return nil
	}
}

// addLeases adds the check of aiven-operator's lease last: its result may change.
func (s *Supervisor) addLeases(o *Options, leases coordinationclient.LeasesGetter, pods coreclient.PodsGetter) {
	if o.LeaderElect {
		election := &Election{Leases: leases, Namespace: o.LeaseNamespace, Name: LeaseName}
		s.checks = append(s.checks, Check{checkElection, bounded(election.Allowed)})
	}
	s.aivenOperator = &AivenOperator{
		Leases: leases, Pods: pods, Namespaces: o.leaseNamespaces(), LeftOut: s.namespaces.Unreadable, Now: time.Now,
	}
	s.checks = append(s.checks, Check{checkAivenOperator, s.aivenOperator.Absent})
}

// WatchFailed is the manager's cache.Options.DefaultWatchErrorHandler.
func (s *Supervisor) WatchFailed(ctx context.Context, informer *toolscache.Reflector, err error) {
	s.watches.Failed(ctx, informer, err)
}

// Await waits until the manager can work, and reports whether it can: it can't if ctx ended before.
func (s *Supervisor) Await(ctx context.Context) bool {
	return Await(ctx, &s.readiness, s.checks...) == nil
}

// WatchedNamespaces are the namespaces of the manager's cache, once it can work; nil for all.
func (s *Supervisor) WatchedNamespaces() map[string]cache.Config { return s.namespaces.Watched() }

// Run runs the manager until ctx ends or something appears for which it has to end.
func (s *Supervisor) Run(ctx context.Context, mgr manager.Manager) error {
	s.readiness.SetCheck(synced(mgr.GetCache(), &s.watches))
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	for _, appeared := range []func(context.Context) error{s.aivenOperator.Appeared, s.namespaces.Appeared} {
		go func() {
			if err := appeared(ctx); err != nil {
				stop(err)
			}
		}()
	}
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	select {
	case err := <-ended:
		return errors.Join(err, Cause(ctx))
	case <-ctx.Done():
	}
	if waitForSync(context.WithoutCancel(ctx), mgr.GetCache()) {
		return errors.Join(<-ended, Cause(ctx))
	}
	return Cause(ctx) // nothing was reconciled, and a manager whose caches don't sync doesn't end
}

// Cause is why ctx ended, or nil for a normal shutdown.
func Cause(ctx context.Context) error {
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// syncer is a cache.
type syncer interface{ WaitForCacheSync(context.Context) bool }

// synced returns a check that fails until the caches have synced. That doesn't take the lease: standby replicas watch, too.
func synced(caches syncer, watches *Watches) func(context.Context) error {
	return func(ctx context.Context) error { return watches.Reason(waitForSync(ctx, caches)) }
}

func waitForSync(ctx context.Context, caches syncer) bool {
	ctx, cancel := context.WithTimeout(ctx, syncTimeout)
	defer cancel()
	return caches.WaitForCacheSync(ctx)
}
