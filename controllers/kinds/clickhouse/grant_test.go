package clickhouse

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
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
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// tables answers queries by their text: SELECTs from tables that a test fills, and statements by success or by what the test
// has scripted. It records statements.
type tables struct {
	t          *testing.T
	users      []string
	databases  []string
	rows       map[string][][]any // by table of the database system
	answers    map[string]aiventest.Answer
	statements []string
	selects    map[string]int
	userLists  int
	hold       chan struct{} // closed once SELECTs may be answered; nil for at once
	*aiventest.Aiven
}

const level = "COLUMN"

func newTables(t *testing.T) *tables {
	x := &tables{
		t: t, users: []string{"app", "other"}, databases: []string{"default", "db"}, answers: map[string]aiventest.Answer{},
		selects: map[string]int{}, Aiven: aiventest.New(t),
		rows: map[string][][]any{
			"grants": {}, "role_grants": {}, "roles": {{"team"}},
			"privileges": {
				{"ALL", []any{}, nil, nil}, {"SELECT", []any{}, level, "ALL"}, {"INSERT", []any{}, level, "ALL"},
				{"ALTER", []any{}, nil, "ALL"}, {"ALTER DELETE", []any{"DELETE"}, level, "ALTER"},
			},
		},
	}
	x.On(lookup, running())
	return x
}

// has adds a row to system.grants about the user app.
func (x *tables) has(access string, database, table any) {
	x.rows["grants"] = append(x.rows["grants"], []any{"app", nil, access, database, table, nil, 0, 0})
}

// RoundTrip implements http.RoundTripper.
func (x *tables) RoundTrip(req *http.Request) (*http.Response, error) {
	answer, ours := x.answer(req)
	if !ours {
		return x.Aiven.RoundTrip(req)
	}
	x.On("GET answer", answer)
	asked, err := http.NewRequestWithContext(req.Context(), http.MethodGet, "http://aiven.test/v1/project/demo/answer", nil)
	require.NoError(x.t, err)
	return x.Aiven.RoundTrip(asked)
}

func (x *tables) answer(req *http.Request) (aiventest.Answer, bool) {
	list := []any{}
	switch path := req.URL.Path; {
	case strings.HasSuffix(path, "/clickhouse/user") && req.Method == http.MethodGet:
		x.userLists++
		for _, name := range x.users {
			list = append(list, aiventest.Object{"name": name, "uuid": "id-of-" + name})
		}
		return aiventest.OK(aiventest.Object{"users": list}), true
	case strings.HasSuffix(path, "/clickhouse/db"):
		for _, name := range x.databases {
			list = append(list, aiventest.Object{"name": name, "state": "ok"})
		}
		return aiventest.OK(aiventest.Object{"databases": list}), true
	case !strings.HasSuffix(path, "/clickhouse/query"):
		return aiventest.Answer{}, false
	}
	body, err := io.ReadAll(req.Body)
	require.NoError(x.t, err)
	req.Body = io.NopCloser(bytes.NewReader(body))
	var in struct{ Query string }
	require.NoError(x.t, json.Unmarshal(body, &in))
	columns, table, selects := strings.Cut(strings.TrimPrefix(in.Query, "SELECT "), " FROM system.")
	if selects {
		x.selects[table]++
		if x.hold != nil {
			<-x.hold
		}
		return rows(strings.Split(columns, ", "), x.rows[table]...), true
	}
	x.statements = append(x.statements, in.Query)
	if scripted, there := x.answers[in.Query]; there {
		return scripted, true
	}
	return applied(), true
}

// env is what the kind works with. Reads are kept for a minute. The lag after a start is over.
func (x *tables) env(siblings ...*v1alpha1.ClickhouseGrant) controllers.Env {
	since := time.Duration(0)
	now := func() time.Time { return time.Now().Add(since) }
	clients := aiven.New(aiven.Options{BaseURL: "http://aiven.test", Transport: x, WatchInterval: time.Minute, ReadLag: lag, Now: now})
	c, err := clients.ForToken("a-token")
	require.NoError(x.t, err)
	since = lag
	return controllers.Env{Client: c, Memory: &sync.Map{}, Siblings: func(context.Context) ([]client.Object, error) {
		var objects []client.Object
		for _, sibling := range siblings {
			objects = append(objects, sibling)
		}
		return objects, nil
	}}
}

