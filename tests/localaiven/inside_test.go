package localaiven_test

import (
	"fmt"
	"net/url"
	"sync"
	"testing"

	aiven "github.com/aiven/go-client-codegen"
	"github.com/aiven/go-client-codegen/handler/postgresql"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

func TestLifeOfAUser(t *testing.T) {
	h := running(t, localaiven.Options{})
	ctx := t.Context()
	made, err := h.client.ServiceUserCreate(ctx, proj, svcName, &service.ServiceUserCreateIn{Username: "bob"})
	require.NoError(t, err)
	assert.Equal(t, "normal", made.Type)
	assert.Contains(t, made.Password, "AVNS_")

	password := func() string {
		user, err := h.client.ServiceUserGet(ctx, proj, svcName, "bob")
		require.NoError(t, err)
		assert.Equal(t, user.Password, h.get(t).Users[1].Password, "ServiceGet shows the same")
		return user.Password
	}
	assert.Equal(t, made.Password, password())

	modify := func(in service.ServiceUserCredentialsModifyIn) error {
		_, err := h.client.ServiceUserCredentialsModify(ctx, proj, svcName, "bob", &in)
		return err
	}
	require.NoError(t, modify(service.ServiceUserCredentialsModifyIn{Operation: "reset-credentials"}))
	assert.NotEqual(t, made.Password, password())
	require.NoError(t, modify(service.ServiceUserCredentialsModifyIn{Operation: "reset_credentials", NewPassword: ptr("chosen-password")}))
	assert.Equal(t, "chosen-password", password())
	require.NoError(t, modify(service.ServiceUserCredentialsModifyIn{
		Operation: "set-access-control", AccessControl: &service.AccessControlIn{PGAllowReplication: ptr(true)},
	}))
	assert.True(t, *h.get(t).Users[1].AccessControl.PGAllowReplication)

	require.NoError(t, h.client.ServiceUserDelete(ctx, proj, svcName, "bob"))
	_, err = h.client.ServiceUserGet(ctx, proj, svcName, "bob")
	assert.True(t, aiven.IsNotFound(err))
}

func TestManyWritersOfOneNameMakeOneUser(t *testing.T) {
	h := running(t, localaiven.Options{})
	var made, refused int
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			_, err := h.client.ServiceUserCreate(t.Context(), proj, svcName, &service.ServiceUserCreateIn{Username: "bob"})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				made++
			}
			if aiven.IsAlreadyExists(err) {
				refused++
			}
		})
	}
	all.Wait()
	assert.Equal(t, 1, made)
	assert.Equal(t, 15, refused)
	assert.Len(t, h.get(t).Users, 2)
}

func TestLifeOfADatabase(t *testing.T) {
	h := running(t, localaiven.Options{})
	ctx := t.Context()
	require.NoError(t, h.client.ServiceDatabaseCreate(ctx, proj, svcName, &service.ServiceDatabaseCreateIn{Database: "orders", LcCollate: ptr("C")}))
	list, err := h.client.ServiceDatabaseList(ctx, proj, svcName)
	require.NoError(t, err)
	require.Len(t, list.Databases, 2)
	assert.Equal(t, "orders", list.Databases[1].DatabaseName)
	assert.Equal(t, "C", *list.Databases[1].LcCollate)
	assert.Equal(t, "en_US.UTF-8", *list.Databases[1].LcCtype)
	assert.Equal(t, []string{"defaultdb", "orders"}, h.get(t).Databases)
	require.NoError(t, h.client.ServiceDatabaseDelete(ctx, proj, svcName, "orders"))
	assert.Equal(t, []string{"defaultdb"}, h.get(t).Databases)
}

func TestDatabasesArePaged(t *testing.T) {
	h := running(t, localaiven.Options{})
	ctx := t.Context()
	for i := range 260 {
		require.NoError(t, h.client.ServiceDatabaseCreate(ctx, proj, svcName, &service.ServiceDatabaseCreateIn{Database: fmt.Sprintf("db%03d", i)}))
	}
	for _, size := range []int{0, 7, 250} {
		var all []string
		after := ""
		for {
			query := [][2]string{service.ServiceDatabaseListAfter(after)}
			if size > 0 {
				query = append(query, service.ServiceDatabaseListMaxItems(size))
			}
			page, err := h.client.ServiceDatabaseList(ctx, proj, svcName, query...)
			require.NoError(t, err)
			for _, d := range page.Databases {
				all = append(all, d.DatabaseName)
			}
			if page.Next == nil {
				break
			}
			after = *page.Next
		}
		assert.Len(t, all, 261, "page size %d", size)
	}
	assert.Len(t, h.get(t).Databases, 261, "ServiceGet shows all")
}

