package migrate

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/tests/harness/fakekubelet"
	"github.com/aero-operator/aero/tests/harness/install"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// ours is the namespace of aero in the page.
const ours = "aero-system"

// pods are aero's, which run from start to stop. Before, they wait for a node.
type pods struct {
	*testenv.Env
	node *fakekubelet.Node
}

// newPods are the pods of a test, which end with it.
func newPods(t *testing.T, e *testenv.Env) *pods {
	p := &pods{Env: e}
	t.Cleanup(p.end)
	return p
}

// start runs the pods that there are, and those that come.
func (p *pods) start() {
	p.T.Helper()
	options := install.PodsOf(p.Env, "WATCHED_NAMESPACES="+p.Namespace)
	options.Programs["registry.example.com/aero"] = options.Programs["aero"]
	var err error
	p.node, err = fakekubelet.Start(options)
	require.NoError(p.T, err)
}

// stop waits until no pod is left, and lets none start any more.
func (p *pods) stop() {
	p.T.Helper()
	list := &corev1.PodList{}
	p.Until(func() bool {
		require.NoError(p.T, p.Client.List(p.T.Context(), list, client.InNamespace(ours)))
		return len(list.Items) == 0
	}, func() string { return "pods of aero are left" })
	p.end()
}

func (p *pods) end() {
	if p.node != nil {
		require.NoError(p.T, p.node.Stop())
	}
	p.node = nil
}
