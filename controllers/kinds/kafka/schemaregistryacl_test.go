package kafka

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/ownership"
)

const (
	schemaACLList   = "GET service/my-kafka/kafka/schema-registry/acl"
	schemaACLAdd    = "POST service/my-kafka/kafka/schema-registry/acl"
	schemaACLAdded  = schemaACLAdd + ` {"permission":"schema_registry_read","resource":"Subject:orders","username":"app"}`
	schemaACLRemove = "DELETE service/my-kafka/kafka/schema-registry/acl/"
)

func schemaACL(id string) *v1alpha1.KafkaSchemaRegistryACL {
	obj := &v1alpha1.KafkaSchemaRegistryACL{ObjectMeta: metav1.ObjectMeta{Namespace: aiventest.Namespace, Name: "app-reads"}}
	obj.Spec.Project, obj.Spec.ServiceName = aiventest.Project, "my-kafka"
	obj.Spec.Permission, obj.Spec.Resource, obj.Spec.Username = "schema_registry_read", "Subject:orders", "app"
	obj.Status.ACLID = id
	return obj
}

func schemaEntry(id, permission, resource, username string) aiventest.Object {
	return aiventest.Object{"id": id, "permission": permission, "resource": resource, "username": username}
}

// schemaAt is the ACL at Aiven, and nobodys are others.
func schemaAt(id string) aiventest.Object {
	return schemaEntry(id, "schema_registry_read", "Subject:orders", "app")
}

var nobodys = []any{
	schemaEntry("default-sr-admin-config", "schema_registry_write", "Config:", "avnadmin"),
	schemaEntry("a", "schema_registry_write", "Subject:orders", "app"),
	schemaEntry("b", "schema_registry_read", "Subject:orders-1", "app"),
	schemaEntry("c", "schema_registry_read", "Subject:orders", "App"),
}

// schemasIn is a service with such ACLs and others, and schemasListed is their list.
func schemasIn(acls ...any) aiventest.Answer {
	return running(aiventest.Object{"schema_registry_acl": append(append([]any{}, nobodys...), acls...)})
}

func schemasListed(acls ...any) aiventest.Answer {
	return aiventest.OK(aiventest.Object{"acl": append(append([]any{}, nobodys...), acls...)})
}

func TestSchemaRegistryACLObserve(t *testing.T) {
	nameless := aiventest.Object{"permission": "schema_registry_read", "resource": "Subject:orders", "username": "app"}
	for name, tc := range map[string]struct {
		had    string
		acls   []any
		exists bool
		id     string
	}{
		"in sync":                       {"new", []any{schemaAt("new")}, true, "new"},
		"one that was there already":    {"", []any{schemaAt("new")}, true, "new"},
		"one that was created again":    {"old", []any{schemaAt("new")}, true, "new"},
		"the id of one of several":      {"second", []any{schemaAt("first"), schemaAt("second")}, true, "second"},
		"the first of several":          {"", []any{schemaAt("first"), schemaAt("second")}, true, "first"},
		"one that has no id":            {"old", []any{nameless}, true, ""},
		"none":                          {"", nil, false, ""},
		"none any longer":               {"new", nil, false, ""},
		"the id of another in a status": {"a", nil, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, schemasIn(tc.acls...))
			obj := schemaACL(tc.had)
			o, err := SchemaRegistryACL.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), obj)
			require.NoError(t, err)
			assert.Equal(t, tc.exists, o.Remote.Exists)
			assert.Empty(t, o.Diff)
			assert.Equal(t, tc.id, obj.Status.ACLID)
			assert.Equal(t, []string{lookup}, a.Calls(), "the service holds all of them")
		})
	}
}

func TestASchemaRegistryACLThatTheServiceDoesNotShowIsListed(t *testing.T) {
	for name, tc := range map[string]struct {
		list   aiventest.Answer
		exists bool
		fails  string
	}{
		"in the list":            {list: schemasListed(schemaAt("new")), exists: true},
		"not in the list":        {list: schemasListed()},
		"an answer without list": {list: aiventest.OK(nil), fails: "it holds no list"},
		"a list that fails":      {list: aiventest.Refused(503, "try later"), fails: "try later"},
		"a list that is missing": {list: aiventest.Refused(404, "not here"), fails: "a list can't be missing"},
		"refused":                {list: aiventest.Refused(400, "no"), fails: "no"},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, running(nil))
			a.On(schemaACLList, tc.list)
			o, err := SchemaRegistryACL.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), schemaACL(""))
			if tc.fails != "" {
				require.ErrorContains(t, err, tc.fails)
				assert.False(t, fault.Is(err, fault.NotFound))
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.exists, o.Remote.Exists)
			assert.Equal(t, []string{lookup, schemaACLList}, a.Calls())
		})
	}
}

