package opensearch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/ownership"
)

const (
	search  = "GET service/my-opensearch"
	readACL = "GET service/my-opensearch/opensearch/acl"
	setACL  = "POST service/my-opensearch/opensearch/acl"
	reset   = setACL + ` {"opensearch_acl_config":{"acls":[],"enabled":false}}`
)

func inState(state string) aiventest.Answer {
	return aiventest.Service(aiventest.Object{"service_name": "my-opensearch", "service_type": "opensearch", "state": state})
}

func aclRule(index, permission string) aiventest.Object {
	return aiventest.Object{"index": index, "permission": permission}
}

func acls(username string, rules ...any) aiventest.Object {
	return aiventest.Object{"username": username, "rules": append([]any{}, rules...)}
}

func config(enabled bool, acls ...any) aiventest.Answer {
	return aiventest.OK(aiventest.Object{"opensearch_acl_config": aiventest.Object{"enabled": enabled, "acls": append([]any{}, acls...)}})
}

// aclConfig lets app read logs and write orders, and other read orders.
func aclConfig(edits ...func(*v1alpha1.OpenSearchACLConfigSpec)) *v1alpha1.OpenSearchACLConfig {
	obj := &v1alpha1.OpenSearchACLConfig{ObjectMeta: metav1.ObjectMeta{Namespace: aiventest.Namespace, Name: "access"}}
	obj.Spec.Project, obj.Spec.ServiceName, obj.Spec.Enabled = aiventest.Project, "my-opensearch", true
	obj.Spec.Acls = []v1alpha1.OpenSearchACLConfigAcls{
		{Username: "app", Rules: []v1alpha1.OpenSearchACLConfigRules{{Index: "logs-*", Permission: "read"}, {Index: "orders", Permission: "write"}}},
		{Username: "other", Rules: []v1alpha1.OpenSearchACLConfigRules{{Index: "orders", Permission: "read"}}},
	}
	for _, edit := range edits {
		edit(&obj.Spec)
	}
	return obj
}

func withoutRules(s *v1alpha1.OpenSearchACLConfigSpec) { s.Acls = nil }
func disabled(s *v1alpha1.OpenSearchACLConfigSpec)     { s.Enabled = false }

var (
	app   = acls("app", aclRule("logs-*", "read"), aclRule("orders", "write"))
	other = acls("other", aclRule("orders", "read"))
)

func TestACLConfigObserve(t *testing.T) {
	for name, tc := range map[string]struct {
		obj    *v1alpha1.OpenSearchACLConfig
		found  aiventest.Answer
		absent bool
		diff   controllers.Diff
	}{
		"in sync":                             {found: config(true, app, other)},
		"in another order of users and rules": {found: config(true, other, acls("app", aclRule("orders", "write"), aclRule("logs-*", "read")))},
		"the rules of a user in two parts": {
			found: config(true, acls("app", aclRule("orders", "write")), other, acls("app", aclRule("logs-*", "read"))),
		},
		"a user without rules besides":                {found: config(true, app, other, acls("reader"))},
		"what a new service has":                      {found: config(false), absent: true},
		"what a new service has, as the spec asks":    {obj: aclConfig(withoutRules, disabled), found: config(false)},
		"rules that are kept ready, in a new service": {obj: aclConfig(disabled), found: config(false), absent: true},
		"enabled without rules": {
			obj: aclConfig(withoutRules), found: config(false), absent: true,
		},
		"disabled at the console": {
			found: config(false, app, other), diff: controllers.Diff{{Path: "spec.enabled", Wanted: "true", Found: "false"}},
		},
		"another permission": {
			found: config(true, app, acls("other", aclRule("orders", "admin"))),
			diff:  controllers.Diff{{Path: "spec.acls[other]", Wanted: "read orders", Found: "admin orders"}},
		},
		"a rule that is there twice": {
			found: config(true, app, acls("other", aclRule("orders", "read"), aclRule("orders", "read"))),
			diff:  controllers.Diff{{Path: "spec.acls[other]", Wanted: "read orders", Found: "read orders, read orders"}},
		},
		"users added and removed": {
			found: config(true, app, acls("third", aclRule("*", "admin"))),
			diff: controllers.Diff{
				{Path: "spec.acls[other]", Wanted: "read orders", Found: ""}, {Path: "spec.acls[third]", Wanted: "", Found: "admin *"},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(search, inState("RUNNING"))
			a.On(readACL, tc.found)
			if tc.obj == nil {
				tc.obj = aclConfig()
			}
			o, err := ACLConfig.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), tc.obj)
			require.NoError(t, err)
			assert.Equal(t, !tc.absent, o.Remote.Exists)
			assert.Equal(t, tc.diff.Entries(), o.Diff.Entries())
			assert.Equal(t, []string{search, readACL}, a.Calls())
		})
	}
}

