package conformance_test

import (
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/tests/harness/testenv"
)

// isRestored leaves out the status of the dump, as the API server does.
func (s *testCase) isRestored() {
	s.begin()
	dump := s.obj.DeepCopyObject().(testenv.Object)
	s.Annotate(s.obj, deletionPolicy, "Orphan")
	s.Delete(s.obj)
	s.WaitGone(s.obj)
	s.Operator.Restart()
	mark := s.Aiven.Mark()
	restore := func() testenv.Object {
		obj := dump.DeepCopyObject().(testenv.Object)
		obj.SetResourceVersion("")
		obj.SetUID("")
		s.Create(obj)
		require.NotEqual(s.T, dump.GetUID(), obj.GetUID())
		return obj
	}
	obj := restore()
	if isRule(s.kind) {
		s.Wait(obj, testenv.Ready())
		assert.Empty(s.T, s.Aiven.Writes(mark), "it is as the spec asks")
		return
	}
	s.Wait(obj, testenv.Condition("Ready", metav1.ConditionFalse, "AlreadyExists"))
	s.Delete(obj)
	s.WaitGone(obj)
	obj = restore()
	s.Wait(obj, testenv.Condition("Ready", metav1.ConditionFalse, "AlreadyExists"))
	assert.Empty(s.T, s.Aiven.Writes(mark))
	s.Annotate(obj, deletionPolicy, "Delete")
	s.Annotate(obj, adoptionPolicy, "Adopt")
	s.Wait(obj, testenv.Ready(), testenv.Phase(s.kind.phase))
	assert.True(s.T, s.there())
	s.Delete(obj)
	s.WaitGone(obj)
	assert.False(s.T, s.there())
}

// otherCluster applies the manifest in a second cluster with the same project.
func (s *testCase) otherCluster() (*testenv.Env, testenv.Object) {
	other := testenv.New(s.T, testenv.Options{Kinds: s.kind.needs(), Beside: s.Env})
	obj := other.Example(s.kind.example)
	other.Create(obj)
	return other, obj
}

func (s *testCase) outlivesTheOtherCluster() {
	s.begin()
	s.CatchUp() // a state from before that is recorded late isn't a new one
	mark, seen := s.Aiven.Mark(), len(s.History(s.obj))
	other, obj := s.otherCluster()
	other.Wait(obj, testenv.Condition("Ready", metav1.ConditionFalse, "AlreadyExists"))
	other.Delete(obj)
	other.WaitGone(obj)
	s.neverNoticed(mark, seen)
}

func (s *testCase) sharesWithTheOtherCluster() {
	s.begin()
	s.CatchUp() // a state from before that is recorded late isn't a new one
	mark, seen := s.Aiven.Mark(), len(s.History(s.obj))
	other, obj := s.otherCluster()
	other.Wait(obj, testenv.Ready())
	other.Annotate(obj, deletionPolicy, "Orphan")
	other.Delete(obj)
	other.WaitGone(obj)
	s.neverNoticed(mark, seen)
	obj = other.Example(s.kind.example)
	other.Create(obj)
	other.Wait(obj, testenv.Ready())
	other.Delete(obj)
	other.WaitGone(obj)
	s.Until(s.there, func() string { return "the first cluster doesn't create it again" })
	s.Wait(s.obj, testenv.Ready())
}

// neverNoticed wants neither a write since a mark, nor a status since some that isn't Ready.
func (s *testCase) neverNoticed(mark testenv.Mark, seen int) {
	s.Rest(2)
	assert.Empty(s.T, s.Aiven.Writes(mark))
	for _, state := range s.History(s.obj)[seen:] {
		assert.Equal(s.T, metav1.ConditionTrue, testenv.Find(state, "Ready").Status)
	}
}
