package clickhouse

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// turns makes attempts until one has had a turn for all of its calls.
func turns(t *testing.T, attempt func() error) {
	for range 100 {
		err := attempt()
		if err == nil {
			return
		}
		require.True(t, fault.NotSent(err), "%v", err)
		<-time.After(fault.Of(err).RetryAfter)
	}
	require.Fail(t, "it never ends")
}

// fewTurns is a client that makes one call a second, and some at once.
func (x *tables) fewTurns(burst int) controllers.Env {
	env := x.env()
	client, err := aiven.New(aiven.Options{Transport: x, QPS: 1, Burst: burst, WatchInterval: time.Hour, ReadLag: lag}).ForToken("a-token")
	require.NoError(x.t, err)
	env.Client = client
	return env
}

// A statement that wasn't sent has changed nothing: the next attempt needs its turn for no read.
func TestAStatementThatWaitsForItsTurnNeedsNoOtherRead(t *testing.T) {
	for name, tc := range map[string]struct {
		obj     *v1alpha1.ClickhouseGrant
		there   bool
		attempt func(*testing.T, controllers.Env, *v1alpha1.ClickhouseGrant) error
		want    string
	}{
		"a GRANT":                {obj: grantOf([]string{"SELECT"}, nil), attempt: grant, want: grantSelect},
		"a REVOKE":               {obj: grantOf([]string{"INSERT"}, []string{"SELECT", "INSERT"}), there: true, attempt: grant, want: revokeSelect},
		"a REVOKE of a deletion": {obj: grantOf([]string{"SELECT"}, []string{"SELECT"}), there: true, attempt: revokeAll, want: revokeSelect},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := newTables(t)
				if tc.there {
					x.has("SELECT", "db", nil)
					x.has("INSERT", "db", nil)
				}
				env := x.fewTurns(2)
				turns(t, func() error { return tc.attempt(t, env, tc.obj) })
				assert.Equal(t, []string{tc.want}, x.statements)
			})
		})
	}
}

func grant(t *testing.T, env controllers.Env, obj *v1alpha1.ClickhouseGrant) error {
	_, err := apply(t, env, obj)
	return err
}

func revokeAll(t *testing.T, env controllers.Env, obj *v1alpha1.ClickhouseGrant) error {
	obj.DeletionTimestamp = &metav1.Time{Time: time.Now()}
	return Grant.New(env).Delete(aiven.WithCaller(t.Context(), "uid"), obj)
}

// Each attempt that revokes has read live before: an earlier one may have been before the user was dropped.
func TestADeletionOfGrantsToOneOfTwoOfANameEndsThoughItHasFewTurns(t *testing.T) {
	for name, burst := range map[string]int{"one call at once": 1, "two": 2, "three": 3, "ten": 10} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x, obj := newTables(t), grantOf([]string{"SELECT"}, []string{"SELECT"})
				x.has("SELECT", "db", nil)
				x.rows["roles"] = [][]any{{"team"}, {"app"}}
				x.On(services, aiventest.OK(aiventest.Object{"services": []any{clickhouseFields(nil)}}))
				env := x.fewTurns(burst)
				turns(t, func() error { return revokeAll(t, env, obj) })
				assert.Equal(t, []string{revokeSelect}, x.statements)
				assert.GreaterOrEqual(t, x.userLists, 2, "again for the twins")
				assert.LessOrEqual(t, x.userLists, 4)
				assert.Equal(t, map[string]int{"grants": 1, "roles": 1, "privileges": 1}, x.selects)
			})
		})
	}
}

// A REVOKE from a user that was dropped while it waited would hit the role of the name.
func TestADeletionOfGrantsThatWaitedForItsTurnSparesTheOtherOfTheName(t *testing.T) {
	for burst := range 10 {
		synctest.Test(t, func(t *testing.T) {
			x, obj := newTables(t), grantOf([]string{"SELECT"}, []string{"SELECT"})
			x.has("SELECT", "db", nil)
			x.rows["roles"] = [][]any{{"team"}, {"app"}}
			x.On(services, aiventest.OK(aiventest.Object{"services": []any{clickhouseFields(nil)}}))
			env := x.fewTurns(burst + 1)
			err := revokeAll(t, env, obj)
			if err == nil {
				return // it had a turn for each call
			}
			require.True(t, fault.NotSent(err), "%v", err)
			x.users, x.rows["grants"] = nil, [][]any{{nil, "app", "SELECT", "db", nil, nil, 0, 0}}
			<-time.After(fault.Of(err).RetryAfter)
			turns(t, func() error { return revokeAll(t, env, obj) })
			assert.Empty(t, x.statements, "of %d calls at once", burst+1)
		})
	}
}
