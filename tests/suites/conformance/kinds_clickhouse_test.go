package conformance_test

import (
	"slices"

	"github.com/aiven/go-client-codegen/handler/clickhouse"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
	clickhouseengine "github.com/aero-operator/aero/tests/localaiven/engine/clickhouse"
)

// Names in the examples.
const (
	clickhouseName     = "my-clickhouse"
	clickhouseDatabase = "my-database"
	clickhouseRole     = "my-role"
	clickhouseUser     = "my-user"
)

var clickhouseKinds = []kind{
	{
		name: "Clickhouse", example: "clickhouse", phase: v1alpha1.PhaseRunning,
		resource: "service", path: "my-clickhouse", create: "ServiceCreate", update: "ServiceUpdate",
		change: func(_ *testenv.Env, obj testenv.Object) {
			obj.(*v1alpha1.Clickhouse).Spec.MaintenanceWindowTime = "04:30:00"
		},
		drift:    func(e *testenv.Env) { changeWindow(e, "my-clickhouse") },
		repaired: func(e *testenv.Env) bool { return serviceAt(e, "my-clickhouse").Maintenance.Time == "04:30:00" },
		remove: func(e *testenv.Env) error {
			return e.Aiven.Console.ServiceDelete(e.T.Context(), e.Project, "my-clickhouse")
		},
		prefix: "CLICKHOUSE_", keys: []string{"HOST", "PORT", "USER", "PASSWORD"},
		legacy: []string{"HOST", "PORT", "USER", "PASSWORD"},
	},
	{
		name: "ClickhouseDatabase", example: "clickhousedatabase", phase: v1alpha1.PhaseReady,
		resource: "clickhouse_database", path: clickhouseName + "/" + clickhouseDatabase,
		create: "ServiceClickHouseDatabaseCreate", in: inClickhouse,
		remove: func(e *testenv.Env) error {
			return e.Aiven.Console.ServiceClickHouseDatabaseDelete(e.T.Context(), e.Project, clickhouseName, clickhouseDatabase)
		},
	},
	{
		name: "ClickhouseGrant", example: "clickhousegrant", phase: v1alpha1.PhaseReady,
		resource: "clickhouse_grant", path: clickhouseName + "/user/" + clickhouseUser,
		create: "ServiceClickHouseQuery", update: "ServiceClickHouseQuery", overlaps: true, in: inClickhouse, inside: makeGrantee,
		change: func(_ *testenv.Env, obj testenv.Object) {
			grant := &obj.(*v1alpha1.ClickhouseGrant).Spec.PrivilegeGrants[0]
			grant.Privileges = append(grant.Privileges, "CREATE TABLE")
		},
		drift: func(e *testenv.Env) {
			require.NoError(e.T, clickhouseQuery(e, "REVOKE CREATE TABLE ON `"+clickhouseDatabase+"`.* FROM `"+clickhouseUser+"`"))
		},
		repaired: func(e *testenv.Env) bool {
			return slices.Contains(grantsOf(e, clickhouseUser), "GRANT SELECT, INSERT, CREATE TABLE ON `my-database`.* TO `my-user`")
		},
		remove: func(e *testenv.Env) error { return clickhouseQuery(e, "REVOKE ALL ON *.* FROM `"+clickhouseUser+"`") },
	},
	{
		name: "ClickhouseRole", example: "clickhouserole", phase: v1alpha1.PhaseReady,
		resource: "clickhouse_role", path: clickhouseName + "/" + clickhouseRole,
		create: "ServiceClickHouseQuery", in: inClickhouse,
		remove: func(e *testenv.Env) error { return clickhouseQuery(e, "DROP ROLE `"+clickhouseRole+"`") },
	},
	{
		name: "ClickhouseUser", example: "clickhouseuser", phase: v1alpha1.PhaseReady,
		resource: "clickhouse_user", path: clickhouseName + "/" + clickhouseUser,
		create: "ServiceClickHouseUserCreate", update: "ServiceClickHousePasswordReset", once: true, in: inClickhouse,
		change: func(e *testenv.Env, obj testenv.Object) {
			e.SetSecret(sourceSecret, map[string]string{sourceKey: declaredPassword})
			obj.(*v1alpha1.ClickhouseUser).Spec.ConnInfoSecretSource = &v1alpha1.ConnInfoSecretSource{
				Name: sourceSecret, PasswordKey: sourceKey,
			}
		},
		remove: func(e *testenv.Env) error {
			return e.Aiven.Console.ServiceClickHouseUserDelete(e.T.Context(), e.Project, clickhouseName, clickhouseUserID(e))
		},
		engine: clickhouseengine.New(),
		login: func(e *testenv.Env, secret *corev1.Secret) error {
			return clickhouseLogin(e, secret, "SELECT 1")
		},
		prefix: "CLICKHOUSEUSER_",
		keys:   []string{"HOST", "PORT", "USERNAME", "PASSWORD"},
		legacy: []string{"HOST", "PORT", "USERNAME", "PASSWORD"},
	},
}

// makeGrantee makes what the example of ClickhouseGrant names.
func makeGrantee(e *testenv.Env) {
	console, ctx := e.Aiven.Console, e.T.Context()
	require.NoError(e.T, console.ServiceClickHouseDatabaseCreate(ctx, e.Project, clickhouseName,
		&clickhouse.ServiceClickHouseDatabaseCreateIn{Database: clickhouseDatabase}))
	_, err := console.ServiceClickHouseUserCreate(ctx, e.Project, clickhouseName,
		&clickhouse.ServiceClickHouseUserCreateIn{Name: clickhouseUser})
	require.NoError(e.T, err)
}

// grantsOf are the statements that grant what a user or role has.
func grantsOf(e *testenv.Env, name string) []string {
	in := &clickhouse.ServiceClickHouseQueryIn{Database: "system", Query: "SHOW GRANTS FOR `" + name + "`"}
	out, err := e.Aiven.Console.ServiceClickHouseQuery(e.T.Context(), e.Project, clickhouseName, in)
	require.NoError(e.T, err)
	statements := []string{}
	for _, row := range out.Data {
		statements = append(statements, row[0].(string))
	}
	return statements
}

// clickhouseQuery runs SQL at the console.
func clickhouseQuery(e *testenv.Env, query string) error {
	in := &clickhouse.ServiceClickHouseQueryIn{Database: "system", Query: query}
	_, err := e.Aiven.Console.ServiceClickHouseQuery(e.T.Context(), e.Project, clickhouseName, in)
	return err
}

// clickhouseUserID is the id of the example's user.
func clickhouseUserID(e *testenv.Env) string {
	users, err := e.Aiven.Console.ServiceClickHouseUserList(e.T.Context(), e.Project, clickhouseName)
	require.NoError(e.T, err)
	for _, user := range users {
		if user.Name == clickhouseUser {
			return user.Uuid
		}
	}
	return ""
}
