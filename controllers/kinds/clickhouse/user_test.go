package clickhouse

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/referencetest"
)

const (
	userList   = "GET service/my-ch/clickhouse/user"
	userCreate = "POST service/my-ch/clickhouse/user"
	userReset  = "PUT service/my-ch/clickhouse/user/id-of-app/password"
	userDelete = "DELETE service/my-ch/clickhouse/user/id-of-app"
	adminReset = "PUT service/my-ch/clickhouse/user/id-of-avnadmin/password"
)

func clickhouseUser(name string, edits ...func(*v1alpha1.ClickhouseUserSpec)) *v1alpha1.ClickhouseUser {
	obj := &v1alpha1.ClickhouseUser{ObjectMeta: meta(name)}
	obj.Spec.ServiceDependant = dependsOn()
	for _, edit := range edits {
		edit(&obj.Spec)
	}
	return obj
}

func declared(s *v1alpha1.ClickhouseUserSpec) {
	s.ConnInfoSecretSource = &v1alpha1.ConnInfoSecretSource{Name: "source", PasswordKey: "password"}
}

// userAt is a user as Aiven shows it.
func userAt(name string) aiventest.Object {
	required := name == "avnadmin" || name == "internal"
	return aiventest.Object{"name": name, "uuid": "id-of-" + name, "required": required, "roles": []any{}, "privileges": []any{}}
}

// users is the list of users: avnadmin, and some others.
func users(names ...string) aiventest.Answer {
	list := []any{userAt("avnadmin")}
	for _, name := range names {
		list = append(list, userAt(name))
	}
	return aiventest.OK(aiventest.Object{"users": list})
}

// madeUser is the answer to a creation; without a password if that is "".
func madeUser(name, password string) aiventest.Answer {
	user := userAt(name)
	if password != "" {
		user["password"] = password
	}
	return aiventest.OK(aiventest.Object{"user": user})
}

// with is what a user is observed with: the Secret with its password. Nothing was published.
func with(t *testing.T, client *clock, obj *v1alpha1.ClickhouseUser, password string) controllers.Env {
	secret := referencetest.Secret("source", map[string]string{"password": password})
	return controllers.Env{Client: client.Client, Refs: referencetest.Resolve(t, obj, User.References, secret)}
}

func TestUserCreate(t *testing.T) {
	published := func(password string) map[string]string {
		return map[string]string{"HOST": "ch.test", "PORT": "12691", "USERNAME": "app", "PASSWORD": password}
	}
	for name, tc := range map[string]struct {
		obj     *v1alpha1.ClickhouseUser
		answer  aiventest.Answer
		request string
		want    map[string]string
		fails   fault.Class
	}{
		"with a password of Aiven's": {
			obj: clickhouseUser("app"), answer: madeUser("app", "of-aiven"), request: `{"name":"app"}`, want: published("of-aiven"),
		},
		"under another name": {
			obj:    clickhouseUser("object", func(s *v1alpha1.ClickhouseUserSpec) { s.Username = "app" }),
			answer: madeUser("app", "of-aiven"), request: `{"name":"app"}`, want: published("of-aiven"),
		},
		"with a password of the user's": {
			obj: clickhouseUser("app", declared), answer: madeUser("app", "declared-password"),
			request: `{"name":"app","password":"declared-password"}`, want: published("declared-password"),
		},
		"with a password of the user's that isn't returned": {
			obj: clickhouseUser("app", declared), answer: madeUser("app", ""),
			request: `{"name":"app","password":"declared-password"}`, want: published("declared-password"),
		},
		"without any password": {
			obj: clickhouseUser("app"), answer: madeUser("app", ""), request: `{"name":"app"}`, want: published(connection.Missing),
		},
		"refused": {
			obj: clickhouseUser("app"), answer: aiventest.Refused(400, "Invalid name 'app'"), request: `{"name":"app"}`, fails: fault.Rejected,
		},
		"refused by a new service": {
			obj: clickhouseUser("app"), answer: aiventest.Refused(503, "not yet"), request: `{"name":"app"}`, fails: fault.NotReady,
		},
		"there already": {
			obj: clickhouseUser("app"), answer: aiventest.Refused(409, "User 'app' already exists"), request: `{"name":"app"}`, fails: fault.Exists,
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, running())
			a.On(userList, users(), users("app"))
			a.On(userCreate, tc.answer)
			c := User.New(with(t, moving(t, a), tc.obj, "declared-password"))
			o, err := c.Observe(t.Context(), tc.obj)
			require.NoError(t, err)
			require.False(t, o.Remote.Exists)
			o, err = c.Create(t.Context(), tc.obj)
			assert.Equal(t, []string{lookup, userList, userCreate + " " + tc.request}, a.Calls()[:3])
			if tc.fails != "" {
				assert.Equal(t, tc.fails, fault.Of(err).Class)
				return
			}
			require.NoError(t, err)
			assert.True(t, o.Remote.Active)
			assert.Empty(t, o.Diff)
			assert.Equal(t, "id-of-app", tc.obj.Status.UUID)
			assert.Equal(t, tc.want, o.Details.Prefixed())
			assert.Equal(t, tc.want, o.Details.Legacy())
			assert.Equal(t, []string{"PASSWORD"}, o.Details.Keep, "it is reset if it is lost")
		})
	}
}