func TestAListThatTheSpecDisabledBeforeIsChangedAndNotCreatedAgain(t *testing.T) {
	enabled := controllers.Diff{{Path: "spec.enabled", Wanted: "true", Found: "false"}}
	for name, tc := range map[string]struct {
		annotations map[string]string
		foreign     bool // the status is that of another object
		deleting    bool
		diff        controllers.Diff // nil: absent
	}{
		"enabled by an edit":                  {annotations: map[string]string{annotation.Processed: "1"}, diff: enabled},
		"removed at the console since":        {annotations: map[string]string{annotation.Processed: "2"}},
		"never applied":                       {},
		"an annotation that a user can write": {annotations: map[string]string{annotation.Processed: "1"}, foreign: true},
		"being deleted, and removed already":  {annotations: map[string]string{annotation.Processed: "1"}, deleting: true},
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := aiventest.New(t), aclConfig(withoutRules)
			a.On(search, inState("RUNNING"))
			a.On(readACL, config(false))
			obj.Generation, obj.Annotations, obj.UID = 2, tc.annotations, "uid"
			if obj.Status.Provenance = ownership.Created(obj); tc.foreign {
				obj.Status.Provenance = nil
			}
			if tc.deleting {
				obj.DeletionTimestamp = &metav1.Time{Time: time.Now()}
			}
			o, err := ACLConfig.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), obj)
			require.NoError(t, err)
			assert.Equal(t, tc.diff.Entries(), o.Diff.Entries())
			assert.Equal(t, tc.diff != nil, o.Remote.Active)
		})
	}
}

func TestAnAnswerWithoutAnAccessControlListProvesNothing(t *testing.T) {
	for name, answer := range map[string]aiventest.Answer{
		"an empty answer":   aiventest.OK(nil),
		"an empty list":     aiventest.OK(aiventest.Object{"opensearch_acl_config": aiventest.Object{}}),
		"the list is gone":  aiventest.Missing(),
		"the list is hid":   aiventest.Refused(403, "no"),
		"Aiven isn't there": aiventest.Refused(503, "oops"),
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(search, inState("RUNNING"))
			a.On(readACL, answer)
			_, err := ACLConfig.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), aclConfig())
			require.Error(t, err)
			assert.NotEqual(t, fault.NotFound, fault.Of(err).Class)
		})
	}
}

func TestACLConfigWrites(t *testing.T) {
	whole := setACL + ` {"opensearch_acl_config":{"acls":[` +
		`{"rules":[{"index":"logs-*","permission":"read"},{"index":"orders","permission":"write"}],"username":"app"},` +
		`{"rules":[{"index":"orders","permission":"read"}],"username":"other"}],"enabled":true}}`
	for name, tc := range map[string]struct {
		obj         *v1alpha1.OpenSearchACLConfig
		before, set aiventest.Answer
		calls       []string
		text        string
	}{
		"a new service": {before: config(false), set: config(true, app, other), calls: []string{search, readACL, whole}},
		"no list is an empty one": {
			obj: aclConfig(withoutRules), before: config(false), set: config(true),
			calls: []string{search, readACL, setACL + ` {"opensearch_acl_config":{"acls":[],"enabled":true}}`},
		},
		"a change replaces the whole": {
			before: config(true, acls("third", aclRule("*", "admin"))), set: config(true, other, app), calls: []string{search, readACL, whole},
		},
		"OpenSearch Security manages users": {
			before: config(false), set: aiventest.Refused(400, "OpenSearch Security management is enabled"),
			calls: []string{search, readACL, whole}, text: "OpenSearch Security management is enabled",
		},
		"a user that Aiven doesn't accept": {
			before: config(false), set: aiventest.Refused(400, "Invalid opensearch_acl_config: username 'x' must be short"),
			calls: []string{search, readACL, whole}, text: "spec.acls: ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(search, inState("RUNNING"))
			a.On(readACL, tc.before)
			a.On(setACL, tc.set)
			if tc.obj == nil {
				tc.obj = aclConfig()
			}
			c := ACLConfig.New(controllers.Env{Client: a.Client()})
			o, err := c.Observe(t.Context(), tc.obj)
			require.NoError(t, err)
			if o.Remote.Exists {
				o, err = c.Update(t.Context(), tc.obj, o)
			} else {
				o, err = c.Create(t.Context(), tc.obj)
			}
			assert.Equal(t, tc.calls, a.Calls())
			if tc.text != "" {
				require.ErrorContains(t, err, tc.text)
				assert.Equal(t, fault.Rejected, fault.Of(err).Class)
				return
			}
			require.NoError(t, err)
			assert.True(t, o.Remote.Active)
			assert.Empty(t, o.Diff)
		})
	}
}

