package migrate

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/aero-operator/aero/tests/harness/testenv"
)

// harmless is a chart with one kind that is not in use, like that of aiven-operator.
const harmless = `mkdir -p harmless/templates
cat > harmless/Chart.yaml <<'YAML'
apiVersion: v2
name: harmless
version: 0.0.1
YAML
cat > harmless/templates/kind.yaml <<'YAML'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: harmless.aiven.io}
spec:
  group: aiven.io
  scope: Namespaced
  names: {kind: Harmless, listKind: HarmlessList, plural: harmless, singular: harmless}
  versions:
  - {name: v1alpha1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
YAML
helm install -n default harmless ./harmless
kubectl wait --for=condition=Established --timeout=60s crd/harmless.aiven.io
`

const (
	uninstallHarmless = "helm uninstall -n default harmless"
	annotateHarmless  = "kubectl annotate --overwrite crd harmless.aiven.io helm.sh/resource-policy=keep"
)

// TestWhatThePageWarnsOfIsTrue holds helm to what the page says of it.
func TestWhatThePageWarnsOfIsTrue(t *testing.T) {
	s := newShell(t)
	installKinds(t, s)
	e := testenv.New(t, testenv.Options{Outside: true})
	kind := &metav1.PartialObjectMetadata{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"},
		ObjectMeta: metav1.ObjectMeta{Name: "harmless.aiven.io"},
	}
	s.do(harmless + annotateHarmless)
	s.do(uninstallHarmless)
	e.WaitGone(kind) // the annotation in the cluster alone doesn't count

	s.do(harmless + annotateHarmless)
	s.do("rm harmless/templates/kind.yaml; helm upgrade -n default harmless ./harmless")
	e.Get(kind) // but for an upgrade
	assert.Nil(t, kind.DeletionTimestamp)
	s.do(uninstallHarmless + "; kubectl delete crd harmless.aiven.io")
	e.WaitGone(kind)

	watch := watchKinds(t, e)
	s.section(guard)
	out, err := s.try("helm uninstall -n $OLD aiven-operator-crds") // without step 4
	require.Error(t, err)
	assert.Contains(t, out, "failed to delete release")
	_, err = s.try("kubectl delete crd --all")
	require.Error(t, err)
	s.do(s.page[remove][1])
	assert.NotContains(t, s.do("helm list -A"), "aiven-operator-crds")
	watch.nothingWasDeleted()
}

// TestOurKindsOutliveTheirChart uninstalls the chart of the kinds while there are objects.
func TestOurKindsOutliveTheirChart(t *testing.T) {
	s := newShell(t)
	s.do("helm install aero-crds charts/aero-crds -n " + ours + " --create-namespace --take-ownership\n" +
		"kubectl wait --for=condition=Established --timeout=60s -f config/crd/bases")
	t.Cleanup(func() { s.do(unguard) })
	e := testenv.New(t, testenv.Options{Outside: true})
	watch := watchKinds(t, e)
	obj := e.Example("database")
	e.Create(obj)
	out := s.do("helm uninstall aero-crds -n " + ours)
	assert.Contains(t, out, "kept due to the resource policy")
	watch.nothingWasDeleted()
	e.Get(obj)
	assert.Nil(t, obj.GetDeletionTimestamp())
	e.Delete(obj)
}

// TestTheChecksFindWhatIsWrong makes one of each thing that the page checks.
func TestTheChecksFindWhatIsWrong(t *testing.T) {
	s := newShell(t)
	installKinds(t, s)
	e := testenv.New(t, testenv.Options{Outside: true})
	good := e.Example("database")
	good.SetAnnotations(map[string]string{running: "true", "controllers.aiven.io/deletion-policy": "Orphan"})
	e.Create(good)
	bad := e.Example("serviceuser")
	bad.SetName("bad")
	bad.SetFinalizers([]string{finalizer})
	bad.SetAnnotations(map[string]string{"controllers.aiven.io/deletion-policy": "orphan"})
	bad.GetAuthSecretRef().Name = "nowhere"
	e.Create(bad)
	e.Delete(bad)
	other := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "aiven.io/v1alpha1", "kind": unserved,
		"spec": map[string]any{"project": "my-project", "serviceName": "my-kafka", "topicName": "orders", "partitions": int64(1), "replication": int64(2)},
	}}
	other.SetNamespace(e.Namespace)
	other.SetName("other")
	e.Create(other)

	found := s.section(check)
	name := "ServiceUser " + e.Namespace + "/bad"
	for _, problem := range []string{
		"1 " + unserved, "not running: " + name, "being deleted: " + name, "deletion-policy orphan: " + name,
		"no token: secret " + e.Namespace + "/nowhere, key token",
	} {
		assert.Contains(t, found, problem)
	}
	assert.NotContains(t, found, "Database "+e.Namespace)
	e.Change(bad, func() { bad.SetFinalizers(nil) })
	e.Delete(good)
	e.Delete(other)
}
