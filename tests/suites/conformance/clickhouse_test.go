package conformance_test

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/aiven/go-client-codegen/handler/clickhouse"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
	"github.com/aero-operator/aero/tests/localaiven/engine"
	clickhouseengine "github.com/aero-operator/aero/tests/localaiven/engine/clickhouse"
)

// issuedFor is the annotation of a Secret with the id of the user that its password is of.
const issuedFor = "controllers.aiven.io/credentials-issued-for"

// clickhouseLogin runs a query over the native protocol, at the address of the service.
func clickhouseLogin(e *testenv.Env, secret *corev1.Secret, query string) error {
	ca, err := e.Aiven.Console.ProjectKmsGetCA(e.T.Context(), e.Project)
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(ca)) {
		return errors.New("the CA is none")
	}
	value := func(key string) string { return string(secret.Data[key]) }
	connection, err := driver.Open(&driver.Options{
		Addr:        []string{net.JoinHostPort(value("HOST"), value("PORT"))},
		Auth:        driver.Auth{Username: cmp.Or(value("USERNAME"), value("USER")), Password: value("PASSWORD")},
		TLS:         &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		DialTimeout: 10 * time.Second,
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(e.T.Context(), 10*time.Second)
	defer cancel()
	return errors.Join(connection.Exec(ctx, query), connection.Close())
}

// refusal is the code with which ClickHouse refused a query; 0 if it didn't.
func refusal(err error) int32 {
	var exception *driver.Exception
	if errors.As(err, &exception) {
		return exception.Code
	}
	return 0
}

// realClickhouse has a service of ClickHouse that clients can connect to, and the controller of its users.
func realClickhouse(t *testing.T) *testenv.Env {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"ClickhouseUser"}, Aiven: localaiven.Options{Engines: []engine.Engine{clickhouseengine.New()}}})
	makeService(e, inClickhouse)
	return e
}

func TestAnApplicationConnectsToClickHouseWithWhatTheSecretSays(t *testing.T) {
	e := realClickhouse(t)
	user := e.Example("clickhouseuser").(*v1alpha1.ClickhouseUser)
	e.Create(user)
	e.Wait(user, testenv.Ready())
	first := e.Secret("my-user-connection")
	require.NoError(t, clickhouseLogin(e, first, "SELECT 1"))
	assert.EqualValues(t, 497, refusal(clickhouseLogin(e, first, "CREATE ROLE x")), "nothing was granted")

	e.SetSecret(sourceSecret, map[string]string{sourceKey: declaredPassword})
	e.Change(user, func() {
		user.Spec.ConnInfoSecretSource = &v1alpha1.ConnInfoSecretSource{Name: sourceSecret, PasswordKey: sourceKey}
	})
	e.Wait(user, testenv.Ready())
	second := e.Secret("my-user-connection")
	assert.Equal(t, declaredPassword, string(second.Data["CLICKHOUSEUSER_PASSWORD"]))
	require.NoError(t, clickhouseLogin(e, second, "SELECT 1"))
	assert.EqualValues(t, 516, refusal(clickhouseLogin(e, first, "SELECT 1")), "the former password is refused")

	e.Delete(user)
	e.WaitGone(user)
	assert.EqualValues(t, 516, refusal(clickhouseLogin(e, second, "SELECT 1")), "there is no such user")
}

// A user that is made again under its name has another password: by the operator, whose answer is lost, or by a colleague.
func TestAnApplicationConnectsToClickHouseAsAnotherUserOfTheName(t *testing.T) {
	e := realClickhouse(t)
	user := e.Example("clickhouseuser").(*v1alpha1.ClickhouseUser)
	e.Create(user)
	e.Wait(user, testenv.Ready())
	require.NoError(t, clickhouseLogin(e, e.Secret("my-user-connection"), "SELECT 1"))
	console, ctx := e.Aiven.Console, t.Context()
	for _, remake := range []func() error{
		func() error {
			e.Aiven.FailWrites("ServiceClickHouseUserCreate", localaiven.Effect{Drop: localaiven.AfterApply}, 1)
			return console.ServiceClickHouseUserDelete(ctx, e.Project, clickhouseName, clickhouseUserID(e))
		},
		func() error {
			in := &clickhouse.ServiceClickHouseUserCreateIn{Name: clickhouseUser}
			err := console.ServiceClickHouseUserDelete(ctx, e.Project, clickhouseName, clickhouseUserID(e))
			if err == nil {
				_, err = console.ServiceClickHouseUserCreate(ctx, e.Project, clickhouseName, in)
			}
			return err
		},
	} {
		former, mark := e.Secret("my-user-connection"), e.Aiven.Mark()
		require.NoError(t, remake())
		e.Until(func() bool {
			e.Get(user)
			now := e.Secret("my-user-connection").Annotations[issuedFor]
			return now != "" && now != former.Annotations[issuedFor] && now == user.Status.UUID
		}, func() string { return "the Secret isn't that of the new user" })
		e.Wait(user, testenv.Ready())
		require.NoError(t, clickhouseLogin(e, e.Secret("my-user-connection"), "SELECT 1"))
		assert.EqualValues(t, 516, refusal(clickhouseLogin(e, former, "SELECT 1")), "the former password is refused")
		e.Rest(2)
		resets := 0
		for _, write := range e.Aiven.Writes(mark) {
			if write == "ServiceClickHousePasswordReset" {
				resets++
			}
		}
		assert.Equal(t, 1, resets)
	}
}

