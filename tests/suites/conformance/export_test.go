package conformance_test

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/harness/testenv"
)

// exported runs kubectl aero export, and returns what it has written to its outputs, and its exit code.
func exported(e *testenv.Env, token string, flags ...string) (manifests, notes string, code int) {
	command := exec.CommandContext(e.T.Context(), e.Program("kubectl-aero"), append([]string{"export", "--project", e.Project, "-n", e.Namespace}, flags...)...)
	command.Env = []string{"AIVEN_WEB_URL=" + e.Aiven.URL, "AIVEN_TOKEN=" + token, "HOME=" + e.T.TempDir(), "PATH=" + os.Getenv("PATH")}
	var out, errOut bytes.Buffer
	command.Stdout, command.Stderr = &out, &errOut
	err := command.Run()
	if exit := new(exec.ExitError); !errors.As(err, &exit) {
		require.NoError(e.T, err)
	}
	return out.String(), errOut.String(), command.ProcessState.ExitCode()
}

// objectsIn decodes manifests as the API server does, without fields that it doesn't know.
func objectsIn(e *testenv.Env, manifests string) []testenv.Object {
	e.T.Helper()
	var all []testenv.Object
	for _, document := range strings.Split(manifests, "---\n") {
		if strings.TrimSpace(document) == "" {
			continue
		}
		all = append(all, decoded(e, document))
	}
	return all
}

func TestWhatIsExportedIsAdoptedWithoutAWrite(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: testenv.KindNames()})
	secrets := fill(e)
	mark := e.Aiven.Mark()
	manifests, notes, code := exported(e, e.Token, "--auth-secret", testenv.TokenSecret+"/"+testenv.TokenKey, "--kubeconfig", e.KubeconfigFile())
	t.Log(notes)
	require.Zero(t, code, notes)
	assert.NotContains(t, notes, "Not checked")
	assert.Empty(t, e.Aiven.Writes(mark), "an export only reads")
	for _, secret := range secrets {
		assert.NotContains(t, manifests, secret)
		assert.NotContains(t, notes, secret)
	}
	all := objectsIn(e, manifests)
	covers(e, all)

	e.SetSecret("orders-to-http-secrets", map[string]string{"http.headers.authorization": "Bearer " + canaries[2]})
	slices.SortFunc(all, func(a, b testenv.Object) int { return cmp.Compare(a.GetName(), b.GetName()) })
	for _, obj := range all {
		e.Create(obj)
	}
	for _, obj := range all {
		e.Wait(obj, testenv.Ready())
	}
	assert.Empty(t, e.Aiven.Writes(mark), "objects that observe")
	// Adopting needs a deletion policy; what was adopted needs neither.
	for _, annotation := range []string{managementPolicy, adoptionPolicy, deletionPolicy} {
		for _, obj := range all {
			e.Annotate(obj, annotation, "")
		}
		settle(e, all)
		assert.Empty(t, e.Aiven.Writes(mark), "without %s", annotation)
	}
	for _, obj := range all {
		e.Annotate(obj, deletionPolicy, "Orphan") // so that the end of the test takes no time
	}
}

// settle waits until each object was reconciled as it is now, and is ready.
func settle(e *testenv.Env, all []testenv.Object) {
	e.T.Helper()
	request := rand.Text()
	for _, obj := range all {
		e.Annotate(obj, requested, request)
	}
	for _, obj := range all {
		e.Until(func() bool {
			e.Get(obj)
			return obj.GetCommonStatus().LastHandledReconcileAt == request
		}, func() string { return obj.GetName() + " isn't reconciled" })
		e.Wait(obj, testenv.Ready())
	}
}

// covers requires an object of each kind, but for those that TestWhatIsExportedOfAnAccountIsAdoptedWithoutAWrite is about.
func covers(e *testenv.Env, all []testenv.Object) {
	e.T.Helper()
	var missing []string
	for _, kind := range testenv.KindNames() {
		if !slices.ContainsFunc(all, func(obj testenv.Object) bool { return obj.GetObjectKind().GroupVersionKind().Kind == kind }) {
			missing = append(missing, kind)
		}
	}
	assert.Subset(e.T, []string{"OrganizationProject", "Project", "UpgradePipelineStep"}, missing)
}

func decoded(e *testenv.Env, document string) testenv.Object {
	e.T.Helper()
	path := e.T.TempDir() + "/object.yaml"
	require.NoError(e.T, os.WriteFile(path, []byte(document), 0o600))
	obj := e.Load(path)
	require.Equal(e.T, e.Namespace, obj.GetNamespace())
	return obj
}