func TestLifeOfAPool(t *testing.T) {
	h := running(t, localaiven.Options{})
	ctx := t.Context()
	bob, err := h.client.ServiceUserCreate(ctx, proj, svcName, &service.ServiceUserCreateIn{Username: "bob"})
	require.NoError(t, err)
	require.NoError(t, h.client.ServicePGBouncerCreate(ctx, proj, svcName, &postgresql.ServicePGBouncerCreateIn{PoolName: "one", Database: "defaultdb"}))
	require.NoError(t, h.client.ServicePGBouncerCreate(ctx, proj, svcName, &postgresql.ServicePGBouncerCreateIn{
		PoolName: "two", Database: "defaultdb", Username: ptr("bob"), PoolMode: "session", PoolSize: ptr(3),
	}))

	got := h.get(t)
	require.Len(t, got.ConnectionPools, 2)
	one, two := got.ConnectionPools[0], got.ConnectionPools[1]
	assert.EqualValues(t, "transaction", one.PoolMode)
	assert.Equal(t, 10, one.PoolSize)
	assert.Nil(t, one.Username)
	assert.Equal(t, "bob", *two.Username)
	ports := map[string]bool{}
	for uri, login := range map[string]*url.Userinfo{
		got.ServiceUri:    url.UserPassword("avnadmin", got.Users[0].Password),
		one.ConnectionUri: url.UserPassword("avnadmin", got.Users[0].Password),
		two.ConnectionUri: url.UserPassword("bob", bob.Password),
	} {
		parsed, err := url.Parse(uri)
		require.NoError(t, err)
		assert.Equal(t, login, parsed.User)
		ports[parsed.Port()] = true
	}
	assert.Len(t, ports, 3, "the service and each pool have a port of their own")

	require.NoError(t, h.client.ServicePGBouncerUpdate(ctx, proj, svcName, "two", &postgresql.ServicePGBouncerUpdateIn{PoolSize: ptr(5)}))
	changed := h.get(t).ConnectionPools[1]
	assert.Equal(t, 5, changed.PoolSize)
	assert.EqualValues(t, "session", changed.PoolMode, "what isn't named stays")
	assert.Equal(t, two.ConnectionUri, changed.ConnectionUri)
	require.NoError(t, h.client.ServicePGBouncerDelete(ctx, proj, svcName, "two"))
	assert.Len(t, h.get(t).ConnectionPools, 1)
}

func TestManyCallersAtOnceLeaveWhatTheyShould(t *testing.T) {
	h := running(t, localaiven.Options{})
	ctx := t.Context()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for round := range 5 {
				name := fmt.Sprintf("n-%d-%d", i, round)
				_, err := h.client.ServiceUserCreate(ctx, proj, svcName, &service.ServiceUserCreateIn{Username: name})
				assert.NoError(t, err)
				assert.NoError(t, h.client.ServiceDatabaseCreate(ctx, proj, svcName, &service.ServiceDatabaseCreateIn{Database: name}))
				assert.NoError(t, h.client.ServicePGBouncerCreate(ctx, proj, svcName, &postgresql.ServicePGBouncerCreateIn{PoolName: name, Database: name, Username: &name}))
				_, err = h.client.ServiceList(ctx, proj, service.ServiceListIncludeSecrets(true))
				assert.NoError(t, err)
				assert.NoError(t, h.Patch(proj, svcName, map[string]any{"tags": map[string]string{"by": name}}))
				_, err = h.client.ServiceUserCredentialsModify(ctx, proj, svcName, name, &service.ServiceUserCredentialsModifyIn{Operation: "reset-credentials"})
				assert.NoError(t, err)
				assert.NotEmpty(t, h.Journal(0))
				assert.NotEmpty(t, h.Resources())
				assert.NoError(t, h.client.ServicePGBouncerDelete(ctx, proj, svcName, name))
				assert.NoError(t, h.client.ServiceDatabaseDelete(ctx, proj, svcName, name))
				assert.NoError(t, h.client.ServiceUserDelete(ctx, proj, svcName, name))
			}
		})
	}
	all.Wait()
	assert.Len(t, h.Resources(), 3, "the service, its admin and its default database")
}
