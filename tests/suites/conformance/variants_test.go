package conformance_test

import (
	"testing"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
)

// caseWith is a case where Aiven does what it does in some cases only.
func caseWith(t *testing.T, name string, variants localaiven.Variants) *testCase {
	t.Parallel()
	return newCase(t, entryOf(t, name), testenv.Options{Aiven: localaiven.Options{Variants: variants}}, false)
}

// A password that no read returns differs from nothing.
func TestAnEndpointWhoseSecretsStayRedactedIsInSyncAndUpdatedOnce(t *testing.T) {
	s := caseWith(t, "ServiceIntegrationEndpoint", localaiven.Variants{RedactEndpoints: true})
	s.begin()
	require.Equal(t, "<redacted>", endpointAtAiven(s.Env).UserConfig["password"])
	s.Rest(4)
	s.Wait(s.obj, testenv.Ready(), testenv.Saying("Ready", "In sync"))
	assert.Equal(t, []string{s.kind.create}, s.Aiven.Writes(0))
	s.edit()
	s.Wait(s.obj, testenv.Ready(), testenv.Saying("Ready", "In sync"))
	assert.Equal(t, "changed.example.com", endpointAtAiven(s.Env).UserConfig["host"])
	s.Operator.Restart()
	s.Rest(4)
	s.Wait(s.obj, testenv.Ready())
	assert.Equal(t, []string{s.kind.create, s.kind.update}, s.Aiven.Writes(0), "one change is one request")
	require.Empty(t, s.obj.(*v1alpha1.ServiceIntegrationEndpoint).Status.Drift)
}

// Whether Aiven lets endpoints of two types have one name isn't known. Where it does, the type and the id say which one is the object's.
func TestAnEndpointIsNotTakenForOneOfAnotherTypeWithItsName(t *testing.T) {
	s := caseWith(t, "ServiceIntegrationEndpoint", localaiven.Variants{EndpointNamesByType: true})
	s.begin()
	obj := s.obj.(*v1alpha1.ServiceIntegrationEndpoint)
	theirs, err := s.Aiven.Console.ServiceIntegrationEndpointCreate(t.Context(), s.Project,
		&service.ServiceIntegrationEndpointCreateIn{EndpointName: endpointName, EndpointType: "prometheus", UserConfig: map[string]any{}})
	require.NoError(t, err)
	ours := obj.Status.ID
	s.edit()
	s.Wait(obj, testenv.Ready())
	s.Operator.Restart()
	s.Rest(2)
	s.Wait(obj, testenv.Ready())
	assert.Equal(t, ours, obj.Status.ID)
	found, err := s.Aiven.Console.ServiceIntegrationEndpointGet(t.Context(), s.Project, ours)
	require.NoError(t, err)
	assert.Equal(t, "changed.example.com", found.UserConfig["host"])
	assert.Equal(t, []string{s.kind.create, s.kind.update}, s.Aiven.Writes(0))

	s.Delete(obj)
	s.WaitGone(obj)
	left, err := s.Aiven.Console.ServiceIntegrationEndpointList(t.Context(), s.Project)
	require.NoError(t, err)
	require.Len(t, left, 1)
	assert.Equal(t, theirs.EndpointId, left[0].EndpointId, "that of the other type stays")
	mark, next := s.Aiven.Mark(), s.Example("serviceintegrationendpoint")
	s.Create(next)
	s.Wait(next, isInvalid("spec.endpointName", "of type prometheus")...)
	assert.Empty(t, s.Aiven.Writes(mark), "the name is given to no second one: Aiven may refuse that")
}

// Nothing but the user ends a wait for a backup that Aiven never takes.
func TestAServiceThatNeverHasABackupIsNotPoweredOff(t *testing.T) {
	s := caseWith(t, "Grafana", localaiven.Variants{NoBackups: []string{"grafana"}})
	s.begin()
	obj := s.obj.(serviceObject)
	waits := []testenv.Want{
		testenv.Condition("Ready", metav1.ConditionUnknown, "Progressing"), testenv.Saying("Ready", "first backup"), testenv.Saying("Ready", "set spec.powered to true"),
	}
	s.Change(obj, func() { obj.GetBaseServiceFields().Powered = new(false) })
	s.Wait(obj, waits...)
	s.edit()
	s.Until(func() bool { return s.kind.repaired(s.Env) }, func() string { return "the other change waits, too" })
	s.Wait(obj, waits...)
	s.Operator.Restart()
	s.Rest(4)
	s.Wait(obj, waits...)
	assert.Equal(t, []string{s.kind.create, s.kind.update}, s.Aiven.Writes(0), "only the other change is made")
	assert.Equal(t, service.ServiceStateTypeRunning, serviceAt(s.Env, s.kind.path).State)
	s.Change(obj, func() { obj.GetBaseServiceFields().Powered = new(true) })
	s.Wait(obj, testenv.Ready(), testenv.Phase(v1alpha1.PhaseRunning))
	assert.Len(t, s.Aiven.Writes(0), 2)
}
