package conformance_test

import (
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

var sharedKinds = []kind{
	{
		name: "Database", example: "database", phase: v1alpha1.PhaseReady,
		resource: "database", path: serviceName + "/" + databaseName,
		create: "ServiceDatabaseCreate", in: inPostgres,
		remove: func(e *testenv.Env) error {
			return e.Aiven.Console.ServiceDatabaseDelete(e.T.Context(), e.Project, serviceName, databaseName)
		},
	},
	{
		name: "ServiceUser", example: "serviceuser", phase: v1alpha1.PhaseReady,
		resource: "user", path: serviceName + "/" + userName,
		create: "ServiceUserCreate", update: "ServiceUserCredentialsModify", in: inPostgres,
		change: func(e *testenv.Env, obj testenv.Object) {
			e.SetSecret(sourceSecret, map[string]string{sourceKey: declaredPassword})
			obj.(*v1alpha1.ServiceUser).Spec.ConnInfoSecretSource = &v1alpha1.ConnInfoSecretSource{
				Name: sourceSecret, PasswordKey: sourceKey,
			}
		},
		drift:    func(e *testenv.Env) { setPassword(e, "changed-at-the-console") },
		repaired: func(e *testenv.Env) bool { return passwordOf(e, userName) == declaredPassword },
		remove: func(e *testenv.Env) error {
			return e.Aiven.Console.ServiceUserDelete(e.T.Context(), e.Project, serviceName, userName)
		},
		prefix:   "SERVICEUSER_",
		keys:     []string{"HOST", "PORT", "USERNAME", "PASSWORD", "ACCESS_CERT", "ACCESS_KEY", "CA_CERT"},
		optional: []string{"SASL_HOST", "SASL_PORT", "SCHEMA_REGISTRY_HOST", "SCHEMA_REGISTRY_PORT"},
	},
}

func makeDatabase(e *testenv.Env) {
	require.NoError(e.T, e.Aiven.Console.ServiceDatabaseCreate(e.T.Context(), e.Project, serviceName,
		&service.ServiceDatabaseCreateIn{Database: databaseName}))
}

func makeUser(e *testenv.Env) {
	_, err := e.Aiven.Console.ServiceUserCreate(e.T.Context(), e.Project, serviceName,
		&service.ServiceUserCreateIn{Username: userName})
	require.NoError(e.T, err)
}

func setPassword(e *testenv.Env, password string) {
	e.Plant(password)
	require.NoError(e.T, e.Aiven.Patch(e.Project, serviceName, map[string]any{
		"users": []any{map[string]any{"username": userName, "password": password}},
	}))
}

func passwordOf(e *testenv.Env, name string) string {
	for _, user := range mainService(e).Users {
		if user.Username == name {
			return user.Password
		}
	}
	return ""
}

// The Secret with a declared password.
const (
	sourceSecret     = "orders-app-password"
	sourceKey        = "password"
	declaredPassword = "declared-by-the-user"
)
