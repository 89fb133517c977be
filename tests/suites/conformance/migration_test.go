package conformance_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
)

const migrationSecret = "old-database"

func setMigration(e *testenv.Env, password string) {
	e.SetSecret(migrationSecret, map[string]string{"host": "old-database.example.com", "port": "5432", "password": password})
}

// hidesMigration makes the password of a migration one that Aiven doesn't return.
func hidesMigration(e *testenv.Env) {
	require.NoError(e.T, e.Aiven.Patch(e.Project, serviceName, map[string]any{
		"user_config": map[string]any{"migration": map[string]any{"password": "<redacted>"}},
	}))
}

func TestK10_AChangedMigrationSecretIsSentOnce(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"PostgreSQL"}})
	running := localaiven.Effect{Status: 200, Body: json.RawMessage(`{"migration": {"method": "pg_dump", "status": "running"}}`)}
	e.Aiven.Fail("ServiceGetMigrationStatus", running, 0)
	setMigration(e, "the-first-password")
	service := e.Example("postgresql").(*v1alpha1.PostgreSQL)
	service.Spec.MigrationSecretSource = &v1alpha1.MigrationSecretSource{Name: migrationSecret}
	e.Create(service)
	e.Wait(service, testenv.Ready(), testenv.Condition("MigrationComplete", metav1.ConditionFalse, "MigrationInProgress"))

	for password, change := range map[string]func(set func()){
		"changed-while-it-runs": func(set func()) { set() },
		"changed-while-it-rests": func(set func()) {
			e.Operator.Stop()
			set()
			e.Operator.Start()
		},
	} {
		hidesMigration(e)
		e.Rest(2)
		mark := e.Aiven.Mark()
		change(func() { setMigration(e, password) })
		e.Until(func() bool { return len(e.Aiven.Writes(mark)) > 0 }, func() string { return password + " isn't sent" })
		hidesMigration(e)
		e.Rest(4)
		e.Operator.Restart()
		e.Rest(2)
		assert.Equal(t, []string{"ServiceUpdate"}, e.Aiven.Writes(mark), password)
	}
}

// migratingKinds are those that take data from another database, with their examples.
var migratingKinds = map[string]string{"PostgreSQL": "postgresql", "MySQL": "mysql"}

// migrate sets the Secret of the migration, and whether it is to go afterwards.
func migrate(obj testenv.Object, discard bool) {
	source := &v1alpha1.MigrationSecretSource{Name: migrationSecret, DeleteAfterMigration: discard}
	switch service := obj.(type) {
	case *v1alpha1.PostgreSQL:
		service.Spec.MigrationSecretSource = source
	case *v1alpha1.MySQL:
		service.Spec.MigrationSecretSource = source
	}
}

func sourceIsGone(e *testenv.Env) {
	e.Until(func() bool { return e.Secret(migrationSecret) == nil }, func() string { return "the Secret of the migration is still there" })
}

func TestTheSecretOfAMigrationIsDeletedOnceTheDataHasArrived(t *testing.T) {
	t.Parallel()
	for kind, example := range migratingKinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			e := testenv.New(t, testenv.Options{Kinds: []string{kind}})
			running := localaiven.Effect{Status: 200, Body: json.RawMessage(`{"migration": {"method": "dump", "status": "running"}}`)}
			e.Aiven.Fail("ServiceGetMigrationStatus", running, 0)
			setMigration(e, "the-old-password")
			obj := e.Example(example)
			migrate(obj, true)
			e.Create(obj)
			e.Wait(obj, testenv.Ready(), testenv.Condition("MigrationComplete", metav1.ConditionFalse, "MigrationInProgress"))
			e.Rest(2)
			assert.NotNil(t, e.Secret(migrationSecret), "it is needed until then")

			e.Aiven.RemoveFaults()
			sourceIsGone(e)
			e.Wait(obj, testenv.Ready(), testenv.Condition("MigrationComplete", metav1.ConditionTrue, "MigrationDone"),
				testenv.Saying("MigrationComplete", migrationSecret+" is deleted"))
			mark := e.Aiven.Mark()
			e.Operator.Restart()
			e.Rest(2)
			e.Wait(obj, testenv.Ready(), testenv.Phase(v1alpha1.PhaseRunning))
			e.Change(obj, func() { obj.(serviceObject).GetBaseServiceFields().MaintenanceWindowDow = "monday" })
			e.Wait(obj, testenv.Ready())
			assert.Equal(t, []string{"ServiceUpdate"}, e.Aiven.Writes(mark), "nothing needs the Secret again")
		})
	}
}

func TestASecretThatWasNotTheSourceOfAMigrationIsKept(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		replace func(e *testenv.Env)
		saying  string
	}{
		"changed": {func(e *testenv.Env) { setMigration(e, "of-another-database") }, "was changed after"},
		"recreated": {func(e *testenv.Env) {
			e.Delete(e.Secret(migrationSecret))
			sourceIsGone(e)
			setMigration(e, "the-old-password")
		}, "was created again after"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := testenv.New(t, testenv.Options{Kinds: []string{"PostgreSQL"}})
			setMigration(e, "the-old-password")
			obj := e.Example("postgresql")
			migrate(obj, false)
			e.Create(obj)
			e.Wait(obj, testenv.Ready(), testenv.Condition("MigrationComplete", metav1.ConditionTrue, "MigrationDone"))
			e.Rest(2)
			require.NotNil(t, e.Secret(migrationSecret), "the spec doesn't ask for its deletion")
			tc.replace(e)
			e.Change(obj, func() { migrate(obj, true) })
			e.Wait(obj, testenv.Ready(), testenv.Saying("MigrationComplete", tc.saying))
			e.Rest(3)
			assert.NotNil(t, e.Secret(migrationSecret))
			assert.Nil(t, e.WaitEvent(obj, "Warning", "UnableToDeleteMigrationSecret").Series, "it is said once")
			e.Delete(e.Secret(migrationSecret))
			e.Wait(obj, testenv.Ready(), testenv.Saying("MigrationComplete", migrationSecret+" is deleted"))
		})
	}
}

func TestASecretThatSeveralObjectsNeedIsDeletedAfterTheLast(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"PostgreSQL", "MySQL"}})
	setMigration(e, "the-old-password")
	first, second := e.Example("postgresql"), e.Example("mysql")
	migrate(first, true)
	migrate(second, false)
	second.SetAnnotations(map[string]string{"controllers.aiven.io/paused": "true"})
	e.Create(second)
	e.Create(first)
	e.Wait(first, testenv.Ready(), testenv.Saying("MigrationComplete", "no longer needed by MySQL "+e.Namespace+"/"+second.GetName()))
	e.Rest(2)
	assert.NotNil(t, e.Secret(migrationSecret))
	e.Change(second, func() { second.SetAnnotations(nil) })
	e.Wait(second, testenv.Ready(), testenv.Condition("MigrationComplete", metav1.ConditionTrue, "MigrationDone"))
	sourceIsGone(e)
	e.Wait(first, testenv.Ready(), testenv.Saying("MigrationComplete", migrationSecret+" is deleted"))
}
