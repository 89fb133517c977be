package clickhouse

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/status"
)

const (
	databaseList   = "GET service/my-ch/clickhouse/db"
	databaseCreate = "POST service/my-ch/clickhouse/db"
	databaseDelete = "DELETE service/my-ch/clickhouse/db/orders"
	databaseMade   = databaseCreate + ` {"database":"orders"}`
)

func database(name string) *v1alpha1.ClickhouseDatabase {
	obj := &v1alpha1.ClickhouseDatabase{ObjectMeta: meta("orders")}
	obj.Spec.ServiceDependant, obj.Spec.DatabaseName = dependsOn(), name
	return obj
}

// databases is the list with the one that Aiven needs, and one with a state.
func databases(name string, states ...string) aiventest.Answer {
	list := []any{aiventest.Object{"name": "default", "engine": "Replicated", "required": true, "state": "ok"}}
	for _, state := range states {
		list = append(list, aiventest.Object{"name": name, "engine": "Replicated", "required": false, "state": state})
	}
	return aiventest.OK(aiventest.Object{"databases": list})
}

func TestADatabaseIsWhatTheListShows(t *testing.T) {
	before := "Waiting for Aiven to delete the database that had this name before"
	for name, tc := range map[string]struct {
		obj     *v1alpha1.ClickhouseDatabase
		listed  aiventest.Answer
		remote  status.Remote
		waitFor string
		fails   fault.Class
	}{
		"of use":                        {obj: database(""), listed: databases("orders", "ok"), remote: status.Remote{Exists: true, Active: true, State: "ok"}},
		"without a state":               {obj: database(""), listed: databases("orders", ""), remote: status.Remote{Exists: true, Active: true}},
		"under another name":            {obj: database("sales"), listed: databases("sales", "ok"), remote: status.Remote{Exists: true, Active: true, State: "ok"}},
		"being created":                 {obj: database(""), listed: databases("orders", "pending_creation"), remote: status.Remote{Exists: true, State: "pending_creation", Message: "Waiting for Aiven to create the database: it is pending_creation"}},
		"being removed":                 {obj: database(""), listed: databases("orders", "pending_removal"), waitFor: before},
		"not there":                     {obj: database(""), listed: databases("orders")},
		"under another object's name":   {obj: database("sales"), listed: databases("orders", "ok")},
		"not known, without permission": {obj: database(""), listed: aiventest.Refused(403, "no"), fails: fault.Forbidden},
		"not known, as Aiven fails":     {obj: database(""), listed: aiventest.Refused(500, "oops"), fails: fault.Server},
		"not known, by a 404":           {obj: database(""), listed: aiventest.Missing(), fails: fault.Unknown},
		"not known, by another answer":  {obj: database(""), listed: aiventest.OK(aiventest.Object{}), fails: fault.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, running())
			a.On(databaseList, tc.listed)
			o, err := Database.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), tc.obj)
			if tc.fails != "" {
				assert.Equal(t, tc.fails, fault.Of(err).Class)
				return
			}
			require.NoError(t, err)
			if tc.waitFor != "" {
				tc.remote.Message = tc.waitFor
			}
			assert.Equal(t, tc.remote, o.Remote)
			assert.Equal(t, tc.waitFor, o.WaitFor)
			assert.Equal(t, []string{lookup, databaseList}, a.Calls())
		})
	}
}

func TestADatabaseIsCreatedOnceAndItsStateIsRead(t *testing.T) {
	for name, tc := range map[string]struct {
		created aiventest.Answer
		after   aiventest.Answer
		remote  status.Remote
		fails   fault.Class
	}{
		"of use at once":                  {created: aiventest.OK(nil), after: databases("orders", "ok"), remote: status.Remote{Exists: true, Active: true, State: "ok"}},
		"being created":                   {created: aiventest.OK(nil), after: databases("orders", "pending_creation"), remote: status.Remote{Exists: true, State: "pending_creation", Message: "Waiting for Aiven to create the database: it is pending_creation"}},
		"not shown yet":                   {created: aiventest.OK(nil), after: databases("orders"), remote: status.Remote{Exists: true, Reason: "Creating", Message: "Waiting for Aiven to show what was written"}},
		"refused":                         {created: aiventest.Refused(400, "Invalid database 'orders'"), fails: fault.Rejected},
		"refused, as the service is new":  {created: aiventest.Refused(503, "not yet"), fails: fault.NotReady},
		"there, as an answer was lost":    {created: aiventest.Refused(409, "Database 'orders' already exists"), fails: fault.Exists},
		"not made, as the service is off": {created: aiventest.Refused(404, "Service does not exist"), fails: fault.NotFound},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, running())
			a.On(databaseList, databases("orders"), tc.after)
			a.On(databaseCreate, tc.created)
			o, err := settle(t.Context(), Database, a.Client(), database(""))
			assert.Equal(t, []string{lookup, databaseList, databaseMade}, a.Calls()[:3])
			if tc.fails != "" {
				assert.Equal(t, tc.fails, fault.Of(err).Class)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.remote, o.Remote)
		})
	}
}

