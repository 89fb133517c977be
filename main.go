// Command manager runs the operator: it reconciles the objects of the group aiven.io/v1alpha1 with Aiven, and publishes what they connect
// with as the ConnectionSecrets of aero-operator.io/v1alpha1 ask.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/kinds"
	"github.com/aero-operator/aero/internal/informers"
	"github.com/aero-operator/aero/internal/metricsserver"
	"github.com/aero-operator/aero/internal/options"
	"github.com/aero-operator/aero/internal/startup"
)

// version is set by the linker.
var version = "dev"

// gcPercent is how much the heap may grow between two garbage collections, unless GOGC sets it: see
// docs/decisions/0024-one-listener-for-each-informer.md.
const gcPercent = 50

// cacheSyncTimeout is longer than any outage: startup reports why the caches don't sync, and no restart is needed.
const cacheSyncTimeout = 365 * 24 * time.Hour

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "manager:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	o, err := options.Parse(args, version)
	if err != nil || o == nil {
		return err
	}
	logger := o.Logger()
	ctrl.SetLogger(logger)
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	cluster, err := newCluster()
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctrl.SetupSignalHandler())
	defer stop(nil)
	supervisor, err := startup.NewSupervisor(ctx, &o.Startup, cluster, logger.WithName("startup"))
	if err != nil {
		return err
	}
	if err := startup.CheckPortFree(ctx, metricsserver.AddressFlag, o.Metrics.Address); err != nil {
		return err
	}
	if err := o.Metrics.Serve(ctx, cluster.Config, stop); err != nil {
		return err
	}
	if !supervisor.Await(ctx) {
		return startup.Cause(ctx) // stopped before it could work
	}
	mgr, err := newManager(cluster, o, supervisor)
	if err != nil {
		return err
	}
	provider, flush, err := o.Traces.Start(context.Background(), version)
	if err != nil {
		return err
	}
	defer flush()
	o.Tracing = provider
	if err := controllers.Setup(mgr, o.Config, kinds.All()...); err != nil {
		return err
	}
	return supervisor.Run(ctx, mgr)
}

func newCluster() (startup.Cluster, error) {
	cluster := startup.Cluster{Scheme: runtime.NewScheme()}
	if err := clientgoscheme.AddToScheme(cluster.Scheme); err != nil {
		return cluster, fmt.Errorf("registering the kinds of Kubernetes: %w", err)
	}
	if err := v1alpha1.AddToScheme(cluster.Scheme); err != nil {
		return cluster, fmt.Errorf("registering the kinds of aiven.io: %w", err)
	}
	if err := aero.AddToScheme(cluster.Scheme); err != nil {
		return cluster, fmt.Errorf("registering the group aero-operator.io: %w", err)
	}
	cluster.Kinds = append(cluster.Kinds, &aero.ConnectionSecret{}, &aero.ServiceUserRotation{})
	for _, kind := range kinds.All() {
		cluster.Kinds = append(cluster.Kinds, kind.GetObject())
	}
	var err error
	if cluster.Config, err = ctrl.GetConfig(); err != nil {
		return cluster, fmt.Errorf("finding the cluster (in a pod, or through KUBECONFIG): %w", err)
	}
	cluster.Config.QPS = -1 // the API server has priority and fairness; a limit of the client's own would only add latency
	// A compressed watch costs the API server a compressor, and us 50 KB, for each of our informers: more than the network saves.
	cluster.Config.DisableCompression = true
	return cluster, nil
}

func newManager(cluster startup.Cluster, o *options.Options, supervisor *startup.Supervisor) (ctrl.Manager, error) {
	mgr, err := ctrl.NewManager(cluster.Config, ctrl.Options{
		Scheme:                        cluster.Scheme,
		Metrics:                       server.Options{BindAddress: "0"}, // they and the probes are served before there is a manager
		HealthProbeBindAddress:        "0",
		LeaderElection:                o.Startup.LeaderElect,
		LeaderElectionID:              startup.LeaseName,
		LeaderElectionNamespace:       o.Startup.LeaseNamespace,
		LeaderElectionReleaseOnCancel: true,
		Controller: config.Controller{
			EnableWarmup:     new(true), // a new leader shouldn't wait for lists
			CacheSyncTimeout: cacheSyncTimeout,
		},
		NewCache: informers.NewCache,
		Cache: cache.Options{
			DefaultNamespaces: supervisor.WatchedNamespaces(), DefaultWatchErrorHandler: supervisor.WatchFailed,
			ByObject: startup.CachedObjects(cluster.Kinds, controllers.FieldManager),
		},
	})
	if err != nil {
		return nil, fmt.Errorf("starting: %w", err)
	}
	return mgr, nil
}
