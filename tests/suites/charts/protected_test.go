package charts_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/harness/helm"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// protected is a manifest of an object that mustn't be deleted.
type protected struct {
	kind, resource string
	manifest       string // of an object NAME in NAMESPACE
	status         string // in which the operator has said why; empty if the manifest does
	says           string // by the API server
}

// protectedKinds are one for each policy that refuses deletions.
var protectedKinds = []protected{
	{
		kind: "Database", resource: "database", says: "termination protection is on",
		manifest: `apiVersion: aiven.io/v1alpha1
kind: Database
metadata: {name: NAME, namespace: NAMESPACE, labels: {kept: "yes"}}
spec: {project: my-project, serviceName: my-pg, terminationProtection: true}
`,
	},
	{
		kind: "Project", resource: "project", says: "open balance of 12.50 USD at the latest poll", status: `{"status":{"estimatedBalance":"12.50"}}`,
		manifest: `apiVersion: aiven.io/v1alpha1
kind: Project
metadata: {name: NAME, namespace: NAMESPACE, labels: {kept: "yes"}}
spec: {cloud: google-europe-west1}
`,
	},
}

// in writes the manifest into a file.
func (p protected) in(t *testing.T, namespace, name, file string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	content := strings.NewReplacer("NAMESPACE", namespace, "NAME", name).Replace(p.manifest)
	require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
	return file
}

// observed writes the status of an object that was made.
func (p protected) observed(t *testing.T, in, name string) {
	t.Helper()
	if p.status != "" {
		out, err := kubectl(t, "patch "+p.resource+" "+name+" --subresource=status --type=merge --patch "+p.status+in)
		require.NoError(t, err, out)
	}
}

// stays wants an object that isn't being deleted.
func (p protected) stays(t *testing.T, in, name string) {
	t.Helper()
	left, err := kubectl(t, "get "+p.resource+" "+name+" -o jsonpath={.metadata.name}{.metadata.deletionTimestamp}"+in)
	require.NoError(t, err)
	assert.Equal(t, name, left)
}

// deletions are commands that delete the object orders, whose manifest is in the file, by what they do it with.
func (p protected) deletions(namespace, file, nothing string) map[string]string {
	collection := "/apis/aiven.io/v1alpha1/namespaces/" + namespace + "/" + p.resource + "s"
	return map[string]string{
		"a name":                  "delete " + p.resource + " orders",
		"a file":                  "delete -f " + file,
		"a label":                 "delete " + p.resource + " -l kept=yes",
		"all of a kind":           "delete " + p.resource + "s --all",
		"all of aiven":            "delete aiven --all",
		"force":                   "delete " + p.resource + " orders --force --grace-period=0",
		"a collection":            "delete --raw " + collection + "?labelSelector=kept%3Dyes",
		"a replacement":           "replace --force -f " + file,
		"a prune":                 "apply --prune -l kept=yes --prune-allowlist=aiven.io/v1alpha1/" + p.kind + " -f " + nothing,
		"propagation: background": "delete " + p.resource + " orders --cascade=background",
		"propagation: foreground": "delete " + p.resource + " orders --cascade=foreground",
		"propagation: orphan":     "delete " + p.resource + " orders --cascade=orphan",
	}
}

func TestWhatIsProtectedIsNotDeletedInAnyWay(t *testing.T) { // review H8
	for _, p := range protectedKinds {
		t.Run(p.kind, func(t *testing.T) {
			e := guarded(t)
			in := " -n " + e.Namespace
			file := p.in(t, e.Namespace, "orders", filepath.Join(t.TempDir(), "object.yaml"))
			out, err := kubectl(t, "apply -f "+file) // what a prune deletes was applied
			require.NoError(t, err, out)
			p.observed(t, in, "orders")
			e.Until(func() bool {
				_, err := kubectl(t, "delete --dry-run=server "+p.resource+" orders"+in)
				return err != nil
			}, func() string { return "the policy that protects objects isn't enforced" })
			nothing := filepath.Join(t.TempDir(), "nothing.yaml")
			require.NoError(t, os.WriteFile(nothing, []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: nothing, labels: {kept: \"yes\"}}\n"), 0o600))
			for name, command := range p.deletions(e.Namespace, file, nothing) {
				t.Run(name, func(t *testing.T) {
					out, err := kubectl(t, command+in)
					require.Error(t, err)
					assert.Contains(t, out, p.says)
					p.stays(t, in, "orders")
				})
			}
			t.Run("helm uninstall", func(t *testing.T) {
				folder := newChart(t)
				p.in(t, e.Namespace, "of-helm", filepath.Join(folder, "templates", "object.yaml"))
				release := helm.Release{Name: "shop", Namespace: e.Namespace, Kubeconfig: kubeconfig}
				_, err := release.Install(t.Context(), load(t, folder), nil)
				require.NoError(t, err)
				p.observed(t, in, "of-helm")
				require.ErrorContains(t, release.Uninstall(), "failed to delete release") // helm logs the reason
				p.stays(t, in, "of-helm")
			})
		})
	}
}

// guarded is a world without an operator, in which the policies are enforced.
func guarded(t *testing.T) *testenv.Env {
	t.Helper()
	e := world(t, testenv.Options{Idle: true})
	typo := e.Example("database")
	typo.SetAnnotations(map[string]string{"controllers.aiven.io/deletion-policy": "orphan"})
	e.Admission(typo)
	return e
}

// newChart is the folder of a chart without templates.
func newChart(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "Chart.yaml"), []byte("apiVersion: v2\nname: shop\nversion: 0.1.0\n"), 0o600))
	return folder
}

// annotatedDatabase has an annotation with the value of a chart.
const annotatedDatabase = `apiVersion: aiven.io/v1alpha1
kind: Database
metadata: {name: orders, annotations: {controllers.aiven.io/deletion-policy: VALUE}}
spec: {project: my-project, serviceName: my-pg}
`

func TestW08_HelmAndKubectlSayWhichAnnotationHasATypo(t *testing.T) {
	const says = "annotation controllers.aiven.io/deletion-policy must be Delete or Orphan"
	e := guarded(t)
	write := func(path, value string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(annotatedDatabase, "VALUE", value)), 0o600))
	}
	file, in := filepath.Join(t.TempDir(), "database.yaml"), " -n "+e.Namespace
	write(file, "orphan")
	for _, command := range []string{"apply", "apply --server-side", "create"} {
		out, err := kubectl(t, command+" -f "+file+in)
		require.Error(t, err, command)
		assert.Contains(t, out, says, command)
	}

	folder := newChart(t)
	write(filepath.Join(folder, "templates", "database.yaml"), "{{ .Values.policy }}")
	release := helm.Release{Name: "shop", Namespace: e.Namespace, Kubeconfig: kubeconfig}
	_, err := release.Install(t.Context(), load(t, folder), helm.Values{"policy": "orphan"})
	require.ErrorContains(t, err, says)
	require.NoError(t, release.Uninstall())
	_, err = release.Install(t.Context(), load(t, folder), helm.Values{"policy": "Orphan"})
	require.NoError(t, err)
	require.ErrorContains(t, release.Upgrade(t.Context(), load(t, folder), helm.Values{"policy": "Keep"}), says)
	policy, err := kubectl(t, `get database orders -o jsonpath={.metadata.annotations.controllers\.aiven\.io/deletion-policy}`+in)
	require.NoError(t, err)
	assert.Equal(t, "Orphan", policy)
	require.NoError(t, release.Uninstall())
}
