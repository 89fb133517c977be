package kafka

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/deletion"
)

func TestASchemaRegistryACLWaitsForItsRegistry(t *testing.T) {
	for name, acls := range map[string]any{"it has an ACL": []any{schemaAt("new")}, "it has none": []any{}, "it shows none": nil} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, running(aiventest.Object{"user_config": aiventest.Object{}, "schema_registry_acl": acls}))
			obj := schemaACL("new")
			o, err := SchemaRegistryACL.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), obj)
			require.NoError(t, err)
			assert.False(t, o.Remote.Exists)
			assert.True(t, o.Remote.Unread)
			assert.Equal(t, "Waiting for the schema registry: set spec.userConfig.schema_registry of service demo/my-kafka to true", o.WaitFor)
			assert.Equal(t, "new", obj.Status.ACLID, "it may be there still")
			assert.Equal(t, []string{lookup}, a.Calls())
		})
	}
}

// A registry that is on again has the ACLs that it had.
func TestASchemaRegistryACLIsDeletedForSureThoughTheRegistryIsOff(t *testing.T) {
	const waits = "Waiting for the schema registry: set spec.userConfig.schema_registry of service demo/my-kafka to true. " +
		"Or set the annotation controllers.aiven.io/deletion-policy=Orphan"
	refused, one := aiventest.Refused(400, "Schema registry is not enabled"), []any{schemaAt("new")}
	for name, tc := range map[string]struct {
		acls         any
		list, remove aiventest.Answer
		waits        string
	}{
		"Aiven deletes it":                  {acls: one, list: schemasListed(one...), remove: aiventest.OK(aiventest.Object{"acl": []any{}})},
		"Aiven refuses the deletion":        {acls: one, list: schemasListed(one...), remove: refused, waits: waits},
		"Aiven refuses the list":            {acls: one, list: refused, waits: waits},
		"Aiven shows none":                  {acls: []any{}, waits: waits},
		"Aiven lists none":                  {list: schemasListed(), waits: waits},
		"Aiven shows none, and no list":     {list: refused, waits: waits},
		"a list that fails is no such wait": {list: aiventest.Refused(503, "try later")},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, running(aiventest.Object{"user_config": aiventest.Object{}, "schema_registry_acl": tc.acls}))
			a.On(schemaACLList, tc.list)
			a.On(schemaACLRemove+"new", tc.remove)
			err := SchemaRegistryACL.New(controllers.Env{Client: a.Client()}).Delete(t.Context(), schemaACL("new"))
			assert.Equal(t, tc.waits, deletion.Of(err).Blocked, "%v", err)
			assert.Equal(t, name == "Aiven deletes it", deletion.Of(err).Done, "%v", err)
		})
	}
}

func TestAProxyThatRefusesADeletionDeletesNoSchemaRegistryACL(t *testing.T) {
	a := aiventest.New(t)
	a.On(lookup, running(aiventest.Object{"user_config": aiventest.Object{}, "schema_registry_acl": []any{schemaAt("new")}}))
	a.On(schemaACLList, schemasListed(schemaAt("new")))
	a.On(schemaACLRemove+"new", aiventest.Refused(405, "no method"))
	err := SchemaRegistryACL.New(controllers.Env{Client: a.Client()}).Delete(t.Context(), schemaACL("new"))
	require.ErrorContains(t, err, "no method")
}
