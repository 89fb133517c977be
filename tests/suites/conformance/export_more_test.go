package conformance_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
)

func TestAServiceThatMayNotBeReadIsNamedAndTheOthersAreExported(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Idle: true})
	e.Aiven.Service(e.Project, serviceName)
	e.Aiven.Service(e.Project, "other-pg")
	e.Aiven.Fail("ServiceGet", localaiven.Effect{Status: 403}, 1)
	manifests, notes, code := exported(e, e.Token)
	assert.Equal(t, 3, code)
	assert.Contains(t, notes, "Not read:\n  service "+serviceName+": ")
	assert.Contains(t, notes, "Use a token in AIVEN_TOKEN whose user has the permission to read it")
	all := objectsIn(e, manifests)
	assert.True(t, strings.Contains(manifests, "name: other-pg"), manifests)
	for _, obj := range all {
		assert.NotEqual(t, serviceName, obj.GetName())
	}
}

func TestAProjectThatMayNotBeReadIsAnError(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Idle: true})
	e.Aiven.Fail("ServiceList", localaiven.Effect{Status: 403}, 1)
	manifests, notes, code := exported(e, e.Token)
	assert.Equal(t, 1, code)
	assert.Empty(t, manifests)
	assert.Contains(t, notes, "listing the services of project "+e.Project)
	_, notes, code = exported(e, "")
	assert.Equal(t, 1, code)
	assert.Contains(t, notes, "AIVEN_TOKEN isn't set")
}

func TestWhatIsExportedHasWhatTheFlagsSay(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Idle: true})
	e.Aiven.Service(e.Project, serviceName)
	plain, _, code := exported(e, e.Token, "--service", serviceName, "--kinds", "PostgreSQL")
	require.Zero(t, code)
	all, _, code := exported(e, e.Token, "--service", serviceName, "--kinds", "postgresql", "--mode", "manage", "--include-defaults",
		"--label", "team=orders", "--annotation", "note=x")
	require.Zero(t, code)
	assert.Len(t, objectsIn(e, plain), 1)
	assert.Contains(t, plain, managementPolicy+": Observe")
	managed := objectsIn(e, all)[0].(*v1alpha1.PostgreSQL)
	assert.NotContains(t, managed.Annotations, managementPolicy)
	assert.Equal(t, map[string]string{"team": "orders"}, managed.Labels)
	assert.Equal(t, "x", managed.Annotations["note"])
	assert.NotContains(t, plain, "ip_filter", "it has its default")
	assert.Contains(t, all, "ip_filter")
	_, notes, code := exported(e, e.Token, "--kinds", "Postgres")
	assert.Equal(t, 1, code)
	assert.Contains(t, notes, `"Postgres" is no kind`)
}

func TestAnExportIntoADirectoryHasAFileForEachObjectOfTheStream(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Idle: true})
	makeService(e, inKafka)
	postAll(e, []post{{"service/my-kafka/topic", `{"topic_name": "orders", "replication": 2}`}})
	stream, notes, code := exported(e, e.Token)
	require.Zero(t, code, notes)
	directory := filepath.Join(t.TempDir(), "new", "prod")
	printed, notes, code := exported(e, e.Token, "--layout", "dir", "--directory", directory)
	require.Zero(t, code, notes)
	assert.Empty(t, printed)
	files, err := filepath.Glob(filepath.Join(directory, "*", "*.yaml"))
	require.NoError(t, err)
	assert.Len(t, files, len(objectsIn(e, stream)))
	assert.Contains(t, files, filepath.Join(directory, "my-kafka", "kafkatopic-orders.yaml"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Contains(t, stream, "---\n"+string(text))
	}
	_, notes, code = exported(e, e.Token, "--layout", "dir", "--directory", directory)
	assert.Equal(t, 1, code)
	assert.Contains(t, notes, "folder "+directory+" isn't empty")
}

// A value that Aiven accepts and the CRD doesn't would otherwise be found when the manifests are applied.
func TestAnExportThatTheAPIServerWouldRefuseIsAnErrorWithTheField(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Idle: true})
	makeService(e, inKafka)
	postAll(e, []post{{"service/my-kafka/topic", `{"topic_name": "orders", "replication": 2, "tags": [{"key": "team", "value": "orders.eu"}]}`}})
	kubeconfig := "--kubeconfig=" + e.KubeconfigFile()
	manifests, notes, code := exported(e, e.Token, kubeconfig)
	assert.Equal(t, 1, code, notes)
	assert.Contains(t, notes, "Refused by the API server:\n  KafkaTopic orders: ")
	assert.Contains(t, notes, "spec.tags[0].value")
	assert.Contains(t, notes, "1 manifest would be refused")
	assert.Contains(t, manifests, "orders.eu", "it is there to be corrected")

	_, notes, code = exported(e, e.Token, kubeconfig, "--kinds", "Kafka")
	assert.Zero(t, code, notes)
	assert.NotContains(t, notes, "Not checked")
	_, notes, code = exported(e, e.Token)
	assert.Zero(t, code, notes)
	assert.Contains(t, notes, "Not checked by an API server: no cluster is configured in a kubeconfig\n")
	_, notes, code = exported(e, e.Token, kubeconfig, "--verify=false")
	assert.Zero(t, code, notes)
	topics := &v1alpha1.KafkaTopicList{}
	require.NoError(t, e.Client.List(t.Context(), topics, client.InNamespace(e.Namespace)))
	assert.Empty(t, topics.Items, "a dry run stores nothing")
}

func TestWhatIsExportedOfAnAccountIsAdoptedWithoutAWrite(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ kind, project, path, body string }{
		"a project of an organization": {
			"OrganizationProject", organizationProjectName, "/v1/organization/" + organization + "/projects", `{"project_id": "my-organization-project",
				"billing_group_id": "988507f8-7cfe-a865-8493-5853f7d4093a", "parent_id": "` + organization + `", "base_port": 12000,
				"tech_emails": [{"email": "ops@example.com"}], "tags": {"env": "prod"}}`,
		},
		"a project": {
			"Project", projectName, "/v1/project", `{"project": "my-project", "cloud": "google-europe-west1", "tech_emails": [{"email": "ops@example.com"}],
				"tags": {"env": "prod"}}`,
		},
		"a step": {
			"UpgradePipelineStep", "", "/v1/organization/" + organization + "/upgrade-pipeline/steps", `{"source_project_name": "%", "source_service_name": "my-pg",
				"destination_project_name": "my-production", "destination_service_name": "my-pg", "auto_validation_delay_days": 7}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := testenv.New(t, testenv.Options{Kinds: []string{tc.kind, "Project"}}) // an export asks for the project, too
			if tc.kind == "UpgradePipelineStep" {
				makeStepEnds(e)
				tc.project = e.Project
			}
			e.Aiven.Post(tc.path, strings.ReplaceAll(tc.body, "%", e.Project))
			mark := e.Aiven.Mark()
			manifests, notes, code := exported(e, e.Token, "--project", tc.project, "--kinds", tc.kind, "--mode", "manage",
				"--auth-secret", testenv.TokenSecret+"/"+testenv.TokenKey)
			require.Zero(t, code, notes)
			all := objectsIn(e, manifests)
			require.Len(t, all, 1, notes)
			e.Create(all[0])
			e.Wait(all[0], testenv.Ready())
			settle(e, all)
			assert.Empty(t, e.Aiven.Writes(mark))
		})
	}
}
