package kafka

import (
	"cmp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

const (
	aclList   = "GET service/my-kafka/acl"
	aclAdd    = "POST service/my-kafka/acl"
	aclAdded  = aclAdd + ` {"permission":"read","topic":"orders","username":"app"}`
	aclRemove = "DELETE service/my-kafka/acl/"
)

// administrators is the rule that every service begins with.
var administrators = rule("default", "admin", "avnadmin", "*")

func rule(id, permission, username, topic string) aiventest.Object {
	return aiventest.Object{"id": id, "permission": permission, "username": username, "topic": topic}
}

// The rule that the object asks for, and others that it may have asked for before.
var (
	read   = rule("new", "read", "app", "orders")
	write  = rule("old", "write", "app", "orders")
	wide   = rule("old", "read", "*", "orders")
	narrow = rule("old", "read", "app", "orders-1")
)

// askedBefore is what an object has asked for whose spec was changed since.
var askedBefore = []v1alpha1.KafkaACLRule{{Permission: "write", Topic: "orders", Username: "app"}}

// acl owns a rule if its status has an id, or rules that it has asked for.
func acl(id string, asked ...v1alpha1.KafkaACLRule) *v1alpha1.KafkaACL {
	obj := &v1alpha1.KafkaACL{ObjectMeta: metav1.ObjectMeta{Namespace: aiventest.Namespace, Name: "app-reads", UID: "u"}}
	obj.Spec.Project, obj.Spec.ServiceName = aiventest.Project, "my-kafka"
	obj.Spec.Permission, obj.Spec.Username, obj.Spec.Topic = "read", "app", "orders"
	obj.Status.ID, obj.Status.Requested = id, asked
	if obj.HasFormer() {
		obj.Status.Provenance = &v1alpha1.Provenance{Type: v1alpha1.ProvenanceCreated, UID: obj.UID}
	}
	return obj
}

// allowing is a service with its own rule and such rules.
func allowing(rules ...any) aiventest.Answer {
	return running(aiventest.Object{"acl": append([]any{administrators}, rules...)})
}

func TestACLObserve(t *testing.T) {
	for name, tc := range map[string]struct {
		had    string // status.id
		asked  []v1alpha1.KafkaACLRule
		rules  []any
		exists bool
		diff   controllers.Diff
		id     string // status.id afterwards
	}{
		"in sync":                        {had: "new", rules: []any{read}, exists: true, id: "new"},
		"a rule that was there already":  {rules: []any{write, read}, exists: true, id: "new"},
		"a rule that was made again":     {had: "old", rules: []any{read}, exists: true, id: "new"},
		"a rule of Aiven, until an edit": {had: "default-1", rules: []any{rule("default-1", "write", "app", "orders")}, id: "default-1"},
		"none":                           {},
		"none any longer":                {had: "new", id: "new"},
		"rules of other users":           {rules: []any{write, wide, narrow}},
		"a rule without an id":           {rules: []any{aiventest.Object{"permission": "write", "username": "app", "topic": "orders"}}},
		"another permission in the spec": {had: "old", rules: []any{write}, exists: true, id: "old", diff: controllers.Diff{{Path: "spec.permission", Wanted: "read", Found: "write"}}},
		"another user in the spec":       {had: "old", rules: []any{wide}, exists: true, id: "old", diff: controllers.Diff{{Path: "spec.username", Wanted: "app", Found: "*"}}},
		"another topic in the spec":      {had: "old", rules: []any{narrow}, exists: true, id: "old", diff: controllers.Diff{{Path: "spec.topic", Wanted: "orders", Found: "orders-1"}}},
		"a rule of an earlier spec, of which only the request is known": {
			asked: askedBefore, rules: []any{write}, exists: true, diff: controllers.Diff{{Path: "spec.permission", Wanted: "read", Found: "write"}},
		},
		"a rule of an earlier spec that is gone": {had: "old", asked: askedBefore, rules: []any{read}, exists: true, id: "new"},
		"a rule of Aiven like one of an earlier spec": {
			asked: askedBefore, rules: []any{read, rule("default-1", "write", "app", "orders")}, exists: true, id: "new",
		},
		"a rule of ours left over": {had: "old", rules: []any{read, write}, exists: true, id: "old", diff: controllers.Diff{{Path: "spec.permission", Wanted: "read", Found: "write"}}},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, allowing(tc.rules...))
			obj := acl(tc.had, tc.asked...)
			o, err := ACL.New(beside(a.Client())).Observe(t.Context(), obj)
			require.NoError(t, err)
			assert.Equal(t, tc.exists, o.Remote.Exists && o.WaitFor == "", "what the object owns, and isn't shown, may be on its way")
			assert.Equal(t, tc.diff.Entries(), o.Diff.Entries())
			assert.Equal(t, tc.asked, obj.Status.Requested, "an earlier process may have added it just now")
			assert.Equal(t, tc.id, obj.Status.ID)
			assert.Equal(t, []string{lookup}, a.Calls())
		})
	}
}

