package service

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/internal/referencetest"
	"github.com/aero-operator/aero/controllers/internal/status"
)

const migrationRoute = "GET service/my-pg/migration"

func migrating(edits ...func(obj pg)) pg {
	return edited(func(obj pg) {
		obj.Spec.MigrationSecretSource = &v1alpha1.MigrationSecretSource{Name: "old-db"}
		for _, edit := range edits {
			edit(obj)
		}
	})
}

func accepted(obj pg) {
	marked(obj)
	obj.Status.Provenance = &v1alpha1.Provenance{Type: v1alpha1.ProvenanceCreated, UID: obj.UID}
	obj.Status.Conditions = append(obj.Status.Conditions, metav1.Condition{
		Type: condition.LegacyInitialized, Status: metav1.ConditionTrue, Reason: condition.LegacyReasonCreatedOrUpdated, ObservedGeneration: 1,
	})
}

// adopted is an object that only has begun to manage a service, and whose user has brought the annotation along.
func adopted(obj pg) {
	accepted(obj)
	obj.Status.Conditions = nil
}

// marked is an object whose user has brought the annotation of another one along.
func marked(obj pg) { obj.Annotations = map[string]string{annotation.Processed: "1"} }

func discarding(obj pg) { obj.Spec.MigrationSecretSource.DeleteAfterMigration = true }

func complete(obj pg) {
	obj.Status.Conditions = append(obj.Status.Conditions, metav1.Condition{Type: "MigrationComplete", Status: metav1.ConditionTrue})
}

func oldDB(changes map[string]string) map[string]string {
	values := map[string]string{
		"host": "old.example.com", "port": "5432", "password": "old-password", "username": "root", "dbname": "orders",
		"ssl": "true", "method": "dump", "ignore_dbs": "a,b", "ignore_roles": "c", "unrelated": " stays here ",
	}
	maps.Copy(values, changes)
	return values
}

func TestMigrationSecret(t *testing.T) {
	for name, tc := range map[string]struct {
		changes map[string]string
		problem string
	}{
		"all keys":                        {},
		"optional keys may be empty":      {changes: map[string]string{"password": "", "ssl": "", "method": ""}},
		"no host":                         {changes: map[string]string{"host": ""}, problem: `the key "host" of Secret default/old-db is needed. Change it in the Secret`},
		"no port":                         {changes: map[string]string{"port": ""}, problem: `the key "port" of Secret default/old-db is needed, and has to be a number. Change it in the Secret`},
		"a port in words":                 {changes: map[string]string{"port": "five"}, problem: `the key "port" of Secret default/old-db is needed, and has to be a number. Change it in the Secret`},
		"another flag in other words":     {changes: map[string]string{"again": "si"}, problem: `the key "again" of Secret default/old-db has to be true or false. Change it in the Secret`},
		"ssl in other words":              {changes: map[string]string{"ssl": "yes please"}, problem: `the key "ssl" of Secret default/old-db has to be true or false. Change it in the Secret`},
		"a password with a newline after": {changes: map[string]string{"password": "old-password\n"}, problem: `the key "password" of Secret default/old-db has white space around its value. Change it in the Secret`},
		"a host with a space before":      {changes: map[string]string{"host": " old.example.com"}, problem: `the key "host" of Secret default/old-db has white space around its value. Change it in the Secret`},
		"a port with a newline after":     {changes: map[string]string{"port": "5432\n"}, problem: `the key "port" of Secret default/old-db has white space around its value. Change it in the Secret`},
	} {
		t.Run(name, func(t *testing.T) {
			values := oldDB(tc.changes)
			_, err := migrationKeys.and(moreKeys).options("default/old-db", referencetest.Secret("old-db", values).Data)
			if tc.problem == "" {
				require.NoError(t, err)
				return
			}
			assert.Equal(t, fault.Invalid, fault.Of(err).Class)
			assert.EqualError(t, err, "spec.migrationSecretSource: "+tc.problem)
			for key, value := range tc.changes {
				if value != "" {
					assert.NotContains(t, err.Error(), value, key)
				}
			}
		})
	}
}

// moreKeys are those of a type that has more options of a migration than others.
var moreKeys = MigrationKeys{Texts: []string{"tool"}, Flags: []string{"again"}}