func TestAUserIsFoundByItsName(t *testing.T) {
	for name, tc := range map[string]struct {
		had    string // status.uuid
		listed aiventest.Answer
		uuid   string
		fails  fault.Class
	}{
		"with its id":                          {had: "id-of-app", listed: users("app"), uuid: "id-of-app"},
		"without a status":                     {listed: users("app"), uuid: "id-of-app"},
		"recreated at the console":             {had: "former", listed: users("app"), uuid: "id-of-app"},
		"of another name now":                  {had: "id-of-avnadmin", listed: users("app"), uuid: "id-of-avnadmin", fails: fault.Invalid},
		"gone":                                 {had: "id-of-app", listed: users()},
		"unknown, as Aiven fails":              {had: "id-of-app", listed: aiventest.Refused(500, "oops"), uuid: "id-of-app", fails: fault.Server},
		"unknown, without the permission":      {had: "id-of-app", listed: aiventest.Refused(403, "no"), uuid: "id-of-app", fails: fault.Forbidden},
		"unknown, by an answer without a list": {had: "id-of-app", listed: aiventest.OK(nil), uuid: "id-of-app", fails: fault.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, running())
			a.On(userList, tc.listed)
			obj := clickhouseUser("app")
			obj.Status.UUID = tc.had
			o, err := User.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), obj)
			assert.Equal(t, tc.uuid, obj.Status.UUID)
			if tc.fails != "" {
				assert.Equal(t, tc.fails, fault.Of(err).Class)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.uuid != "", o.Remote.Exists)
		})
	}
}

func TestAPasswordThatAivenWouldRefuseIsNotSent(t *testing.T) {
	for name, password := range map[string]string{"too short": "short", "no text": "\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8\xf7"} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, running())
			a.On(userList, users("app"))
			a.On(userDelete, aiventest.OK(nil))
			obj, client := clickhouseUser("app", declared), moving(t, a)
			_, err := User.New(with(t, client, obj, password)).Observe(t.Context(), obj)
			require.Equal(t, fault.Invalid, fault.Of(err).Class)
			assert.ErrorContains(t, err, `spec.connInfoSecretSource: the password in key "password" of Secret default/source must`)
			assert.NotContains(t, err.Error(), password)
			now := metav1.Now()
			obj.DeletionTimestamp = &now
			require.NoError(t, User.New(with(t, client, obj, password)).Delete(t.Context(), obj), "it doesn't hold back a deletion")
		})
	}
}

func TestTheAdminIsPublishedAsTheServiceShowsIt(t *testing.T) {
	a := aiventest.New(t)
	after := clickhouseFields(nil)
	after["service_uri_params"].(aiventest.Object)["password"] = "declared-password"
	a.On(lookup, running(), aiventest.OK(aiventest.Object{"service": after}))
	a.On(userList, users())
	a.On(adminReset, aiventest.OK(aiventest.Object{"password": "declared-password"}))
	client, obj := moving(t, a), clickhouseUser("avnadmin")
	o, err := User.New(with(t, client, obj, "")).Observe(t.Context(), obj)
	require.NoError(t, err)
	assert.Equal(t, "of-the-admin", o.Details.Prefixed()["PASSWORD"])
	assert.Empty(t, o.Diff)

	obj = clickhouseUser("avnadmin", declared)
	c := User.New(with(t, client, obj, "declared-password"))
	o, err = c.Observe(t.Context(), obj)
	require.NoError(t, err)
	require.Equal(t, controllers.Diff{{Path: "spec.connInfoSecretSource", Wanted: "(secret)", Found: "(secret)"}}.Entries(), o.Diff.Entries())
	o, err = c.Update(t.Context(), obj, o)
	require.NoError(t, err)
	assert.Equal(t, "declared-password", o.Details.Prefixed()["PASSWORD"])
	assert.Equal(t, []string{lookup, userList, adminReset + ` {"password":"declared-password"}`}, a.Calls())

	client.now = client.now.Add(2 * lag)
	o, err = User.New(with(t, client, obj, "declared-password")).Observe(t.Context(), obj)
	require.NoError(t, err)
	assert.True(t, o.Remote.Active)
	assert.Empty(t, o.Diff, "the service is read again, and has the new password")
}

