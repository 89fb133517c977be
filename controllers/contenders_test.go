package controllers

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// contender is one of two objects for the same user at Aiven.
type contender struct {
	object                         *v1alpha1.ServiceUser
	token, forged, paused, orphans bool
}

// allContenders are all that one object can be. What the operator doesn't act for owns nothing that it could leave
// behind.
func allContenders() []contender {
	var all []contender
	for _, c := range []contender{{token: true}, {token: true, orphans: true}, {token: true, paused: true}, {}} {
		marked := c
		marked.forged = true
		all = append(all, c, marked)
	}
	return all
}

func (c *contender) String() string {
	return fmt.Sprintf("%s: token %t, marks that users can set %t, paused %t, orphans %t",
		client.ObjectKeyFromObject(c.object), c.token, c.forged, c.paused, c.orphans)
}

// of returns the contender for an object.
func (c contender) of(object *v1alpha1.ServiceUser) *contender {
	if c.forged {
		forged(object)
	}
	if !c.token {
		object.Spec.AuthSecretRef = &v1alpha1.AuthSecretReference{Name: "no-such", Key: "token"}
	}
	if c.paused {
		annotated(annotation.Paused, "true")(object)
	}
	if c.orphans {
		annotated(annotation.Deletion, policy.Orphan)(object)
	}
	c.object = object
	return &c
}

// works reports whether the operator may act for the object.
func (c *contender) works() bool { return c.token && !c.paused }

// contest is a user at Aiven that two objects describe, of which each is in the cluster or not.
type contest struct {
	*world[*v1alpha1.ServiceUser]

	says   string
	both   []*contender // the older one comes first
	exists bool         // the user
	left   bool         // its owner has left it there on purpose
}

func newContest(t *testing.T, adoption string) *contest {
	t.Helper()
	c := &contest{world: newWorld(t, newUser(func(u *v1alpha1.ServiceUser) { u.Name, u.UID = "bystander", "uid-bystander" }))}
	c.adoption, c.recreate = adoption, policy.Never
	c.kind.New = func(Env) AivenController[*v1alpha1.ServiceUser] { return c }
	return c
}

// begin is the contest of two others, with an operator that knows nothing of those before.
func (c *contest) begin(both ...*contender) {
	c.says, c.both, c.exists, c.left = both[0].String()+"; "+both[1].String(), both, false, false
	c.start(aiven.Options{BaseURL: "http://192.0.2.1"})
}

func (c *contest) Observe(context.Context, *v1alpha1.ServiceUser) (Observation, error) {
	if c.exists {
		return allWell, nil
	}
	return nothing, nil
}

func (c *contest) Create(ctx context.Context, obj *v1alpha1.ServiceUser) (Observation, error) {
	c.writes(ctx, obj, !c.exists)
	c.exists = true
	return allWell, nil
}

func (c *contest) Update(ctx context.Context, obj *v1alpha1.ServiceUser, _ Observation) (Observation, error) {
	c.writes(ctx, obj, false)
	return allWell, nil
}

func (c *contest) Delete(ctx context.Context, obj *v1alpha1.ServiceUser) error {
	c.writes(ctx, obj, !c.left)
	c.exists = false
	return nil
}

// writes checks that the object of a write at Aiven may be written for, and that no other owns the user.
func (c *contest) writes(ctx context.Context, obj *v1alpha1.ServiceUser, expected bool) {
	require.True(c.t, expected, c.says)
	for _, one := range c.both {
		if one.object.UID == obj.UID {
			require.True(c.t, one.token, c.says)
			require.False(c.t, one.orphans && obj.DeletionTimestamp != nil, c.says)
			continue
		}
		if live := c.live(ctx, one); live != nil && live.DeletionTimestamp == nil {
			require.False(c.t, ownership.IsRecorded(live), "%s writes and the other one owns it: %s", obj.Namespace, c.says)
		}
	}
}

// live is the object as it is in the cluster; nil if it isn't there.
func (c *contest) live(ctx context.Context, one *contender) *v1alpha1.ServiceUser {
	obj := &v1alpha1.ServiceUser{}
	if c.cluster.Get(ctx, client.ObjectKeyFromObject(one.object), obj) != nil {
		return nil
	}
	return obj
}