func TestACLWrites(t *testing.T) {
	ok, no := aiventest.OK(aiventest.Object{"acl": []any{}}), aiventest.Refused(400, "no")
	exists := aiventest.Refused(409, "Identical ACL entry already exists")
	for name, tc := range map[string]struct {
		had           string
		before, after aiventest.Answer
		add, remove   aiventest.Answer
		calls         []string
		text          string
		id            string
	}{
		"create": {
			before: allowing(), after: allowing(read), add: ok, calls: []string{lookup, aclAdded, lookup}, id: "new",
		},
		"create refused": {
			before: allowing(), add: no, calls: []string{lookup, aclAdded}, text: "adding rule",
		},
		"P08 a change adds the new rule first, and lets go of the old one last": {
			had: "old", before: allowing(write), after: allowing(read), add: ok, remove: ok,
			calls: []string{lookup, aclAdded, aclRemove + "old", lookup}, id: "new",
		},
		"P08 a change whose new rule is refused leaves the old one": {
			had: "old", before: allowing(write), add: no, calls: []string{lookup, aclAdded}, text: "adding rule", id: "old",
		},
		"a change whose new rule was added without an answer": {
			had: "old", before: allowing(write), after: allowing(read), add: exists, remove: ok,
			calls: []string{lookup, aclAdded, aclRemove + "old", lookup}, id: "new",
		},
		"a change that was cut off in the middle goes on": {
			had: "old", before: allowing(read, write), after: allowing(read), remove: ok,
			calls: []string{lookup, aclRemove + "old", lookup}, id: "new",
		},
		"an old rule that is gone already": {
			had: "old", before: allowing(read, write), after: allowing(read), remove: aiventest.Refused(404, "ACL entry does not exist"),
			calls: []string{lookup, aclRemove + "old", lookup}, id: "new",
		},
		"an old rule that can't be deleted is not forgotten": {
			had: "old", before: allowing(read, write), remove: no,
			calls: []string{lookup, aclRemove + "old"}, text: "deleting ACL", id: "old",
		},
		"nothing to do when asked afresh": {
			had: "new", before: allowing(read), after: allowing(read), calls: []string{lookup, lookup}, id: "new",
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, tc.before, tc.after)
			a.On(aclAdd, tc.add)
			a.On(aclRemove+"old", tc.remove)
			obj := acl(tc.had)
			c := ACL.New(beside(a.Client()))
			o, err := c.Observe(t.Context(), obj)
			require.NoError(t, err)
			if o.Remote.Exists {
				o, err = c.Update(t.Context(), obj, o)
			} else {
				o, err = c.Create(t.Context(), obj)
			}
			assert.Equal(t, tc.calls, a.Calls())
			assert.Equal(t, tc.id, obj.Status.ID)
			if tc.text != "" {
				assert.Equal(t, fault.Rejected, fault.Of(err).Class)
				assert.ErrorContains(t, err, tc.text)
				return
			}
			require.NoError(t, err)
			assert.True(t, o.Remote.Active)
			assert.Empty(t, o.Diff)
		})
	}
}

