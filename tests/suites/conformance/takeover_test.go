package conformance_test

import (
	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/tests/harness/testenv"
)

var takeoverRequirements = []requirement{
	{says: "what aiven-operator left is taken over without a call that writes", proves: "W01 W15", check: (*testCase).takesOver},
	{
		says: "what differed when it was taken over is shown, and left alone", proves: "X05 W15", applies: canDrift,
		check: (*testCase).showsInheritedDrift,
	},
}

// leave stops the operator, and makes the object and its Secret what they are where aiven-operator ran.
func (s *testCase) leave() {
	s.T.Helper()
	s.Operator.Stop()
	published := ""
	if s.kind.publishes() {
		published = s.secret().Name
	}
	s.Leave(s.obj, published)
}

func (s *testCase) takesOver() {
	s.begin()
	s.leave()
	s.CatchUp()
	mark, before, seen := s.Aiven.Mark(), map[string][]byte(nil), len(s.History(s.obj))
	if s.kind.publishes() {
		before = s.secret().Data
	}
	s.Operator.Start()
	s.Wait(s.obj, testenv.Ready(), testenv.Phase(s.kind.phase))
	s.Rest(2)
	assert.Empty(s.T, s.Aiven.Writes(mark))
	if s.kind.publishes() {
		assert.Equal(s.T, before, s.secret().Data)
		assert.NotContains(s.T, s.secret().Annotations, issuedFor, "whose password it is isn't known")
	}
	for _, obj := range s.History(s.obj)[seen:] {
		assert.Equal(s.T, "true", obj.GetAnnotations()[running], "who waits for the annotations never sees it unready")
		assert.NotEmpty(s.T, obj.GetAnnotations()[processed])
		if ready := testenv.Find(obj, "Ready"); ready != nil {
			assert.Equal(s.T, metav1.ConditionTrue, ready.Status, ready.Message)
		}
	}
}

func (s *testCase) showsInheritedDrift() {
	s.begin()
	s.edit()
	s.Wait(s.obj, testenv.Ready())
	s.leave()
	s.kind.drift(s.Env)
	mark := s.Aiven.Mark()
	s.Operator.Start()
	s.Wait(s.obj, testenv.Ready(), testenv.Condition("Drifted", metav1.ConditionTrue, "TakenOver"))
	s.Rest(2)
	assert.Empty(s.T, s.Aiven.Writes(mark))
	assert.False(s.T, s.kind.repaired(s.Env))
}