// grantOf is an object that wants privileges of app on db.*, and has granted others.
func grantOf(wanted, granted []string) *v1alpha1.ClickhouseGrant {
	obj := &v1alpha1.ClickhouseGrant{ObjectMeta: meta("access")}
	obj.UID = "uid"
	obj.Spec.ServiceDependant, obj.Spec.ClickhouseGrants = dependsOn(), onDatabase(wanted...)
	if granted != nil {
		state := onDatabase(granted...)
		hasGranted(obj, &state)
	}
	return obj
}

func onDatabase(privileges ...string) v1alpha1.ClickhouseGrants {
	if len(privileges) == 0 {
		return v1alpha1.ClickhouseGrants{}
	}
	return v1alpha1.ClickhouseGrants{PrivilegeGrants: []v1alpha1.ClickhousePrivilegeGrant{{
		Grantees: []v1alpha1.ClickhouseGrantee{{User: "app"}}, Privileges: privileges, Database: "db",
	}}}
}

const (
	grantSelect  = "GRANT SELECT ON `db`.* TO `app`"
	grantInsert  = "GRANT INSERT ON `db`.* TO `app`"
	revokeSelect = "REVOKE SELECT ON `db`.* FROM `app`"
	revokeInsert = "REVOKE INSERT ON `db`.* FROM `app`"
)

// apply takes the steps of one reconcile.
func apply(t *testing.T, env controllers.Env, obj *v1alpha1.ClickhouseGrant) (controllers.Observation, error) {
	t.Helper()
	c := Grant.New(env)
	o, err := c.Observe(t.Context(), obj)
	assert.False(t, o.Remote.Active && !o.Remote.Exists, "what isn't there isn't said to run")
	if err != nil || o.WaitFor != "" || o.Remote.Exists && len(o.Diff) == 0 {
		return o, err
	}
	c.(interface {
		RecordIntent(*v1alpha1.ClickhouseGrant)
	}).RecordIntent(obj)
	if o.Remote.Exists {
		return c.Update(t.Context(), obj, o)
	}
	return c.Create(t.Context(), obj)
}

func TestGrantApply(t *testing.T) {
	shared := grantOf([]string{"SELECT"}, []string{"SELECT"})
	for name, tc := range map[string]struct {
		obj        *v1alpha1.ClickhouseGrant
		sibling    *v1alpha1.ClickhouseGrant
		there      []string // privileges of app on db.*
		statements []string
		state      v1alpha1.ClickhouseGrants // afterwards
		remains    bool                      // what was read doesn't show the statements, so that they are waited for
	}{
		"created": {obj: grantOf([]string{"SELECT"}, nil), statements: []string{grantSelect}, state: onDatabase("SELECT")},
		"adopted": {obj: grantOf([]string{"SELECT"}, nil), there: []string{"SELECT"}, state: onDatabase("SELECT")},
		"more": {
			obj: grantOf([]string{"SELECT", "INSERT"}, []string{"SELECT"}), there: []string{"SELECT"}, statements: []string{grantInsert},
			state: onDatabase("SELECT", "INSERT"),
		},
		"less": {
			obj: grantOf([]string{"INSERT"}, []string{"SELECT", "INSERT"}), there: []string{"SELECT", "INSERT"}, statements: []string{revokeSelect},
			remains: true,
		},
		"others first, then what goes": {
			obj: grantOf([]string{"INSERT"}, []string{"SELECT"}), there: []string{"SELECT"}, statements: []string{grantInsert, revokeSelect}, remains: true,
		},
		"what a sibling wants, too": {
			obj: grantOf([]string{"INSERT"}, []string{"SELECT", "INSERT"}), sibling: shared, there: []string{"SELECT", "INSERT"},
			state: v1alpha1.ClickhouseGrants{PrivilegeGrants: append(onDatabase("INSERT").PrivilegeGrants, onDatabase("SELECT").PrivilegeGrants...)},
		},
		"what a sibling only names": {
			obj: grantOf([]string{"INSERT"}, []string{"SELECT", "INSERT"}), sibling: grantOf([]string{"SELECT"}, nil),
			there: []string{"SELECT", "INSERT"}, statements: []string{revokeSelect}, remains: true,
		},
		"what was granted at the console": {obj: grantOf([]string{"INSERT"}, []string{"INSERT"}), there: []string{"SELECT", "INSERT"}, state: onDatabase("INSERT")},
	} {
		t.Run(name, func(t *testing.T) {
			x := newTables(t)
			for _, access := range tc.there {
				x.has(access, "db", nil)
			}
			env := x.env()
			if tc.sibling != nil {
				env = x.env(tc.sibling)
			}
			o, err := apply(t, env, tc.obj)
			require.NoError(t, err)
			assert.Equal(t, tc.statements, x.statements)
			if tc.remains {
				assert.False(t, o.Remote.Active)
				return
			}
			assert.True(t, o.Remote.Active)
			assert.Equal(t, &tc.state, tc.obj.Granted())
		})
	}
}