func TestKeysOfAMigrationThatOnlySomeTypesHave(t *testing.T) {
	values := map[string]string{"tool": "mydumper", "again": "true", "port": "3306", "ssl": "false"}
	for name, tc := range map[string]struct {
		keys MigrationKeys
		want string
	}{
		"are options of those":    {moreKeys, `{"again":true,"host":"old.example.com","port":3306,"ssl":false,"tool":"mydumper"}`},
		"mean nothing for others": {MigrationKeys{}, `{"host":"old.example.com","port":3306,"ssl":false}`},
	} {
		t.Run(name, func(t *testing.T) {
			data := referencetest.Secret("old-db", values).Data
			assert.Subset(t, Migration(migrationOf, moreKeys).Keys, slices.Collect(maps.Keys(data)), "they are read")
			data["host"] = []byte("old.example.com")
			options, err := migrationKeys.and(tc.keys).options("default/old-db", data)
			require.NoError(t, err)
			assert.JSONEq(t, tc.want, body(t, options))
			assert.NotContains(t, fmt.Sprint(options), "mydumper", "values of the Secret are never printed")
		})
	}
}

func TestMigrationIsPartOfANewService(t *testing.T) {
	a := aiventest.New(t)
	a.On("POST service", aiventest.OK(aiventest.Object{"service": aiventest.ServiceFields(nil)}))
	obj := migrating()
	before := obj.DeepCopy()
	_, err := start(t, a, obj, referencetest.Secret("old-db", oldDB(nil))).Create(t.Context(), obj)
	require.NoError(t, err)
	assert.Equal(t, []string{
		`POST service {"cloud":"google-europe-west1","plan":"startup-4","project_vpc_id":null,"service_name":"my-pg",` +
			`"service_type":"pg","user_config":{"migration":{"dbname":"orders","host":"old.example.com",` +
			`"ignore_dbs":"a,b","ignore_roles":"c","method":"dump","password":"old-password","port":5432,"ssl":true,` +
			`"username":"root"}}}`,
	}, a.Calls())
	assert.Equal(t, before.Spec, obj.Spec, "nothing of the Secret gets into the object")
}

func TestMigrationDriftShowsNoValue(t *testing.T) {
	a := aiventest.New(t)
	a.On(lookup, aiventest.Service(aiventest.Object{"user_config": aiventest.Object{"migration": aiventest.Object{
		"host": "other.example.com", "port": 5433, "password": "<redacted>",
	}}}))
	a.On(migrationRoute, aiventest.Missing())
	obj := migrating()
	o, err := start(t, a, obj, referencetest.Secret("old-db", oldDB(nil))).Observe(t.Context(), obj)
	require.NoError(t, err)
	require.Len(t, o.Diff, 2)
	for _, entry := range o.Diff {
		assert.Equal(t, []string{"(secret)", "(secret)"}, []string{entry.Wanted, entry.Found}, entry.Path)
	}
	assert.Contains(t, o.WriteOnly, "spec.userConfig.migration.password")
}

