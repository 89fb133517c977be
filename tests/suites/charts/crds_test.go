package charts_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/harness/controlplane"
	"github.com/aero-operator/aero/tests/harness/helm"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

const (
	allowDeletion = "controllers.aiven.io/allow-deletion"
	refusal       = "set its annotation " + allowDeletion + ` to "true" first`
)

// spareCRD is one that no other test uses.
const spareCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: PLURAL.GROUP, labels: {spare: PLURAL}, annotations: {controllers.aiven.io/allow-deletion: "false"}}
spec:
  group: GROUP
  scope: Namespaced
  names: {kind: PLURAL, listKind: PLURALlist, plural: PLURAL, singular: PLURAL}
  versions:
  - {name: v1alpha1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`

// spare is that CRD in the cluster.
type spare struct {
	t        *testing.T
	name     string
	manifest string // a file
}

func newSpare(t *testing.T, plural, group string) spare {
	t.Helper()
	s := spare{t: t, name: plural + "." + group, manifest: filepath.Join(t.TempDir(), "crd.yaml")}
	content := strings.NewReplacer("PLURAL", plural, "GROUP", group).Replace(spareCRD)
	require.NoError(t, os.WriteFile(s.manifest, []byte(content), 0o600))
	s.types("apply -f " + s.manifest)
	s.types("wait --for=condition=Established --timeout=60s crd " + s.name)
	return s
}

// types types a command of kubectl that must succeed.
func (s spare) types(command string) string {
	s.t.Helper()
	out, err := kubectl(s.t, command)
	require.NoError(s.t, err, out)
	return out
}

// refused waits until the policy is enforced.
func (s spare) refused(e *testenv.Env) {
	s.t.Helper()
	e.Until(func() bool {
		_, err := kubectl(s.t, "delete --dry-run=server crd "+s.name)
		return err != nil
	}, func() string { return "the policy that keeps the CRDs isn't enforced" })
}

// delete deletes the CRD as the docs have it.
func (s spare) delete() {
	s.t.Helper()
	s.types("annotate --overwrite crd " + s.name + " " + allowDeletion + "=true")
	s.types("delete crd " + s.name)
}

// kubectl types a command, and returns what it prints.
func kubectl(t *testing.T, command string) (string, error) {
	t.Helper()
	assets, err := controlplane.FindAssets()
	require.NoError(t, err)
	words := append([]string{"--kubeconfig", kubeconfig}, strings.Fields(command)...)
	out, err := exec.CommandContext(t.Context(), filepath.Join(assets, "kubectl"), words...).CombinedOutput()
	return string(out), err
}

func TestNoCRDIsDeletedWithoutItsAnnotation(t *testing.T) { // review H8
	e := world(t, testenv.Options{Idle: true})
	s := newSpare(t, "keepings", "aiven.io")
	s.refused(e)
	nothing := filepath.Join(t.TempDir(), "nothing.yaml")
	require.NoError(t, os.WriteFile(nothing, []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: nothing, labels: {spare: keepings}}\n"), 0o600))
	const collection = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	for name, command := range map[string]string{
		"a name":                  "delete crd " + s.name,
		"a file":                  "delete -f " + s.manifest,
		"a label":                 "delete crd -l spare=keepings",
		"force":                   "delete crd " + s.name + " --force --grace-period=0",
		"a collection":            "delete --raw " + collection + "?labelSelector=spare%3Dkeepings",
		"a replacement":           "replace --force -f " + s.manifest,
		"a prune":                 "apply --prune -l spare=keepings --prune-allowlist=apiextensions.k8s.io/v1/CustomResourceDefinition -f " + nothing,
		"propagation: background": "delete crd " + s.name + " --cascade=background",
		"propagation: foreground": "delete crd " + s.name + " --cascade=foreground",
		"propagation: orphan":     "delete crd " + s.name + " --cascade=orphan",
		"no annotation":           "delete crd databases.aiven.io",
		"the other group":         "delete crd connectionsecrets.aero-operator.io",
	} {
		t.Run(name, func(t *testing.T) {
			out, err := kubectl(t, command)
			require.Error(t, err)
			assert.Contains(t, out, refusal)
			assert.Empty(t, s.types("get crd databases.aiven.io "+s.name+" -o jsonpath={.items[*].metadata.deletionTimestamp}"))
		})
	}
	s.delete()

	other := newSpare(t, "keepings", "example.com")
	assert.Contains(t, other.types("delete crd "+other.name), "deleted", "CRDs of others aren't ours to keep")
}

func TestDeletingACRDAsksNoPolicyAboutItsObjects(t *testing.T) { // review H8
	e := world(t, testenv.Options{Idle: true})
	s := newSpare(t, "losings", "aiven.io")
	typo := e.Example("database")
	typo.SetAnnotations(map[string]string{"controllers.aiven.io/deletion-policy": "orphan"})
	e.Admission(typo)
	object := filepath.Join(t.TempDir(), "object.yaml")
	content := "apiVersion: aiven.io/v1alpha1\nkind: losings\nmetadata: {name: mine, namespace: " + e.Namespace + "}\nspec: {terminationProtection: true}\n"
	require.NoError(t, os.WriteFile(object, []byte(content), 0o600))
	s.types("create -f " + object)
	out, err := kubectl(t, "delete -f "+object)
	require.Error(t, err)
	require.Contains(t, out, "termination protection is on")

	s.delete()
	s = newSpare(t, "losings", "aiven.io")
	assert.Contains(t, s.types("get losings --all-namespaces"), "No resources found")
	s.delete()
}

func TestThePolicyOutlivesTheChartAndGoesByAValue(t *testing.T) { // review H8
	e := world(t, testenv.Options{Idle: true})
	s := newSpare(t, "leavings", "aiven.io")
	release := helm.Release{Name: "aero-crds", Namespace: "aero-crds", Kubeconfig: kubeconfig}
	require.NoError(t, release.Uninstall())
	s.types("get crd databases.aiven.io") // helm keeps them
	s.refused(e)
	_, err := release.Install(t.Context(), load(t, kindFolder), nil)
	require.NoError(t, err)
	s.refused(e)

	require.NoError(t, release.Upgrade(t.Context(), load(t, kindFolder), helm.Values{"allowDeletion": true}))
	e.Until(func() bool {
		out, err := kubectl(t, "delete --dry-run=server crd "+s.name)
		return err == nil && strings.Contains(out, "Warning: ") && strings.Contains(out, refusal)
	}, func() string { return "allowDeletion: true doesn't make it a warning" })
	s.types("delete crd " + s.name)
	require.NoError(t, release.Upgrade(t.Context(), load(t, kindFolder), helm.Values{"allowDeletion": false}))
	back := newSpare(t, "leavings", "aiven.io")
	back.refused(e)
	back.delete()

	require.ErrorContains(t, release.Upgrade(t.Context(), load(t, kindFolder), helm.Values{"allowDeletions": true}), "allowDeletions")
}