func TestAnApplicationOfClickHouseDoesWhatItWasGranted(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{
		Kinds: []string{"Clickhouse", "ClickhouseDatabase", "ClickhouseUser", "ClickhouseRole", "ClickhouseGrant"},
		Aiven: localaiven.Options{Engines: []engine.Engine{clickhouseengine.New()}},
	})
	grant := e.Example("clickhousegrant").(*v1alpha1.ClickhouseGrant)
	toUser, toRole := &grant.Spec.PrivilegeGrants[0], *grant.Spec.PrivilegeGrants[0].DeepCopy()
	toUser.Privileges, toUser.Table, toUser.Columns = []string{"INSERT"}, "orders", []string{"id"}
	toRole.Privileges, toRole.Grantees = []string{"SELECT"}, []v1alpha1.ClickhouseGrantee{{Role: clickhouseRole}}
	grant.Spec.PrivilegeGrants = append(grant.Spec.PrivilegeGrants, toRole)
	grant.Spec.RoleGrants = []v1alpha1.ClickhouseRoleGrant{{Grantees: toUser.Grantees, Roles: []string{clickhouseRole}}}
	objects := []testenv.Object{grant, e.Example("clickhouse"), e.Example("clickhousedatabase"), e.Example("clickhouseuser"), e.Example("clickhouserole")}
	for _, obj := range objects {
		e.Create(obj)
	}
	for _, obj := range objects {
		e.Wait(obj, testenv.Ready())
	}
	admin, app := e.Secret("my-clickhouse-connection"), e.Secret("my-user-connection")
	for _, query := range []string{
		"CREATE TABLE `my-database`.orders (id UInt64, note String) ENGINE = MergeTree ORDER BY id",
		"INSERT INTO `my-database`.orders VALUES (1, 'an order')", "CREATE TABLE default.salaries (id UInt64)",
	} {
		require.NoError(t, clickhouseLogin(e, admin, query), query)
	}
	const read, write = "SELECT note FROM `my-database`.orders", "INSERT INTO `my-database`.orders (id) VALUES (2)"
	require.NoError(t, clickhouseLogin(e, app, read), "by the role")
	require.NoError(t, clickhouseLogin(e, app, write), "by itself")
	for _, query := range []string{
		"INSERT INTO `my-database`.orders VALUES (3, 'x')", "SELECT * FROM default.salaries", "DROP TABLE `my-database`.orders",
		"CREATE TABLE `my-database`.mine (id UInt64)", "GRANT SELECT ON default.* TO `my-user`",
	} {
		assert.EqualValues(t, 497, refusal(clickhouseLogin(e, app, query)), query)
	}
	e.Change(grant, func() { grant.Spec.RoleGrants = nil })
	e.Wait(grant, testenv.Ready())
	assert.EqualValues(t, 497, refusal(clickhouseLogin(e, app, read)), "the role is revoked")
	require.NoError(t, clickhouseLogin(e, app, write))
	e.Delete(grant)
	e.WaitGone(grant)
	assert.EqualValues(t, 497, refusal(clickhouseLogin(e, app, write)))
}

// The names are in SQL, and reach ClickHouse as they are.
func TestARoleMayHaveAnyName(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"ClickhouseRole", "Clickhouse"}})
	makeService(e, inClickhouse)
	before := len(e.Aiven.Resources())
	for i, name := range []string{"a`b", "back\\slash", "x`; DROP ROLE `a`b", "röle 🙂", "line\nbreak\x01", "quoted '\"", "avnadmin", "ALL"} {
		role := e.Example("clickhouserole").(*v1alpha1.ClickhouseRole)
		role.Name, role.Spec.Role = fmt.Sprintf("role-%d", i), name
		e.Create(role)
		e.Wait(role, testenv.Ready())
		assert.True(t, e.Aiven.Has("clickhouse_role", e.Project+"/"+clickhouseName+"/"+name), "%q", name)
		e.Delete(role)
		e.WaitGone(role)
		assert.Len(t, e.Aiven.Resources(), before, "%q", name)
	}
}

