package postgres

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

func pool(edits ...func(*v1alpha1.ConnectionPoolSpec)) *v1alpha1.ConnectionPool {
	obj := &v1alpha1.ConnectionPool{ObjectMeta: metav1.ObjectMeta{Namespace: aiventest.Namespace, Name: "my-pool"}}
	obj.Spec.Project, obj.Spec.ServiceName, obj.Spec.DatabaseName = aiventest.Project, "my-pg", "orders"
	for _, edit := range edits {
		edit(&obj.Spec)
	}
	return obj
}

func asApp(spec *v1alpha1.ConnectionPoolSpec) { spec.Username = "app" }

func sized(spec *v1alpha1.ConnectionPoolSpec) { spec.PoolSize, spec.PoolMode = 20, "transaction" }

// members is a service with the database and the user that the pool is about, and such pools.
func members(pools ...any) aiventest.Answer {
	return aiventest.Service(aiventest.Object{
		"databases": []any{"defaultdb", "orders"}, "connection_pools": append([]any{}, pools...),
		"users": []any{
			aiventest.Object{"username": "avnadmin", "type": "primary", "password": "pass-word"},
			aiventest.Object{"username": "app", "type": "normal", "password": "app-password"},
		},
	})
}

const poolURI = "postgres://app:app-password@pool.test:6432/my-pool?sslmode=verify-full"

func pooled(changes aiventest.Object) aiventest.Object {
	fields := aiventest.Object{
		"pool_name": "my-pool", "database": "orders", "pool_mode": "transaction", "pool_size": 20, "username": "app",
		"connection_uri": poolURI,
	}
	for key, value := range changes {
		fields[key] = value
	}
	return fields
}

func TestPoolObserve(t *testing.T) {
	for name, tc := range map[string]struct {
		obj   *v1alpha1.ConnectionPool
		found aiventest.Object
		paths []string
	}{
		"in sync":                                 {obj: pool(asApp, sized)},
		"what the spec leaves open":               {obj: pool(asApp), found: aiventest.Object{"pool_size": 10, "pool_mode": "session"}},
		"a user that the spec doesn't ask for":    {obj: pool(sized)},
		"another mode":                            {obj: pool(asApp, sized), found: aiventest.Object{"pool_mode": "session"}, paths: []string{"spec.poolMode"}},
		"another size":                            {obj: pool(asApp, sized), found: aiventest.Object{"pool_size": 10}, paths: []string{"spec.poolSize"}},
		"another database":                        {obj: pool(asApp, sized), found: aiventest.Object{"database": "defaultdb"}, paths: []string{"spec.databaseName"}},
		"another user":                            {obj: pool(asApp, sized), found: aiventest.Object{"username": "avnadmin"}, paths: []string{"spec.username"}},
		"no user, though the spec asks for one":   {obj: pool(asApp, sized), found: aiventest.Object{"username": nil}, paths: []string{"spec.username"}},
		"an address without the way of using TLS": {obj: pool(asApp, sized), found: aiventest.Object{"connection_uri": "postgres://app@pool.test:6432/my-pool"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, members(pooled(tc.found)))
			o, err := Pool.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), tc.obj)
			require.NoError(t, err)
			assert.True(t, o.Remote.Active)
			assert.Equal(t, len(tc.paths), len(o.Diff))
			for _, path := range tc.paths {
				assert.True(t, o.Diff.Has(path), path)
			}
			assert.Equal(t, []string{lookup, ca}, a.Calls(), "what is in sync is only read")
		})
	}
}

func TestAPoolReadsItsDatabaseAndItsUser(t *testing.T) {
	for name, tc := range map[string]struct {
		obj  *v1alpha1.ConnectionPool
		want []aiven.Entry
	}{
		"of one user":   {pool(asApp), []aiven.Entry{aiven.DatabaseEntry("orders"), aiven.UserEntry("app")}},
		"of every user": {pool(), []aiven.Entry{aiven.DatabaseEntry("orders")}},
	} {
		t.Run(name, func(t *testing.T) {
			require.NotNil(t, Pool.Reads, "changes of what a pool waits for have to enqueue it")
			assert.Equal(t, tc.want, Pool.Reads(tc.obj))
		})
	}
}

func TestPoolDetails(t *testing.T) {
	for name, tc := range map[string]struct {
		found          aiventest.Object
		user, password string
		mode           string
		broken, empty  bool
	}{
		"of the pool's user":              {user: "app", password: "app-password", mode: "verify-full"},
		"of the service's user":           {found: aiventest.Object{"username": nil}, user: "avnadmin", password: "pass-word", mode: "verify-full"},
		"with the service's TLS mode":     {found: aiventest.Object{"connection_uri": "postgres://pool.test:6432/my-pool"}, user: "app", password: "app-password", mode: "require"},
		"not without the user":            {found: aiventest.Object{"username": "gone"}, empty: true},
		"not without an address":          {found: aiventest.Object{"connection_uri": ""}, empty: true},
		"not with an address that is odd": {found: aiventest.Object{"connection_uri": "postgres://a:secret%zz@host"}, broken: true, empty: true},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			found := pooled(tc.found)
			a.On(lookup, members(found))
			o, err := Pool.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), pool())
			if tc.broken {
				require.Error(t, err)
				assert.NotContains(t, err.Error(), "secret")
			} else {
				require.NoError(t, err)
			}
			assert.Equal(t, tc.empty, o.Details.Empty())
			if tc.empty {
				return
			}
			uri := found["connection_uri"].(string)
			assert.Equal(t, map[string]string{
				"NAME": "my-pool", "HOST": "pool.test", "PORT": "6432", "DATABASE": "orders", "USER": tc.user,
				"PASSWORD": tc.password, "SSLMODE": tc.mode, "DATABASE_URI": uri, "CA_CERT": "the CA",
			}, o.Details.Prefixed())
			assert.Equal(t, map[string]string{
				"PGHOST": "pool.test", "PGPORT": "6432", "PGDATABASE": "orders", "PGUSER": tc.user,
				"PGPASSWORD": tc.password, "PGSSLMODE": tc.mode, "DATABASE_URI": uri,
			}, o.Details.Legacy())
		})
	}
}

