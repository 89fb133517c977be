package conformance_test

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	prometheususerconfig "github.com/aero-operator/aero/api/v1alpha1/userconfig/integrationendpoints/prometheus"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
)

// monitored is my-pg with an integration of an endpoint that it names by its object. Both are ready.
func monitored(t *testing.T) (e *testenv.Env, endpoint *v1alpha1.ServiceIntegrationEndpoint, integration *v1alpha1.ServiceIntegration) {
	t.Parallel()
	e = testenv.New(t, testenv.Options{Kinds: []string{"ServiceIntegration", "ServiceIntegrationEndpoint"}, Second: true})
	e.Aiven.Service(e.Project, serviceName)
	endpoint = e.Example("serviceintegrationendpoint").(*v1alpha1.ServiceIntegrationEndpoint)
	endpoint.Spec.EndpointType, endpoint.Spec.ExternalPostgresql = "prometheus", nil
	user, password := "scraper", "CorrectHorseBattery"
	e.Plant(password)
	endpoint.Spec.Prometheus = &prometheususerconfig.PrometheusUserConfig{BasicAuthUsername: &user, BasicAuthPassword: &password}
	integration = e.Example("serviceintegration").(*v1alpha1.ServiceIntegration)
	integration.Spec.IntegrationType, integration.Spec.KafkaLogs, integration.Spec.DestinationServiceName = "prometheus", nil, ""
	integration.Spec.DestinationEndpointRef = &v1alpha1.EndpointReference{Name: endpoint.Name}
	e.Create(integration)
	e.Wait(integration, testenv.Condition("DestinationEndpointReady", metav1.ConditionFalse, "NotFound"))
	e.Create(endpoint)
	e.Wait(integration, testenv.Ready(), testenv.Condition("DestinationEndpointReady", metav1.ConditionTrue, "Ready"))
	e.Wait(endpoint, testenv.Ready())
	require.Equal(t, endpoint.Status.ID, integration.Status.DestinationEndpointID)
	return e, endpoint, integration
}

func leftOf(e *testenv.Env) (left []string) {
	for _, r := range e.Aiven.Resources() {
		if r.Type != "service" && r.Type != "user" && r.Type != "database" {
			left = append(left, r.Type)
		}
	}
	return left
}

func TestAnEndpointIsDeletedAfterItsIntegrationInOneCommand(t *testing.T) {
	e, endpoint, integration := monitored(t)
	e.Delete(endpoint)
	e.Wait(endpoint, testenv.Condition("Ready", metav1.ConditionUnknown, "DeletionBlocked"),
		testenv.Saying("Ready", "ServiceIntegration "+e.Namespace+"/"+integration.Name))
	e.Kubectl("delete", "serviceintegrationendpoint/"+endpoint.Name, "serviceintegration/"+integration.Name)
	e.WaitGone(integration)
	e.WaitGone(endpoint)
	assert.Empty(t, leftOf(e))
}

func TestAnEndpointThatIsUsedByAnIntegrationOfTheConsoleStays(t *testing.T) {
	e, endpoint, integration := monitored(t)
	e.Annotate(integration, "controllers.aiven.io/deletion-policy", "Orphan")
	e.Delete(integration)
	e.WaitGone(integration)
	e.Delete(endpoint)
	e.Wait(endpoint, testenv.Condition("Ready", metav1.ConditionUnknown, "DeletionBlocked"), testenv.Saying("Ready", "is in use by service integration"))
	require.NoError(t, e.Aiven.Console.ServiceIntegrationDelete(t.Context(), e.Project, integration.Status.ID))
	e.WaitGone(endpoint)
	assert.Empty(t, leftOf(e))
}

func TestAnIntegrationFollowsAnEndpointThatIsMadeAgain(t *testing.T) {
	e, endpoint, integration := monitored(t)
	was := endpoint.Status.ID
	e.Operator.Stop()
	require.NoError(t, e.Aiven.Console.ServiceIntegrationDelete(t.Context(), e.Project, integration.Status.ID))
	require.NoError(t, e.Aiven.Console.ServiceIntegrationEndpointDelete(t.Context(), e.Project, was))
	e.Operator.Start()
	e.Until(func() bool {
		e.Get(endpoint)
		e.Get(integration)
		all := mainService(e).ServiceIntegrations
		return endpoint.Status.ID != was && integration.Status.DestinationEndpointID == endpoint.Status.ID &&
			len(all) == 1 && *all[0].DestEndpointId == endpoint.Status.ID
	}, func() string { return "the integration leads to the endpoint of before" })
	e.Wait(integration, testenv.Ready())
	assert.ElementsMatch(t, []string{"service_integration", "service_integration_endpoint"}, leftOf(e))
}