// kinds.md: the default database and avnadmin came with the service, and go with it.
func TestWhatAivenItselfNeedsIsManagedAndStays(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"ClickhouseDatabase", "ClickhouseUser", "Clickhouse"}})
	makeService(e, inClickhouse)
	database := e.Example("clickhousedatabase").(*v1alpha1.ClickhouseDatabase)
	database.Spec.DatabaseName = "default"
	user := e.Example("clickhouseuser").(*v1alpha1.ClickhouseUser)
	user.Spec.Username = "avnadmin"
	for _, obj := range []testenv.Object{database, user} {
		e.Create(obj)
		e.Wait(obj, testenv.Ready())
	}
	assert.Equal(t, serviceAt(e, clickhouseName).ServiceUriParams["password"], string(e.Secret("my-user-connection").Data["PASSWORD"]))
	for _, obj := range []testenv.Object{database, user} {
		e.Delete(obj)
		e.WaitGone(obj)
	}
	assert.Empty(t, e.Aiven.Writes(0))
	assert.True(t, e.Aiven.Has("clickhouse_database", e.Project+"/"+clickhouseName+"/default"))
	assert.Equal(t, 1, count(e, kind{resource: "clickhouse_user", path: clickhouseName + "/avnadmin"}))
}

// A name that Aiven is still removing is free once it is gone.
func TestADatabaseIsRecreatedAfterAivenHasRemovedIt(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{
		Kinds: []string{"ClickhouseDatabase", "Clickhouse"}, Aiven: localaiven.Options{DatabaseTime: 4 * time.Second}, // longer than a poll,
	})
	makeService(e, inClickhouse)
	database := e.Example("clickhousedatabase")
	e.Create(database)
	e.Wait(database, testenv.Condition("RemoteReady", "False", "Creating"), testenv.Saying("RemoteReady", "pending_creation"))
	e.Wait(database, testenv.Ready())
	e.Annotate(database, recreatePolicy, "Always")
	mark := e.Aiven.Mark()
	require.NoError(t, e.Aiven.Console.ServiceClickHouseDatabaseDelete(t.Context(), e.Project, clickhouseName, clickhouseDatabase))
	e.Wait(database, testenv.Saying("Ready", "the database that had this name before"))
	e.Wait(database, testenv.Ready())
	assert.Equal(t, []string{"ServiceClickHouseDatabaseCreate"}, e.Aiven.Writes(mark))
	e.Delete(database)
	e.WaitGone(database)
	assert.False(t, e.Aiven.Has("clickhouse_database", e.Project+"/"+clickhouseName+"/"+clickhouseDatabase))
}

// E04: each says which field is wrong, and nothing is written.
func TestObjectsOfClickHouseNeedAServiceOfClickHouse(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"ClickhouseDatabase", "ClickhouseRole", "ClickhouseUser"}})
	e.Aiven.Service(e.Project, serviceName)
	for _, example := range []string{"clickhousedatabase", "clickhouserole", "clickhouseuser"} {
		obj := e.Example(example)
		obj.(interface {
			GetServiceDependant() *v1alpha1.ServiceDependant
		}).GetServiceDependant().ServiceName = serviceName
		e.Create(obj)
		e.Wait(obj, testenv.Condition("Ready", "False", "InvalidSpec"), testenv.Saying("Ready", "spec.serviceName"),
			testenv.Saying("Ready", "needs a service of type clickhouse"))
	}
	assert.Empty(t, e.Aiven.Writes(0))
}

// A service says RUNNING before ClickHouse answers.
func TestAFreshServiceThatFailsIsNoErrorOfTheSpec(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"ClickhouseDatabase", "ClickhouseRole", "ClickhouseUser", "Clickhouse"}})
	makeService(e, inClickhouse)
	for _, k := range clickhouseKinds {
		if k.once || k.name == "ClickhouseDatabase" || k.name == "ClickhouseRole" {
			e.Aiven.FailWrites(k.create, localaiven.Effect{Status: 503}, 1)
			e.Aiven.FailWrites(k.create, localaiven.Effect{Status: 503, Header: map[string]string{"Retry-After": "1"}}, 1)
			obj := e.Example(k.example)
			e.Create(obj)
			e.Wait(obj, testenv.Ready())
			for _, state := range e.History(obj) {
				assert.Nil(t, testenv.Find(state, "Error"), "%s: tools of aiven-operator see no error", k.name)
			}
		}
	}
}
