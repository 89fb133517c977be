package kafka

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/deletion"
)

// beside is what the kind works with among such other objects.
func beside(c *aiven.Client, siblings ...*v1alpha1.KafkaACL) controllers.Env {
	return controllers.Env{Client: c, Siblings: func(context.Context) ([]client.Object, error) {
		var objects []client.Object
		for _, sibling := range siblings {
			objects = append(objects, sibling)
		}
		return objects, nil
	}}
}

// late is a client for which no write of an earlier process counts any more.
func late(t *testing.T, a *aiventest.Aiven) *aiven.Client {
	t.Helper()
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	c, err := aiven.New(aiven.Options{Transport: a, ReadLag: time.Minute, Now: func() time.Time { return now }}).ForToken("a-token")
	require.NoError(t, err)
	a.On(lookup, allowing())
	_, err = c.Service(t.Context(), aiventest.Project, "my-kafka")
	require.NoError(t, err)
	a.Calls()
	now = now.Add(2 * time.Minute)
	return c
}

// writer is another object, whose spec is the rule that an object had before. It is new.
func writer(changes ...func(*v1alpha1.KafkaACL)) *v1alpha1.KafkaACL {
	obj := acl("")
	obj.Name, obj.UID, obj.Generation, obj.Spec.Permission = "app-writes", "w", 1, "write"
	obj.Status.ObservedGeneration = -1
	for _, change := range changes {
		change(obj)
	}
	return obj
}

// owns makes the status prove the rule of the spec.
func owns(obj *v1alpha1.KafkaACL) {
	rule := obj.GetRule()
	obj.Status.ID, obj.Status.Rule, obj.Status.ObservedGeneration = "old", &rule, obj.Generation
	obj.Status.Provenance = &v1alpha1.Provenance{Type: v1alpha1.ProvenanceCreated, UID: obj.UID}
}

// isRefused makes the status say that the operator has got to the spec, and to nothing else.
func isRefused(obj *v1alpha1.KafkaACL) { obj.Status.ObservedGeneration = obj.Generation }

func isDeleted(obj *v1alpha1.KafkaACL) { obj.DeletionTimestamp = &metav1.Time{Time: time.Now()} }

func TestAChangeRemovesNoRuleOfAnotherObject(t *testing.T) {
	ok := aiventest.OK(aiventest.Object{"acl": []any{}})
	removed := []string{aclRemove + "old"}
	for name, tc := range map[string]struct {
		siblings []*v1alpha1.KafkaACL
		shown    []any // before
		removed  []string
		asked    []v1alpha1.KafkaACLRule // status.requested afterwards
	}{
		"that owns it":                         {siblings: []*v1alpha1.KafkaACL{writer(owns)}, shown: []any{write}},
		"that owns it, beside the new one":     {siblings: []*v1alpha1.KafkaACL{writer(owns)}, shown: []any{read, write}},
		"that is about to own it":              {siblings: []*v1alpha1.KafkaACL{writer()}, shown: []any{read, write}, asked: askedBefore},
		"beside one that is refused":           {siblings: []*v1alpha1.KafkaACL{writer(isRefused), writer(owns)}, shown: []any{write}},
		"of which there is none":               {shown: []any{write}, removed: removed},
		"but that of one which is refused":     {siblings: []*v1alpha1.KafkaACL{writer(isRefused)}, shown: []any{write}, removed: removed},
		"but that of one which is deleted":     {siblings: []*v1alpha1.KafkaACL{writer(owns, isDeleted)}, shown: []any{read, write}, removed: removed},
		"but that of one with another rule":    {siblings: []*v1alpha1.KafkaACL{writer(func(obj *v1alpha1.KafkaACL) { obj.Spec.Topic = "invoices" }, owns)}, shown: []any{write}, removed: removed},
		"but that of one with an earlier rule": {siblings: []*v1alpha1.KafkaACL{writer(owns, func(obj *v1alpha1.KafkaACL) { obj.Spec.Topic = "invoices" })}, shown: []any{write}, removed: removed},
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := aiventest.New(t), acl("old")
			client := late(t, a)
			a.On(lookup, allowing(tc.shown...), allowing(read, write))
			if tc.removed != nil {
				a.On(lookup, allowing(tc.shown...), allowing(read))
			}
			a.On(aclAdd, ok)
			a.On(aclRemove+"old", ok)
			c, o := observed(t, ACL, beside(client, tc.siblings...), obj)
			require.Equal(t, []string{"spec.permission"}, o.Diff.Paths(), "the change isn't begun, and waits for approval if a policy says so")
			requestRule(obj, nil)
			o, err := c.Update(t.Context(), obj, o)
			require.NoError(t, err)
			assert.Empty(t, o.Diff)
			assert.Empty(t, o.WaitFor)
			assert.Equal(t, tc.removed, removals(a.Calls()))
			assert.Equal(t, "new", obj.Status.ID)
			assert.Equal(t, obj.GetRule(), *obj.Status.Rule)
			assert.Equal(t, tc.asked, obj.Status.Requested)
		})
	}
}

