package conformance_test

import (
	"slices"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

var contestRequirements = []requirement{
	{
		says: "of two objects that are applied at once one owns the resource, and the other writes nothing until that resource is deleted", proves: "W11 P11",
		options: testenv.Options{Second: true}, applies: isAlone, variants: 2, check: (*testCase).isContested,
	},
	{
		says: "of two objects of a namespace the second inherits the resource if Aiven has accepted its token", proves: "W11 P11",
		options: atOnce, applies: isNamedInItsSpec, check: (*testCase).isInherited,
	},
}

// namedAsTheirObjects are the kinds, besides services, whose resources have the names of their objects, and no spec has another: two objects
// of a namespace can't describe the same.
var namedAsTheirObjects = []string{"ConnectionPool", "KafkaConnector", "Project"}

// isNamedInItsSpec reports whether two objects of a namespace can describe the same.
func isNamedInItsSpec(k kind) bool {
	return isAlone(k) && k.resource != "service" && !slices.Contains(namedAsTheirObjects, k.name)
}

// conflict is what an object has while another one owns its resource.
func conflict() testenv.Want { return testenv.Condition("Ready", metav1.ConditionFalse, "Conflict") }

// tokenInSecond puts the token Secret into the second namespace, too.
func (s *testCase) tokenInSecond() {
	s.Create(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Second, Name: testenv.TokenSecret},
		StringData: map[string]string{testenv.TokenKey: s.Token},
	})
}

// namesake is another object of the namespace that describes the same resource.
func (s *testCase) namesake() testenv.Object {
	other := s.Example(s.kind.example)
	name := other.GetName()
	switch other := other.(type) {
	case *v1alpha1.ClickhouseDatabase:
		other.Spec.DatabaseName = name
	case *v1alpha1.ClickhouseUser:
		other.Spec.Username = name
	case *v1alpha1.Database:
		other.Spec.DatabaseName = name
	case *v1alpha1.KafkaTopic:
		other.Spec.TopicName = name
	case *v1alpha1.ServiceUser:
		other.Spec.Username = name
	}
	other.SetName(name + "-too")
	if publishes, ok := other.(interface{ GetSecretFields() *v1alpha1.SecretFields }); ok {
		publishes.GetSecretFields().ConnInfoSecretTarget.Name = other.GetName()
	}
	return other
}

// rival is an object that describes the same resource, in this namespace where that is possible, or in the second one.
func (s *testCase) rival() testenv.Object {
	if isNamedInItsSpec(s.kind) && s.is(0) {
		return s.namesake()
	}
	s.tokenInSecond()
	rival := s.Example(s.kind.example)
	rival.SetNamespace(s.Second)
	return rival
}

// decided waits until one of two objects is ready and the other has a conflict, and returns them in this order.
func (s *testCase) decided(a, b testenv.Object) (owner, other testenv.Object) {
	reason := func(obj testenv.Object) string {
		s.Get(obj)
		if ready := testenv.Find(obj, "Ready"); ready != nil {
			return ready.Reason
		}
		return "no status"
	}
	var reasons []string
	s.Until(func() bool {
		reasons = []string{reason(a), reason(b)}
		return slices.Contains(reasons, "ReconciliationSucceeded") && slices.Contains(reasons, "Conflict")
	}, func() string { return "the two are " + reasons[0] + " and " + reasons[1] })
	if reasons[0] == "Conflict" {
		a, b = b, a
	}
	return a, b
}

func (s *testCase) isContested() {
	rival := s.rival()
	unborn := map[testenv.Object]testenv.Object{}
	for _, obj := range []testenv.Object{rival, s.obj} {
		unborn[obj] = obj.DeepCopyObject().(testenv.Object)
		s.Create(obj)
	}
	owner, other := s.decided(rival, s.obj)
	s.Until(func() bool { s.Get(other); return len(other.GetFinalizers()) == 0 }, func() string { return "what it has begun isn't withdrawn" })
	assert.Nil(s.T, other.GetCommonStatus().Provenance)
	if s.kind.change != nil && !s.kind.isReplaced() { // for another resource there is no contest
		s.Change(other, func() { s.kind.change(s.Env, other) })
		s.Wait(other, conflict())
	}
	s.Operator.Restart() // what it held in memory of the two is gone
	s.Rest(2)
	s.Wait(other, conflict())
	s.Wait(owner, testenv.Ready(), testenv.Phase(s.kind.phase))
	s.Delete(other)
	s.WaitGone(other)
	assert.Equal(s.T, []string{s.kind.create}, s.Aiven.Writes(0))
	assert.Equal(s.T, 1, count(s.Env, s.kind))

	again := unborn[other]
	s.Create(again)
	s.Wait(again, conflict())
	mark := s.Aiven.Mark()
	s.Delete(owner)
	s.WaitGone(owner)
	s.Wait(again, testenv.Ready(), testenv.Phase(s.kind.phase))
	assert.Contains(s.T, s.Aiven.Writes(mark), s.kind.create, "Aiven hasn't accepted its token before: it doesn't inherit")
	assert.Equal(s.T, 1, count(s.Env, s.kind))
	s.Delete(again)
	s.WaitGone(again)
	assert.False(s.T, s.there())
}

func (s *testCase) isInherited() {
	s.begin()
	mark := s.Aiven.Mark()
	heir := s.namesake()
	heir.SetAnnotations(map[string]string{management: "Observe"})
	s.Create(heir)
	s.Wait(heir, testenv.Condition("AuthValid", metav1.ConditionTrue, "AuthenticationValid"))
	s.Annotate(heir, management, "")
	s.Wait(heir, conflict(), testenv.Saying("Ready", s.obj.GetName()))
	assert.Empty(s.T, s.Aiven.Writes(mark))
	s.Delete(s.obj)
	s.WaitGone(s.obj)
	s.Wait(heir, testenv.Ready(), testenv.Phase(s.kind.phase))
	assert.ElementsMatch(s.T, s.kind.reissued(), s.Aiven.Writes(mark), "the resource of both is never created again")
	s.Delete(heir)
	s.WaitGone(heir)
	assert.False(s.T, s.there())
}