func TestAPasswordThatIsChangedAtTheConsoleIsRepairedAndNeverShown(t *testing.T) {
	e, endpoint, _ := monitored(t)
	theirs := "TheirOwnThreeWords"
	e.Plant(theirs)
	e.Annotate(endpoint, driftPolicy, "Report")
	setEndpoint(e, "basic_auth_password", theirs)
	e.Wait(endpoint, testenv.Ready(), testenv.Condition("Drifted", metav1.ConditionTrue, "ReportOnly"))
	assert.Equal(t, []v1alpha1.DriftEntry{{Path: "spec.prometheus.basic_auth_password", Wanted: "(secret)", Found: "(secret)"}}, endpoint.Status.Drift)
	e.Annotate(endpoint, driftPolicy, "Correct")
	e.Until(func() bool { return endpointAtAiven(e).UserConfig["basic_auth_password"] == "CorrectHorseBattery" },
		func() string { return "the password is still that of the console" })
	e.Until(func() bool { e.Get(endpoint); return len(endpoint.Status.Drift) == 0 }, func() string { return "the drift is still shown" })
	e.Wait(endpoint, testenv.Ready())
}

// One token has the project of the integration only, and Aiven wants one that has both.
func TestE03_AnIntegrationAcrossTwoProjectsNeedsATokenOfBoth(t *testing.T) {
	t.Parallel()
	const elsewhere = "elsewhere"
	for end, move := range map[string]func(*v1alpha1.ServiceIntegration){
		serviceName: func(obj *v1alpha1.ServiceIntegration) { obj.Spec.SourceProjectName = elsewhere },
		kafkaName:   func(obj *v1alpha1.ServiceIntegration) { obj.Spec.DestinationProjectName = elsewhere },
	} {
		t.Run(end+" is elsewhere", func(t *testing.T) {
			t.Parallel()
			e := testenv.New(t, testenv.Options{Kinds: []string{"ServiceIntegration"}, NoToken: true, Aiven: localaiven.Options{
				Tokens: []string{goodToken, otherToken}, DeniedProjects: map[string][]string{goodToken: {elsewhere}},
			}})
			e.Plant(otherToken)
			e.SetSecret(testenv.TokenSecret, map[string]string{testenv.TokenKey: goodToken})
			obj := e.Example("serviceintegration").(*v1alpha1.ServiceIntegration)
			move(obj)
			for _, p := range []*parent{inPostgres, inKafka} {
				project := map[bool]string{true: elsewhere, false: e.Project}[p.name == end]
				_, err := e.Aiven.Console.ServiceCreate(t.Context(), project, &service.ServiceCreateIn{ServiceName: p.name, ServiceType: p.serviceType, Plan: p.plan})
				require.NoError(t, err)
			}
			e.Create(obj)
			e.Wait(obj, testenv.Condition("Ready", metav1.ConditionFalse, "AuthFailed"),
				testenv.Saying("Ready", "ProjectName: Not a project member. The token needs access to project "+elsewhere+", too"))
			e.Rest(2)
			assert.NotContains(t, leftOf(e), "service_integration")
			warnedOnce(e, obj)
			e.SetSecret(testenv.TokenSecret, map[string]string{testenv.TokenKey: otherToken})
			e.Wait(obj, testenv.Ready())
			e.SetSecret(testenv.TokenSecret, map[string]string{testenv.TokenKey: goodToken})
			e.Delete(obj)
			e.WaitGone(obj)
			assert.NotContains(t, leftOf(e), "service_integration")
		})
	}
}

func TestAnIntegrationWhoseDestinationIsPoweredOffWaits(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"ServiceIntegration"}})
	makeService(e, inPostgres)
	makeService(e, inKafka)
	power := func(state string) {
		require.NoError(t, e.Aiven.Patch(e.Project, kafkaName, map[string]any{"state": state}))
	}
	power("POWEROFF")
	obj := e.Example("serviceintegration")
	e.Create(obj)
	e.Wait(obj, testenv.Condition("Ready", metav1.ConditionUnknown, "ServicePoweredOff"), testenv.Saying("Ready", e.Project+"/"+kafkaName),
		testenv.Condition("SourceServiceReady", metav1.ConditionTrue, "Running"),
		testenv.Condition("DestinationServiceReady", metav1.ConditionFalse, "ServicePoweredOff"), testenv.Phase(v1alpha1.PhaseNotAvailable))
	e.Rest(1)
	assert.Empty(t, e.Aiven.Writes(0))
	power("RUNNING")
	e.Wait(obj, testenv.Ready(), testenv.Condition("DestinationServiceReady", metav1.ConditionTrue, "Running"))
}

