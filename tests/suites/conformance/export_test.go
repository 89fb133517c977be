package conformance_test

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
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

// canaries are planted where secrets are at Aiven.
var canaries = []string{"canary-of-a-service", "canary-of-an-endpoint", "canary-of-a-connector"}

// fill makes what the examples describe, and leaves it at Aiven without an object.
func fill(e *testenv.Env) {
	examples, err := os.ReadDir(e.Path("docs", "examples"))
	require.NoError(e.T, err)
	var all []testenv.Object
	for _, file := range examples {
		name, isExample := strings.CutSuffix(file.Name(), ".yaml")
		if !isExample || name == "project" || name == "organizationproject" || name == "upgradepipelinestep" {
			continue
		}
		obj := e.Example(name)
		obj.SetAnnotations(map[string]string{deletionPolicy: "Orphan"})
		switch obj := obj.(type) {
		case *v1alpha1.Kafka:
			obj.Spec.UserConfig.KafkaConnect, obj.Spec.UserConfig.SchemaRegistry = new(true), new(true)
		case *v1alpha1.ServiceIntegrationEndpoint:
			obj.Spec.ExternalPostgresql.Password = new(canaries[1])
		case *v1alpha1.KafkaConnector:
			obj.Spec.UserConfig["http.headers.authorization"] = "Bearer " + canaries[2]
		}
		all = append(all, obj)
	}
	for _, obj := range all {
		e.Create(obj)
	}
	for _, obj := range all {
		e.Wait(obj, testenv.Ready())
	}
	for _, obj := range all {
		e.Delete(obj)
	}
	for _, obj := range all {
		e.WaitGone(obj)
	}
	_, err = e.Aiven.Console.ServiceUserCredentialsModify(e.T.Context(), e.Project, serviceName, userName, &service.ServiceUserCredentialsModifyIn{
		Operation: service.ServiceUserCredentialsModifyOperationTypeResetCredentials, NewPassword: new(canaries[0]),
	})
	require.NoError(e.T, err)
}

func TestWhatIsExportedIsAdoptedWithoutAWrite(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{})
	fill(e)
	mark := e.Aiven.Mark()
	manifests, notes, code := exported(e, e.Token, "--auth-secret", testenv.TokenSecret+"/"+testenv.TokenKey)
	t.Log(notes)
	require.Zero(t, code, notes)
	assert.Empty(t, e.Aiven.Writes(mark), "an export only reads")
	for _, canary := range canaries {
		assert.NotContains(t, manifests, canary)
		assert.NotContains(t, notes, canary)
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
	for _, annotation := range []string{managementPolicy, deletionPolicy} {
		for _, obj := range all {
			if annotation == deletionPolicy {
				e.Annotate(obj, deletionPolicy, "Delete")
				continue
			}
			e.Annotate(obj, annotation, "")
		}
		for _, obj := range all {
			e.Wait(obj, testenv.Ready())
		}
		assert.Empty(t, e.Aiven.Writes(mark), "without %s", annotation)
	}
	for _, obj := range all {
		e.Annotate(obj, deletionPolicy, "Orphan") // so that the end of the test takes no time
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