func TestADatabaseThatIsBeingRemovedIsCreatedAgainOnceItIsGone(t *testing.T) {
	a := aiventest.New(t)
	a.On(lookup, running())
	a.On(databaseList, databases("orders", "pending_removal"), databases("orders", "pending_removal"), databases("orders"),
		databases("orders", "ok"))
	a.On(databaseCreate, aiventest.OK(nil))
	client := moving(t, a)
	for range 2 {
		o, err := settle(t.Context(), Database, client.Client, database(""))
		require.NoError(t, err)
		assert.NotEmpty(t, o.WaitFor)
		client.now = client.now.Add(time.Second)
	}
	o, err := settle(t.Context(), Database, client.Client, database(""))
	require.NoError(t, err)
	assert.True(t, o.Remote.Active)
	assert.Equal(t, []string{lookup, databaseList, databaseList, databaseList, databaseMade, databaseList}, a.Calls())
}

func TestADatabaseAtRestIsReadWithAllOthersOfItsService(t *testing.T) {
	a := aiventest.New(t)
	a.On(lookup, running())
	a.On(databaseList, databases("orders", "ok"))
	client := moving(t, a)
	for _, obj := range []*v1alpha1.ClickhouseDatabase{database(""), database("default"), database("")} {
		o, err := Database.New(controllers.Env{Client: client.Client}).Observe(t.Context(), obj)
		require.NoError(t, err)
		assert.True(t, o.Remote.Active)
	}
	assert.Equal(t, []string{lookup, databaseList}, a.Calls())
}

func TestADatabaseOfClickHouseItselfIsRefusedByItsField(t *testing.T) {
	for name, remedy := range map[string]string{
		"system":             "spec.databaseName: \"system\" is a database of ClickHouse itself. Recreate the object with another spec.databaseName",
		"INFORMATION_SCHEMA": "spec.databaseName: \"INFORMATION_SCHEMA\" is a database of ClickHouse itself. Recreate the object with another spec.databaseName",
	} {
		a := aiventest.New(t)
		a.On(lookup, running())
		a.On(databaseList, databases("orders"))
		c := Database.New(controllers.Env{Client: a.Client()})
		_, err := c.Observe(t.Context(), database(name)) // and not at its creation, before which the finalizer is written
		require.EqualError(t, err, remedy)
		assert.Equal(t, fault.Invalid, fault.Of(err).Class)
	}
}

