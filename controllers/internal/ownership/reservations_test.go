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
	assert.True(t, reservations.Of(joe, a).Take(twins))
	assert.True(t, reservations.Of(joe, a).Take(twins), "again")
	assert.False(t, reservations.Of(joe, b).Take(twins))
	assert.True(t, reservations.Of("prj/pg/user/ann", b).Take(twins), "another resource")
	assert.True(t, reservations.Of("", a).Take(twins), "what may overlap")
	assert.True(t, reservations.Of("", b).Take(twins), "what may overlap")
	reservations.Of(joe, a).Rest()
	assert.False(t, reservations.Of(joe, b).Take(twins), "it goes on later")

	reservations.Of(joe, b).Release()
	assert.False(t, reservations.Of(joe, b).Take(twins), "who doesn't hold it can't release it")
	reservations.Of(joe, a).Release()
	assert.True(t, reservations.Of(joe, b).Take(twins))
	reservations.Of(joe, b).Rest()
	assert.True(t, reservations.Of(joe, a).Take(twins[:1]), "the holder is gone without a release")
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
			assert.True(t, reservations.Of(joe, tc.holder).Take(nil))
			assert.False(t, reservations.Of(joe, other).Take(duplicates), "a call may be under way")
			_, owned := reservations.Of(joe, other).OwnerOf(duplicates)
			assert.True(t, owned, "a call may be under way")

			reservations.Of(joe, tc.holder).Rest()
			_, owned = reservations.Of(joe, other).OwnerOf(duplicates)
			assert.Equal(t, !tc.taken, owned)
			assert.Equal(t, tc.taken, reservations.Of(joe, other).Take(duplicates))
		})
	}
}

func TestWhatWasBegunWithoutTheReservationMayHaveSucceeded(t *testing.T) {
	reservations, begun, new := &Reservations{}, object("a", created), object("b")
	assert.True(t, reservations.Of(joe, begun).Take(nil))
	assert.False(t, reservations.Of(joe, begun).Answer(true), "by an earlier process, or before another object took the reservation")
	reservations.Of(joe, begun).Rest()
	assert.True(t, reservations.Of(joe, new).Take(nil))
	assert.True(t, reservations.Of(joe, new).Answer(true))
	assert.False(t, reservations.Of(joe, new).Answer(false))
}

// What exists may be that of the object that took the reservation, also once that is gone: it may have left it there.
func TestWhatAnOvertakenObjectHasBegunProvesNothing(t *testing.T) {
	reservations, first, second := &Reservations{}, object("a", created), object("b")
	take := func() {
		assert.True(t, reservations.Of(joe, first).Take(nil))
		reservations.Of(joe, first).Rest()
		assert.False(t, reservations.Of(joe, first).MadeNothing())
		assert.True(t, reservations.Of(joe, second).Take(nil))
		reservations.Of(joe, second).Rest()
		assert.True(t, reservations.Of(joe, first).MadeNothing())
		assert.False(t, reservations.Of(joe, first).Disproves(), "the other one may make nothing")
	}
	take()
	reservations.Of(joe, second).Settle(false)
	assert.False(t, reservations.Of(joe, first).MadeNothing(), "the other one has made nothing")

	take()
	reservations.Of(joe, second).Release()
	assert.True(t, reservations.Of(joe, first).Disproves())
	assert.True(t, reservations.Of(joe, first).Take(nil), "it has found that nothing exists")
	assert.False(t, reservations.Of(joe, first).Disproves())
	reservations.Of(joe, first).Release()
	assert.Empty(t, reservations.holders, "nothing is remembered of objects that are gone")
}

func TestWhatOwnsTheResourceForSureNeedsNoReservation(t *testing.T) {
	reservations, holder, owner := &Reservations{}, object("a", created), with(object("b"), recorded(v1alpha1.ProvenanceAdopted, "b"))
	assert.True(t, reservations.Of(joe, holder).Take(nil))
	reservations.Of(joe, holder).Rest()
	assert.True(t, reservations.Of(joe, owner).Take([]Duplicate{{Object: holder}}))
}

// A user may remove what shows that an object has begun.
func TestAnObjectThatHasNotBegunHoldsNoReservation(t *testing.T) {
	reservations, a, b := &Reservations{}, object("a"), object("b")
	assert.True(t, reservations.Of(joe, a).Take(nil))
	reservations.Of(joe, a).Rest()
	_, owned := reservations.Of(joe, a).OwnerOf([]Duplicate{{Object: b}})
	assert.False(t, owned)
	assert.True(t, reservations.Of(joe, b).Take([]Duplicate{{Object: a}}))
}