// Aiven may show the new rule late: it isn't added a second time because the old one couldn't be deleted.
func TestARuleThatWasAddedIsPendingAlthoughTheOldOneStays(t *testing.T) {
	for name, tc := range map[string]struct {
		add, remove aiventest.Answer
		pending     bool
	}{
		"deleting the old one is refused": {aiventest.OK(aiventest.Object{"acl": []any{}}), aiventest.Refused(400, "no"), true},
		"deleting the old one fails":      {aiventest.OK(aiventest.Object{"acl": []any{}}), aiventest.Refused(500, "oops"), true},
		"deleting the old one timed out":  {aiventest.OK(aiventest.Object{"acl": []any{}}), aiventest.Refused(408, "too late"), true},
		"adding the new one is refused":   {aiventest.Refused(400, "no"), aiventest.Answer{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, allowing(write))
			a.On(aclAdd, tc.add)
			a.On(aclRemove+"old", tc.remove)
			env, obj := beside(a.Client()), acl("old")
			first := ACL.New(env)
			o, err := first.Observe(t.Context(), obj)
			require.NoError(t, err)
			_, err = first.Update(t.Context(), obj, o)
			require.Error(t, err)
			o, err = ACL.New(env).Observe(t.Context(), obj)
			require.NoError(t, err)
			assert.Equal(t, tc.pending, o.WaitFor != "", "a wait, instead of a second write")
		})
	}
}

func listedACLs(rules ...any) aiventest.Answer {
	return aiventest.OK(aiventest.Object{"acl": append([]any{}, rules...)})
}

func TestACLDelete(t *testing.T) {
	ok, missing := aiventest.OK(aiventest.Object{"acl": []any{}}), aiventest.Refused(404, "ACL entry does not exist")
	made := rule("default-1", "read", "app", "orders")
	for name, tc := range map[string]struct {
		had                   string
		service, list, remove aiventest.Answer
		calls                 []string
		class                 fault.Class
	}{
		"deleted":                            {had: "new", service: allowing(read), list: listedACLs(administrators, read), remove: ok, calls: []string{lookup, aclList, aclRemove + "new"}},
		"without a status":                   {service: allowing(write, read), list: listedACLs(administrators, write, read), remove: ok, calls: []string{lookup, aclList, aclRemove + "new"}},
		"in the middle of a change":          {had: "old", service: allowing(read, write), list: listedACLs(read, write), remove: ok, calls: []string{lookup, aclList, aclRemove + "new", aclRemove + "old"}},
		"before the change is made":          {had: "old", service: allowing(write), list: listedACLs(write), remove: ok, calls: []string{lookup, aclList, aclRemove + "old"}},
		"a rule that the list lacks still":   {had: "old", service: allowing(read, write), list: listedACLs(), remove: ok, calls: []string{lookup, aclList, aclRemove + "new", aclRemove + "old"}},
		"not shown by the service":           {service: running(aiventest.Object{"acl": nil}), list: listedACLs(read), remove: ok, calls: []string{lookup, aclList, aclList, aclRemove + "new"}},
		"that Aiven made with the service":   {had: "default-1", service: allowing(made), list: listedACLs(made), calls: []string{lookup, aclList}},
		"gone":                               {had: "new", service: allowing(), calls: []string{lookup, lookup}},
		"gone between the list and the call": {had: "new", service: allowing(read), list: listedACLs(read), remove: missing, calls: []string{lookup, aclList, aclRemove + "new"}},
		"gone with its service":              {had: "new", service: aiventest.Missing(), calls: []string{lookup, "GET service"}},
		"refused":                            {had: "new", service: allowing(read), list: listedACLs(read), remove: aiventest.Refused(403, "no"), calls: []string{lookup, aclList, aclRemove + "new"}, class: fault.Forbidden},
		"the list fails":                     {had: "new", service: allowing(read), list: aiventest.Refused(503, "try later"), calls: []string{lookup, aclList}, class: fault.Server},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, tc.service)
			a.On(aclList, tc.list)
			a.On(aclRemove+"new", tc.remove)
			a.On(aclRemove+"old", tc.remove)
			err := ACL.New(beside(a.Client())).Delete(t.Context(), acl(tc.had))
			assert.Equal(t, cmp.Or(tc.class, fault.None), fault.Of(err).Class, "%v", err)
			assert.Equal(t, tc.calls, a.Calls())
		})
	}
}

func TestACLIsWhatItAllows(t *testing.T) {
	assert.EqualValues(t, "acl/read/app/orders", ACL.Identity(acl("new")).Entry)
}
