package kafka

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

func TestARuleThatTheServiceDoesNotShowIsListed(t *testing.T) {
	for name, tc := range map[string]struct {
		list   aiventest.Answer
		exists bool
		fails  string
	}{
		"in the list":            {list: listedACLs(administrators, read), exists: true},
		"not in the list":        {list: listedACLs(administrators, write)},
		"an empty list":          {list: listedACLs()},
		"an answer without list": {list: aiventest.OK(nil), fails: "it holds no list"},
		"a list that fails":      {list: aiventest.Refused(503, "try later"), fails: "try later"},
		"a list that is missing": {list: aiventest.Refused(404, "not here"), fails: "a list can't be missing"},
		"a list that is refused": {list: aiventest.Refused(403, "no"), fails: "no"},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, running(aiventest.Object{"acl": nil}))
			a.On(aclList, tc.list)
			o, err := ACL.New(beside(a.Client())).Observe(t.Context(), acl(""))
			if tc.fails != "" {
				require.ErrorContains(t, err, tc.fails)
				assert.False(t, fault.Is(err, fault.NotFound))
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.exists, o.Remote.Exists)
			assert.Equal(t, []string{lookup, aclList}, a.Calls())
		})
	}
}

// A rule that Aiven has accepted and doesn't show yet would grant its permission for ever.
func TestARuleThatIsNotShownYetOutlivesNoDeletion(t *testing.T) {
	const waits = "Waiting for Aiven to show what was written"
	attempted := func(obj *v1alpha1.KafkaACL) {
		obj.Annotations = map[string]string{"controllers.aiven.io/create-attempted": "true"}
	}
	for name, tc := range map[string]struct {
		had     string
		lagging aiventest.Answer // of the service, within the lag
		list    aiventest.Answer // the same, of the rules
		writes  bool             // this process has added the rule; else an earlier one
		removed []string
	}{
		"just created":                       {lagging: allowing(), list: listedACLs(administrators), writes: true, removed: []string{aclRemove + "new"}},
		"just changed":                       {had: "old", lagging: allowing(write), list: listedACLs(administrators, write), writes: true, removed: []string{aclRemove + "new", aclRemove + "old"}},
		"created before a restart":           {lagging: allowing(), list: listedACLs(administrators), removed: []string{aclRemove + "new"}},
		"changed before a restart":           {had: "old", lagging: allowing(write), list: listedACLs(administrators, write), removed: []string{aclRemove + "new", aclRemove + "old"}},
		"just created, in a list of its own": {lagging: running(aiventest.Object{"acl": nil}), list: listedACLs(administrators), writes: true, removed: []string{aclRemove + "new"}},
		"just changed, in a list of its own": {had: "old", lagging: running(aiventest.Object{"acl": nil}), list: listedACLs(write), writes: true, removed: []string{aclRemove + "new", aclRemove + "old"}},
		"before a restart, in its own list":  {lagging: running(aiventest.Object{"acl": nil}), list: listedACLs(administrators), removed: []string{aclRemove + "new"}},
	} {
		t.Run(name, func(t *testing.T) {
			a, now := aiventest.New(t), time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
			client, err := aiven.New(aiven.Options{Transport: a, ReadLag: time.Minute, Now: func() time.Time { return now }}).ForToken("a-token")
			require.NoError(t, err)
			a.On(lookup, tc.lagging)
			a.On(aclList, tc.list)
			a.On(aclAdd, aiventest.OK(aiventest.Object{"acl": []any{}}))
			a.On(aclRemove+"old", aiventest.Refused(500, "oops"))
			env, obj := beside(client), acl(tc.had)
			attempted(obj)
			if tc.writes {
				now = now.Add(2 * time.Minute) // no earlier process counts
				_, _ = client.Service(t.Context(), aiventest.Project, "my-kafka")
				c, o := observed(t, ACL, env, obj)
				if tc.had == "" {
					_, err = c.Create(t.Context(), obj)
					require.NoError(t, err)
				} else {
					_, err = c.Update(t.Context(), obj, o)
					require.ErrorContains(t, err, "oops")
				}
			}
			obj.Status.ID = tc.had
			a.Calls()
			err = ACL.New(env).Delete(t.Context(), obj)
			assert.Equal(t, waits, deletion.Of(err).Blocked, "%v", err)
			for _, call := range a.Calls() {
				assert.NotContains(t, call, "DELETE")
			}

			now = now.Add(2 * time.Minute)
			shown := []any{administrators, read}
			if tc.had != "" {
				shown = append(shown, write)
			}
			a.On(lookup, allowing(shown[1:]...))
			a.On(aclList, listedACLs(shown...))
			for _, call := range tc.removed {
				a.On(call, aiventest.OK(aiventest.Object{"acl": []any{}}))
			}
			require.NoError(t, ACL.New(env).Delete(t.Context(), obj))
			assert.Subset(t, a.Calls(), tc.removed)
		})
	}
}

