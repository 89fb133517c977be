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
