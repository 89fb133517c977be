// Command manager runs the operator: it makes the objects of the group aiven.io/v1alpha1 true at Aiven.
package main

import (
	"context"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/kinds"
)

// version is set by the linker.
var version = "dev"

const leaderElectionID = "aero.aiven.io"

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
	mgr, err := ctrl.NewManager(kubeconfig, ctrl.Options{
		Scheme:                        scheme,
		Metrics:                       o.metrics.server(),
		HealthProbeBindAddress:        o.probes,
		LeaderElection:                o.leaderElect,
		LeaderElectionID:              leaderElectionID,
		LeaderElectionNamespace:       o.leaseNamespace,
		LeaderElectionReleaseOnCancel: true,
		Controller:                    config.Controller{EnableWarmup: new(true)}, // a takeover shouldn't wait for lists
		Cache:                         cache.Options{DefaultNamespaces: watched(o.namespaces)},
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
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return fmt.Errorf("adding the liveness check: %w", err)
	}
	if err := mgr.AddReadyzCheck("caches", synced(mgr.GetCache())); err != nil {
		return fmt.Errorf("adding the readiness check: %w", err)
	}
	return mgr.Start(ctrl.SetupSignalHandler())
}
