package conformance_test

import (
	"net/http"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
)

const (
	policy    = "controllers.aiven.io/deletion-policy"
	attempted = "controllers.aiven.io/create-attempted"
)

var deletionRequirements = []requirement{
	{says: "a deleted object takes its resource and its Secret with it", proves: "W07 P06", check: (*testCase).deletesAll},
	{says: "a resource that is gone already doesn't hold a deletion up", proves: "W09 X15", check: (*testCase).deletesWhatIsGone},
	{
		says: "a service of another type that has the name of the former one doesn't hold a deletion up", proves: "W09 X15",
		applies: livesInAService, check: (*testCase).deletesInAReplacedService,
	},
	{
		says: "an object whose creation Aiven refuses deletes nothing", proves: "W06 W07", applies: isCreated,
		options: atOnce, check: (*testCase).deletesNothingAfterARefusal,
	},
	{says: "a deletion that fails is tried again, and the finalizer stays", proves: "W09 W14", check: (*testCase).retriesDeletion},
	{says: "with the policy Orphan the resource stays", proves: "W08", options: atOnce, check: (*testCase).orphans},
	{
		says: "an unknown policy deletes nothing, says so, and can be corrected", proves: "W08", options: atOnce,
		check: (*testCase).refusesUnknownPolicy,
	},
	{
		says: "an unknown policy stops the work on a living object", proves: "W08", options: atOnce, applies: canChange,
		check: (*testCase).refusesUnknownPolicyAlive,
	},
}

func (s *testCase) deletesAll() {
	s.begin()
	secrets := s.secretNames()
	s.Delete(s.obj)
	s.WaitGone(s.obj)
	assert.False(s.T, s.there())
	for _, name := range secrets {
		s.Until(func() bool { return s.Secret(name) == nil }, func() string { return "Secret " + name + " is still there" })
	}
}

func (s *testCase) deletesWhatIsGone() {
	s.begin()
	s.Operator.Stop()
	s.remove()
	s.Delete(s.obj)
	s.Operator.Start()
	s.WaitGone(s.obj)
	s.hasNoEvent("UnableToDelete")
	assert.False(s.T, s.there())
}

// deletesInAReplacedService deletes an object while a service that can't have its resource has the name of the former one.
func (s *testCase) deletesInAReplacedService() {
	s.begin()
	require.NoError(s.T, s.Aiven.Console.ServiceDelete(s.T.Context(), s.Project, s.kind.in.name))
	other := *s.kind.in
	other.serviceType, other.plan = "mysql", "startup-4"
	s.Until(func() bool {
		_, err := s.Aiven.Console.ServiceGet(s.T.Context(), s.Project, other.name)
		return err != nil
	}, func() string { return "the service is still there" })
	makeService(s.Env, &other)
	s.Delete(s.obj)
	s.WaitGone(s.obj)
	assert.False(s.T, s.there())
}

// isCreated leaves out what exists with its service: the first write of its object is a change of what Aiven has, so a refusal doesn't show
// that nothing of the object is there.
func isCreated(k kind) bool { return k.name != "OpenSearchACLConfig" }

func (s *testCase) deletesNothingAfterARefusal() {
	s.Aiven.FailWrites(s.kind.create, localaiven.Effect{
		Status: http.StatusBadRequest, Body: []byte(`{"message":"Refused","errors":[{"message":"Refused"}]}`),
	}, 0)
	s.Create(s.obj)
	s.Wait(s.obj, testenv.Condition("Ready", metav1.ConditionFalse, "InvalidSpec"))
	s.Until(func() bool {
		s.Get(s.obj)
		return len(s.obj.GetFinalizers()) == 0 && s.obj.GetAnnotations()[attempted] == ""
	}, func() string { return "the object keeps what its creation needed" })
	mark := s.Aiven.Mark()
	s.Delete(s.obj)
	s.WaitGone(s.obj)
	assert.Empty(s.T, s.Aiven.Writes(mark))
}

func (s *testCase) retriesDeletion() {
	s.begin()
	s.Aiven.AddFault(localaiven.Fault{
		Match:  localaiven.Match{Changes: true},
		Effect: localaiven.Effect{Status: http.StatusServiceUnavailable}, Times: 3,
	})
	s.Delete(s.obj)
	s.Wait(s.obj, testenv.Condition("Ready", metav1.ConditionUnknown, "ProgressingWithRetry"))
	assert.Equal(s.T, []string{finalizer}, s.obj.GetFinalizers())
	s.WaitGone(s.obj)
	assert.False(s.T, s.there())
}

func (s *testCase) orphans() {
	s.begin()
	mark := s.Aiven.Mark()
	s.Annotate(s.obj, policy, "Orphan")
	s.Delete(s.obj)
	s.WaitGone(s.obj)
	assert.True(s.T, s.there())
	assert.Empty(s.T, s.Aiven.Writes(mark))
}

func (s *testCase) refusesUnknownPolicy() {
	s.begin()
	mark := s.Aiven.Mark()
	s.Annotate(s.obj, policy, "orphan")
	s.Delete(s.obj)
	s.Wait(s.obj, testenv.Condition("Ready", metav1.ConditionFalse, "InvalidDeletionPolicy"), testenv.Saying("Ready", `"orphan"`),
		testenv.Condition("ConfigValid", metav1.ConditionFalse, "InvalidDeletionPolicy"))
	assert.Equal(s.T, []string{finalizer}, s.obj.GetFinalizers())
	assert.Empty(s.T, s.Aiven.Writes(mark))
	s.WaitEvent(s.obj, corev1.EventTypeWarning, "UnableToDelete")
	s.Annotate(s.obj, policy, "Delete")
	s.WaitGone(s.obj)
	assert.False(s.T, s.there())
}

func (s *testCase) refusesUnknownPolicyAlive() {
	s.begin()
	mark := s.Aiven.Mark()
	s.Annotate(s.obj, policy, "Retain")
	s.Wait(s.obj, testenv.Condition("Ready", metav1.ConditionFalse, "InvalidDeletionPolicy"), testenv.Phase("Failed"))
	s.edit()
	s.Wait(s.obj, testenv.Condition("Ready", metav1.ConditionFalse, "InvalidDeletionPolicy"))
	assert.Empty(s.T, s.Aiven.Writes(mark))
	s.Annotate(s.obj, policy, "")
	s.Wait(s.obj, testenv.Ready(), testenv.Phase(s.kind.phase))
	assert.Equal(s.T, s.kind.updates(), s.Aiven.Writes(mark))
}

func (s *testCase) hasNoEvent(reason string) {
	s.T.Helper()
	for _, event := range s.Events(s.obj) {
		assert.NotEqual(s.T, reason, event.Reason, event.Note)
	}
}