func TestSchemaRegistryACLCreate(t *testing.T) {
	nameless := aiventest.Object{"permission": "schema_registry_read", "resource": "Subject:orders", "username": "app"}
	for name, tc := range map[string]struct {
		add, after aiventest.Answer
		calls      []string
		id         string
		fails      string
		class      fault.Class
	}{
		"the answer has it among all":  {add: schemasListed(schemaAt("new")), calls: []string{lookup, schemaACLAdded}, id: "new"},
		"the answer is an older list":  {add: schemasListed(), after: schemasIn(schemaAt("new")), calls: []string{lookup, schemaACLAdded, lookup}, id: "new"},
		"the answer has no id":         {add: schemasListed(nameless), after: schemasIn(schemaAt("new")), calls: []string{lookup, schemaACLAdded, lookup}, id: "new"},
		"a resource that is refused":   {add: aiventest.Refused(400, "Invalid resource 'x': must be Config:"), calls: []string{lookup, schemaACLAdded}, fails: "Aiven rejected spec.resource: ", class: fault.Rejected},
		"a username that is refused":   {add: aiventest.Refused(400, "Invalid username 'ä'"), calls: []string{lookup, schemaACLAdded}, fails: "Recreate the object with another spec.username", class: fault.Rejected},
		"a permission that is refused": {add: aiventest.Refused(400, "Invalid permission 'x'"), calls: []string{lookup, schemaACLAdded}, fails: "Aiven rejected spec.permission: ", class: fault.Rejected},
		"not ready yet":                {add: aiventest.Refused(503, "starting"), calls: []string{lookup, schemaACLAdded}, fails: "starting", class: fault.NotReady},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, schemasIn(), tc.after)
			a.On(schemaACLAdd, tc.add)
			c, obj := SchemaRegistryACL.New(controllers.Env{Client: a.Client()}), schemaACL("")
			_, err := c.Observe(t.Context(), obj)
			require.NoError(t, err)
			o, err := c.Create(t.Context(), obj)
			assert.Equal(t, tc.calls, a.Calls())
			if tc.fails != "" {
				assert.Equal(t, tc.class, fault.Of(err).Class)
				assert.Contains(t, refusal(err), tc.fails)
				return
			}
			require.NoError(t, err)
			assert.True(t, o.Remote.Active)
			assert.Equal(t, tc.id, obj.Status.ACLID)
		})
	}
}

// Aiven accepts a second ACL like the first: no POST follows one that may have applied, unless a read that began later lacks it.
func TestASchemaRegistryACLIsNotAddedTwice(t *testing.T) {
	for name, tc := range map[string]struct {
		add     aiventest.Answer // of the first attempt
		restart bool
		shown   []any // by the next read
		inSvc   bool  // that read has the list
		active  bool
		pending bool
	}{
		"the answer was lost":                       {add: aiventest.Refused(504, "gateway timeout"), shown: []any{schemaAt("new")}, inSvc: true, active: true},
		"the answer was lost, and Aiven is slow":    {add: aiventest.Refused(504, "gateway timeout"), inSvc: true, pending: true},
		"the answer was lost, in the list":          {add: aiventest.Refused(504, "gateway timeout"), shown: []any{schemaAt("new")}, active: true},
		"the answer was lost, and the list is slow": {add: aiventest.Refused(504, "gateway timeout"), pending: true},
		"the operator was restarted":                {add: schemasListed(), restart: true, inSvc: true, pending: true},
		"the operator was restarted, in the list":   {add: schemasListed(), restart: true, pending: true},
		"it was refused":                            {add: aiventest.Refused(400, "no"), inSvc: true},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, schemasIn())
			a.On(schemaACLAdd, tc.add)
			env, obj := controllers.Env{Client: a.Client()}, schemaACL("")
			first := SchemaRegistryACL.New(env)
			_, err := first.Observe(t.Context(), obj)
			require.NoError(t, err)
			_, _ = first.Create(t.Context(), obj)
			if tc.restart {
				ownership.Begin(obj, true)
				env.Client = a.Client()
			}
			a.On(lookup, running(nil))
			a.On(schemaACLList, schemasListed(tc.shown...))
			if tc.inSvc {
				a.On(lookup, schemasIn(tc.shown...))
			}
			o, err := SchemaRegistryACL.New(env).Observe(t.Context(), obj)
			require.NoError(t, err)
			assert.Equal(t, tc.active, o.Remote.Active)
			assert.Equal(t, tc.pending, o.WaitFor != "", "a wait, instead of a second write")
		})
	}
}

