package migrate

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// old is the namespace of aiven-operator in the page.
const old = "aiven-operator-system"

// unserved is a kind that aiven-operator has in these tests, and aero hasn't. It is invented, so that no kind that aero is to
// serve can be the same. Its CRD is cut from template, one of ours.
const (
	unserved = "KafkaUnserved"
	template = "aiven.io_kafkatopics.yaml"
)

// aivenOperatorKinds are the kinds that aiven-operator has in these tests: all of aero's, and one more.
func aivenOperatorKinds() []string { return append(testenv.KindNames(), unserved) }

// standIn writes the charts of aiven-operator to where the page expects them, when a user goes back.
func standIn(t *testing.T, s *shell) {
	t.Helper()
	require.NoError(t, os.CopyFS(filepath.Join(s.dir, "aiven"), os.DirFS("testdata")))
	templates := filepath.Join(s.dir, "aiven", "aiven-operator-crds", "templates")
	require.NoError(t, os.Mkdir(templates, 0o700))
	paths, err := filepath.Glob(filepath.Join(root, "config", "crd", "bases", v1alpha1.GroupVersion.Group+"_*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		write(t, filepath.Join(templates, filepath.Base(path)), theirs(t, path).Object)
	}
	other := theirs(t, filepath.Join(root, "config", "crd", "bases", template))
	singular := strings.ToLower(unserved)
	plural := singular + "s"
	other.SetName(plural + ".aiven.io")
	names := map[string]any{"kind": unserved, "listKind": unserved + "List", "plural": plural, "singular": singular}
	require.NoError(t, unstructured.SetNestedMap(other.Object, names, "spec", "names"))
	write(t, filepath.Join(templates, "aiven.io_"+plural+".yaml"), other.Object)
}

// theirs is a CRD of ours without what aiven-operator's hasn't: categories, columns, a status before the first reconcile.
func theirs(t *testing.T, path string) *unstructured.Unstructured {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	crd := &unstructured.Unstructured{}
	require.NoError(t, yaml.Unmarshal(text, &crd.Object))
	crd.SetAnnotations(nil)
	unstructured.RemoveNestedField(crd.Object, "spec", "names", "categories")
	versions, _, err := unstructured.NestedSlice(crd.Object, "spec", "versions")
	require.NoError(t, err)
	require.Len(t, versions, 1)
	version := versions[0].(map[string]any)
	delete(version, "additionalPrinterColumns")
	unstructured.RemoveNestedField(version, "schema", "openAPIV3Schema", "properties", "status", "default")
	require.NoError(t, unstructured.SetNestedSlice(crd.Object, versions, "spec", "versions"))
	return crd
}

func write(t *testing.T, path string, content map[string]any) {
	t.Helper()
	text, err := yaml.Marshal(content)
	require.NoError(t, err)
	text = bytes.ReplaceAll(text, []byte("{{"), []byte(`{{ "{{" }}`)) // or Helm would take it for its own
	require.NoError(t, os.WriteFile(path, text, 0o600))
}

// unguard deletes the policy that keeps the CRDs.
const unguard = "kubectl delete --ignore-not-found -f config/crd/deletion.yaml"

// installKinds installs aiven-operator's kinds as Helm 3 does, and returns once they are served.
func installKinds(t *testing.T, s *shell) {
	t.Helper()
	standIn(t, s)
	s.do("helm install -n $OLD --create-namespace --take-ownership --server-side=false aiven-operator-crds aiven/aiven-operator-crds\n" +
		"kubectl wait --for=condition=Established --timeout=60s crd --all")
	// The next test begins without releases, and without the policy that keeps the CRDs. Kinds and namespaces stay.
	t.Cleanup(func() { s.do("kubectl delete secret --all-namespaces -l owner=helm --ignore-not-found; " + unguard) })
}

// crdList lists CRDs by their metadata.
func crdList() *metav1.PartialObjectMetadataList {
	return &metav1.PartialObjectMetadataList{TypeMeta: metav1.TypeMeta{
		APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinitionList",
	}}
}
