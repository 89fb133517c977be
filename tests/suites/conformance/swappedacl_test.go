package conformance_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

const aclDeletion = "ServiceKafkaAclDelete"

// swap makes each of two ACLs ask for the topic of the other.
func (s *testCase) swap(first, second *v1alpha1.KafkaACL) {
	s.T.Helper()
	of, to := first.Spec.Topic, second.Spec.Topic
	s.Change(first, func() { first.Spec.Topic = to })
	s.Change(second, func() { second.Spec.Topic = of })
}

// As by one kubectl apply. Clients need both rules all the time.
func TestACLsThatSwapTheirRulesRemoveNone(t *testing.T) {
	t.Parallel()
	for name, swap := range map[string]func(s *testCase, a, b *v1alpha1.KafkaACL){
		"one after the other":       func(s *testCase, a, b *v1alpha1.KafkaACL) { s.swap(a, b) },
		"the younger one first":     func(s *testCase, a, b *v1alpha1.KafkaACL) { s.swap(b, a) },
		"and the operator restarts": func(s *testCase, a, b *v1alpha1.KafkaACL) { s.swap(a, b); s.Operator.Restart() },
		"while no operator runs":    func(s *testCase, a, b *v1alpha1.KafkaACL) { s.Operator.Stop(); s.swap(a, b); s.Operator.Start() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, other := newOlder(t)
			acl := s.obj.(*v1alpha1.KafkaACL)
			ids, before, mark := []string{idOf(other), idOf(acl)}, s.ofAll(), s.Aiven.Mark()
			swap(s, other, acl)
			for _, obj := range []*v1alpha1.KafkaACL{other, acl} {
				s.Wait(obj, testenv.Ready())
			}
			s.Rest(4)
			s.Until(func() bool {
				s.Get(acl)
				s.Get(other)
				return len(acl.Status.Requested) == 0 && len(other.Status.Requested) == 0
			}, func() string { return "an ACL still knows the rule that is the other's" })
			assert.Equal(t, ids, []string{idOf(acl), idOf(other)})
			assert.Equal(t, before, s.ofAll())
			assert.Empty(t, s.Aiven.Writes(mark))

			s.Delete(other)
			s.WaitGone(other)
			assert.Equal(t, []string{aclDeletion}, s.Aiven.Writes(mark))
			s.Rest(2)
			s.Wait(acl, testenv.Ready())
			assert.Equal(t, ids[0], idOf(acl))
			s.Delete(acl)
			s.WaitGone(acl)
			assert.Equal(t, []string{aclDeletion, aclDeletion}, s.Aiven.Writes(mark))
		})
	}
}

// An ACL whose edit waits for approval still has the rule of its earlier spec, which needs no consent of others.
func TestARuleThatAnotherObjectOwnsOutlivesAnEditThatWaited(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		goesOn func(s *testCase)
		writes []string
	}{
		"and is approved": {func(s *testCase) {
			s.Annotate(s.obj, approvedChanges, s.obj.GetCommonStatus().PendingChanges.Hash)
			s.Wait(s.obj, testenv.Ready())
		}, []string{"ServiceKafkaAclAdd"}},
		"and whose object is deleted": {func(s *testCase) { s.Delete(s.obj); s.WaitGone(s.obj) }, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newCase(t, entryOf(t, "KafkaACL"), testenv.Options{Second: true}, false)
			other := observingACL(s)
			other.Annotations = nil
			s.begin()
			id := idOf(s.obj)
			s.Annotate(s.obj, changePolicy, "HoldAll")
			mark := s.Aiven.Mark()
			s.Change(s.obj, func() { s.obj.(*v1alpha1.KafkaACL).Spec.Topic = otherTopic })
			s.waitForApproval()
			s.Create(other)
			s.Wait(other, testenv.Ready())
			s.Rest(4)
			s.waitForApproval()
			tc.goesOn(s)
			s.Rest(2)
			s.Wait(other, testenv.Ready())
			assert.Equal(t, id, idOf(other))
			assert.Equal(t, tc.writes, s.Aiven.Writes(mark))
			s.Delete(other)
			s.WaitGone(other)
			assert.Equal(t, append(tc.writes, aclDeletion), s.Aiven.Writes(mark))
		})
	}
}

// It has no use for the rule but to show it.
func TestARuleThatIsOnlyObservedGoesWithAnEdit(t *testing.T) {
	t.Parallel()
	s := newCase(t, entryOf(t, "KafkaACL"), testenv.Options{Second: true}, false)
	s.begin()
	observer := observingACL(s)
	s.Create(observer)
	s.Wait(observer, testenv.Ready())
	mark := s.Aiven.Mark()
	s.Change(s.obj, func() { s.obj.(*v1alpha1.KafkaACL).Spec.Topic = otherTopic })
	s.Wait(s.obj, testenv.Ready())
	assert.Equal(t, []string{s.kind.create, aclDeletion}, s.Aiven.Writes(mark))
}
