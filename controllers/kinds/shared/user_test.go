package shared

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/referencetest"
	"github.com/aero-operator/aero/controllers/internal/rotation"
)

const (
	createRoute = "POST service/my-pg/user"
	modifyRoute = "PUT service/my-pg/user/app"
	removeRoute = "DELETE service/my-pg/user/app"
	setDeclared = modifyRoute + ` {"new_password":"declared-password","operation":"reset-credentials"}`
)

func user(edits ...func(*v1alpha1.ServiceUserSpec)) *v1alpha1.ServiceUser {
	obj := &v1alpha1.ServiceUser{ObjectMeta: metav1.ObjectMeta{Namespace: aiventest.Namespace, Name: "app"}}
	obj.Spec.Project, obj.Spec.ServiceName = aiventest.Project, "my-pg"
	for _, edit := range edits {
		edit(&obj.Spec)
	}
	return obj
}

func declared(spec *v1alpha1.ServiceUserSpec) {
	spec.ConnInfoSecretSource = &v1alpha1.ConnInfoSecretSource{Name: "source", PasswordKey: "password"}
}

func rules(access v1alpha1.ServiceUserAccessControl) func(*v1alpha1.ServiceUserSpec) {
	return func(spec *v1alpha1.ServiceUserSpec) { spec.AccessControl = &access }
}

// has is a service with the user as Aiven has it.
func has(changes aiventest.Object) aiventest.Answer {
	return aiventest.Service(aiventest.Object{"users": []any{userAtAiven(changes)}})
}

// hasAccess is a Valkey service with a user who has these rules.
func hasAccess(access aiventest.Object) aiventest.Answer {
	return valkeyWith(userAtAiven(aiventest.Object{"access_control": access}))
}

func valkeyWith(users ...any) aiventest.Answer {
	component := aiventest.Object{"component": "valkey", "host": "valkey.test", "port": 5432, "route": "dynamic", "usage": "primary"}
	return aiventest.Service(aiventest.Object{"service_type": "valkey", "components": []any{component}, "users": users})
}

func userAtAiven(changes aiventest.Object) aiventest.Object {
	fields := aiventest.Object{
		"username": "app", "type": "normal", "password": "made-up-password", "access_cert": "cert", "access_key": "key",
	}
	for key, value := range changes {
		fields[key] = value
	}
	return fields
}

func start(t *testing.T, a *aiventest.Aiven, obj *v1alpha1.ServiceUser, password string) controllers.AivenController[*v1alpha1.ServiceUser] {
	secrets := []*corev1.Secret{referencetest.Secret("source", map[string]string{"password": password})}
	return User.New(controllers.Env{Client: a.Client(), Refs: referencetest.Resolve(t, obj, User.References, secrets...)})
}

