// Package install is the operator as helm installs it: the chart in the control plane of tests/harness/testenv, and pods that run on a
// node of tests/harness/fakekubelet with the permissions of their account, and work on the objects of one test.
package install

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/tests/harness/fakekubelet"
	"github.com/aero-operator/aero/tests/harness/helm"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// acquired is what the log of a pod says once it leads.
const acquired = "Successfully acquired lease"

// Release is a release, for one test.
type Release struct {
	*testenv.Env

	Helm helm.Release
	Node *fakekubelet.Node

	chart     *chart.Chart
	installed bool
}

// Prepare starts a node for a release in a namespace of its own. What it leaves ends with the test.
func Prepare(e *testenv.Env) *Release {
	e.T.Helper()
	loaded, err := helm.Load(e.Path("charts", "aero"))
	require.NoError(e.T, err)
	access := filepath.Join(e.T.TempDir(), "kubeconfig")
	require.NoError(e.T, os.WriteFile(access, testenv.Kubeconfig(), 0o600))
	r := &Release{Env: e, chart: loaded, Helm: helm.Release{
		Name: "aero", Namespace: e.Namespace + "-system", Kubeconfig: access, Wait: true,
	}}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: r.Helm.Namespace}}
	if err := e.Client.Create(e.T.Context(), namespace); !apierrors.IsAlreadyExists(err) {
		require.NoError(e.T, err)
	}
	var complaints strings.Builder
	options := PodsOf(e)
	options.Log = &complaints
	r.Node, err = fakekubelet.Start(options)
	require.NoError(e.T, err)
	e.T.Cleanup(func() {
		if r.installed {
			assert.NoError(e.T, r.Helm.Uninstall())
		}
		require.NoError(e.T, r.Node.Stop())
		assert.Empty(e.T, complaints.String())
	})
	return r
}

// PodsOf are the options of a node that runs pods of the image aero, with the local Aiven and the timings of a test. Variables
// are more of their environment.
func PodsOf(e *testenv.Env, variables ...string) fakekubelet.Options {
	return fakekubelet.Options{
		Config: e.RESTConfig(), Programs: map[string]string{"aero": e.Program("manager")},
		Environment: append(variables, "AIVEN_WEB_URL="+e.Aiven.URL),
		Arguments: func(pod *corev1.Pod) []string {
			return append(e.Operator.Flags(), fakekubelet.LeaseNamespace(pod)...)
		},
	}
}

// values are those of a test.
func (r *Release) values(values helm.Values) helm.Values {
	all := helm.Values{"watchedNamespaces": []any{r.Namespace}}
	for name, value := range values {
		all[name] = value
	}
	return all
}

// Install installs the chart, and returns the notes once its pods are ready. Unless values say otherwise, the operator works
// in the namespace of the test only, so that those of other tests don't meet.
func (r *Release) Install(values helm.Values) string {
	r.T.Helper()
	notes, err := r.Helm.Install(r.T.Context(), r.chart, r.values(values))
	r.installed = true
	require.NoError(r.T, err, r.Logs())
	return notes
}

// Upgrade upgrades the release, and returns once its new pods are ready, and the old ones gone.
func (r *Release) Upgrade(values helm.Values) {
	r.T.Helper()
	require.NoError(r.T, r.Helm.Upgrade(r.T.Context(), r.chart, r.values(values)), r.Logs())
	ending := func(pod corev1.Pod) bool { return pod.DeletionTimestamp != nil }
	r.Until(func() bool { return !slices.ContainsFunc(r.Pods(), ending) }, func() string { return "pods are still ending" })
}

// Uninstall uninstalls the release, and returns once its pods are gone.
func (r *Release) Uninstall() {
	r.T.Helper()
	r.installed = false
	require.NoError(r.T, r.Helm.Uninstall())
	r.Until(func() bool { return len(r.Pods()) == 0 }, func() string { return "pods are left" })
}

// Pods are the release's, by their names.
func (r *Release) Pods() []corev1.Pod {
	r.T.Helper()
	var list corev1.PodList
	require.NoError(r.T, r.Client.List(r.T.Context(), &list, client.InNamespace(r.Helm.Namespace)))
	slices.SortFunc(list.Items, func(a, b corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	return list.Items
}

// Leader waits for the pod that works, and is its name.
func (r *Release) Leader() string {
	r.T.Helper()
	var leader string
	r.Until(func() bool {
		for _, pod := range r.Pods() {
			if pod.DeletionTimestamp == nil && strings.Contains(r.Node.Log(pod.Namespace, pod.Name), acquired) {
				leader = pod.Name
				return true
			}
		}
		return false
	}, func() string { return "no pod leads\n" + r.Logs() })
	return leader
}

// Logs are what the pods have printed.
func (r *Release) Logs() string {
	var out strings.Builder
	for _, pod := range r.Pods() {
		out.WriteString(pod.Name + ":\n" + r.Node.Log(pod.Namespace, pod.Name) + "\n")
	}
	return out.String()
}

// Settle waits until the pod that leads has reconciled each object. Its log must be at the level debug.
func (r *Release) Settle(objects map[string]testenv.Object) {
	r.T.Helper()
	leader := r.Leader()
	var missing string
	r.Until(func() bool {
		log := r.Node.Log(r.Helm.Namespace, leader)
		missing = ""
		for _, obj := range objects {
			if !reconciled(log, obj) {
				missing += " " + obj.GetName()
			}
		}
		return missing == ""
	}, func() string { return leader + " hasn't reconciled" + missing })
}

// reconciled reports whether a log at the level debug has a reconcile of an object.
func reconciled(log string, obj testenv.Object) bool {
	name := fmt.Sprintf("%q:%q", "name", obj.GetName())
	for line := range strings.Lines(log) {
		if strings.Contains(line, `"Concluded"`) && strings.Contains(line, name) {
			return true
		}
	}
	return false
}
