package clickhouse

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// What is observed was granted by others: an object that manages it later revokes nothing of that.
func TestWhatAGrantHasObservedIsNotRevokedByALaterEdit(t *testing.T) {
	x := newTables(t)
	x.has("SELECT", "db", nil)
	x.has("INSERT", "db", nil)
	obj := grantOf([]string{"SELECT", "INSERT"}, nil)
	metav1.SetMetaDataAnnotation(&obj.ObjectMeta, annotation.Management, policy.Observe)
	_, err := apply(t, x.env(), obj)
	require.NoError(t, err)
	assert.Nil(t, obj.Granted(), "nothing is recorded")

	for name, recorded := range map[string]*v1alpha1.ClickhouseGrants{"nothing was recorded": nil, "by an earlier version": new(onDatabase("SELECT", "INSERT"))} {
		t.Run(name, func(t *testing.T) {
			managed := grantOf([]string{"SELECT"}, nil)
			managed.SetGranted(recorded)
			o, err := apply(t, x.env(), managed)
			require.NoError(t, err)
			assert.True(t, o.Remote.Active)
			assert.Empty(t, x.statements)
			require.NotNil(t, managed.Granted())
			assert.Equal(t, onDatabase("SELECT"), *managed.Granted())
		})
	}
}

// What was revoked may be granted by others later, also while another part of the spec waits.
func TestWhatWasRevokedIsForgottenWhileAnotherPartWaits(t *testing.T) {
	late := v1alpha1.ClickhousePrivilegeGrant{Grantees: []v1alpha1.ClickhouseGrantee{{User: "late"}}, Privileges: []string{"SELECT"}, Database: "db"}
	former := onDatabase("SELECT")
	former.PrivilegeGrants = append(former.PrivilegeGrants, late)
	x, obj := newTables(t), grantOf(nil, nil)
	x.has("SELECT", "db", nil)
	obj.Spec.PrivilegeGrants = []v1alpha1.ClickhousePrivilegeGrant{late}
	hasGranted(obj, &former)
	_, err := apply(t, x.env(), obj)
	require.NoError(t, err)
	require.Equal(t, []string{revokeSelect}, x.statements)

	x.rows["grants"] = [][]any{}
	_, err = apply(t, x.env(), obj)
	require.NoError(t, err)
	require.NotNil(t, obj.Granted())
	assert.Equal(t, obj.Spec.ClickhouseGrants, *obj.Granted())

	x.has("SELECT", "db", nil) // at the console
	_, err = apply(t, x.env(), obj)
	require.NoError(t, err)
	assert.Equal(t, []string{revokeSelect}, x.statements, "no other statement")
}

// ClickHouse drops with a user or role what it was granted. That the grants alone are gone is drift, and no resource was deleted.
func TestWhatWasGrantedAndIsGoneIsDrift(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*v1alpha1.ClickhouseGrant, *tables)
		exists bool
		waits  bool
		does   []string
	}{
		"all of it":                    {exists: true, does: []string{grantSelect}},
		"with its user":                {change: func(_ *v1alpha1.ClickhouseGrant, x *tables) { x.users = nil }, waits: true},
		"Aiven has accepted none":      {change: func(o *v1alpha1.ClickhouseGrant, _ *tables) { o.Annotations = nil }, does: []string{grantSelect}},
		"it was granted by others":     {change: func(o *v1alpha1.ClickhouseGrant, _ *tables) { o.Status.Provenance = nil }, does: []string{grantSelect}},
		"by an object that was edited": {change: func(o *v1alpha1.ClickhouseGrant, _ *tables) { o.Generation++ }, exists: true, does: []string{grantSelect}},
	} {
		t.Run(name, func(t *testing.T) {
			x, obj := newTables(t), grantOf([]string{"SELECT"}, []string{"SELECT"})
			metav1.SetMetaDataAnnotation(&obj.ObjectMeta, annotation.Processed, "1")
			if tc.change != nil {
				tc.change(obj, x)
			}
			o, err := Grant.New(x.env()).Observe(t.Context(), obj)
			require.NoError(t, err)
			assert.Equal(t, []bool{tc.exists, tc.exists, tc.waits}, []bool{o.Remote.Exists, len(o.Diff) > 0, o.WaitFor != ""})
			_, err = apply(t, x.env(), obj)
			require.NoError(t, err)
			assert.Equal(t, tc.does, x.statements)
		})
	}
}
