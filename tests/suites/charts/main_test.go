package charts_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/controlplane"
	"github.com/aero-operator/aero/tests/harness/helm"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

const (
	testTimeout = time.Minute
	tick        = 50 * time.Millisecond
)

// What the tests share: the API server's audit log, and a kubeconfig with all permissions.
var auditLog, kubeconfig string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "aero-charts-")
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	auditLog, kubeconfig = filepath.Join(dir, "audit.log"), filepath.Join(dir, "kubeconfig")
	return testenv.Main(m, func(o *controlplane.Options) {
		o.CRDDirs = []string{"../../harness/controlplane/crds"} // the others come from their chart
		o.AuditLog = auditLog
		// As OpenShift has it: creating a Secret with an owner takes a permission on the owner's finalizers.
		o.AdmissionPlugins = []string{"OwnerReferencesPermissionEnforcement"}
	})
}

// installKinds installs the chart of the kinds, once.
var installKinds = sync.OnceValue(func() error {
	if err := os.WriteFile(kubeconfig, testenv.Kubeconfig(), 0o600); err != nil {
		return err
	}
	kinds, err := helm.Load(kindFolder)
	if err != nil {
		return err
	}
	release := helm.Release{Name: "aero-crds", Namespace: "aero-crds", Kubeconfig: kubeconfig}
	_, err = release.Install(context.Background(), kinds, nil)
	return err
})

// world is the environment of a test, in a cluster in which helm has installed the kinds, and which serves them by now.
func world(t *testing.T, o testenv.Options) *testenv.Env {
	t.Helper()
	require.NoError(t, installKinds())
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	require.NoError(t, err)
	server, err := discovery.NewDiscoveryClientForConfig(config)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		listed, err := server.ServerResourcesForGroupVersion(v1alpha1.GroupVersion.String())
		if err != nil {
			return false
		}
		served := map[string]bool{}
		for _, resource := range listed.APIResources {
			served[resource.Kind] = true
		}
		for _, kind := range testenv.KindNames() {
			if !served[kind] {
				return false
			}
		}
		return true
	}, testTimeout, tick, "the kinds that helm installed must be served")
	return testenv.New(t, o)
}
