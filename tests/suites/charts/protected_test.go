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

// protectedDatabase is a manifest of an object that mustn't be deleted.
const protectedDatabase = `apiVersion: aiven.io/v1alpha1
kind: Database
metadata: {name: NAME, namespace: NAMESPACE, labels: {kept: "yes"}}
spec: {project: my-project, serviceName: my-pg, terminationProtection: true}
`

// protectedIn writes that manifest into a file.
func protectedIn(t *testing.T, namespace, name, file string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	content := strings.NewReplacer("NAMESPACE", namespace, "NAME", name).Replace(protectedDatabase)
	require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
	return file
}

func TestWhatIsProtectedIsNotDeletedInAnyWay(t *testing.T) { // review H8
	e := world(t, testenv.Options{Idle: true})
	typo := e.Example("database")
	typo.SetAnnotations(map[string]string{"controllers.aiven.io/deletion-policy": "orphan"})
	e.Admission(typo)
	in := " -n " + e.Namespace
	file := protectedIn(t, e.Namespace, "orders", filepath.Join(t.TempDir(), "database.yaml"))
	out, err := kubectl(t, "apply -f "+file) // what a prune deletes was applied
	require.NoError(t, err, out)
	e.Until(func() bool {
		_, err := kubectl(t, "delete --dry-run=server database orders"+in)
		return err != nil
	}, func() string { return "the policy that protects objects isn't enforced" })
	nothing := filepath.Join(t.TempDir(), "nothing.yaml")
	require.NoError(t, os.WriteFile(nothing, []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: nothing, labels: {kept: \"yes\"}}\n"), 0o600))
	collection := "/apis/aiven.io/v1alpha1/namespaces/" + e.Namespace + "/databases"
	for name, command := range map[string]string{
		"a name":                  "delete database orders",
		"a file":                  "delete -f " + file,
		"a label":                 "delete database -l kept=yes",
		"all of a kind":           "delete databases --all",
		"all of aiven":            "delete aiven --all",
		"force":                   "delete database orders --force --grace-period=0",
		"a collection":            "delete --raw " + collection + "?labelSelector=kept%3Dyes",
		"a replacement":           "replace --force -f " + file,
		"a prune":                 "apply --prune -l kept=yes --prune-allowlist=aiven.io/v1alpha1/Database -f " + nothing,
		"propagation: background": "delete database orders --cascade=background",
		"propagation: foreground": "delete database orders --cascade=foreground",
		"propagation: orphan":     "delete database orders --cascade=orphan",
	} {
		t.Run(name, func(t *testing.T) {
			out, err := kubectl(t, command+in)
			require.Error(t, err)
			assert.Contains(t, out, "termination protection is on")
			left, err := kubectl(t, "get database orders -o jsonpath={.metadata.name}{.metadata.deletionTimestamp}"+in)
			require.NoError(t, err)
			assert.Equal(t, "orders", left)
		})
	}

	t.Run("helm uninstall", func(t *testing.T) {
		folder := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(folder, "Chart.yaml"), []byte("apiVersion: v2\nname: shop\nversion: 0.1.0\n"), 0o600))
		protectedIn(t, e.Namespace, "of-helm", filepath.Join(folder, "templates", "database.yaml"))
		release := helm.Release{Name: "shop", Namespace: e.Namespace, Kubeconfig: kubeconfig}
		_, err := release.Install(t.Context(), load(t, folder), nil)
		require.NoError(t, err)
		require.ErrorContains(t, release.Uninstall(), "failed to delete release") // helm logs the reason
		left, err := kubectl(t, "get database of-helm -o jsonpath={.metadata.name}{.metadata.deletionTimestamp}"+in)
		require.NoError(t, err)
		assert.Equal(t, "of-helm", left)
	})
}