func TestDatabaseDelete(t *testing.T) {
	there, gone := databases("orders", "ok"), databases("orders")
	ends := func(err error) string {
		var blocked *deletion.BlockedError
		switch {
		case err == nil:
			return "gone"
		case errors.Is(err, deletion.ErrPending):
			return "pending"
		case errors.As(err, &blocked):
			return "blocked"
		default:
			return string(fault.Of(err).Class)
		}
	}
	for name, tc := range map[string]struct {
		obj    *v1alpha1.ClickhouseDatabase
		listed []aiventest.Answer
		answer aiventest.Answer
		want   string
		calls  []string
	}{
		"gone at once": {
			listed: []aiventest.Answer{there, gone}, answer: aiventest.OK(nil), want: "gone",
			calls: []string{lookup, databaseList, databaseDelete, databaseList},
		},
		"being removed": {
			listed: []aiventest.Answer{there, databases("orders", "pending_removal")}, answer: aiventest.OK(nil), want: "pending",
			calls: []string{lookup, databaseList, databaseDelete, databaseList},
		},
		"still being removed": {
			listed: []aiventest.Answer{databases("orders", "pending_removal")}, want: "pending", calls: []string{lookup, databaseList, databaseList},
		},
		"still listed, as the list lags": {
			listed: []aiventest.Answer{there}, answer: aiventest.OK(nil), want: "pending",
			calls: []string{lookup, databaseList, databaseDelete, databaseList},
		},
		"deleted by another client meanwhile": {
			listed: []aiventest.Answer{there, gone}, answer: aiventest.Refused(404, "Database does not exist"), want: "gone",
			calls: []string{lookup, databaseList, databaseDelete, databaseList},
		},
		"deleted, and the list can't be read": {
			listed: []aiventest.Answer{there, aiventest.Refused(500, "oops")}, answer: aiventest.OK(nil), want: "pending",
			calls: []string{lookup, databaseList, databaseDelete, databaseList},
		},
		"refused": {
			listed: []aiventest.Answer{there}, answer: aiventest.Refused(403, "no"), want: string(fault.Forbidden),
			calls: []string{lookup, databaseList, databaseDelete},
		},
		"gone before": {
			listed: []aiventest.Answer{gone}, want: "gone", calls: []string{lookup, databaseList, lookup, databaseList},
		},
		"not known": {
			listed: []aiventest.Answer{aiventest.Refused(403, "no")}, want: string(fault.Forbidden), calls: []string{lookup, databaseList},
		},
		"one that Aiven needs": {
			obj: database("default"), listed: []aiventest.Answer{there}, want: "gone", calls: []string{lookup, databaseList},
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, running())
			a.On(databaseList, tc.listed...)
			a.On(databaseDelete, tc.answer)
			obj := tc.obj
			if obj == nil {
				obj = database("")
			}
			err := Database.New(controllers.Env{Client: moving(t, a).Client}).Delete(t.Context(), obj)
			assert.Equal(t, tc.want, ends(err), "%v", err)
			assert.Equal(t, tc.calls, a.Calls())
		})
	}
}

func TestADeletionInAServiceThatIsOffOrGone(t *testing.T) {
	off := aiventest.OK(aiventest.Object{"service": clickhouseFields(aiventest.Object{"state": "POWEROFF"})})
	for name, tc := range map[string]struct {
		service aiventest.Answer
		blocked bool
	}{
		"off waits for its power": {off, true},
		"gone leaves nothing":     {aiventest.Missing(), false},
	} {
		t.Run(name, func(t *testing.T) {
			role := &v1alpha1.ClickhouseRole{ObjectMeta: meta("role")}
			role.Spec.ServiceDependant, role.Spec.Role = dependsOn(), "reader"
			user := &v1alpha1.ClickhouseUser{ObjectMeta: meta("app")}
			user.Spec.ServiceDependant = dependsOn()
			for kind, err := range map[string]error{
				"database": deleteIn(t, tc.service, Database, database("")),
				"role":     deleteIn(t, tc.service, Role, role),
				"user":     deleteIn(t, tc.service, User, user),
			} {
				var blocked *deletion.BlockedError
				assert.Equal(t, tc.blocked, errors.As(err, &blocked), "%s: %v", kind, err)
				assert.Equal(t, tc.blocked, err != nil, "%s: %v", kind, err)
			}
		})
	}
}

// deleteIn deletes an object whose service is read like that.
func deleteIn[T controllers.Object](t *testing.T, service aiventest.Answer, kind controllers.Kind[T], obj T) error {
	a := aiventest.New(t)
	a.On(lookup, service)
	return kind.New(controllers.Env{Client: a.Client()}).Delete(t.Context(), obj)
}

// The name of a new database is in the body of the call, and that of one to delete in the path.
func TestADatabaseThatTheOperatorMakesCanBeDeleted(t *testing.T) {
	for name, refused := range map[string]bool{"reports/": true, "/reports": true, "a//b": true, "a/;b": true, "a/b": false, "reports": false} {
		t.Run(name, func(t *testing.T) {
			a, obj := aiventest.New(t), database(name)
			a.On(lookup, running())
			a.On(databaseList, databases(name), databases(name, "ok"), databases(name, "ok"), databases(name))
			a.On(databaseCreate, aiventest.OK(nil))
			a.On("DELETE service/my-ch/clickhouse/db/"+name, aiventest.OK(nil))
			client := a.Client()
			_, err := settle(t.Context(), Database, client, obj)
			if refused {
				assert.Equal(t, fault.Invalid, fault.Of(err).Class)
				require.ErrorContains(t, err, "spec.databaseName: ")
				assert.NotContains(t, a.Calls(), databaseCreate)
				return
			}
			require.NoError(t, err)
			require.NoError(t, Database.New(controllers.Env{Client: client}).Delete(t.Context(), obj))
		})
	}
}
