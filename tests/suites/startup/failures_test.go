package startup_test

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/aero-operator/aero/tests/harness/controlplane"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// endTime is less than the kubelet gives a pod to end.
const endTime = 10 * time.Second

// missing is the metric of namespaces that are missing.
const missing = "aero_watched_namespaces_missing"

func TestANamespaceThatDoesNotExistIsWaitedFor(t *testing.T) {
	p := newPod(t)
	p.everywhere(p.rules())
	later := p.Namespace + "-later"
	p.start(later)
	p.waitNotReady("namespace "+later+" of WATCHED_NAMESPACES doesn't exist", "kubectl create namespace "+later)
	require.NoError(t, p.program.End(endTime), "it ends on a signal")
	assert.Equal(t, "exit status 0", p.program.State())

	p.start(later)
	p.waitNotReady("namespace " + later)
	p.Create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: later}})
	p.waitReady()
}

func TestANamespaceThatDoesNotExistKeepsTheManagerFromNoOther(t *testing.T) {
	p := newPod(t)
	p.everywhere(p.rules())
	later := p.Namespace + "-later"
	p.start(p.Namespace + "," + later)
	p.waitReady()
	p.waitLogged("Working without a namespace: namespace " + later + " of WATCHED_NAMESPACES doesn't exist")
	assert.Equal(t, "1", p.gauge(missing))
	p.Aiven.Service(p.Project, "my-pg")
	here, there := p.Example("database"), p.Example("database")
	p.Create(here)
	p.Wait(here, testenv.Ready())

	p.Create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: later}})
	there.SetNamespace(later)
	p.Create(there)
	p.Wait(there, testenv.Condition("AuthValid", metav1.ConditionFalse, "TokenMissing")) // no token is there, but the operator
	p.waitLogged("All namespaces of WATCHED_NAMESPACES are there")
	assert.Equal(t, "0", p.gauge(missing))
}

func TestANamespaceThatCannotBeReadIsWaitedFor(t *testing.T) {
	p := newPod(t)
	p.start(p.Namespace)
	p.waitNotReady("namespace "+p.Namespace+" of WATCHED_NAMESPACES can't be read",
		"system:serviceaccount:"+p.Namespace+":"+account, "grant the permissions")
	p.in(p.Namespace, p.rules())
	p.waitReady()
}

func TestANamespaceThatCannotBeReadKeepsTheManagerFromNoOther(t *testing.T) {
	p := newPod(t)
	other := testenv.New(t, testenv.Options{Idle: true}).Namespace
	p.in(p.Namespace, p.rules())
	p.start(p.Namespace + "," + other)
	p.waitReady()
	p.waitLogged("Working without a namespace: namespace " + other + " of WATCHED_NAMESPACES can't be read")
	assert.Equal(t, "1", p.gauge(missing))
	p.in(other, p.rules())
	p.waitEnd("manager: stopping because namespace " + other + " of WATCHED_NAMESPACES can be read now")

	p.start(p.Namespace + "," + other) // as the kubelet does
	p.waitReady()
	assert.Equal(t, "0", p.gauge(missing))
}

func TestAMissingPermissionIsNamed(t *testing.T) {
	p := newPod(t)
	var kafka, others []rbacv1.PolicyRule
	for _, rule := range p.rules() {
		if i := slices.Index(rule.Resources, "kafkas"); i >= 0 {
			lost := rule.DeepCopy()
			lost.Resources = []string{"kafkas"}
			kafka = append(kafka, *lost)
			rule.Resources = slices.Delete(slices.Clone(rule.Resources), i, i+1)
		}
		others = append(others, rule)
	}
	require.NotEmpty(t, kafka)
	p.everywhere(others)
	p.start("")
	p.waitNotReady("kafkas.aiven.io is forbidden", "system:serviceaccount:"+p.Namespace+":"+account, "Remedy: ")
	assert.NotContains(t, p.log(), "Failed to watch")
	require.NoError(t, p.program.End(endTime), "it ends on a signal")
	assert.Equal(t, "exit status 0", p.program.State())

	p.start("")
	p.waitNotReady("kafkas.aiven.io is forbidden")
	p.everywhere(kafka)
	p.waitReady()
}