func TestMigrationProgress(t *testing.T) {
	configured := aiventest.Object{"user_config": aiventest.Object{"migration": aiventest.Object{"host": "old.example.com"}}}
	answer := func(fields aiventest.Object) aiventest.Answer {
		return aiventest.OK(aiventest.Object{"migration": fields})
	}
	running := status.KindCondition{
		Type: "MigrationComplete", Reason: "MigrationInProgress", Message: "Migration status at Aiven: running", Pending: true,
	}
	migrationDone := status.KindCondition{
		Type: "MigrationComplete", True: true, Reason: "MigrationDone", Message: "The data has been migrated",
	}
	for name, tc := range map[string]struct {
		obj       pg
		service   aiventest.Object
		migration aiventest.Answer
		want      []status.KindCondition
		called    bool
		class     fault.Class
	}{
		"no migration": {obj: object()},
		"Aiven has no migration, and the spec wasn't applied yet": {
			obj: migrating(),
			want: []status.KindCondition{{
				Type: "MigrationComplete", Reason: "MigrationInProgress",
				Message: "The migration isn't configured at Aiven yet", Pending: true,
			}},
		},
		"Aiven has no migration, and the annotation is of another object": {
			obj: migrating(marked),
			want: []status.KindCondition{{
				Type: "MigrationComplete", Reason: "MigrationInProgress",
				Message: "The migration isn't configured at Aiven yet", Pending: true,
			}},
		},
		"Aiven has no migration, and the object has adopted the service just now": {
			obj: migrating(adopted),
			want: []status.KindCondition{{
				Type: "MigrationComplete", Reason: "MigrationInProgress",
				Message: "The migration isn't configured at Aiven yet", Pending: true,
			}},
		},
		"Aiven no longer has the migration": {
			obj: migrating(accepted), migration: aiventest.Missing(), called: true, want: []status.KindCondition{migrationDone},
		},
		"running": {
			obj: migrating(), service: configured, migration: answer(aiventest.Object{"method": "pg_dump", "status": "running"}),
			called: true, want: []status.KindCondition{running},
		},
		"done": {
			obj: migrating(), service: configured, migration: answer(aiventest.Object{"method": "pg_dump", "status": "done"}),
			called: true, want: []status.KindCondition{migrationDone},
		},
		"done, and the Secret is to go once that is known": {
			obj: migrating(discarding), service: configured, migration: answer(aiventest.Object{"method": "pg_dump", "status": "done"}),
			called: true, want: []status.KindCondition{{
				Type: "MigrationComplete", True: true, Reason: "MigrationDone", Message: "The data has been migrated", Pending: true,
			}},
		},
		"it was done before, and the Secret is to go": {
			obj: migrating(complete, discarding), want: []status.KindCondition{migrationDone},
		},
		"failed": {
			obj: migrating(), service: configured, called: true,
			migration: answer(aiventest.Object{"method": "pg_dump", "status": "failed", "error": "no route to host"}),
			want: []status.KindCondition{{
				Type: "MigrationComplete", Reason: "MigrationFailed", Message: "no route to host",
			}},
		},
		"failed for no reason": {
			obj: migrating(), service: configured, called: true,
			migration: answer(aiventest.Object{"method": "pg_dump", "status": "failed"}),
			want: []status.KindCondition{{
				Type: "MigrationComplete", Reason: "MigrationFailed", Message: "Aiven reports no reason",
			}},
		},
		"the service isn't built yet": {
			obj: migrating(), service: aiventest.Object{"state": "REBUILDING"},
		},
		"it was done before, so no call is made, and no Secret is needed": {
			obj: migrating(complete), want: []status.KindCondition{migrationDone},
		},
		"Aiven answers with an error": {
			obj: migrating(accepted), migration: aiventest.Refused(500, "oops"), called: true, class: fault.Server,
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, aiventest.Service(tc.service))
			a.On(migrationRoute, tc.migration)
			o, err := start(t, a, tc.obj, referencetest.Secret("old-db", oldDB(nil))).Observe(t.Context(), tc.obj)
			if tc.class != "" {
				assert.Equal(t, tc.class, fault.Of(err).Class)
			} else {
				require.NoError(t, err)
			}
			assert.Equal(t, tc.want, o.Conditions)
			if tc.called {
				assert.Contains(t, a.Calls(), migrationRoute)
			} else {
				assert.NotContains(t, a.Calls(), migrationRoute)
			}
		})
	}
}

func TestTheMigrationSecretIsNeededUntilItIsDone(t *testing.T) {
	declaration := Migration(migrationOf, MigrationKeys{})
	assert.Empty(t, declaration.Targets(object()))
	assert.Equal(t, []reference.Target{{NamespacedName: types.NamespacedName{Name: "old-db"}, Key: "host"}},
		declaration.Targets(migrating()))
	assert.Empty(t, declaration.Targets(migrating(complete)))
}

func TestTheMigrationSecretIsSpentOnceItIsDone(t *testing.T) {
	declaration := Migration(migrationOf, MigrationKeys{})
	assert.Nil(t, declaration.Spent(object()))
	assert.Nil(t, declaration.Spent(migrating(discarding)))
	assert.Equal(t, &reference.Spent{Name: "old-db"}, declaration.Spent(migrating(complete)))
	assert.Equal(t, &reference.Spent{Name: "old-db", Delete: true}, declaration.Spent(migrating(complete, discarding)))
}
