package clickhouse

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/referencetest"
)

func TestE04_ARejectedCreationNamesTheFieldAndTheRemedy(t *testing.T) {
	named := func(s *v1alpha1.ClickhouseUserSpec) { s.Username = "my app" }
	for name, tc := range map[string]struct {
		create func(*testing.T, string) error
		text   string
		want   string
	}{
		"the name of a database":      {creating(Database, database("")), "Invalid database 'orders'", "Aiven rejected metadata.name: Invalid database 'orders'. Recreate the object under another name, or with spec.databaseName (400 ServiceClickHouseDatabaseCreate)"},
		"a database name in the spec": {creating(Database, database("my orders")), "Invalid database 'my orders'", "Aiven rejected spec.databaseName: Invalid database 'my orders'. Recreate the object with another spec.databaseName (400 ServiceClickHouseDatabaseCreate)"},
		"the name of a user":          {creating(User, clickhouseUser("app")), "Invalid name 'app'", "Aiven rejected metadata.name: Invalid name 'app'. Recreate the object under another name, or with spec.username (400 ServiceClickHouseUserCreate)"},
		"a user name in the spec":     {creating(User, clickhouseUser("app", named)), "Invalid name 'my app'", "Aiven rejected spec.username: Invalid name 'my app'. Recreate the object with another spec.username (400 ServiceClickHouseUserCreate)"},
		"the password of a user":      {creating(User, clickhouseUser("app", declared)), "Invalid password: too simple", "Aiven rejected spec.connInfoSecretSource: Invalid password: too simple. Change it in the Secret (400 ServiceClickHouseUserCreate)"},
		"a role":                      {creating(Role, role("x")), "Code: 62. DB::Exception: Syntax error", "Aiven rejected spec.role: Code: 62. DB::Exception: Syntax error (400 ServiceClickHouseQuery)"},
	} {
		t.Run(name, func(t *testing.T) {
			err := tc.create(t, tc.text)
			assert.Equal(t, tc.want, (*fault.Secrets)(nil).Refusal(err, "Aiven rejected the change", ""))
		})
	}
}

// creating creates an object, which Aiven refuses with a text.
func creating[T controllers.Object](kind controllers.Kind[T], obj T) func(*testing.T, string) error {
	return func(t *testing.T, text string) error {
		a := aiventest.New(t)
		a.On(lookup, running())
		a.On(databaseList, databases("other"))
		a.On(userList, users())
		a.On(queryRoute, roles(), aiventest.Refused(400, text))
		a.On(databaseCreate, aiventest.Refused(400, text))
		a.On(userCreate, aiventest.Refused(400, text))
		secret := referencetest.Secret("source", map[string]string{"password": "declared-password"})
		c := kind.New(controllers.Env{Client: a.Client(), Refs: referencetest.Resolve(t, obj, kind.References, secret)})
		_, err := c.Observe(t.Context(), obj)
		require.NoError(t, err)
		_, err = c.Create(t.Context(), obj)
		return err
	}
}