// A reset by itself is only planned where a key is in Keep.
func TestAUserOfAivensOwnIsNeverReset(t *testing.T) {
	t.Run("the admin, while the service doesn't show its password", func(t *testing.T) {
		a := aiventest.New(t)
		hidden := clickhouseFields(nil)
		delete(hidden["service_uri_params"].(aiventest.Object), "password")
		a.On(lookup, aiventest.OK(aiventest.Object{"service": hidden}))
		a.On(userList, users())
		o, err := User.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), clickhouseUser("avnadmin"))
		require.NoError(t, err)
		assert.True(t, o.Details.Empty())
		assert.Empty(t, o.Details.Keep)
	})
	t.Run("another one", func(t *testing.T) {
		a := aiventest.New(t)
		a.On(lookup, running())
		a.On(userList, users("internal"))
		_, err := User.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), clickhouseUser("internal"))
		assert.Equal(t, fault.Invalid, fault.Of(err).Class)
		assert.ErrorContains(t, err, "spec.connInfoSecretSource: Aiven itself uses the user internal")
	})
}

func TestAUserWithoutAnAddressIsNotPublishedAndNotReset(t *testing.T) {
	a := aiventest.New(t)
	a.On(lookup, aiventest.OK(aiventest.Object{"service": clickhouseFields(aiventest.Object{"service_uri_params": nil})}))
	a.On(userList, users("app"))
	o, err := User.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), clickhouseUser("app"))
	require.NoError(t, err)
	assert.True(t, o.Details.Empty())
	assert.Empty(t, o.Details.Keep)
}

func TestWithoutASecretADeclaredPasswordIsSentWithEachVersionOfItsSource(t *testing.T) {
	disabled := func(s *v1alpha1.ClickhouseUserSpec) { s.ConnInfoSecretTargetDisabled = ptr.To(true) }
	for name, tc := range map[string]struct {
		edits []func(*v1alpha1.ClickhouseUserSpec)
		want  []string
	}{
		"a password in no Secret":   {[]func(*v1alpha1.ClickhouseUserSpec){declared, disabled}, []string{"spec.connInfoSecretSource"}},
		"a password in a Secret":    {[]func(*v1alpha1.ClickhouseUserSpec){declared}, nil},
		"no password, in no Secret": {[]func(*v1alpha1.ClickhouseUserSpec){disabled}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, running())
			a.On(userList, users("app"))
			obj := clickhouseUser("app", tc.edits...)
			o, err := User.New(with(t, moving(t, a), obj, "declared-password")).Observe(t.Context(), obj)
			require.NoError(t, err)
			assert.Equal(t, tc.want, o.WriteOnly)
		})
	}
}

func TestUserDelete(t *testing.T) {
	for name, tc := range map[string]struct {
		obj    *v1alpha1.ClickhouseUser
		listed aiventest.Answer
		answer aiventest.Answer
		calls  []string
		fails  fault.Class
	}{
		"deleted, without a status":   {obj: clickhouseUser("app"), listed: users("app"), answer: aiventest.OK(nil), calls: []string{lookup, userList, userDelete}, fails: fault.None},
		"gone meanwhile":              {obj: clickhouseUser("app"), listed: users("app"), answer: aiventest.Refused(404, "User does not exist"), calls: []string{lookup, userList, userDelete, services}, fails: fault.None},
		"gone before":                 {obj: clickhouseUser("app"), listed: users(), calls: []string{lookup, userList, lookup, userList}, fails: fault.None},
		"refused":                     {obj: clickhouseUser("app"), listed: users("app"), answer: aiventest.Refused(403, "no"), calls: []string{lookup, userList, userDelete}, fails: fault.Forbidden},
		"not known":                   {obj: clickhouseUser("app"), listed: aiventest.Refused(500, "oops"), calls: []string{lookup, userList}, fails: fault.Server},
		"the service's own one stays": {obj: clickhouseUser("avnadmin"), listed: users(), calls: []string{lookup, userList}, fails: fault.None},
		"one that Aiven needs stays":  {obj: clickhouseUser("internal"), listed: users("internal"), calls: []string{lookup, userList}, fails: fault.None},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, running())
			a.On(userList, tc.listed)
			a.On(userDelete, tc.answer)
			err := User.New(controllers.Env{Client: moving(t, a).Client}).Delete(t.Context(), tc.obj)
			assert.Equal(t, tc.fails, fault.Of(err).Class, "%v", err)
			assert.Equal(t, tc.calls, a.Calls())
		})
	}
}
