package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap/zapcore"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
	eventsclient "k8s.io/client-go/kubernetes/typed/events/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/kinds"
	"github.com/aero-operator/aero/internal/startup"
)

// syncPatience is shorter than the timeout of any probe.
const syncPatience = 500 * time.Millisecond

// start is the way from the flags to work, and what is told on it.
type start struct {
	board     startup.Readiness
	watches   startup.Watches
	reference *startup.AivenOperator // nil if nobody looks for it
	checks    []startup.Check
}

// newStart listens where probes are answered, and fails if the manager couldn't listen where metrics are.
func newStart(ctx context.Context, o *options, cluster *rest.Config, scheme *runtime.Scheme) (*start, error) {
	s := &start{watches: startup.Watches{Now: time.Now}}
	if err := s.board.Serve(ctx, o.probes); err != nil {
		return nil, err
	}
	if err := startup.CheckPortFree(ctx, "metrics-bind-address", o.metrics.address); err != nil {
		return nil, err
	}
	noTraces := func(z *zap.Options) { z.StacktraceLevel = zapcore.PanicLevel } // the reasons are one line each
	go s.board.Log(ctx, zap.New(zap.UseFlagOptions(&o.log), noTraces).WithName("startup"))
	return s, s.addChecks(ctx, o, cluster, scheme)
}

// addChecks adds them in the order in which they are asked.
func (s *start) addChecks(ctx context.Context, o *options, cluster *rest.Config, scheme *runtime.Scheme) error {
	schemas, err1 := discovery.NewDiscoveryClientForConfig(cluster)
	leases, err2 := coordinationclient.NewForConfig(cluster)
	objects, err3 := metadata.NewForConfig(cluster)
	events, err4 := eventsclient.NewForConfig(cluster)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return fmt.Errorf("reaching the cluster: %w", err)
	}
	var served []runtime.Object
	for _, kind := range kinds.All() {
		served = append(served, kind.GetObject())
	}
	types, err := startup.KindsOf(scheme, v1alpha1.GroupVersion, served)
	if err != nil {
		return err
	}
	s.checks = []startup.Check{
		(&startup.Kinds{Schemas: schemas.OpenAPIV3WithContext(ctx), Version: v1alpha1.GroupVersion, Types: types}).Served,
		(&startup.Namespaces{Metadata: objects, Events: events, Names: o.namespaces}).Readable,
	}
	return s.addLeases(o, leases)
}

// addLeases adds what is asked of leases: our own, and then that of the reference operator, whose state may turn.
func (s *start) addLeases(o *options, leases coordinationclient.LeasesGetter) error {
	own, err := startup.OwnNamespace()
	if err != nil {
		return err
	}
	if o.leaseNamespace == "" {
		o.leaseNamespace = own
	}
	if o.leaderElect {
		if o.leaseNamespace == "" {
			return errors.New("--leader-elect needs --leader-election-namespace outside of a cluster")
		}
		election := &startup.Election{Leases: leases, Namespace: o.leaseNamespace, Name: leaderElectionID}
		s.checks = append(s.checks, election.Allowed)
	}
	s.reference = &startup.AivenOperator{Leases: leases, Namespaces: o.referenceNamespaces, Now: time.Now}
	if len(o.referenceNamespaces) == 0 && len(o.namespaces) > 0 {
		s.reference.Namespaces = slices.Clone(o.namespaces)
		if o.leaseNamespace != "" && !slices.Contains(o.namespaces, o.leaseNamespace) {
			s.reference.Namespaces = append(s.reference.Namespaces, o.leaseNamespace)
		}
	}
	s.checks = append(s.checks, s.reference.Absent)
	return nil
}

// await says whether the manager may work: it waits until it may, or until ctx is done.
func (s *start) await(ctx context.Context) bool {
	return startup.Await(ctx, &s.board, s.checks...) == nil
}

// work runs the manager until ctx is done, or the reference operator appears beside it.
func (s *start) work(ctx context.Context, mgr manager.Manager) error {
	s.board.SetCheck(synced(mgr.GetCache(), &s.watches))
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go func() {
		if err := s.reference.Appeared(ctx); err != nil {
			stop(err)
		}
	}()
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	select {
	case err := <-ended:
		return errors.Join(err, why(ctx))
	case <-ctx.Done():
	}
	if filled(context.WithoutCancel(ctx), mgr.GetCache()) {
		return errors.Join(<-ended, why(ctx))
	}
	return why(ctx) // nothing has worked, and a manager whose caches don't fill doesn't end
}

// why is the reason for which the context has ended, or nil if somebody has asked for it.
func why(ctx context.Context) error {
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// store is the part of a cache that matters here.
type store interface{ WaitForCacheSync(context.Context) bool }

// synced fails until the caches hold what there is. That doesn't take the lease: who waits for it has watched since its start.
func synced(caches store, watches *startup.Watches) func(context.Context) error {
	return func(ctx context.Context) error { return watches.Reason(filled(ctx, caches)) }
}

func filled(ctx context.Context, caches store) bool {
	ctx, cancel := context.WithTimeout(ctx, syncPatience)
	defer cancel()
	return caches.WaitForCacheSync(ctx)
}
