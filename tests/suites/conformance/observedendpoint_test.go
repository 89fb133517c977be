package conformance_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// elsewhere is a ServiceIntegration in the second namespace, with the ends of another one as soon as the endpoint that it names observes
// the endpoint of that one.
type elsewhere struct {
	*testenv.Env
	endpoint, victimsEndpoint *v1alpha1.ServiceIntegrationEndpoint
	obj, victim               *v1alpha1.ServiceIntegration
}

func integratedElsewhere(t *testing.T) *elsewhere {
	e, endpoint, integration := monitored(t)
	(&testCase{Env: e}).tokenInSecond()
	obj := &v1alpha1.ServiceIntegration{ObjectMeta: metav1.ObjectMeta{Namespace: e.Second, Name: "elsewhere"}, Spec: *integration.Spec.DeepCopy()}
	obj.Spec.DestinationEndpointRef.Name = "elsewhere"
	return &elsewhere{Env: e, victimsEndpoint: endpoint, victim: integration, obj: obj}
}

// observesTheirs creates the endpoint as an observer of the victim's.
func (s *elsewhere) observesTheirs() {
	s.T.Helper()
	s.endpoint = &v1alpha1.ServiceIntegrationEndpoint{ObjectMeta: metav1.ObjectMeta{
		Namespace: s.Second, Name: "elsewhere", Annotations: map[string]string{management: "Observe"},
	}}
	s.endpoint.Spec = *s.victimsEndpoint.Spec.DeepCopy()
	s.Create(s.endpoint)
	s.Wait(s.endpoint, testenv.Ready())
	require.Equal(s.T, s.victimsEndpoint.Status.ID, s.endpoint.Status.ID)
}

// ownsOne creates the endpoint with one of its own.
func (s *elsewhere) ownsOne() {
	s.T.Helper()
	s.endpoint = &v1alpha1.ServiceIntegrationEndpoint{ObjectMeta: metav1.ObjectMeta{Namespace: s.Second, Name: "elsewhere"}}
	s.endpoint.Spec = *s.victimsEndpoint.Spec.DeepCopy()
	s.endpoint.Spec.EndpointName = "elsewhere"
	s.Create(s.endpoint)
	s.Wait(s.endpoint, testenv.Ready())
	require.NotEqual(s.T, s.victimsEndpoint.Status.ID, s.endpoint.Status.ID)
}

// releases deletes the endpoint, and leaves the one at Aiven.
func (s *elsewhere) releases() {
	s.T.Helper()
	s.Annotate(s.endpoint, management, "Observe")
	s.Delete(s.endpoint)
	s.WaitGone(s.endpoint)
}

// refuses waits until the integration doesn't follow its endpoint.
func (s *elsewhere) refuses() {
	s.T.Helper()
	s.Wait(s.obj, testenv.Condition("Ready", metav1.ConditionFalse, "InvalidSpec"), testenv.Saying("Ready", "spec.destinationEndpointRef"),
		testenv.Saying("Ready", "Recreate the object"))
}

// ends deletes the integration, and expects that the victim's is as it was.
func (s *elsewhere) ends(mark testenv.Mark) {
	s.T.Helper()
	s.Delete(s.obj)
	s.WaitGone(s.obj)
	id := s.victim.Status.ID
	assert.NotContains(s.T, s.Aiven.Writes(mark), "ServiceIntegrationDelete")
	s.Rest(2)
	s.Wait(s.victim, testenv.Ready())
	assert.Equal(s.T, id, s.victim.Status.ID)
}

func TestAnIntegrationWhoseEndpointIsThatOfAnotherObjectHasAConflict(t *testing.T) {
	s := integratedElsewhere(t)
	s.observesTheirs()
	mark := s.Aiven.Mark()
	s.Create(s.obj)
	s.Wait(s.obj, conflict(), testenv.Saying("Ready", "an object in another namespace"))
	assert.Nil(t, s.obj.Status.Provenance)
	assert.Empty(t, s.obj.Finalizers)
	s.ends(mark)
	assert.Empty(t, s.Aiven.Writes(mark))
}

func TestAnIntegrationWhoseEndpointWasThatOfAnotherObjectNeverDeletesTheIntegrationOfThat(t *testing.T) {
	s := integratedElsewhere(t)
	s.observesTheirs()
	mark := s.Aiven.Mark()
	s.Create(s.obj)
	s.Until(func() bool { s.Get(s.obj); return s.obj.Status.ID == s.victim.Status.ID }, func() string { return "it isn't found" })
	s.Annotate(s.obj, management, "Observe")
	s.Wait(s.obj, testenv.Ready())
	s.releases()
	s.ownsOne()
	s.refuses()
	assert.Equal(t, s.victim.Status.ID, s.obj.Status.ID)
	assert.Equal(t, s.victimsEndpoint.Status.ID, s.obj.Status.DestinationEndpointID, "the two belong together")
	s.Annotate(s.obj, management, "")
	s.ends(mark)
}

func TestAnIntegrationThatIsGoneIsNotReplacedByThatOfAnotherObject(t *testing.T) {
	s := integratedElsewhere(t)
	s.ownsOne()
	s.Create(s.obj)
	s.Wait(s.obj, testenv.Ready())
	id, endpoint := s.obj.Status.ID, s.obj.Status.DestinationEndpointID
	s.Annotate(s.obj, management, "Observe")
	s.releases()
	s.observesTheirs()
	s.refuses()
	mark := s.Aiven.Mark()
	require.NoError(t, s.Aiven.Console.ServiceIntegrationDelete(t.Context(), s.Project, id))
	for _, policy := range []string{"Observe", ""} {
		s.Annotate(s.obj, management, policy)
		s.Rest(6) // of the four objects
		s.refuses()
		assert.Equal(t, []string{id, endpoint}, []string{s.obj.Status.ID, s.obj.Status.DestinationEndpointID})
	}
	s.ends(mark)
}