func TestPoolNeedsTheCA(t *testing.T) {
	a := aiventest.New(t)
	a.On(lookup, members(pooled(nil)))
	a.On(ca, aiventest.Refused(500, "oops"))
	_, err := Pool.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), pool())
	assert.Equal(t, fault.Server, fault.Of(err).Class)
}

func TestPoolWrites(t *testing.T) {
	const route = "service/my-pg/connection_pool"
	for name, tc := range map[string]struct {
		obj           *v1alpha1.ConnectionPool
		before, after aiventest.Answer
		answer        *aiventest.Answer
		calls         []string
		class         fault.Class
		text          string
		waits         string // what a creation waits for
	}{
		"create": {
			obj: pool(asApp, sized), before: members(), after: members(pooled(nil)),
			calls: []string{
				lookup,
				"POST " + route + ` {"database":"orders","pool_mode":"transaction","pool_name":"my-pool","pool_size":20,"username":"app"}`,
				lookup, ca,
			},
		},
		"create with Aiven's own size and mode, for every user": {
			obj: pool(), before: members(), after: members(pooled(nil)),
			calls: []string{lookup, "POST " + route + ` {"database":"orders","pool_name":"my-pool"}`, lookup, ca},
		},
		"create refused": {
			obj: pool(), before: members(), answer: ptr.To(aiventest.Refused(400, "no")),
			calls: []string{lookup, "POST " + route + ` {"database":"orders","pool_name":"my-pool"}`},
			class: fault.Rejected, text: "creating connection pool",
		},
		"the database isn't there yet": {
			obj: pool(), before: aiventest.Service(nil), calls: []string{lookup},
			waits: `spec.databaseName: service demo/my-pg has no database "orders". Create it, or recreate the pool with another spec.databaseName`,
		},
		"the user isn't there yet": {
			obj:    pool(asApp),
			before: aiventest.Service(aiventest.Object{"databases": []any{"orders"}}), calls: []string{lookup},
			waits: `spec.username: service demo/my-pg has no user "app". Create it, or recreate the pool with another spec.username`,
		},
		"update": {
			obj: pool(asApp, sized), before: members(pooled(aiventest.Object{"pool_size": 10})), after: members(pooled(nil)),
			calls: []string{
				lookup, ca,
				"PUT " + route + `/my-pool {"database":"orders","pool_mode":"transaction","pool_size":20,"username":"app"}`,
				lookup,
			},
		},
		"update refused": {
			obj: pool(sized), before: members(pooled(aiventest.Object{"pool_size": 10})),
			answer: ptr.To(aiventest.Refused(400, "too many")),
			calls: []string{
				lookup, ca, "PUT " + route + `/my-pool {"database":"orders","pool_mode":"transaction","pool_size":20}`,
			},
			class: fault.Rejected, text: "updating connection pool",
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, tc.before, tc.after)
			answer := aiventest.OK(nil)
			if tc.answer != nil {
				answer = *tc.answer
			}
			a.On("POST "+route, answer)
			a.On("PUT "+route+"/my-pool", answer)
			c := Pool.New(controllers.Env{Client: a.Client()})
			o, err := c.Observe(t.Context(), tc.obj)
			require.NoError(t, err)
			require.Equal(t, tc.waits, o.WaitFor)
			switch {
			case o.Remote.Exists:
				o, err = c.Update(t.Context(), tc.obj, o)
			case o.WaitFor == "":
				o, err = c.Create(t.Context(), tc.obj)
			}
			assert.Equal(t, tc.calls, a.Calls())
			if tc.waits != "" {
				return
			}
			if tc.class != "" {
				assert.Equal(t, tc.class, fault.Of(err).Class)
				assert.ErrorContains(t, err, tc.text)
				return
			}
			require.NoError(t, err)
			assert.True(t, o.Remote.Active)
		})
	}
}

func TestPoolDelete(t *testing.T) {
	const remove = "DELETE service/my-pg/connection_pool/my-pool"
	for name, tc := range map[string]struct {
		answer aiventest.Answer
		class  fault.Class
	}{
		"deleted": {aiventest.OK(nil), fault.None},
		"gone":    {aiventest.Missing(), fault.None},
		"refused": {aiventest.Refused(403, "no"), fault.Forbidden},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(remove, tc.answer)
			err := Pool.New(controllers.Env{Client: a.Client()}).Delete(t.Context(), pool())
			assert.Equal(t, tc.class, fault.Of(err).Class)
			assert.Equal(t, remove, a.Calls()[0], "a 404 is confirmed by a list of the services")
		})
	}
}
