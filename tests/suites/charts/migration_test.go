package charts_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/helm"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// deletions are the attempts of an account to delete Secrets.
func deletions(t *testing.T, i *installed) (allowed, refused int) {
	t.Helper()
	for _, one := range requestsOf(t, i.account) {
		switch needs := one.needed(); {
		case needs.resource != "secrets" || needs.verb != "delete":
		case one.refused():
			refused++
		default:
			allowed++
		}
	}
	return allowed, refused
}

func TestTheSecretOfAMigrationIsDeletedWithThePermissionAlone(t *testing.T) {
	const source = "old-database"
	for name, scope := range map[string]func(namespace string) helm.Values{
		"in all namespaces": func(string) helm.Values { return helm.Values{} },
		"in some namespaces": func(namespace string) helm.Values {
			return helm.Values{"watchedNamespaces": []any{namespace}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := world(t, testenv.Options{Outside: true})
			i := install(t, e, scope(e.Namespace))
			mayDelete := func(r permission) bool { return r.resource == "secrets" && r.verb == "delete" }
			require.False(t, slices.ContainsFunc(permissionsOf(t, e, i.account), mayDelete), "off by default")
			i.run("pod")
			e.SetSecret(source, map[string]string{"host": "old-database.example.com", "port": "5432"})
			obj := e.Example("postgresql").(*v1alpha1.PostgreSQL)
			obj.Spec.MigrationSecretSource = &v1alpha1.MigrationSecretSource{Name: source, DeleteAfterMigration: true}
			e.Create(obj)
			e.Wait(obj, testenv.Ready(), testenv.Saying("MigrationComplete", "Set rbac.deleteMigrationSecrets to true"))
			e.Until(func() bool { _, refused := deletions(t, i); return refused > 1 }, func() string { return "it isn't tried again" })
			assert.Nil(t, e.WaitEvent(obj, "Warning", "UnableToDeleteMigrationSecret").Series, "it is said once")

			values := scope(e.Namespace)
			values["rbac"], values["extraEnvs"] = helm.Values{"deleteMigrationSecrets": true}, i.environment()
			require.NoError(t, i.release.Upgrade(t.Context(), load(t, folder), values))
			e.Until(func() bool { return e.Secret(source) == nil }, func() string { return "the Secret is still there" })
			e.Wait(obj, testenv.Ready(), testenv.Saying("MigrationComplete", source+" is deleted"))
			assert.True(t, slices.ContainsFunc(permissionsOf(t, e, i.account), mayDelete))
			allowed, _ := deletions(t, i)
			assert.Equal(t, 1, allowed)
			i.stop(i.pods[0])
		})
	}
}
