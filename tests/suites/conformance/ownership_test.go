package conformance_test

import (
	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/tests/harness/testenv"
)

const management = "controllers.aiven.io/management-policy"

var ownershipRequirements = []requirement{
	{
		says: "of two objects with one identity the second has a conflict, and its deletion deletes nothing at Aiven", proves: "W11",
		options: testenv.Options{Second: true}, applies: isAlone, check: (*testCase).refusesTwin,
	},
	{
		says: "when the first of two objects goes, the second takes over", proves: "P11",
		options: testenv.Options{Second: true}, applies: isAlone, check: (*testCase).handsOver,
	},
	{
		says: "an object that only observes changes nothing, and deletes nothing at Aiven", proves: "P12",
		options: atOnce, check: (*testCase).onlyObserves,
	},
	{says: "the token Secret stays until nothing needs it", proves: "W12", options: atOnce, check: (*testCase).keepsToken},
}

// twin is another object that represents the same, in the other namespace.
func (s *testCase) twin() testenv.Object {
	s.Create(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Second, Name: testenv.TokenSecret},
		StringData: map[string]string{testenv.TokenKey: s.Token},
	})
	twin := s.Example(s.kind.example)
	twin.SetNamespace(s.Second)
	s.Create(twin)
	s.Wait(twin, testenv.Condition("Ready", metav1.ConditionFalse, "Conflict"), testenv.Saying("Ready", s.obj.GetName()))
	return twin
}

func (s *testCase) refusesTwin() {
	s.begin()
	mark := s.Aiven.Mark()
	twin := s.twin()
	s.Delete(twin)
	s.WaitGone(twin)
	assert.True(s.T, s.there())
	assert.Empty(s.T, s.Aiven.Writes(mark))
	s.Wait(s.obj, testenv.Ready())
}

func (s *testCase) handsOver() {
	s.begin()
	mark := s.Aiven.Mark()
	twin := s.twin()
	s.Delete(s.obj)
	s.WaitGone(s.obj)
	s.Wait(twin, testenv.Ready())
	assert.True(s.T, s.there())
	assert.ElementsMatch(s.T, s.kind.reissued(), s.Aiven.Writes(mark), "the resource of both is never created again")
	s.Delete(twin)
	s.WaitGone(twin)
	assert.False(s.T, s.there())
}

func (s *testCase) onlyObserves() {
	s.begin()
	mark := s.Aiven.Mark()
	s.Annotate(s.obj, management, "Observe")
	if s.kind.change != nil {
		s.edit()
		s.Wait(s.obj, testenv.Condition("Drifted", metav1.ConditionTrue, "ReportOnly"))
		assert.NotEmpty(s.T, s.obj.GetCommonStatus().Drift)
	}
	s.Delete(s.obj)
	s.WaitGone(s.obj)
	assert.True(s.T, s.there())
	assert.Empty(s.T, s.Aiven.Writes(mark))
}

func (s *testCase) keepsToken() {
	s.begin()
	token := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: testenv.TokenSecret}}
	s.Delete(token)
	s.Get(token)
	assert.NotNil(s.T, token.DeletionTimestamp, "it goes, but not yet")
	s.Delete(s.obj)
	s.WaitGone(s.obj)
	assert.False(s.T, s.there())
	s.WaitGone(token)
}