func TestUser(t *testing.T) {
	readers := v1alpha1.ServiceUserAccessControl{
		ValkeyACLKeys: []string{"app:*"}, ValkeyACLCommands: []string{"+get"}, ValkeyACLCategories: []string{"+@read"},
	}
	readersRequest := `"access_control":{"valkey_acl_categories":["+@read"],"valkey_acl_commands":["+get"],` +
		`"valkey_acl_keys":["app:*"]}`
	readersAtAiven := aiventest.Object{
		"valkey_acl_keys": []any{"app:*"}, "valkey_acl_commands": []any{"+get"}, "valkey_acl_categories": []any{"+@read"},
		"valkey_acl_channels": []any{"*"},
	}
	channels := readers
	channels.ValkeyACLChannels = []string{"chat"}
	none := aiventest.Service(nil)
	for name, tc := range map[string]struct {
		obj           *v1alpha1.ServiceUser
		before, after aiventest.Answer
		made          aiventest.Object // the user in the answer to a creation
		refused       string           // route
		calls         []string
		text          string
	}{
		"in sync": {obj: user(), before: has(nil), calls: []string{lookup, ca}},
		"in sync with a declared password": {
			obj: user(declared), before: has(aiventest.Object{"password": "declared-password"}), calls: []string{lookup, ca},
		},
		"in sync with rules, whose channels are Aiven's": {
			obj: user(rules(readers)), before: hasAccess(readersAtAiven), calls: []string{lookup, ca},
		},
		"create": {
			obj: user(), before: none, after: has(nil),
			calls: []string{lookup, createRoute + ` {"username":"app"}`, lookup, ca},
		},
		"create, with an answer that holds everything": {
			obj: user(), before: none,
			made:  aiventest.Object{"username": "app", "type": "normal", "password": "pass-word"},
			calls: []string{lookup, createRoute + ` {"username":"app"}`, ca},
		},
		"create under another name than the object's, in another way": {
			obj: user(func(s *v1alpha1.ServiceUserSpec) {
				s.Username, s.Authentication = "app_1", "mysql_native_password"
			}),
			before: none, after: has(aiventest.Object{"username": "app_1"}),
			calls: []string{
				lookup, createRoute + ` {"authentication":"mysql_native_password","username":"app_1"}`, lookup, ca,
			},
		},
		"create with a declared password": {
			obj: user(declared), before: none, after: has(aiventest.Object{"password": "declared-password"}),
			calls: []string{lookup, createRoute + ` {"username":"app"}`, setDeclared, lookup, ca},
		},
		"create with rules": {
			obj: user(rules(readers)), before: valkeyWith(aiventest.Object{"username": "default"}), after: hasAccess(readersAtAiven),
			calls: []string{lookup, createRoute + ` {` + readersRequest + `,"username":"app"}`, lookup, ca},
		},
		"create with rules where Aiven knows none, and refuses those that the spec has": {
			obj: user(rules(v1alpha1.ServiceUserAccessControl{ValkeyACLKeys: []string{"app:*"}})), before: none, refused: createRoute,
			calls: []string{lookup, createRoute + ` {"access_control":{"valkey_acl_keys":["app:*"]},"username":"app"}`}, text: "creating user",
		},
		"create in ClickHouse": {
			obj: user(), before: aiventest.Service(aiventest.Object{"service_type": "clickhouse"}), calls: []string{lookup},
			text: "spec.serviceName: service demo/my-pg is of type clickhouse: this kind needs a service of another type. Use the kind ClickhouseUser",
		},
		"create refused": {
			obj: user(), before: none, refused: createRoute, calls: []string{lookup, createRoute + ` {"username":"app"}`},
			text: "creating user",
		},
		"a password refused after the creation": {
			obj: user(declared), before: none, refused: modifyRoute,
			calls: []string{lookup, createRoute + ` {"username":"app"}`, setDeclared}, text: "setting password",
		},
		"another password than the declared one": {
			obj: user(declared), before: has(nil), after: has(aiventest.Object{"password": "declared-password"}),
			calls: []string{lookup, ca, setDeclared, lookup},
		},
		"a password that Aiven doesn't know": {
			obj: user(declared), before: has(aiventest.Object{"password": nil}),
			after: has(aiventest.Object{"password": "declared-password"}), calls: []string{lookup, setDeclared, lookup, ca},
		},
		"other rules": {
			obj: user(rules(readers)), before: hasAccess(nil), after: hasAccess(readersAtAiven),
			calls: []string{lookup, ca, modifyRoute + ` {` + readersRequest + `,"operation":"set-access-control"}`, lookup},
		},
		"a rule that the spec has no more": {
			obj:    user(rules(v1alpha1.ServiceUserAccessControl{})),
			before: hasAccess(aiventest.Object{"valkey_acl_keys": []any{"*"}}),
			after:  hasAccess(aiventest.Object{}),
			calls: []string{lookup, ca, modifyRoute + ` {"access_control":{"valkey_acl_categories":[],` +
				`"valkey_acl_commands":[],"valkey_acl_keys":[]},"operation":"set-access-control"}`, lookup},
		},
		"other channels": {
			obj: user(rules(channels)), before: hasAccess(readersAtAiven), refused: modifyRoute,
			calls: []string{lookup, ca, modifyRoute + ` {` + strings.Replace(readersRequest, `"valkey_acl_commands"`,
				`"valkey_acl_channels":["chat"],"valkey_acl_commands"`, 1) + `,"operation":"set-access-control"}`},
			text: "setting access control",
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, tc.before, tc.after)
			a.On(createRoute, aiventest.OK(aiventest.Object{"user": tc.made}))
			a.On(modifyRoute, aiventest.OK(aiventest.Object{"service": aiventest.ServiceFields(nil)}))
			if tc.refused != "" {
				a.On(tc.refused, aiventest.Refused(400, "no"))
			}
			c := start(t, a, tc.obj, "declared-password")
			o, err := c.Observe(t.Context(), tc.obj)
			require.NoError(t, err)
			switch {
			case !o.Remote.Exists:
				o, err = c.Create(t.Context(), tc.obj)
			case len(o.Diff) > 0:
				o, err = c.Update(t.Context(), tc.obj, o)
			}
			assert.Equal(t, tc.calls, a.Calls())
			if tc.text != "" {
				assert.ErrorContains(t, err, tc.text)
				return
			}
			require.NoError(t, err)
			assert.True(t, o.Remote.Active)
			assert.Equal(t, "normal", tc.obj.Status.Type)
			assert.False(t, o.Details.Empty())
		})
	}
}

