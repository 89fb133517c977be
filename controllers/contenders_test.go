package controllers

import (
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
	begun                          bool // it has tried to create the user
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
	fails  bool         // Aiven gives no clear answer to a creation, and makes nothing
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
	if c.fails {
		return Observation{}, answer(502, "oops")
	}
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

// attempt reconciles the first one while Aiven fails: it begins, if the operator may act for it, and doesn't get its user.
func (c *contest) attempt() {
	one := c.both[0]
	c.fails, one.begun = true, one.works()
	_, err := c.engine.Reconcile(c.t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(one.object)})
	require.Equal(c.t, one.begun, err != nil, c.says)
	c.fails = false
}

// edit changes the object of the first one, if it has begun.
func (c *contest) edit(change func(one *contender, live *v1alpha1.ServiceUser)) {
	if one := c.both[0]; one.begun {
		live := c.live(c.t.Context(), one)
		change(one, live)
		require.NoError(c.t, c.cluster.Update(c.t.Context(), live))
	}
}

// pause pauses the object, or resumes it.
func pause(one *contender, live *v1alpha1.ServiceUser) {
	if one.paused = !one.paused; one.paused {
		annotated(annotation.Paused, "true")(live)
	} else {
		delete(live.Annotations, annotation.Paused)
	}
}

// revoke takes the token of the object away, or gives it one.
func revoke(one *contender, live *v1alpha1.ServiceUser) {
	if one.token = !one.token; one.token {
		live.Spec.AuthSecretRef = nil
	} else {
		live.Spec.AuthSecretRef = &v1alpha1.AuthSecretReference{Name: "no-such", Key: "token"}
	}
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

// sampled reports whether this run has time for a case. The race detector makes it take some, others with every commit, which make
// exports; go test takes all.
func sampled(parts ...any) bool {
	hash := fnv.New32a()
	_, _ = fmt.Fprint(hash, os.Getenv("SAMPLE"), parts)
	return hash.Sum32()%oneOf == 0
}

// Whatever two objects for one user are, and in whatever order they come and go: one of them at most writes, neither keeps the
// other one from its user unless it owns it, and nothing is left at Aiven that the policy of its owner doesn't leave there.
func TestReviewH3_H4_OfTwoObjectsForOneResourceOneOwnsItInEveryOrder(t *testing.T) {
	const rest, attempts, pauses, revokes, restarts = -1, -2, -3, -4, -5
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
		// The first one begins, and stops; then it goes, or goes on.
		"an attempt, and a pause":                      {0, 1, attempts, pauses, rest, 0, rest, 1, rest},
		"an attempt, and a pause that ends":            {0, 1, attempts, pauses, rest, pauses, rest, 1, rest, 0, rest},
		"an attempt, and a pause that ends at the end": {0, 1, attempts, pauses, rest, pauses, rest, 0, rest, 1, rest},
		"an attempt, and its token goes":               {0, 1, attempts, revokes, rest, 1, rest, revokes, rest, 0, rest},
		"an attempt, and its token comes back":         {0, 1, attempts, revokes, rest, revokes, rest, 1, rest, 0, rest},
		"a pause before the other one is there":        {0, attempts, pauses, rest, 1, rest, pauses, rest, 0, rest, 1, rest},
		// What an attempt owns doesn't depend on what the operator remembers.
		"a pause that outlasts the other one, and a restart": {0, attempts, pauses, rest, 1, rest, 1, rest, restarts, pauses, rest, 0, rest},
		"a pause until the end, and a restart":               {0, attempts, pauses, rest, 1, rest, 1, rest, restarts, 0, rest},
		"a token that comes back after a restart":            {0, attempts, revokes, rest, 1, rest, restarts, 1, rest, restarts, revokes, rest, 0, rest},
	} {
		for where, place := range places {
			t.Run(order+" of "+where, func(t *testing.T) {
				t.Parallel()
				c := newContest(t, place.adoption)
				for i, a := range allContenders() {
					for j, b := range allContenders() {
						if !a.works() && !b.works() || !sampled(t.Name(), i, j) {
							continue
						}
						c.begin(a.of(newUser(aged(2*time.Hour))), b.of(place.other(aged(time.Hour))))
						for _, turn := range turns {
							switch turn {
							case rest:
								c.rest()
							case attempts:
								c.attempt()
							case pauses:
								c.edit(pause)
							case revokes:
								c.edit(revoke)
							case restarts:
								c.start(aiven.Options{BaseURL: "http://192.0.2.1"})
							default:
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
