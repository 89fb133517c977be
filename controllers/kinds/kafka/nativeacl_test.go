package kafka

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

const (
	nativeList   = "GET service/my-kafka/kafka/acl"
	nativeAdd    = "POST service/my-kafka/kafka/acl"
	nativeAdded  = nativeAdd + ` {"host":"*","operation":"Read","pattern_type":"PREFIXED","permission_type":"ALLOW","principal":"User:app","resource_name":"orders","resource_type":"Topic"}`
	nativeRemove = "DELETE service/my-kafka/kafka/acl/"
)

func nativeACL(id string, edits ...func(*v1alpha1.KafkaNativeACLSpec)) *v1alpha1.KafkaNativeACL {
	obj := &v1alpha1.KafkaNativeACL{ObjectMeta: metav1.ObjectMeta{Namespace: aiventest.Namespace, Name: "app-reads"}}
	obj.Spec.Project, obj.Spec.ServiceName = aiventest.Project, "my-kafka"
	obj.Spec.Host, obj.Spec.Operation, obj.Spec.PatternType, obj.Spec.PermissionType = "*", "Read", "PREFIXED", "ALLOW"
	obj.Spec.Principal, obj.Spec.ResourceName, obj.Spec.ResourceType = "User:app", "orders", "Topic"
	obj.Status.ID = id
	for _, edit := range edits {
		edit(&obj.Spec)
	}
	return obj
}

func hostless(spec *v1alpha1.KafkaNativeACLSpec) { spec.Host = "" }

// nativeAt is the ACL at Aiven, with some fields changed.
func nativeAt(id string, changes aiventest.Object) aiventest.Object {
	fields := aiventest.Object{
		"id": id, "host": "*", "operation": "Read", "pattern_type": "PREFIXED", "permission_type": "ALLOW",
		"principal": "User:app", "resource_name": "orders", "resource_type": "Topic",
	}
	maps.Copy(fields, changes)
	return fields
}

// nativeIn is a service with such ACLs, and nativeListed is their list.
func nativeIn(acls ...any) aiventest.Answer {
	return running(aiventest.Object{"kafka_acl": append([]any{}, acls...)})
}

func nativeListed(acls ...any) aiventest.Answer {
	return aiventest.OK(aiventest.Object{"acl": []any{}, "kafka_acl": append([]any{}, acls...)})
}

func TestNativeACLObserve(t *testing.T) {
	for name, tc := range map[string]struct {
		obj  *v1alpha1.KafkaNativeACL
		acls []any
		id   string // of what is found; empty for nothing
	}{
		"in sync":                             {nativeACL("new"), []any{nativeAt("new", nil)}, "new"},
		"one that was there already":          {nativeACL(""), []any{nativeAt("x", aiventest.Object{"operation": "Write"}), nativeAt("new", nil)}, "new"},
		"one that was created again":          {nativeACL("old"), []any{nativeAt("new", nil)}, "new"},
		"a host that is empty means any":      {nativeACL("", hostless), []any{nativeAt("new", nil)}, "new"},
		"none":                                {nativeACL(""), nil, ""},
		"none any longer":                     {nativeACL("new"), nil, ""},
		"another host":                        {nativeACL(""), []any{nativeAt("x", aiventest.Object{"host": "10.0.0.1"})}, ""},
		"another operation":                   {nativeACL(""), []any{nativeAt("x", aiventest.Object{"operation": "All"})}, ""},
		"another type of pattern":             {nativeACL(""), []any{nativeAt("x", aiventest.Object{"pattern_type": "LITERAL"})}, ""},
		"a denial":                            {nativeACL(""), []any{nativeAt("x", aiventest.Object{"permission_type": "DENY"})}, ""},
		"another principal":                   {nativeACL(""), []any{nativeAt("x", aiventest.Object{"principal": "User:App"})}, ""},
		"another resource":                    {nativeACL(""), []any{nativeAt("x", aiventest.Object{"resource_name": "orders-1"})}, ""},
		"another type of resource":            {nativeACL(""), []any{nativeAt("x", aiventest.Object{"resource_type": "Group"})}, ""},
		"the id of the status on another one": {nativeACL("x"), []any{nativeAt("x", aiventest.Object{"host": "10.0.0.1"})}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, nativeIn(tc.acls...))
			o, err := NativeACL.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), tc.obj)
			require.NoError(t, err)
			assert.Equal(t, tc.id != "", o.Remote.Exists)
			assert.Empty(t, o.Diff)
			assert.Equal(t, tc.id, tc.obj.Status.ID)
			assert.Equal(t, []string{lookup}, a.Calls(), "the service holds all of them")
		})
	}
}