// The spec may have been edited since the user was created, when it counted.
func TestAPasswordIsSetWithTheAuthenticationThatTheUserHas(t *testing.T) {
	for name, tc := range map[string]struct{ had, wanted, sent string }{
		"of MySQL":                 {had: "mysql_native_password", sent: `"authentication":"mysql_native_password",`},
		"of MySQL, after an edit":  {had: "mysql_native_password", wanted: "caching_sha2_password", sent: `"authentication":"mysql_native_password",`},
		"of a service without any": {wanted: "caching_sha2_password"},
	} {
		t.Run(name, func(t *testing.T) {
			found := aiventest.Object{}
			if tc.had != "" {
				found["authentication"] = tc.had
			}
			declaring := user(declared, func(s *v1alpha1.ServiceUserSpec) { s.Authentication = tc.wanted })
			rotating := user(func(s *v1alpha1.ServiceUserSpec) { s.Authentication = tc.wanted })
			for _, obj := range []*v1alpha1.ServiceUser{declaring, rotating} {
				a := aiventest.New(t)
				a.On(lookup, has(found))
				a.On(modifyRoute, aiventest.OK(aiventest.Object{"service": aiventest.ServiceFields(nil)}))
				c := start(t, a, obj, "declared-password")
				o, err := c.Observe(t.Context(), obj)
				require.NoError(t, err)
				if obj == declaring {
					_, err = c.Update(t.Context(), obj, o)
				} else {
					_, err = c.(rotation.PasswordSetter[*v1alpha1.ServiceUser, controllers.Observation]).SetPassword(t.Context(), obj, o, "declared-password")
				}
				require.NoError(t, err)
				assert.Contains(t, a.Calls(), modifyRoute+` {`+tc.sent+`"new_password":"declared-password","operation":"reset-credentials"}`)
			}
		})
	}
}

func TestANewUserGetsItsPasswordWithItsAuthentication(t *testing.T) {
	a, obj := aiventest.New(t), user(declared, func(s *v1alpha1.ServiceUserSpec) { s.Authentication = "mysql_native_password" })
	a.On(lookup, aiventest.Service(nil))
	a.On(createRoute, aiventest.OK(aiventest.Object{"user": aiventest.Object{}}))
	a.On(modifyRoute, aiventest.OK(aiventest.Object{"service": aiventest.ServiceFields(nil)}))
	c := start(t, a, obj, "declared-password")
	_, err := c.Observe(t.Context(), obj)
	require.NoError(t, err)
	_, _ = c.Create(t.Context(), obj)
	assert.Contains(t, a.Calls(), modifyRoute+` {"authentication":"mysql_native_password","new_password":"declared-password","operation":"reset-credentials"}`)
}

func TestWhatAivenMakesWithAServiceNeedsNoConsent(t *testing.T) {
	for name, tc := range map[string]struct {
		username, kind string
		free           bool
	}{
		"avnadmin":           {username: "avnadmin", kind: "primary", free: true},
		"that of Valkey":     {username: "default", kind: "primary", free: true},
		"another one":        {username: "app", kind: "normal"},
		"one called default": {username: "default", kind: "normal"},
		"of an unknown type": {username: "default"},
		"avnadmin, untyped":  {username: "avnadmin", free: true},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, has(aiventest.Object{"username": tc.username, "type": tc.kind}))
			obj := user(func(s *v1alpha1.ServiceUserSpec) { s.Username = tc.username })
			o, err := User.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), obj)
			require.NoError(t, err)
			assert.True(t, o.Remote.Exists)
			assert.Equal(t, tc.free, o.Free)
		})
	}
}