func TestSchemaRegistryACLDelete(t *testing.T) {
	ok, missing := aiventest.OK(aiventest.Object{"acl": []any{}}), aiventest.Refused(404, "Schema Registry ACL entry does not exist")
	one, two := []any{schemaAt("new")}, []any{schemaAt("new"), schemaAt("older")}
	nameless := aiventest.Object{"permission": "schema_registry_read", "resource": "Subject:orders", "username": "app"}
	for name, tc := range map[string]struct {
		acls         []any
		list, remove aiventest.Answer
		removed      []string
		class        fault.Class
	}{
		"deleted":                          {acls: one, list: schemasListed(one...), remove: ok, removed: []string{"new"}, class: fault.None},
		"two of an older operator":         {acls: two, list: schemasListed(two...), remove: ok, removed: []string{"new", "older"}, class: fault.None},
		"one that was added a moment ago":  {acls: one, list: schemasListed(two...), remove: ok, removed: []string{"new", "older"}, class: fault.None},
		"one that the list lacks still":    {acls: one, list: schemasListed(), remove: ok, removed: []string{"new"}, class: fault.None},
		"gone meanwhile":                   {acls: one, list: schemasListed(), remove: missing, removed: []string{"new"}, class: fault.None},
		"made by Aiven":                    {acls: []any{schemaAt("default-sr-x")}, list: schemasListed(schemaAt("default-sr-x")), class: fault.None},
		"made by Aiven, and one of ours":   {acls: []any{schemaAt("default-sr-x"), schemaAt("new")}, list: schemasListed(schemaAt("default-sr-x"), schemaAt("new")), remove: ok, removed: []string{"new"}, class: fault.None},
		"one without an id is not done":    {acls: []any{nameless}, list: schemasListed(nameless), class: fault.Unknown},
		"refused":                          {acls: one, list: schemasListed(one...), remove: aiventest.Refused(403, "no"), removed: []string{"new"}, class: fault.Forbidden},
		"the list is an answer without it": {acls: one, list: aiventest.OK(nil), class: fault.Unknown},
		"the list fails":                   {acls: one, list: aiventest.Refused(503, "try later"), class: fault.Server},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, schemasIn(tc.acls...))
			a.On(schemaACLList, tc.list)
			calls := []string{lookup, schemaACLList}
			for _, id := range tc.removed {
				a.On(schemaACLRemove+id, tc.remove)
				calls = append(calls, schemaACLRemove+id)
			}
			err := SchemaRegistryACL.New(controllers.Env{Client: a.Client()}).Delete(t.Context(), schemaACL("new"))
			assert.Equal(t, tc.class, fault.Of(err).Class, "%v", err)
			assert.Equal(t, calls, a.Calls())
		})
	}
}

func TestADeletedSchemaRegistryACLThatIsGoneTakesAProof(t *testing.T) {
	attempted := schemaACL("new")
	ownership.Begin(attempted, true)
	for name, tc := range map[string]struct {
		obj     *v1alpha1.KafkaSchemaRegistryACL
		service aiventest.Answer
		waits   string
	}{
		"gone":                     {obj: schemaACL("new"), service: schemasIn()},
		"gone with its service":    {obj: schemaACL("new"), service: aiventest.Missing()},
		"in a service that is off": {obj: schemaACL("new"), service: running(aiventest.Object{"state": "POWEROFF"}), waits: "Service demo/my-kafka is POWEROFF. Power it on, or set the annotation controllers.aiven.io/deletion-policy=Orphan on this object"},
		"right after a restart":    {obj: attempted, service: schemasIn(), waits: "Waiting for Aiven to show what was written"},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, tc.service)
			err := SchemaRegistryACL.New(controllers.Env{Client: a.Client()}).Delete(t.Context(), tc.obj)
			assert.Equal(t, tc.waits, deletion.Of(err).Blocked)
			assert.Equal(t, tc.waits == "", deletion.Of(err).Done, "%v", err)
		})
	}
}