func TestTheIDOfANativeACLGoesWithItsService(t *testing.T) {
	a, obj := aiventest.New(t), nativeACL("old")
	a.On(lookup, aiventest.Missing())
	_, err := NativeACL.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), obj)
	require.NoError(t, err)
	assert.Empty(t, obj.Status.ID)
}

func TestANativeACLThatTheServiceDoesNotShowIsListed(t *testing.T) {
	for name, tc := range map[string]struct {
		list   aiventest.Answer
		exists bool
		fails  string
	}{
		"in the list":            {list: nativeListed(nativeAt("new", nil)), exists: true},
		"not in the list":        {list: nativeListed(nativeAt("x", aiventest.Object{"operation": "Write"}))},
		"an answer without list": {list: aiventest.OK(aiventest.Object{"acl": []any{}}), fails: "it holds no list"},
		"a list that fails":      {list: aiventest.Refused(503, "try later"), fails: "try later"},
		"a list that is missing": {list: aiventest.Refused(404, "not here"), fails: "a list can't be missing"},
		"a list that is refused": {list: aiventest.Refused(403, "no"), fails: "no"},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, running(nil))
			a.On(nativeList, tc.list)
			o, err := NativeACL.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), nativeACL(""))
			if tc.fails != "" {
				require.ErrorContains(t, err, tc.fails)
				assert.False(t, fault.Is(err, fault.NotFound))
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.exists, o.Remote.Exists)
			assert.Equal(t, []string{lookup, nativeList}, a.Calls())
		})
	}
}

func TestNativeACLCreate(t *testing.T) {
	made := aiventest.OK(aiventest.Object{"acl": nativeAt("new", nil)})
	for name, tc := range map[string]struct {
		obj   *v1alpha1.KafkaNativeACL
		add   aiventest.Answer
		after aiventest.Answer
		calls []string
		id    string
	}{
		"the answer holds it":         {nativeACL(""), made, aiventest.Answer{}, []string{lookup, nativeAdded}, "new"},
		"with any host":               {nativeACL("", hostless), made, aiventest.Answer{}, []string{lookup, nativeAdded}, "new"},
		"the answer holds nothing":    {nativeACL(""), aiventest.OK(nil), nativeIn(nativeAt("new", nil)), []string{lookup, nativeAdded, lookup}, "new"},
		"and Aiven shows it too late": {nativeACL(""), aiventest.OK(nil), nativeIn(), []string{lookup, nativeAdded, lookup}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, nativeIn(), tc.after)
			a.On(nativeAdd, tc.add)
			c := NativeACL.New(controllers.Env{Client: a.Client()})
			_, err := c.Observe(t.Context(), tc.obj)
			require.NoError(t, err)
			o, err := c.Create(t.Context(), tc.obj)
			require.NoError(t, err)
			assert.True(t, o.Remote.Exists)
			assert.Equal(t, tc.id != "", o.Remote.Active)
			assert.Equal(t, tc.calls, a.Calls())
			assert.Equal(t, tc.id, tc.obj.Status.ID)
		})
	}
}

// The answer to the first creation was lost: the next read finds what it has made, and so does the one after a 409.
func TestANativeACLWhoseAnswerWasLostIsFoundAgain(t *testing.T) {
	for name, tc := range map[string]struct {
		add   aiventest.Answer
		class fault.Class
	}{
		"without an answer": {aiventest.Refused(504, "gateway timeout"), fault.Server},
		"by a 409":          {aiventest.Refused(409, "Identical ACL entry already exists"), fault.Exists},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, nativeIn(), nativeIn(nativeAt("new", nil)))
			a.On(nativeAdd, tc.add)
			env, obj := controllers.Env{Client: a.Client()}, nativeACL("")
			first := NativeACL.New(env)
			_, err := first.Observe(t.Context(), obj)
			require.NoError(t, err)
			_, err = first.Create(t.Context(), obj)
			assert.Equal(t, tc.class, fault.Of(err).Class)
			o, err := NativeACL.New(env).Observe(t.Context(), obj)
			require.NoError(t, err)
			assert.True(t, o.Remote.Active)
			assert.Equal(t, "new", obj.Status.ID)
		})
	}
}