func TestACLConfigDelete(t *testing.T) {
	for name, tc := range map[string]struct {
		state   string
		found   aiventest.Answer
		answer  aiventest.Answer
		calls   []string
		blocked string
		class   fault.Class
	}{
		"reset":                     {state: "RUNNING", found: config(true, app, other), answer: config(false), calls: []string{search, readACL, reset}, class: fault.None},
		"rules that aren't ours":    {state: "RUNNING", found: config(false, app), answer: config(false), calls: []string{search, readACL, reset}, class: fault.None},
		"reset at the console":      {state: "RUNNING", found: config(false), calls: []string{search, readACL, search, readACL}, class: fault.None},
		"powered off":               {state: "POWEROFF", calls: []string{search}, blocked: "Service demo/my-opensearch is POWEROFF. Power it on, or set the annotation controllers.aiven.io/deletion-policy=Orphan on this object"},
		"the list can't be read":    {state: "RUNNING", found: aiventest.Refused(403, "no"), calls: []string{search, readACL}, class: fault.Forbidden},
		"refused":                   {state: "RUNNING", found: config(true), answer: aiventest.Refused(400, "no"), calls: []string{search, readACL, reset, search}, blocked: "no (400 ServiceOpenSearchAclSet). Remove the cause, or set the annotation controllers.aiven.io/deletion-policy=Orphan"},
		"the answer doesn't arrive": {state: "RUNNING", found: config(true), answer: aiventest.Refused(502, "oops"), calls: []string{search, readACL, reset}, class: fault.Server},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(search, inState(tc.state))
			a.On(readACL, tc.found)
			a.On(setACL, tc.answer)
			err := ACLConfig.New(controllers.Env{Client: a.Client()}).Delete(t.Context(), aclConfig())
			assert.Equal(t, tc.calls, a.Calls())
			if tc.blocked != "" {
				var blocked *deletion.BlockedError
				require.ErrorAs(t, err, &blocked)
				assert.Contains(t, blocked.Reason, tc.blocked)
				return
			}
			assert.Equal(t, tc.class, fault.Of(err).Class)
		})
	}
}

func TestAnAccessControlListIsGoneWithAServiceThatAnotherTypeReplaced(t *testing.T) {
	a := aiventest.New(t)
	a.On(search, inState("RUNNING"), aiventest.Service(aiventest.Object{"service_name": "my-opensearch", "service_type": "kafka"}))
	a.On(readACL, config(true))
	a.On(setACL, aiventest.Refused(400, "Service is not of type opensearch"))
	assert.NoError(t, ACLConfig.New(controllers.Env{Client: a.Client()}).Delete(t.Context(), aclConfig()))
	assert.Equal(t, []string{search, readACL, reset, search}, a.Calls())
}

// Two objects for one service are a conflict, whatever their names and namespaces are: the engine refuses the second, and
// deletes nothing for it.
func TestAServiceHasOneAccessControlList(t *testing.T) {
	second := aclConfig(disabled)
	second.Namespace, second.Name = "another", "another"
	assert.Equal(t, ACLConfig.Identity(aclConfig()), ACLConfig.Identity(second))
	second.Spec.ServiceName = "another"
	assert.NotEqual(t, ACLConfig.Identity(aclConfig()), ACLConfig.Identity(second))
}
