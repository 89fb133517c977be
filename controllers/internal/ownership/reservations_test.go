package ownership

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/condition"
)

const joe = "prj/pg/user/joe"

func TestOneObjectCreatesWhatSeveralIdentify(t *testing.T) {
	reservations, a, b := &Reservations{}, object("a"), object("b")
	twins := []Duplicate{{Object: a}, {Object: b}}
	assert.True(t, reservations.Take(joe, a, twins))
	assert.True(t, reservations.Take(joe, a, twins), "again")
	assert.False(t, reservations.Take(joe, b, twins))
	assert.True(t, reservations.Take("prj/pg/user/ann", b, twins), "another resource")
	assert.True(t, reservations.Take("", a, twins), "what may overlap")
	assert.True(t, reservations.Take("", b, twins), "what may overlap")
	reservations.Rest(joe, a.UID)
	assert.False(t, reservations.Take(joe, b, twins), "it goes on later")

	reservations.Release(joe, b.UID)
	assert.False(t, reservations.Take(joe, b, twins), "who doesn't hold it can't release it")
	reservations.Release(joe, a.UID)
	assert.True(t, reservations.Take(joe, b, twins))
	reservations.Rest(joe, b.UID)
	assert.True(t, reservations.Take(joe, a, twins[:1]), "the holder is gone without a release")
}

// status adds a condition that is False to the status of an object.
func status(obj *v1alpha1.Database, kind, reason string) *v1alpha1.Database {
	return with(obj, func(s *v1alpha1.CommonStatus) {
		s.Conditions = append(s.Conditions, metav1.Condition{Type: kind, Status: metav1.ConditionFalse, Reason: reason})
	})
}

func TestAnObjectThatDoesNotGoOnIsInNoOthersWay(t *testing.T) {
	for name, tc := range map[string]struct {
		holder *v1alpha1.Database
		taken  bool
	}{
		"one that goes on":                    {object("a", created), false},
		"one that the cache doesn't show yet": {object("a"), false},
		"one that is paused":                  {object("a", created, annotatedToo(paused)), true},
		"one whose token was refused":         {status(object("a", created), condition.AuthValid, condition.ReasonAuthFailed), true},
		"one whose token is missing":          {status(object("a", created), condition.AuthValid, condition.ReasonTokenMissing), true},
		"one whose project isn't allowed":     {status(object("a", created), condition.Ready, condition.ReasonProjectNotAllowed), true},
	} {
		t.Run(name, func(t *testing.T) {
			reservations, other, duplicates := &Reservations{}, object("b"), []Duplicate{{Object: tc.holder}}
			assert.True(t, reservations.Take(joe, tc.holder, nil))
			assert.False(t, reservations.Take(joe, other, duplicates), "a call may be under way")
			_, owned := reservations.OwnerOf(joe, other, duplicates)
			assert.True(t, owned, "a call may be under way")

			reservations.Rest(joe, tc.holder.UID)
			_, owned = reservations.OwnerOf(joe, other, duplicates)
			assert.Equal(t, !tc.taken, owned)
			assert.Equal(t, tc.taken, reservations.Take(joe, other, duplicates))
		})
	}
}

func TestWhatWasBegunWithoutTheReservationMayHaveSucceeded(t *testing.T) {
	reservations, begun, new := &Reservations{}, object("a", created), object("b")
	assert.True(t, reservations.Take(joe, begun, nil))
	assert.False(t, reservations.Answer(joe, begun.UID, true), "by an earlier process, or before another object took the reservation")
	reservations.Rest(joe, begun.UID)
	assert.True(t, reservations.Take(joe, new, nil))
	assert.True(t, reservations.Answer(joe, new.UID, true))
	assert.False(t, reservations.Answer(joe, new.UID, false))
}

// What exists may be that of the object that took the reservation, also once that is gone: it may have left it there.
func TestWhatAnOvertakenObjectHasBegunProvesNothing(t *testing.T) {
	reservations, first, second := &Reservations{}, object("a", created), object("b")
	take := func() {
		assert.True(t, reservations.Take(joe, first, nil))
		reservations.Rest(joe, first.UID)
		assert.False(t, reservations.MadeNothing(joe, first.UID))
		assert.True(t, reservations.Take(joe, second, nil))
		reservations.Rest(joe, second.UID)
		assert.True(t, reservations.MadeNothing(joe, first.UID))
		assert.False(t, reservations.Disproves(joe, first), "the other one may make nothing")
	}
	take()
	reservations.Settle(false, joe, second.UID)
	assert.False(t, reservations.MadeNothing(joe, first.UID), "the other one has made nothing")

	take()
	reservations.Release(joe, second.UID)
	assert.True(t, reservations.Disproves(joe, first))
	assert.True(t, reservations.Take(joe, first, nil), "it has found that nothing exists")
	assert.False(t, reservations.Disproves(joe, first))
	reservations.Release(joe, first.UID)
	assert.Empty(t, reservations.holders, "nothing is remembered of objects that are gone")
}

func TestWhatOwnsTheResourceForSureNeedsNoReservation(t *testing.T) {
	reservations, holder, owner := &Reservations{}, object("a", created), with(object("b"), recorded(v1alpha1.ProvenanceAdopted, "b"))
	assert.True(t, reservations.Take(joe, holder, nil))
	reservations.Rest(joe, holder.UID)
	assert.True(t, reservations.Take(joe, owner, []Duplicate{{Object: holder}}))
}

// A user may remove what shows that an object has begun.
func TestAnObjectThatHasNotBegunHoldsNoReservation(t *testing.T) {
	reservations, a, b := &Reservations{}, object("a"), object("b")
	assert.True(t, reservations.Take(joe, a, nil))
	reservations.Rest(joe, a.UID)
	_, owned := reservations.OwnerOf(joe, a, []Duplicate{{Object: b}})
	assert.False(t, owned)
	assert.True(t, reservations.Take(joe, b, []Duplicate{{Object: a}}))
}