// refusal is what a user reads of a refused write.
func refusal(err error) string { return (&fault.Secrets{}).Refusal(err, "", "") }

func TestARefusedNativeACLNamesTheField(t *testing.T) {
	for message, field := range map[string]string{
		"Invalid principal 'app': must have the form PrincipalType:name": "spec.principal",
		"Invalid resource_name '': must be 1 to 256 characters long":     "spec.resourceName",
		"Invalid operation 'Dance'":                                      "spec.operation",
		"Invalid pattern_type 'x'":                                       "spec.patternType",
		"Invalid permission_type 'x'":                                    "spec.permissionType",
		"Invalid resource_type 'x'":                                      "spec.resourceType",
		"Invalid host 'x'":                                               "spec.host",
	} {
		t.Run(field, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, nativeIn())
			a.On(nativeAdd, aiventest.Refused(400, message))
			c, obj := NativeACL.New(controllers.Env{Client: a.Client()}), nativeACL("")
			_, err := c.Observe(t.Context(), obj)
			require.NoError(t, err)
			_, err = c.Create(t.Context(), obj)
			assert.Equal(t, fault.Rejected, fault.Of(err).Class)
			assert.Contains(t, refusal(err), "Aiven rejected "+field+": "+message)
			assert.Contains(t, refusal(err), "Recreate the object with another "+field)
		})
	}
}

func TestNativeACLDelete(t *testing.T) {
	ok, missing := aiventest.OK(nil), aiventest.Refused(404, "Kafka-native ACL entry does not exist")
	denial := nativeAt("denial", aiventest.Object{"permission_type": "DENY"})
	for name, tc := range map[string]struct {
		acls, listed []any
		list, remove aiventest.Answer
		removed      []string
		class        fault.Class
	}{
		"deleted":                       {acls: []any{denial, nativeAt("new", nil)}, remove: ok, removed: []string{"new"}},
		"every one with its fields":     {acls: []any{nativeAt("new", nil)}, listed: []any{nativeAt("more", nil), denial, nativeAt("new", nil)}, remove: ok, removed: []string{"more", "new"}},
		"one that the list lacks still": {acls: []any{nativeAt("new", nil)}, listed: []any{denial}, remove: ok, removed: []string{"new"}},
		"gone meanwhile":                {acls: []any{nativeAt("new", nil)}, remove: missing, removed: []string{"new"}},
		"refused":                       {acls: []any{nativeAt("new", nil)}, remove: aiventest.Refused(403, "no"), removed: []string{"new"}, class: fault.Forbidden},
		"made by Aiven":                 {acls: []any{nativeAt("default-1", nil)}},
		"the list fails":                {acls: []any{nativeAt("new", nil)}, list: aiventest.Refused(503, "try later"), class: fault.Server},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, nativeIn(tc.acls...))
			a.On(nativeList, nativeListed(append(tc.listed, tc.acls...)...))
			if tc.listed != nil {
				a.On(nativeList, nativeListed(tc.listed...))
			}
			if tc.list != (aiventest.Answer{}) {
				a.On(nativeList, tc.list)
			}
			calls := []string{lookup, nativeList}
			for _, id := range tc.removed {
				a.On(nativeRemove+id, tc.remove)
				calls = append(calls, nativeRemove+id)
			}
			if tc.class == "" {
				tc.class = fault.None
			}
			err := NativeACL.New(controllers.Env{Client: a.Client()}).Delete(t.Context(), nativeACL("new"))
			assert.Equal(t, tc.class, fault.Of(err).Class, "%v", err)
			assert.Equal(t, calls, a.Calls())
		})
	}
}

func TestADeletedNativeACLThatIsGoneTakesAProof(t *testing.T) {
	for name, tc := range map[string]struct {
		service aiventest.Answer
		waits   string
	}{
		"gone":                  {service: nativeIn()},
		"gone with its service": {service: aiventest.Missing()},
		"in a service that is off": {
			service: running(aiventest.Object{"state": "POWEROFF"}), waits: "Service demo/my-kafka is POWEROFF. Power it on, or set the annotation controllers.aiven.io/deletion-policy=Orphan on this object",
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, tc.service)
			err := NativeACL.New(controllers.Env{Client: a.Client()}).Delete(t.Context(), nativeACL("new"))
			assert.Equal(t, tc.waits, deletion.Of(err).Blocked)
			assert.Equal(t, tc.waits == "", deletion.Of(err).Done, "%v", err)
		})
	}
}
