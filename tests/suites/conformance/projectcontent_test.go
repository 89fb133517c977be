package conformance_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
)

// inProject are examples that are applied together with a project, and live in it.
var inProject = map[string][]string{
	"a service and its user":     {"Valkey", "ServiceUser"},
	"a topic, a schema, a quota": {"Kafka", "KafkaTopic", "KafkaSchema", "KafkaQuota"},
	"a network":                  {"ProjectVPC"},
	"an endpoint":                {"ServiceIntegrationEndpoint"},
}

// makeInProject creates a project, which comes first, and what is in it.
func makeInProject(e *testenv.Env, k kind, names []string) []testenv.Object {
	project := e.Example(k.example)
	e.Create(project)
	e.Wait(project, testenv.Ready())
	objects := []testenv.Object{project}
	e.Project = k.path
	for _, name := range names {
		obj := e.Example(exampleOf(name))
		if user, ok := obj.(*v1alpha1.ServiceUser); ok {
			user.Spec.ServiceName = "my-valkey"
		}
		e.Create(obj)
		objects = append(objects, obj)
	}
	for _, obj := range objects {
		e.Wait(obj, testenv.Ready())
	}
	return objects
}

// exampleOf is the example of a kind.
func exampleOf(name string) string {
	for _, k := range allKinds {
		if k.name == name {
			return k.example
		}
	}
	return name
}

func TestWhatIsInAProjectIsDeletedBeforeIt(t *testing.T) {
	t.Parallel()
	projectKinds(t, func(t *testing.T, k kind) {
		for says, names := range inProject {
			for how, remove := range map[string]func(e *testenv.Env, objects []testenv.Object){
				"one by one": func(e *testenv.Env, objects []testenv.Object) {
					for _, obj := range objects {
						e.Delete(obj)
					}
				},
				"the project long before": func(e *testenv.Env, objects []testenv.Object) {
					e.Delete(objects[0])
					e.Wait(objects[0], testenv.Condition("Ready", metav1.ConditionUnknown, "DeletionBlocked"),
						testenv.Saying("Ready", "Referred to by"), testenv.Saying("Ready", e.Namespace+"/"+objects[1].GetName()))
					for _, obj := range objects[1:] {
						e.Delete(obj)
					}
				},
				"with their namespace": func(e *testenv.Env, _ []testenv.Object) {
					e.Delete(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: e.Namespace}})
				},
			} {
				t.Run(says+", "+how, func(t *testing.T) {
					t.Parallel()
					e := testenv.New(t, testenv.Options{Kinds: append([]string{k.name}, names...)})
					objects := makeInProject(e, k, names)
					remove(e, objects)
					for _, obj := range objects {
						e.WaitGone(obj)
					}
					assert.Empty(t, leftOf(e))
				})
			}
		}
	})
}

// withTenant is a project, and an object of the example of a kind that another namespace has in it.
func withTenant(t *testing.T, name string, options testenv.Options) (e *testenv.Env, project, inside testenv.Object) {
	t.Helper()
	options.Second, options.Kinds = true, []string{"Project", name}
	e = testenv.New(t, options)
	e.Create(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: e.Second, Name: testenv.TokenSecret}, StringData: map[string]string{testenv.TokenKey: e.Token},
	})
	project = e.Example("project")
	e.Create(project)
	e.Wait(project, testenv.Ready())
	e.Project = projectName
	inside = e.Example(exampleOf(name))
	inside.SetNamespace(e.Second)
	return e, project, inside
}

func TestAnObjectOfAnotherNamespaceWhoseServiceIsGoneHoldsBackNoProject(t *testing.T) {
	t.Parallel()
	e, project, user := withTenant(t, "ServiceUser", testenv.Options{Config: testenv.OnlyWatches})
	e.Aiven.Service(projectName, serviceName)
	e.Create(user)
	e.Wait(user, testenv.Ready())
	e.Delete(project)
	e.Wait(project, testenv.Saying("Ready", "an object of another namespace"))
	require.NoError(t, e.Aiven.Console.ServiceDelete(t.Context(), projectName, serviceName))
	e.WaitGone(project)
	e.Wait(user, testenv.Condition("RemoteReady", metav1.ConditionFalse, "Missing"))
}

func TestAProjectIsNotDeletedBeneathWhatWasAcceptedBeforeAnEditWasRefused(t *testing.T) {
	t.Parallel()
	e, project, obj := withTenant(t, "ServiceIntegrationEndpoint", testenv.Options{})
	e.Create(obj)
	e.Wait(obj, testenv.Ready())
	endpoint := obj.(*v1alpha1.ServiceIntegrationEndpoint)
	e.Aiven.Fail("ServiceIntegrationEndpointUpdate", localaiven.Effect{Status: http.StatusBadRequest}, 0)
	e.Change(endpoint, func() { endpoint.Spec.ExternalPostgresql.Host = "other.example.com" })
	e.Wait(endpoint, testenv.Condition("Ready", metav1.ConditionFalse, "InvalidSpec"))
	e.Delete(project)
	e.Wait(project, testenv.Saying("Ready", "an object of another namespace"))
	e.Delete(endpoint)
	e.WaitGone(endpoint)
	e.WaitGone(project)
	assert.Empty(t, leftOf(e))
}