func TestAnIntegrationThatFailedIsDegradedUntilItRuns(t *testing.T) {
	e, _, integration := monitored(t)
	fails := func(fields map[string]any) {
		require.NoError(t, e.Aiven.PatchIntegration(e.Project, integration.Status.ID, fields))
	}
	mark := e.Aiven.Mark()
	fails(map[string]any{"status": "failed", "status_user_desc": "Can't connect", "errors": []string{"no route"}})
	e.Wait(integration, testenv.Condition("RemoteReady", metav1.ConditionFalse, "Failed"), testenv.Phase(v1alpha1.PhaseDegraded),
		testenv.Saying("Ready", "The integration failed: Can't connect: no route"))
	fails(map[string]any{"status": "running", "errors": []string{}})
	e.Wait(integration, testenv.Ready(), testenv.Phase(v1alpha1.PhaseReady))
	fails(map[string]any{"active": false})
	e.Wait(integration, testenv.Condition("Ready", metav1.ConditionUnknown, "Progressing"), testenv.Saying("Ready", "Waiting for Aiven to start the integration"))
	assert.Empty(t, e.Aiven.Writes(mark))
}

func TestAnEndpointOfTheSameNameAndAnotherTypeIsRefusedUntilItIsGone(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"ServiceIntegrationEndpoint"}})
	made, err := e.Aiven.Console.ServiceIntegrationEndpointCreate(t.Context(), e.Project, &service.ServiceIntegrationEndpointCreateIn{
		EndpointName: endpointName, EndpointType: "jolokia", UserConfig: map[string]any{},
	})
	require.NoError(t, err)
	obj := e.Example("serviceintegrationendpoint")
	e.Create(obj)
	e.Wait(obj, testenv.Condition("Ready", metav1.ConditionFalse, "InvalidSpec"), testenv.Phase(v1alpha1.PhaseFailed),
		testenv.Saying("Ready", "already has an endpoint of this name, of type jolokia"))
	e.Rest(1)
	assert.Empty(t, e.Aiven.Writes(0))
	require.NoError(t, e.Aiven.Console.ServiceIntegrationEndpointDelete(t.Context(), e.Project, made.EndpointId))
	e.Wait(obj, testenv.Ready())
}

func TestWhatAivenQuotesOfCredentialsIsHidden(t *testing.T) {
	e, endpoint, _ := monitored(t)
	weak := "SevenShortWordsInARow"
	e.Plant(weak)
	e.Aiven.Fail("ServiceIntegrationEndpointUpdate", localaiven.Effect{
		Status: 400, Body: []byte(`{"message": "Invalid input for user_config.basic_auth_password: ` + weak + ` is too weak"}`),
	}, 0)
	e.Change(endpoint, func() { endpoint.Spec.Prometheus.BasicAuthPassword = &weak })
	e.Wait(endpoint, testenv.Condition("Ready", metav1.ConditionFalse, "InvalidSpec"),
		testenv.Saying("Ready", "Aiven rejected spec.prometheus.basic_auth_password: Invalid input for user_config.basic_auth_password: *** is too weak"))
	e.WaitEvent(endpoint, corev1.EventTypeWarning, "UnableToCreateOrUpdateAtAiven")
}

// Both are applied by one command, and have found no endpoint when they are created.
func TestAnEndpointTakesTheNameOfOneThatWasCreatedAtTheSameTime(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"ServiceIntegrationEndpoint"}, Config: testenv.OnlyWatches})
	first := e.Example("serviceintegrationendpoint").(*v1alpha1.ServiceIntegrationEndpoint)
	second := first.DeepCopy()
	user, password := "scraper", "CorrectHorseBattery"
	e.Plant(password)
	second.Name, second.Spec.EndpointType, second.Spec.ExternalPostgresql = "second", "prometheus", nil
	second.Spec.Prometheus = &prometheususerconfig.PrometheusUserConfig{BasicAuthUsername: &user, BasicAuthPassword: &password}
	var both sync.WaitGroup
	both.Add(2)
	var creates atomic.Int32
	e.Aiven.OnWrite(func(r *http.Request) {
		if r.Method == http.MethodPost && strings.Contains(r.URL.Path, "integration_endpoint") && creates.Add(1) <= 2 {
			both.Done()
			both.Wait()
		}
	})
	e.Create(first)
	e.Create(second)
	made, refused := first, second
	has := func(obj *v1alpha1.ServiceIntegrationEndpoint, reason string) bool {
		e.Get(obj)
		ready := testenv.Find(obj, "Ready")
		return ready != nil && ready.Reason == reason
	}
	e.Until(func() bool {
		if has(first, "InvalidSpec") {
			made, refused = second, first
		}
		return has(made, "ReconciliationSucceeded") && has(refused, "InvalidSpec")
	}, func() string { return "one is created, and the other one is refused" })
	require.NotEmpty(t, refused.Finalizers, "it has sent a create")
	e.Delete(made)
	e.WaitGone(made)
	e.Wait(refused, testenv.Ready())
}