// Of two edits within the lag of Aiven's reads, the second one finds nothing of the rule that the first one has added.
func TestARuleOfAnEarlierEditDoesNotStay(t *testing.T) {
	a, now := aiventest.New(t), time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	client, err := aiven.New(aiven.Options{Transport: a, ReadLag: time.Minute, Now: func() time.Time { return now }}).ForToken("a-token")
	require.NoError(t, err)
	env, obj := beside(client), acl("old")
	a.On(lookup, allowing(write))
	_, _ = client.Service(t.Context(), aiventest.Project, "my-kafka")
	now = now.Add(2 * time.Minute) // no earlier process counts
	a.On(aclAdd, aiventest.OK(aiventest.Object{"acl": []any{}}))
	a.On(aclRemove+"old", aiventest.OK(aiventest.Object{"acl": []any{}}))
	edited := func() {
		c, o := observed(t, ACL, env, obj)
		requestRule(obj, nil)
		if o.Remote.Exists {
			_, err = c.Update(t.Context(), obj, o)
		} else {
			_, err = c.Create(t.Context(), obj)
		}
		require.NoError(t, err)
	}
	edited()
	obj.Spec.Topic = "orders-2"
	a.On(lookup, allowing()) // shows neither rule any longer
	edited()

	now = now.Add(2 * time.Minute)
	second := rule("second", "read", "app", "orders-2")
	a.On(lookup, allowing(read, second))
	c, o := observed(t, ACL, env, obj)
	assert.Equal(t, []string{"spec.topic"}, o.Diff.Paths())
	a.Calls()
	a.On(aclRemove+"new", aiventest.OK(aiventest.Object{"acl": []any{}}))
	a.On(lookup, allowing(second))
	_, err = c.Update(t.Context(), obj, o)
	require.NoError(t, err)
	assert.Equal(t, []string{aclRemove + "new", lookup}, a.Calls())
	assert.Equal(t, "second", obj.Status.ID)
	assert.Empty(t, obj.Status.Requested)
}

func TestADeletionWaitsForTheRuleOfAnEarlierEdit(t *testing.T) {
	a, now := aiventest.New(t), time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	client, err := aiven.New(aiven.Options{Transport: a, ReadLag: time.Minute, Now: func() time.Time { return now }}).ForToken("a-token")
	require.NoError(t, err)
	env, obj := beside(client), acl("", askedBefore...)
	a.On(lookup, allowing())
	a.On(aclList, listedACLs(administrators))
	assert.NotEmpty(t, deletion.Of(ACL.New(env).Delete(t.Context(), obj)).Blocked, "an earlier process may have added it")

	now = now.Add(2 * time.Minute)
	a.On(lookup, allowing(write))
	a.On(aclList, listedACLs(administrators, write))
	a.On(aclRemove+"old", aiventest.OK(aiventest.Object{"acl": []any{}}))
	require.NoError(t, ACL.New(env).Delete(t.Context(), obj))
	assert.Contains(t, a.Calls(), aclRemove+"old")
}

// The rule of the spec is another object's. Those of earlier specs would grant their permission for ever.
func TestTheRuleOfAnotherObjectOutlivesADeletion(t *testing.T) {
	for name, tc := range map[string]struct {
		had     string
		asked   []v1alpha1.KafkaACLRule
		rules   []any
		removed []string
	}{
		"beside one of an earlier spec":           {had: "old", rules: []any{read, write}, removed: []string{aclRemove + "old"}},
		"beside one that was only asked for":      {asked: askedBefore, rules: []any{read, write}, removed: []string{aclRemove + "old"}},
		"beside none, as the object had the same": {had: "new", rules: []any{read}},
		"beside one of an earlier spec, and gone": {had: "old", rules: []any{write}, removed: []string{aclRemove + "old"}},
	} {
		t.Run(name, func(t *testing.T) {
			a, now := aiventest.New(t), time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
			client, err := aiven.New(aiven.Options{Transport: a, ReadLag: time.Minute, Now: func() time.Time { return now }}).ForToken("a-token")
			require.NoError(t, err)
			a.On(lookup, allowing(tc.rules...))
			a.On(aclList, listedACLs(append([]any{administrators}, tc.rules...)...))
			_, err = client.Service(t.Context(), aiventest.Project, "my-kafka")
			require.NoError(t, err)
			now = now.Add(2 * time.Minute) // no earlier process counts
			for _, call := range tc.removed {
				a.On(call, aiventest.OK(aiventest.Object{"acl": []any{}}))
			}
			obj := acl(tc.had, tc.asked...)
			shared := beside(client)
			shared.Shared = true
			require.NoError(t, ACL.New(shared).Delete(t.Context(), obj))
			var removed []string
			for _, call := range a.Calls() {
				if strings.HasPrefix(call, aclRemove) {
					removed = append(removed, call)
				}
			}
			assert.Equal(t, tc.removed, removed)
		})
	}
}
