package conformance_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// otherTopic is that of a rule which isn't the one of a case.
const otherTopic = "invoices"

// newOlder is a case, whose object has a rule, and an older ACL in the second namespace that has another one.
func newOlder(t *testing.T) (*testCase, *v1alpha1.KafkaACL) {
	s := newCase(t, entryOf(t, "KafkaACL"), testenv.Options{Second: true}, false)
	older := observingACL(s)
	older.Annotations, older.Spec.Topic = nil, otherTopic
	s.Create(older)
	s.Wait(older, testenv.Ready())
	s.Until(func() bool { return time.Since(older.CreationTimestamp.Time) > time.Second }, func() string { return "both are of one second" })
	s.begin()
	return s, older
}

// observes makes an ACL one that observes the rule of the object of the case, while its own goes.
func (s *testCase) observes(acl *v1alpha1.KafkaACL) {
	s.T.Helper()
	s.Change(acl, func() {
		acl.Annotations[management] = "Observe"
		acl.Spec.Topic = s.obj.(*v1alpha1.KafkaACL).Spec.Topic
	})
	s.Wait(acl, testenv.Condition("Drifted", metav1.ConditionTrue, "ReportOnly"))
	former := s.Example(s.kind.example).(*v1alpha1.KafkaACL)
	former.SetName("former")
	former.Spec.Topic = otherTopic
	s.Create(former)
	s.Wait(former, testenv.Ready())
	s.Delete(former)
	s.WaitGone(former)
	s.Until(func() bool { s.Get(acl); return len(acl.Status.Drift) == 0 }, func() string { return "the former rule is still observed" })
}

// observingACL is an ACL like that of a case, which owns its rule, in the second namespace.
func observingACL(s *testCase) *v1alpha1.KafkaACL {
	s.tokenInSecond()
	observer := s.Example(s.kind.example).(*v1alpha1.KafkaACL)
	observer.SetNamespace(s.Second)
	observer.SetAnnotations(map[string]string{management: "Observe"})
	return observer
}

// manages ends the observation in the request that changes the rule, and expects that the ACL gets its own beside all others.
func (s *testCase) manages(observer *v1alpha1.KafkaACL) {
	s.T.Helper()
	id, before, mark := idOf(s.obj), s.ofAll(), s.Aiven.Mark()
	s.Change(observer, func() {
		delete(observer.Annotations, management)
		observer.Spec.Topic = "payments"
	})
	s.Wait(observer, testenv.Ready())
	s.Rest(2)
	assert.Equal(s.T, []string{s.kind.create}, s.Aiven.Writes(mark))
	assert.Subset(s.T, s.ofAll(), before)
	s.Wait(s.obj, testenv.Ready())
	assert.Equal(s.T, id, idOf(s.obj))

	mark = s.Aiven.Mark()
	s.Delete(observer)
	s.WaitGone(observer)
	assert.Equal(s.T, []string{"ServiceKafkaAclDelete"}, s.Aiven.Writes(mark))
	assert.Equal(s.T, before, s.ofAll())
}

func TestAnACLThatObservedTheRuleOfAnotherObjectNeverDeletesIt(t *testing.T) {
	t.Parallel()
	s := newCase(t, entryOf(t, "KafkaACL"), testenv.Options{Second: true}, false)
	s.begin()
	observer := observingACL(s)
	s.Create(observer)
	s.Wait(observer, testenv.Ready())
	s.manages(observer)
}

// The rule of the observer goes while it observes that of another object.
func TestAnACLThatOwnedARuleNeverDeletesTheOneThatItObservedSince(t *testing.T) {
	t.Parallel()
	s, observer := newOlder(t)
	s.observes(observer)
	s.manages(observer)
}

// What an object was recorded to own proves nothing of the rule that an edit makes it mean. Without a memory of who has reserved that, the
// older one would take it over, and delete it by the next edit.
func TestReviewH3_AnACLThatIsEditedToTheRuleOfAYoungerObjectDoesNotTakeItOver(t *testing.T) {
	t.Parallel()
	s, older := newOlder(t)
	s.Operator.Restart()
	id, mark := idOf(s.obj), s.Aiven.Mark()
	s.Change(older, func() { older.Spec.Topic = s.obj.(*v1alpha1.KafkaACL).Spec.Topic })
	s.Wait(older, conflict())
	s.Wait(s.obj, testenv.Ready())
	s.Change(older, func() { older.Spec.Topic = "payments" })
	s.Wait(older, testenv.Ready())
	s.Wait(s.obj, testenv.Ready())
	assert.Equal(t, id, idOf(s.obj))
	assert.Equal(t, []string{s.kind.create, "ServiceKafkaAclDelete"}, s.Aiven.Writes(mark), "of its own rules")
	s.Delete(s.obj)
	s.WaitGone(s.obj)
}

// What an object was recorded to own proves nothing of the rule that it has only observed since.
func TestReviewH3_AnACLThatEndsItsObservationDoesNotTakeTheRuleOver(t *testing.T) {
	t.Parallel()
	s, older := newOlder(t)
	s.observes(older)
	s.Operator.Restart()
	mark := s.Aiven.Mark()
	s.Annotate(older, management, "")
	s.Wait(older, conflict())
	s.Wait(s.obj, testenv.Ready())
	assert.Empty(t, s.Aiven.Writes(mark))
}