// toggle creates the object, or deletes the one that is there.
func (c *contest) toggle(one *contender) {
	if live := c.live(c.t.Context(), one); live != nil {
		c.left = c.left || one.orphans && ownership.IsRecorded(live)
		require.NoError(c.t, c.cluster.Delete(c.t.Context(), live))
		return
	}
	require.NoError(c.t, c.cluster.Create(c.t.Context(), one.object.DeepCopy()))
}

// rest reconciles both, twice, and checks what has come of them.
func (c *contest) rest() {
	for range 2 {
		for _, one := range c.both {
			if c.live(c.t.Context(), one) != nil {
				_, err := c.engine.Reconcile(c.t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(one.object)})
				require.NoError(c.t, err, c.says)
			}
		}
	}
	working, ready, owners := 0, 0, 0
	for _, one := range c.both {
		live := c.live(c.t.Context(), one)
		if live == nil {
			continue
		}
		require.Nil(c.t, live.DeletionTimestamp, "what is deleted goes: %s", c.says)
		for _, is := range live.Status.Conditions {
			if is.Type == condition.Ready && is.Status == metav1.ConditionTrue {
				require.True(c.t, one.works(), c.says)
				ready++
			}
		}
		if one.works() {
			working++
		}
		if ownership.IsRecorded(live) {
			owners++
		}
	}
	c.left = c.left && (working == 0 || c.adoption == policy.Never)
	want := min(working, 1)
	if c.left { // which needs consent
		want = 0
	}
	require.Equal(c.t, want, ready, "objects that are Ready: %s", c.says)
	require.Equal(c.t, want, owners, "objects that own it: %s", c.says)
	require.Equal(c.t, want == 1 || c.left, c.exists, "it is at Aiven: %s", c.says)
}

// Whatever two objects for one user are, and in whatever order they come and go: one of them at most writes, neither keeps the
// other one from its user unless it owns it, and nothing is left at Aiven that the policy of its owner doesn't leave there.
func TestReviewH3_H4_OfTwoObjectsForOneResourceOneOwnsItInEveryOrder(t *testing.T) {
	const rest = -1
	type place struct {
		other    func(...func(*v1alpha1.ServiceUser)) *v1alpha1.ServiceUser
		adoption string
	}
	places := map[string]place{
		"one namespace": {twin, policy.Never}, "two namespaces": {namesake, policy.Never},
		"two namespaces, where what exists is adopted": {namesake, policy.AdoptOrCreate},
	}
	for order, turns := range map[string][]int{ // whose turn it is to come or go
		"first in, first out":            {0, rest, 1, rest, 0, rest, 1, rest},
		"first in, last out":             {0, rest, 1, rest, 1, rest, 0, rest},
		"one after the other":            {0, rest, 0, rest, 1, rest, 1, rest},
		"both at once, and gone at once": {0, 1, rest, 0, 1, rest},
	} {
		for where, place := range places {
			t.Run(order+" of "+where, func(t *testing.T) {
				t.Parallel()
				c := newContest(t, place.adoption)
				for _, a := range allContenders() {
					for _, b := range allContenders() {
						if !a.works() && !b.works() {
							continue
						}
						c.begin(a.of(newUser(aged(2*time.Hour))), b.of(place.other(aged(time.Hour))))
						for _, turn := range turns {
							if turn == rest {
								c.rest()
							} else {
								c.toggle(c.both[turn])
							}
						}
						assert.Nil(t, c.live(t.Context(), c.both[0]), c.says)
						assert.Nil(t, c.live(t.Context(), c.both[1]), c.says)
					}
				}
			})
		}
	}
}

// second reconciles the namesake, and returns it.
func second(w *world[*v1alpha1.ServiceUser]) (*v1alpha1.ServiceUser, reconcile.Result) {
	w.t.Helper()
	key := client.ObjectKeyFromObject(namesake())
	result, err := w.engine.Reconcile(w.t.Context(), reconcile.Request{NamespacedName: key})
	require.NoError(w.t, err)
	obj := &v1alpha1.ServiceUser{}
	require.NoError(w.t, w.cluster.Get(w.t.Context(), key, obj))
	return obj, result
}