// The rows of named collections have no database, which isn't the same as all databases.
func TestAPrivilegeOnANamedCollectionIsNoneOnAllDatabases(t *testing.T) {
	const access = "NAMED COLLECTION"
	onAll := onDatabase(access)
	onAll.PrivilegeGrants[0].Database = "*"
	for name, tc := range map[string]struct {
		wanted, granted v1alpha1.ClickhouseGrants
		statements      []string
	}{
		"it counts for no grant on all": {wanted: onAll, statements: []string{"GRANT NAMED COLLECTION ON *.* TO `app`"}},
		"it isn't revoked with them":    {granted: onAll},
	} {
		t.Run(name, func(t *testing.T) {
			x, obj := newTables(t), grantOf(nil, nil)
			x.rows["privileges"] = append(x.rows["privileges"], []any{access, []any{}, "NAMED_COLLECTION", "ALL"})
			x.has(access, "", nil)
			obj.Spec.ClickhouseGrants = tc.wanted
			hasGranted(obj, &tc.granted)
			_, err := apply(t, x.env(), obj)
			require.NoError(t, err)
			assert.Equal(t, tc.statements, x.statements)
		})
	}
}

// What was granted is in the status before: killed at any point, the next process revokes what the spec no longer has.
func TestWhatWasGrantedWithoutAnAnswerIsRevokedOnceTheSpecDropsIt(t *testing.T) {
	x := newTables(t)
	x.answers[grantSelect] = aiventest.Refused(502, "the answer is lost")
	obj := grantOf([]string{"SELECT"}, nil)
	_, err := apply(t, x.env(), obj)
	require.Error(t, err)
	x.has("SELECT", "db", nil) // it was granted
	dropped := grantOf([]string{"INSERT"}, nil)
	hasGranted(dropped, obj.Granted())
	_, err = apply(t, x.env(), dropped)
	require.NoError(t, err)
	assert.Equal(t, []string{grantSelect, grantInsert, revokeSelect}, x.statements)
}

func TestGrantWaitsForWhatIsNotThere(t *testing.T) {
	role := v1alpha1.ClickhouseGrants{RoleGrants: []v1alpha1.ClickhouseRoleGrant{{
		Grantees: []v1alpha1.ClickhouseGrantee{{User: "app"}, {Role: "late"}}, Roles: []string{"absent"},
	}}}
	for name, tc := range map[string]struct {
		change     func(*v1alpha1.ClickhouseGrant, *tables)
		waits      string
		statements []string
	}{
		"a user":             {change: func(_ *v1alpha1.ClickhouseGrant, x *tables) { x.users = nil }, waits: "Waiting for user app"},
		"a database":         {change: func(_ *v1alpha1.ClickhouseGrant, x *tables) { x.databases = []string{"default"} }, waits: "Waiting for database db"},
		"roles":              {change: func(o *v1alpha1.ClickhouseGrant, _ *tables) { o.Spec.ClickhouseGrants = role }, waits: "Waiting for role late, role absent"},
		"a database of its":  {change: func(o *v1alpha1.ClickhouseGrant, _ *tables) { o.Spec.PrivilegeGrants[0].Database = "system" }, statements: []string{"GRANT SELECT ON `system`.* TO `app`"}},
		"a table needn't be": {change: func(o *v1alpha1.ClickhouseGrant, _ *tables) { o.Spec.PrivilegeGrants[0].Table = "t`" }, statements: []string{"GRANT SELECT ON `db`.`t\\`` TO `app`"}},
		"some of several": {
			change: func(o *v1alpha1.ClickhouseGrant, _ *tables) {
				o.Spec.PrivilegeGrants[0].Grantees = append(o.Spec.PrivilegeGrants[0].Grantees, v1alpha1.ClickhouseGrantee{Role: "late"})
			},
			statements: []string{grantSelect},
		},
	} {
		t.Run(name, func(t *testing.T) {
			x, obj := newTables(t), grantOf([]string{"SELECT"}, nil)
			tc.change(obj, x)
			o, err := apply(t, x.env(), obj)
			require.NoError(t, err)
			if tc.waits != "" {
				tc.waits += ". Create what is missing, or correct spec.privilegeGrants or spec.roleGrants"
			}
			assert.Equal(t, tc.waits, o.WaitFor)
			assert.Equal(t, tc.statements, x.statements)
			assert.Equal(t, name == "some of several", len(o.Held.Later) > 0, "Aiven wasn't asked for all of the spec")
			if tc.waits != "" {
				assert.Nil(t, obj.Granted(), "nothing was granted, and nothing is going to be")
			}
		})
	}
}