func TestUserDelete(t *testing.T) {
	for name, tc := range map[string]struct {
		username string
		kind     string // as Aiven had it
		answer   aiventest.Answer
		class    fault.Class
		calls    []string
	}{
		"deleted":                     {answer: aiventest.OK(nil), class: fault.None, calls: []string{removeRoute}},
		"gone":                        {answer: aiventest.Missing(), class: fault.None, calls: []string{removeRoute, "GET service"}},
		"refused":                     {answer: aiventest.Refused(403, "no"), class: fault.Forbidden, calls: []string{removeRoute}},
		"the service's own one stays": {username: "avnadmin", class: fault.None},
		"that of Valkey stays":        {username: "default", kind: "primary", class: fault.None},
		"another one called default":  {username: "default", kind: "normal", answer: aiventest.OK(nil), class: fault.None, calls: []string{"DELETE service/my-pg/user/default"}},
		"dots, which a proxy would take for the service (review H1)": {username: "..", class: fault.Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(removeRoute, tc.answer)
			a.On("DELETE service/my-pg/user/default", tc.answer)
			obj := user(func(s *v1alpha1.ServiceUserSpec) { s.Username = tc.username })
			obj.Status.Type = tc.kind
			err := User.New(controllers.Env{Client: a.Client()}).Delete(t.Context(), obj)
			assert.Equal(t, tc.class, fault.Of(err).Class)
			assert.Equal(t, tc.calls, a.Calls())
		})
	}
}

func TestUserDetails(t *testing.T) {
	component := func(name, host string, port int, method string) any {
		return aiventest.Object{
			"component": name, "host": host, "port": port, "route": "dynamic", "usage": "primary",
			"kafka_authentication_method": method,
		}
	}
	own := map[string]string{
		"HOST": "pg.test", "PORT": "5432", "USERNAME": "app", "PASSWORD": "made-up-password", "ACCESS_CERT": "cert",
		"ACCESS_KEY": "key", "CA_CERT": "the CA",
	}
	kafka := map[string]string{
		"HOST": "kafka.test", "PORT": "9092", "USERNAME": "app", "PASSWORD": "made-up-password", "ACCESS_CERT": "cert",
		"ACCESS_KEY": "key", "CA_CERT": "the CA", "SASL_HOST": "kafka.test", "SASL_PORT": "9094",
		"SCHEMA_REGISTRY_HOST": "registry.test", "SCHEMA_REGISTRY_PORT": "9095",
	}
	plainKafka := map[string]string{
		"HOST": "kafka.test", "PORT": "9092", "USERNAME": "app", "PASSWORD": "made-up-password", "ACCESS_CERT": "cert",
		"ACCESS_KEY": "key", "CA_CERT": "the CA", "SASL_HOST": "", "SASL_PORT": "", "SCHEMA_REGISTRY_HOST": "",
		"SCHEMA_REGISTRY_PORT": "",
	}
	users := []any{aiventest.Object{
		"username": "app", "type": "normal", "password": "made-up-password", "access_cert": "cert", "access_key": "key",
	}}
	certificate := component("kafka", "kafka.test", 9092, "certificate")
	for name, tc := range map[string]struct {
		service aiventest.Object
		caFails bool
		want    map[string]string
	}{
		"PostgreSQL": {service: aiventest.Object{"users": users}, want: own},
		"Kafka with everything": {
			service: aiventest.Object{"users": users, "service_type": "kafka", "components": []any{
				certificate, component("kafka", "kafka.test", 9094, "sasl"),
				component("schema_registry", "registry.test", 9095, ""),
			}},
			want: kafka,
		},
		"Kafka with nothing else": {
			service: aiventest.Object{"users": users, "service_type": "kafka", "components": []any{certificate}}, want: plainKafka,
		},
		"a password that Aiven doesn't return": {
			service: aiventest.Object{"users": []any{aiventest.Object{"username": "app", "type": "normal", "password": nil}}},
		},
		"a service without an address": {service: aiventest.Object{"users": users, "components": []any{}}},
		"no CA":                        {service: aiventest.Object{"users": users}, caFails: true},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, aiventest.Service(tc.service))
			if tc.caFails {
				a.On(ca, aiventest.Refused(500, "oops"))
			}
			obj := user()
			o, err := start(t, a, obj, "").Observe(t.Context(), obj)
			assert.Equal(t, tc.caFails, err != nil)
			assert.Equal(t, tc.want, o.Details.Prefixed())
			assert.Empty(t, o.Details.Legacy())
		})
	}
}

func TestAUserThatCouldNotBeDeletedIsNotCreated(t *testing.T) {
	obj := user(func(spec *v1alpha1.ServiceUserSpec) { spec.Username = "joe/" })
	a := aiventest.New(t)
	a.On("GET service/my-pg", aiventest.Service(nil))
	_, err := start(t, a, obj, "").Observe(t.Context(), obj)
	assert.Equal(t, fault.Invalid, fault.Of(err).Class)
	require.ErrorContains(t, err, "spec.username: ")
}