func readyOf(obj *v1alpha1.ServiceUser) string {
	c := meta.FindStatusCondition(obj.Status.Conditions, condition.Ready)
	return string(c.Status) + "/" + c.Reason
}

// What an object has begun, and doesn't go on with, is in no other's way; when it does again, the resource is the other one's.
func TestReviewH4_AnAttemptThatDoesNotGoOnIsInNoOthersWay(t *testing.T) {
	for name, tc := range map[string]struct {
		answer        error
		stops, resume func(*v1alpha1.ServiceUser)
	}{
		"it is paused after a 429": {
			answer(429, "later"), annotated(annotation.Paused, "true"), func(u *v1alpha1.ServiceUser) { delete(u.Annotations, annotation.Paused) },
		},
		"it is paused after an answer that was lost": {
			answer(502, "oops"), annotated(annotation.Paused, "true"), func(u *v1alpha1.ServiceUser) { delete(u.Annotations, annotation.Paused) },
		},
		"its token is gone": {
			answer(502, "oops"), func(u *v1alpha1.ServiceUser) {
				u.Spec.AuthSecretRef = &v1alpha1.AuthSecretReference{Name: "gone", Key: "token"}
			},
			func(u *v1alpha1.ServiceUser) { u.Spec.AuthSecretRef = nil },
		},
		"its token was refused": {answer(401, "Invalid token"), func(*v1alpha1.ServiceUser) {}, func(*v1alpha1.ServiceUser) {}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, newUser(aged(time.Hour)), namesake(aged(time.Minute)))
			w.adoption = policy.Never
			w.start(aiven.Options{BaseURL: "http://192.0.2.1"})
			call := w.observes(nothing, nil)
			w.creates(Observation{}, tc.answer).Times(1)
			_, _ = w.reconcile()
			if name != "its token was refused" {
				other, result := second(w)
				assert.Equal(t, "False/Conflict", readyOf(other), "it goes on")
				assert.GreaterOrEqual(t, result.RequeueAfter, w.engine.timings.RequeueAsync)
			}
			w.edit(tc.stops)
			if name != "its token was refused" {
				w.settle()
			}
			w.creates(allWell, nil).Times(1)
			other, _ := second(w)
			assert.Equal(t, "True/ReconciliationSucceeded", readyOf(other))
			assert.True(t, ownership.IsRecorded(other))

			call.Return(allWell, nil)
			w.edit(tc.resume)
			w.settle()
			assert.Equal(t, "False/Conflict", w.ready(), "what the other one has created isn't its own")
			assert.False(t, ownership.IsRecorded(w.get()))
			w.delete()
			w.settle() // a deletion at Aiven would be a call that the mock doesn't expect
			assert.True(t, w.gone())
		})
	}
}

// The one that stopped may resume, or be deleted, while the creation of the other one is under way.
func TestReviewH4_AnAttemptThatWasOvertakenIsNotResumed(t *testing.T) {
	w := newWorld(t, newUser(aged(time.Hour)), namesake(aged(time.Minute)))
	w.adoption = policy.Never
	w.start(aiven.Options{BaseURL: "http://192.0.2.1"})
	call := w.observes(nothing, nil)
	w.creates(Observation{}, answer(502, "oops")).Times(1)
	_, _ = w.reconcile()
	w.edit(annotated(annotation.Paused, "true"))
	w.settle()
	w.creates(allWell, nil).Times(1)
	w.before = func(call string) error {
		if call != "aiven create" {
			return nil
		}
		w.before = func(string) error { return nil }
		w.edit(func(u *v1alpha1.ServiceUser) { delete(u.Annotations, annotation.Paused) })
		w.settle() // a creation would be a call that the mock doesn't expect
		assert.Equal(t, "False/Conflict", w.ready())
		w.delete()
		w.settle() // as would a deletion
		assert.Equal(t, "Unknown/DeletionBlocked", w.ready())
		return nil
	}
	other, _ := second(w)
	assert.Equal(t, "True/ReconciliationSucceeded", readyOf(other))
	call.Return(allWell, nil)
	w.settle()
	assert.True(t, w.gone())
	assert.True(t, ownership.IsRecorded(other))
}
