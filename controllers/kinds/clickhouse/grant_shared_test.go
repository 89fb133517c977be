package clickhouse

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
)

// ClickHouse refuses the whole of a REVOKE that names a user or role which is gone by then: the others must not keep their grants
// for that.
func TestADeletionRevokesFromThoseThatAreLeft(t *testing.T) {
	const (
		ofBoth  = "REVOKE SELECT ON `db`.* FROM `app`, `other`"
		ofApp   = "REVOKE SELECT ON `db`.* FROM `app`"
		ofOther = "REVOKE SELECT ON `db`.* FROM `other`"
		roles   = "REVOKE `gone`, `team` FROM `app`"
		gone    = "REVOKE `gone` FROM `app`"
		team    = "REVOKE `team` FROM `app`"
	)
	missing := aiventest.Refused(400, "Code: 192. There is no user or role")
	for name, tc := range map[string]struct {
		obj        v1alpha1.ClickhouseGrants
		rows       map[string][][]any
		answers    map[string]aiventest.Answer
		statements []string
	}{
		"a user": {
			obj: v1alpha1.ClickhouseGrants{PrivilegeGrants: []v1alpha1.ClickhousePrivilegeGrant{{
				Grantees: []v1alpha1.ClickhouseGrantee{{User: "app"}, {User: "other"}}, Privileges: []string{"SELECT"}, Database: "db",
			}}},
			rows: map[string][][]any{"grants": {
				{"app", nil, "SELECT", "db", nil, nil, 0, 0}, {"other", nil, "SELECT", "db", nil, nil, 0, 0},
			}},
			answers:    map[string]aiventest.Answer{ofBoth: missing, ofApp: missing},
			statements: []string{ofBoth, ofApp, ofOther},
		},
		"a role": {
			obj: v1alpha1.ClickhouseGrants{RoleGrants: []v1alpha1.ClickhouseRoleGrant{{
				Grantees: []v1alpha1.ClickhouseGrantee{{User: "app"}}, Roles: []string{"gone", "team"},
			}}},
			rows:       map[string][][]any{"role_grants": {{"app", nil, "gone", 0}, {"app", nil, "team", 0}}},
			answers:    map[string]aiventest.Answer{roles: missing, gone: missing},
			statements: []string{roles, gone, team},
		},
	} {
		t.Run(name, func(t *testing.T) {
			x, obj := newTables(t), grantOf(nil, nil)
			for table, rows := range tc.rows {
				x.rows[table] = rows
			}
			obj.Spec.ClickhouseGrants, obj.Status.State, x.answers = tc.obj, &tc.obj, tc.answers
			obj.DeletionTimestamp = &metav1.Time{Time: time.Now()}
			x.On(services, aiventest.OK(aiventest.Object{"services": []any{clickhouseFields(nil)}}))
			require.NoError(t, Grant.New(x.env()).Delete(t.Context(), obj))
			assert.Equal(t, tc.statements, x.statements)
		})
	}
}

// An object may have found a privilege, and be content, in the moment before another one revokes it.
func TestARevokeEnqueuesTheObjectsThatShareTheUser(t *testing.T) {
	x := newTables(t)
	x.has("SELECT", "db", nil)
	x.has("INSERT", "db", nil)
	clients := aiven.New(aiven.Options{BaseURL: "http://aiven.test", Transport: x, WatchInterval: time.Minute, ReadLag: lag})
	client, err := clients.ForToken("a-token")
	require.NoError(t, err)
	sibling := Grant.ReadsItems(grantOf([]string{"SELECT"}, nil))
	var enqueued atomic.Bool
	clients.OnChange(func(change aiven.Change) {
		for _, key := range change.Items {
			if slices.Contains(sibling, aiven.Item{List: change.List, Key: key}) {
				enqueued.Store(true)
			}
		}
	})
	env := x.env()
	env.Client = client
	_, err = apply(t, env, grantOf([]string{"INSERT"}, []string{"SELECT", "INSERT"}))
	require.NoError(t, err)
	assert.Equal(t, []string{revokeSelect}, x.statements)
	assert.Eventually(t, enqueued.Load, 10*time.Second, time.Millisecond)
}
