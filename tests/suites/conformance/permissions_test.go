package conformance_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/tests/harness/testenv"
)

// The permissions of the default roles of Kubernetes, and of an operator.
var (
	edits  = rbacv1.PolicyRule{APIGroups: []string{"aiven.io"}, Resources: []string{"databases"}, Verbs: []string{"get", "create", "update", "patch", "delete"}}
	adopts = rbacv1.PolicyRule{APIGroups: []string{"aiven.io"}, Resources: []string{"databases"}, Verbs: []string{"adopt"}}
	runs   = rbacv1.PolicyRule{APIGroups: []string{"aiven.io"}, Resources: []string{"databases/status"}, Verbs: []string{"patch"}}
)

// What a user could write into them would otherwise make an object own a resource that another one has created.
func TestAnnotationsOfTheOperatorAreSetByOperatorsOnly(t *testing.T) {
	t.Parallel()
	e := idle(t)
	team, operator := e.As("team", edits), e.As("operator", edits, runs)
	for _, name := range []string{"create-attempted", "taken-over", "generation-was-processed", "instance-is-running"} {
		t.Run(name, func(t *testing.T) {
			key := "controllers.aiven.io/" + name
			obj := annotated(e, key, "before")
			require.NoError(t, team.Create(t.Context(), obj), "a restored dump applies")
			set := func(value string) client.Patch {
				return client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"annotations":{"`+key+`":`+value+`}}}`))
			}
			err := team.Patch(t.Context(), obj, set(`"`+string(obj.UID)+`"`))
			require.True(t, apierrors.IsForbidden(err), "%v", err)
			assert.ErrorContains(t, err, "written by the operator only")
			require.NoError(t, team.Patch(t.Context(), obj, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"labels":{"a":"b"}}}`))))
			require.NoError(t, operator.Patch(t.Context(), obj, set(`"now"`)))
			require.NoError(t, team.Patch(t.Context(), obj, set("null")), "it gives nothing to remove one")
			require.NoError(t, team.Delete(t.Context(), obj))
		})
	}
}

func TestAdoptingNeedsAPermissionOfItsOwn(t *testing.T) {
	t.Parallel()
	e := idle(t)
	team, admin := e.As("team", edits), e.As("admin", edits, adopts)
	for _, value := range []string{"Adopt", "AdoptOrCreate"} {
		t.Run(value, func(t *testing.T) {
			obj := func() testenv.Object { return annotated(e, adoptionPolicy, value, deletionPolicy, "Orphan") }
			err := team.Create(t.Context(), obj())
			require.True(t, apierrors.IsForbidden(err), "%v", err)
			assert.ErrorContains(t, err, "a role with the verb adopt for databases.aiven.io")

			made := annotated(e, adoptionPolicy, "Never")
			require.NoError(t, team.Create(t.Context(), made))
			patch := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"annotations":{"`+adoptionPolicy+`":"`+value+`"}}}`))
			require.True(t, apierrors.IsForbidden(team.Patch(t.Context(), made, patch)))
			require.NoError(t, admin.Patch(t.Context(), made, patch))
			require.NoError(t, team.Delete(t.Context(), made))
			kept := obj()
			require.NoError(t, admin.Create(t.Context(), kept))
			require.NoError(t, team.Patch(t.Context(), kept, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"labels":{"a":"b"}}}`))))
			require.NoError(t, team.Delete(t.Context(), kept))
		})
	}
}

func TestAPermissionForOneKindIsNoneForAnother(t *testing.T) {
	t.Parallel()
	e := idle(t)
	edit := edits
	edit.Resources = []string{"databases", "kafkatopics"}
	allowedFor := func(resource string) client.Client {
		return e.As("of-"+resource, edit, rbacv1.PolicyRule{APIGroups: edit.APIGroups, Resources: []string{resource}, Verbs: []string{"adopt", "approve"}},
			rbacv1.PolicyRule{APIGroups: edit.APIGroups, Resources: []string{resource + "/status"}, Verbs: runs.Verbs})
	}
	ofDatabases, ofTopics := allowedFor("databases"), allowedFor("kafkatopics")
	for name, kind := range map[string]struct{ may, mayNot client.Client }{
		"database": {ofDatabases, ofTopics}, "kafkatopic": {ofTopics, ofDatabases},
	} {
		for key, tc := range map[string]struct{ value, says string }{
			approvedChanges:                         {anotherHash, "a role with the verb approve for " + name + "s.aiven.io"},
			changePolicy:                            {"Auto", "a role with the verb approve for " + name + "s.aiven.io"},
			transferTo:                              {"other/object", "changes wait for approval here: that needs a role with the verb approve for " + name + "s.aiven.io"},
			adoptionPolicy:                          {"Adopt", "a role with the verb adopt for " + name + "s.aiven.io"},
			"controllers.aiven.io/create-attempted": {"now", "written by the operator only"},
		} {
			t.Run(name+" "+key, func(t *testing.T) {
				obj := e.Example(name)
				obj.SetAnnotations(map[string]string{changePolicy: "HoldAll"})
				require.NoError(t, kind.mayNot.Create(t.Context(), obj))
				patch := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"annotations":{"`+key+`":"`+tc.value+`"}}}`))
				err := kind.mayNot.Patch(t.Context(), obj, patch)
				require.True(t, apierrors.IsForbidden(err), "%v", err)
				require.ErrorContains(t, err, tc.says)
				require.NoError(t, kind.may.Patch(t.Context(), obj, patch))
				require.NoError(t, kind.may.Delete(t.Context(), obj))
			})
		}
	}
}