func removals(calls []string) []string {
	var removed []string
	for _, call := range calls {
		if strings.HasPrefix(call, aclRemove) {
			removed = append(removed, call)
		}
	}
	return removed
}

// Else the rule would be granted for ever.
func TestARuleThatAnotherObjectNeverCameToOwnIsRemoved(t *testing.T) {
	for name, tc := range map[string]struct {
		sibling *v1alpha1.KafkaACL
		diff    []string
		asked   []v1alpha1.KafkaACLRule
	}{
		"it is refused":            {writer(isRefused), []string{"spec.permission"}, askedBefore},
		"it is still about to":     {writer(), nil, askedBefore},
		"it owns it":               {writer(owns), nil, nil},
		"it owns it, and is going": {writer(owns, isDeleted), []string{"spec.permission"}, askedBefore},
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := aiventest.New(t), acl("new", askedBefore...)
			client := late(t, a)
			rule := obj.GetRule()
			obj.Status.Rule = &rule
			a.On(lookup, allowing(read, write))
			_, o := observed(t, ACL, beside(client, tc.sibling), obj)
			assert.ElementsMatch(t, tc.diff, o.Diff.Paths())
			assert.Equal(t, tc.asked, obj.Status.Requested)
			assert.Equal(t, "new", obj.Status.ID)
		})
	}
}

// The rule is another object's only since the observation.
func TestOtherObjectsAreAskedRightBeforeARemoval(t *testing.T) {
	ok := aiventest.OK(aiventest.Object{"acl": []any{}})
	a, obj, other := aiventest.New(t), acl("old"), writer(isRefused)
	a.On(lookup, allowing(write), allowing(read, write))
	a.On(aclAdd, ok)
	c, o := observed(t, ACL, beside(a.Client(), other), obj)
	owns(other)
	requestRule(obj, nil)
	_, err := c.Update(t.Context(), obj, o)
	require.NoError(t, err)
	assert.Equal(t, []string{lookup, aclAdded, lookup}, a.Calls())
}

func TestADeletionRemovesNoRuleOfAnotherObject(t *testing.T) {
	ok := aiventest.OK(aiventest.Object{"acl": []any{}})
	for name, tc := range map[string]struct {
		siblings []*v1alpha1.KafkaACL
		shown    []any
		removed  []string
		blocked  bool
	}{
		"that owns it":                    {siblings: []*v1alpha1.KafkaACL{writer(owns)}, shown: []any{read, write}, removed: []string{aclRemove + "new"}},
		"that owns all that is left":      {siblings: []*v1alpha1.KafkaACL{writer(owns)}, shown: []any{write}},
		"that is about to own it":         {siblings: []*v1alpha1.KafkaACL{writer()}, shown: []any{read, write}, blocked: true},
		"but that of one that is refused": {siblings: []*v1alpha1.KafkaACL{writer(isRefused)}, shown: []any{read, write}, removed: []string{aclRemove + "new", aclRemove + "old"}},
		"of which there is none":          {shown: []any{read, write}, removed: []string{aclRemove + "new", aclRemove + "old"}},
	} {
		for state, asked := range map[string][]v1alpha1.KafkaACLRule{"": nil, ", when a change has begun": {acl("").GetRule()}} {
			t.Run(name+state, func(t *testing.T) {
				a := aiventest.New(t)
				client := late(t, a)
				a.On(lookup, allowing(tc.shown...))
				a.On(aclList, listedACLs(tc.shown...))
				for _, call := range tc.removed {
					a.On(call, ok)
				}
				err := ACL.New(beside(client, tc.siblings...)).Delete(t.Context(), acl("old", asked...))
				assert.Equal(t, tc.blocked, deletion.Of(err).Blocked != "", "%v", err)
				assert.Equal(t, !tc.blocked, deletion.Of(err).Done, "%v", err)
				assert.Equal(t, tc.removed, removals(a.Calls()))
			})
		}
	}
}

func TestNothingIsRemovedWithoutKnowingTheOtherObjects(t *testing.T) {
	boom := errors.New("boom")
	a, obj := aiventest.New(t), acl("old")
	a.On(lookup, allowing(read, write))
	a.On(aclList, listedACLs(read, write))
	env := controllers.Env{Client: a.Client(), Siblings: func(context.Context) ([]client.Object, error) { return nil, boom }}
	c, o := observed(t, ACL, env, obj)
	_, err := c.Update(t.Context(), obj, o)
	require.ErrorIs(t, err, boom)
	require.ErrorIs(t, ACL.New(env).Delete(t.Context(), obj), boom)
	requestRule(obj, nil)
	_, err = ACL.New(env).Observe(t.Context(), obj)
	require.ErrorIs(t, err, boom)
	assert.Empty(t, removals(a.Calls()))
}
