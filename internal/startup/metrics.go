package startup

import (
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

var (
	waiting = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "aero_startup_waiting",
		Help: "Checks that the operator waits for at its start: 1 while it waits, else 0, by check.",
	}, []string{"check"})

	missingNamespaces = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "aero_watched_namespaces_missing",
		Help: "Number of namespaces of WATCHED_NAMESPACES that don't exist, or can't be read.",
	})
)

func init() { metrics.Registry.MustRegister(waiting, missingNamespaces) }

// Names of checks in metrics.
const (
	checkKinds         = "crds"
	checkNamespaces    = "namespaces"
	checkElection      = "lease"
	checkAivenOperator = "aiven-operator"
)
