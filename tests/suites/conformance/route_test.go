package conformance_test

import (
	"slices"
	"strings"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/tests/harness/testenv"
)

// hasAddress leaves out projects, whose Secret is a certificate.
func hasAddress(k kind) bool { return slices.Contains(k.keys, "HOST") }

// besides are the components that a type of service has besides the one of its name.
var besides = map[string][]string{"pg": {"pgbouncer"}, "kafka": {"kafka_connect", "schema_registry"}}

// openPublic puts a service on the route public, at the console. Its host is localhost there, and 127.0.0.1 on the route dynamic.
func (s *testCase) openPublic() {
	s.T.Helper()
	name := s.kind.path
	if s.kind.in != nil {
		name = s.kind.in.name
	}
	found, access := serviceAt(s.Env, name), map[string]any{}
	for _, component := range append([]string{found.ServiceType}, besides[found.ServiceType]...) {
		access[component] = true
	}
	_, err := s.Aiven.Console.ServiceUpdate(s.T.Context(), s.Env.Project, name,
		&service.ServiceUpdateIn{UserConfig: &map[string]any{"public_access": access}})
	require.NoError(s.T, err)
}

// public are the values of a Secret on the route public. The REST proxy of the example is off, and so its URI is on no route.
func public(dynamic map[string][]byte) map[string][]byte {
	moved := map[string][]byte{}
	for key, value := range dynamic {
		if !strings.HasSuffix(key, "REST_URI") {
			value = []byte(strings.ReplaceAll(string(value), "127.0.0.1", "localhost"))
		}
		moved[key] = value
	}
	return moved
}

// followsRoute goes from one route to another, to one that doesn't exist, and back, by annotations of the object and its Namespace.
func (s *testCase) followsRoute() {
	s.begin()
	dynamic := s.secret().Data
	require.NotEqual(s.T, dynamic, public(dynamic))
	s.Annotate(s.obj, connectionRoute, "private")
	s.lacksRoute("private")
	assert.Equal(s.T, dynamic, s.secret().Data)
	s.Annotate(s.obj, connectionRoute, "public")
	s.openPublic()
	s.Until(func() bool { return assert.ObjectsAreEqual(public(dynamic), s.secret().Data) }, func() string { return "the Secret isn't on the route" })
	s.Wait(s.obj, testenv.Ready(), testenv.Phase(s.kind.phase))

	s.Annotate(s.obj, connectionRoute, "private")
	s.lacksRoute("private")
	assert.Equal(s.T, public(dynamic), s.secret().Data, "the last one stays")

	s.Annotate(s.obj, connectionRoute, "dynamic")
	s.Wait(s.obj, testenv.Ready())
	assert.Equal(s.T, dynamic, s.secret().Data)

	setNamespace(s.Env, connectionRoute, "private")
	s.Rest(2)
	s.Wait(s.obj, testenv.Ready())
	assert.Equal(s.T, dynamic, s.secret().Data, "the annotation of the object comes first")
	s.Annotate(s.obj, connectionRoute, "")
	s.lacksRoute("private")
	setNamespace(s.Env, connectionRoute, "public")
	s.Wait(s.obj, testenv.Ready())
	assert.Equal(s.T, public(dynamic), s.secret().Data)
	setNamespace(s.Env, connectionRoute, "")
	s.Until(func() bool { return assert.ObjectsAreEqual(dynamic, s.secret().Data) }, func() string { return "the Secret stays on the route of the Namespace" })
	assert.Equal(s.T, []string{s.kind.create}, s.Aiven.Writes(0), "nothing is written at Aiven for a route")
}

// lacksRoute waits until the object reports that Aiven has no address on a route.
func (s *testCase) lacksRoute(route string) {
	s.T.Helper()
	s.Wait(s.obj, testenv.Condition("Ready", metav1.ConditionFalse, "RouteNotAvailable"), testenv.Saying("Ready", "on the route "+route+", only on dynamic"),
		testenv.Condition("SecretReady", metav1.ConditionFalse, "RouteNotAvailable"))
	s.WaitEvent(s.obj, corev1.EventTypeWarning, "CannotPublishConnectionDetails")
	assert.Empty(s.T, s.obj.GetAnnotations()[running], "not where the user wants it")
}