func TestAMissingPermissionForLeaderElectionIsNamed(t *testing.T) {
	p := newPod(t)
	p.everywhere(p.rules())
	p.start("", "--leader-elect")
	p.waitNotReady("leader election: ", `cannot get resource "leases"`, `in the namespace "`+p.Namespace+`"`,
		"system:serviceaccount:"+p.Namespace+":"+account, "without --leader-elect")
	p.in(p.Namespace, election[1:])
	p.waitNotReady("leader election: ", `cannot create resource "leases"`)
	p.in(p.Namespace, election[:1])
	p.waitReady()
}

// The other tests need their control plane with its CRDs, so this one has its own.
func TestCRDsThatAreMissingOrOlderThanTheOperatorAreNamed(t *testing.T) {
	p := newPod(t)
	plane, err := controlplane.Start(t.Context(), controlplane.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, plane.Stop()) })
	p.access = filepath.Join(t.TempDir(), "empty")
	require.NoError(t, os.WriteFile(p.access, plane.Kubeconfig(), 0o600))
	cluster, err := client.New(plane.RESTConfig(), client.Options{})
	require.NoError(t, err)

	p.start("")
	p.waitNotReady("kinds that aren't served: "+strings.Join(testenv.KindNames()[:5], ", ")+" and ",
		"kubectl apply --server-side -k config/crd")
	for _, crd := range crds(t) {
		if crd.GetName() == "kafkaacls.aiven.io" {
			without(t, crd, "spec", "topic")
		}
		require.NoError(t, cluster.Create(t.Context(), crd))
	}
	p.waitNotReady("kinds that lack fields: KafkaACL (spec.topic).", "helm upgrade aero-crds")
	for _, crd := range crds(t) {
		old := crd.DeepCopy()
		require.NoError(t, cluster.Get(t.Context(), client.ObjectKeyFromObject(crd), old))
		crd.SetResourceVersion(old.GetResourceVersion())
		require.NoError(t, cluster.Update(t.Context(), crd))
	}
	p.waitReady()
}

// crds are those of the operator.
func crds(t *testing.T) (all []*unstructured.Unstructured) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, "config", "crd", "bases", "*.yaml"))
	require.NoError(t, err)
	for _, path := range paths {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		crd := &unstructured.Unstructured{}
		require.NoError(t, yaml.Unmarshal(content, &crd.Object))
		all = append(all, crd)
	}
	require.NotEmpty(t, all)
	return all
}

// without takes a field, and what says that it must be there, out of the schema of a CRD.
func without(t *testing.T, crd *unstructured.Unstructured, part, field string) {
	t.Helper()
	versions, _, err := unstructured.NestedSlice(crd.Object, "spec", "versions")
	require.NoError(t, err)
	at := []string{"schema", "openAPIV3Schema", "properties", part}
	version := versions[0].(map[string]any)
	required, _, err := unstructured.NestedStringSlice(version, append(at, "required")...)
	require.NoError(t, err)
	required = slices.DeleteFunc(required, func(name string) bool { return name == field })
	require.NoError(t, unstructured.SetNestedStringSlice(version, required, append(at, "required")...))
	unstructured.RemoveNestedField(version, append(at, "x-kubernetes-validations")...)
	fields, _, err := unstructured.NestedMap(version, append(at, "properties")...)
	require.NoError(t, err)
	require.Contains(t, fields, field)
	unstructured.RemoveNestedField(version, append(at, "properties", field)...)
	require.NoError(t, unstructured.SetNestedSlice(crd.Object, versions, "spec", "versions"))
}

func TestAPortThatIsTakenIsNamedWithItsFlag(t *testing.T) {
	p := newPod(t)
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, taken.Close()) }()
	for _, flag := range []string{"--metrics-bind-address", "--health-probe-bind-address"} {
		with := flag + "=" + taken.Addr().String()
		other := "--health-probe-bind-address=0"
		if strings.HasPrefix(with, "--health") {
			other = "--metrics-bind-address=0"
		}
		line := lastLine(t, p.command("", other, with))
		assert.Regexp(t, "^manager: "+with+": listen tcp .*: bind: address already in use \\(choose another address", line)
	}
}