// What is read before a GRANT may be gone when ClickHouse makes it.
func TestAGrantWhoseUserRoleOrDatabaseIsGoneByThenIsNotRefused(t *testing.T) {
	for name, answer := range map[string]string{
		"a user":     "Code: 192. DB::Exception: There is no user `app` in user directories. (UNKNOWN_USER)",
		"a role":     "Code: 511. DB::Exception: There is no role `app` in user directories. (UNKNOWN_ROLE)",
		"a database": "Code: 81. DB::Exception: Database db does not exist. (UNKNOWN_DATABASE)",
	} {
		t.Run(name, func(t *testing.T) {
			x, obj := newTables(t), grantOf([]string{"SELECT"}, nil)
			x.answers[grantSelect] = aiventest.Refused(400, answer)
			_, err := apply(t, x.env(), obj)
			assert.Equal(t, []string{grantSelect}, x.statements)
			assert.Equal(t, fault.NotFound, fault.Of(err).Class, "%v", err)
			assert.NotContains(t, (&fault.Secrets{}).Refusal(err, "", ""), "spec.privilegeGrants", "no field of the spec is wrong")
		})
	}
}

func TestGrantRefusesWhatCannotBeRight(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*v1alpha1.ClickhouseGrant, *tables)
		text   string
		sent   bool
	}{
		"SQL": {change: func(o *v1alpha1.ClickhouseGrant, _ *tables) {
			o.Spec.PrivilegeGrants[0].Privileges[0] = "SELECT ON *.* TO evil --"
		}, text: "spec.privilegeGrants[0].privileges[0]: "},
		"a privilege of no service": {change: func(o *v1alpha1.ClickhouseGrant, _ *tables) {
			o.Spec.PrivilegeGrants[0].Privileges[0] = "CURRENT GRANTS"
		}, text: "spec.privilegeGrants[0].privileges: ClickHouse has no privilege CURRENT GRANTS"},
		"a user and a role of a name": {
			change: func(_ *v1alpha1.ClickhouseGrant, x *tables) { x.rows["roles"] = append(x.rows["roles"], []any{"app"}) },
			text:   `"app" is both a user and a role of the service`,
		},
		"what ClickHouse refuses": {
			change: func(_ *v1alpha1.ClickhouseGrant, x *tables) {
				x.answers[grantSelect] = aiventest.Refused(400, "Code: 509. SELECT cannot be granted on the database level")
			},
			text: "spec.privilegeGrants[0]: ", sent: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			x, obj := newTables(t), grantOf([]string{"SELECT"}, nil)
			tc.change(obj, x)
			_, err := apply(t, x.env(), obj)
			require.ErrorContains(t, err, tc.text)
			assert.True(t, fault.Is(err, fault.Invalid, fault.Rejected))
			assert.Equal(t, tc.sent, len(x.statements) > 0)
		})
	}
}

func TestEveryStatementIsMadeAndTheFirstFailureReported(t *testing.T) {
	x := newTables(t)
	x.has("SELECT", "db", nil)
	x.answers[grantInsert] = aiventest.Refused(400, "Code: 497. Not enough privileges")
	_, err := apply(t, x.env(), grantOf([]string{"INSERT"}, []string{"SELECT"}))
	require.ErrorContains(t, err, "Not enough privileges")
	assert.Equal(t, []string{grantInsert, revokeSelect}, x.statements)
	assert.True(t, fault.Partial(err), "the REVOKE was accepted")
}

