// Command manager runs the operator: it makes the objects of the group aiven.io/v1alpha1 true at Aiven.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/kinds"
)

// version is set by the linker.
var version = "dev"

const leaderElectionID = "aero.aiven.io"

// patience is how long caches may take to fill. Why they don't is told meanwhile, and ends without a restart.
const patience = 365 * 24 * time.Hour

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "manager:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	o, err := parse(args)
	if err != nil || o == nil {
		return err
	}
	ctrl.SetLogger(zap.New(zap.UseFlagOptions(&o.log)))
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return fmt.Errorf("registering the kinds of Kubernetes: %w", err)
	}
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		return fmt.Errorf("registering the kinds of aiven.io: %w", err)
	}
	kubeconfig, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("finding the cluster (in a pod, or through KUBECONFIG): %w", err)
	}
	kubeconfig.QPS = -1 // the API server shares itself out fairly, and knows better than a client how much there is
	ctx := ctrl.SetupSignalHandler()
	begin, err := newStart(ctx, o, kubeconfig, scheme)
	if err != nil {
		return err
	}
	if !begin.await(ctx) {
		return nil // stopped before it could work
	}
	mgr, err := ctrl.NewManager(kubeconfig, ctrl.Options{
		Scheme:                        scheme,
		Metrics:                       o.metrics.server(),
		HealthProbeBindAddress:        "0", // the answers don't wait for the manager
		LeaderElection:                o.leaderElect,
		LeaderElectionID:              leaderElectionID,
		LeaderElectionNamespace:       o.leaseNamespace,
		LeaderElectionReleaseOnCancel: true,
		Controller: config.Controller{
			EnableWarmup:     new(true), // a takeover shouldn't wait for lists
			CacheSyncTimeout: patience,
		},
		Cache: cache.Options{DefaultNamespaces: watched(o.namespaces), DefaultWatchErrorHandler: begin.watches.Failed},
	})
	if err != nil {
		return fmt.Errorf("starting: %w", err)
	}
	provider, flush, err := o.tracing.Start(context.Background(), version)
	if err != nil {
		return err
	}
	defer flush()
	o.Tracing = provider
	if err := controllers.Setup(mgr, o.Config, kinds.All()...); err != nil {
		return err
	}
	return begin.work(ctx, mgr)
}