func TestGrantDelete(t *testing.T) {
	gone := aiventest.Refused(400, "Code: 192. There is no user `app`")
	for name, tc := range map[string]struct {
		obj        *v1alpha1.ClickhouseGrant
		sibling    *v1alpha1.ClickhouseGrant
		there      []string
		answers    map[string]aiventest.Answer
		statements []string
		class      fault.Class
	}{
		"what it has granted":                {obj: grantOf([]string{"INSERT"}, []string{"SELECT"}), there: []string{"SELECT", "INSERT"}, statements: []string{revokeSelect}, class: fault.None},
		"the spec, if nothing else is known": {obj: grantOf([]string{"INSERT"}, nil), there: []string{"SELECT", "INSERT"}, statements: []string{revokeInsert}, class: fault.None},
		"what a sibling wants":               {obj: grantOf(nil, []string{"SELECT"}), sibling: grantOf([]string{"SELECT"}, []string{"SELECT"}), there: []string{"SELECT"}, class: fault.None},
		"what a sibling names":               {obj: grantOf(nil, []string{"SELECT"}), sibling: grantOf([]string{"SELECT"}, []string{"INSERT"}), there: []string{"SELECT"}, statements: []string{revokeSelect}, class: fault.None},
		"gone already":                       {obj: grantOf(nil, []string{"SELECT"}), class: fault.None},
		"gone in between":                    {obj: grantOf(nil, []string{"SELECT"}), there: []string{"SELECT"}, answers: map[string]aiventest.Answer{revokeSelect: gone}, statements: []string{revokeSelect}, class: fault.None},
		"refused":                            {obj: grantOf(nil, []string{"SELECT"}), there: []string{"SELECT"}, answers: map[string]aiventest.Answer{revokeSelect: aiventest.Refused(400, "Code: 497. No")}, statements: []string{revokeSelect}, class: fault.Rejected},
		"with a spec that can't be right":    {obj: grantOf([]string{";"}, []string{"SELECT"}), there: []string{"SELECT"}, statements: []string{revokeSelect}, class: fault.None},
	} {
		t.Run(name, func(t *testing.T) {
			x := newTables(t)
			x.answers = tc.answers
			for _, access := range tc.there {
				x.has(access, "db", nil)
			}
			env := x.env()
			if tc.sibling != nil {
				env = x.env(tc.sibling)
			}
			now := metav1.Now()
			tc.obj.DeletionTimestamp = &now
			x.On(services, aiventest.OK(aiventest.Object{"services": []any{clickhouseFields(nil)}}))
			err := Grant.New(env).Delete(t.Context(), tc.obj)
			assert.Equal(t, tc.class, fault.Of(err).Class, "%v", err)
			assert.Equal(t, tc.statements, x.statements)
		})
	}
}

// A sibling that is going itself keeps nothing alive: of two that are deleted together, the second revokes.
func TestASiblingThatIsBeingDeletedWantsNothing(t *testing.T) {
	x, now := newTables(t), metav1.Now()
	x.has("SELECT", "db", nil)
	sibling := grantOf([]string{"SELECT"}, []string{"SELECT"})
	sibling.DeletionTimestamp = &now
	_, err := apply(t, x.env(sibling), grantOf(nil, []string{"SELECT"}))
	require.NoError(t, err)
	assert.Equal(t, []string{revokeSelect}, x.statements)
}

// At rest, an object costs the lists that it needs, once for all objects; the names of privileges once an hour.
func TestGrantsShareTheirLists(t *testing.T) {
	x := newTables(t)
	x.has("SELECT", "db", nil)
	env := x.env()
	for range 3 {
		_, err := apply(t, env, grantOf([]string{"SELECT"}, []string{"SELECT"}))
		require.NoError(t, err)
	}
	assert.Equal(t, map[string]int{"grants": 1, "privileges": 1}, x.selects)
	assert.Empty(t, x.statements)
	env.Client = x.env().Client // another token
	_, err := apply(t, env, grantOf([]string{"SELECT"}, nil))
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"grants": 2, "privileges": 1}, x.selects)
}
