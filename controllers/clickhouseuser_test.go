package controllers_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/kinds/clickhouse"
)

// The kind ClickhouseUser at work in the engine: what of a password that Aiven returns once is in the Secret.

type clickhouseUser = *v1alpha1.ClickhouseUser

func newClickhouseUser(changes ...func(clickhouseUser)) clickhouseUser {
	obj := &v1alpha1.ClickhouseUser{ObjectMeta: named("app")}
	obj.Spec.Project, obj.Spec.ServiceName = "demo", "my-ch"
	for _, change := range changes {
		change(obj)
	}
	return obj
}

func withSource(obj clickhouseUser) {
	obj.Spec.ConnInfoSecretSource = &v1alpha1.ConnInfoSecretSource{Name: "pw", PasswordKey: "password"}
}

func withoutSecret(obj clickhouseUser) { obj.Spec.ConnInfoSecretTargetDisabled = ptr.To(true) }

func source(password string) client.Object {
	return secretNamed("pw", map[string]string{"password": password})
}

// usersOf has an Aiven with at most one user, and an engine with an object.
func usersOf(t *testing.T, obj clickhouseUser, others ...client.Object) (*passwords, *controllers.Prototype[clickhouseUser]) {
	return newPasswordsOf(t, clickhouse.User, obj, others...)
}

// dataOf is what a Secret holds; nil without one.
func dataOf(t *testing.T, p *controllers.Prototype[clickhouseUser], name string) map[string]string {
	secret := &corev1.Secret{}
	if p.Cluster().Get(t.Context(), types.NamespacedName{Namespace: "ns", Name: name}, secret) != nil {
		return nil
	}
	data := map[string]string{}
	for key, value := range secret.Data {
		data[key] = string(value)
	}
	return data
}

// published is the whole of a Secret.
func published(prefix, password string) map[string]string {
	data := map[string]string{}
	for key, value := range map[string]string{"HOST": "my-ch.test", "PORT": "9440", "USERNAME": "app", "PASSWORD": password} {
		data[key], data[prefix+key] = value, value
	}
	return data
}

const defaultPrefix = "CLICKHOUSEUSER_"

// rests reconciles a few times, and expects the same Secret after each.
func rests(t *testing.T, p *controllers.Prototype[clickhouseUser], want map[string]string) {
	t.Helper()
	for range 3 {
		require.NoError(t, p.ReconcileLater("app"))
		require.Equal(t, want, dataOf(t, p, "app"))
	}
	p.Restart()
	require.NoError(t, p.Reconcile("app"))
	require.Equal(t, want, dataOf(t, p, "app"))
	assert.Equal(t, "True/ReconciliationSucceeded", p.Condition("app", condition.Ready))
}

func TestClickhouseUser_TheSecretKeepsWhatAivenReturnsOnce(t *testing.T) {
	a, p := usersOf(t, newClickhouseUser())
	rests(t, p, published(defaultPrefix, "made-by-create"))
	assert.Equal(t, "u1", p.Get("app").Status.UUID)
	assert.Equal(t, []int{1, 0}, []int{a.calls[postUser], a.calls[putUser]})
}

func TestClickhouseUser_AnotherPrefixHasTheSamePassword(t *testing.T) {
	a, p := usersOf(t, newClickhouseUser())
	require.NoError(t, p.Reconcile("app"))
	obj := p.Get("app")
	obj.Spec.ConnInfoSecretTarget = v1alpha1.ConnInfoSecretTarget{Name: "app", Prefix: "MINE_"}
	obj.Generation = 2
	require.NoError(t, p.Cluster().Update(t.Context(), obj))
	rests(t, p, published("MINE_", "made-by-create"))
	assert.Zero(t, a.calls[putUser])
}

func TestClickhouseUser_ALostPasswordIsResetOnce(t *testing.T) {
	for name, lose := range map[string]func(t *testing.T, a *passwords, p *controllers.Prototype[clickhouseUser]){
		"as the process was killed between create and publish": func(_ *testing.T, _ *passwords, p *controllers.Prototype[clickhouseUser]) {
			p.BeforeWrite(func(call string) error {
				if call == "create" || call == "status" || call == "annotations" {
					return errors.New("killed")
				}
				return nil
			})
			_ = p.Reconcile("app")
			p.BeforeWrite(func(string) error { return nil })
			restartUnsure(p)
		},
		"as the answer to the create was lost": func(_ *testing.T, a *passwords, p *controllers.Prototype[clickhouseUser]) {
			a.fail[postUser] = http.StatusBadGateway
			_ = p.Reconcile("app")
		},
		"as a user deleted the Secret": func(t *testing.T, _ *passwords, p *controllers.Prototype[clickhouseUser]) {
			require.NoError(t, p.Reconcile("app"))
			require.NoError(t, p.Cluster().Delete(t.Context(), secretNamed("app", nil)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, p := usersOf(t, newClickhouseUser())
			lose(t, a, p)
			require.Zero(t, a.calls[putUser])
			rests(t, p, published(defaultPrefix, "made-by-reset-1"))
			assert.Equal(t, "made-by-reset-1", a.current)
			assert.Equal(t, []int{1, 1}, []int{a.calls[postUser], a.calls[putUser]})
		})
	}
}

func TestClickhouseUser_AnOverwrittenPasswordIsRestoredFromTheOtherKeyOrReset(t *testing.T) {
	for name, tc := range map[string]struct {
		keys   []string
		want   string
		resets int
	}{
		"without the prefix": {[]string{"PASSWORD"}, "made-by-create", 0},
		"with the prefix":    {[]string{defaultPrefix + "PASSWORD"}, "made-by-create", 0},
		"both":               {[]string{"PASSWORD", defaultPrefix + "PASSWORD"}, "made-by-reset-1", 1},
	} {
		t.Run(name, func(t *testing.T) {
			a, p := usersOf(t, newClickhouseUser())
			require.NoError(t, p.Reconcile("app"))
			secret := &corev1.Secret{}
			require.NoError(t, p.Cluster().Get(t.Context(), types.NamespacedName{Namespace: "ns", Name: "app"}, secret))
			for _, key := range tc.keys {
				secret.Data[key] = []byte("overwritten")
			}
			require.NoError(t, p.Cluster().Update(t.Context(), secret, client.FieldOwner("a-user")))
			rests(t, p, published(defaultPrefix, tc.want))
			assert.Equal(t, tc.resets, a.calls[putUser])
		})
	}
}

func TestClickhouseUser_APasswordIsNotResetWhereItCannotBePublished(t *testing.T) {
	forbidden := func(call string) error {
		if call == "create" {
			return errors.New("secrets is forbidden")
		}
		return nil
	}
	immutable := secretNamed("app", map[string]string{"HOST": "my-ch.test"})
	immutable.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: "aiven.io/v1alpha1", Kind: "ClickhouseUser", Name: "app", UID: named("app").UID, Controller: ptr.To(true),
	}}
	immutable.Immutable = ptr.To(true)
	for name, tc := range map[string]struct {
		obj    clickhouseUser
		others []client.Object
		before func(call string) error
	}{
		"the Secret is foreign":          {newClickhouseUser(), []client.Object{secretNamed("app", map[string]string{"theirs": "x"})}, nil},
		"the operator may not write it":  {newClickhouseUser(), nil, forbidden},
		"the spec turns publication off": {newClickhouseUser(withoutSecret), nil, nil},
		"the same, with a password":      {newClickhouseUser(withSource), []client.Object{source("declared-value"), secretNamed("app", nil)}, nil},
		"our Secret is immutable":        {newClickhouseUser(), []client.Object{immutable}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			a, p := usersOf(t, tc.obj, tc.others...)
			a.current = "of-a-user"
			if tc.before != nil {
				p.BeforeWrite(tc.before)
			}
			for range 4 {
				_ = p.ReconcileLater("app")
			}
			assert.Equal(t, []int{0, 0}, []int{a.calls[postUser], a.calls[putUser]})
			assert.Equal(t, "of-a-user", a.current)
		})
	}
}

func TestClickhouseUser_ADeclaredPasswordFollowsItsSource(t *testing.T) {
	a, p := usersOf(t, newClickhouseUser(withSource), source("first-value"))
	rests(t, p, published(defaultPrefix, "first-value"))
	assert.Zero(t, a.calls[putUser], "the create has set it")
	require.NoError(t, p.Cluster().Update(t.Context(), source("second-value")))
	rests(t, p, published(defaultPrefix, "second-value"))
	assert.Equal(t, 1, a.calls[putUser])

	obj := p.Get("app")
	obj.Spec.ConnInfoSecretSource, obj.Generation = nil, 2
	require.NoError(t, p.Cluster().Update(t.Context(), obj))
	rests(t, p, published(defaultPrefix, "second-value"))
	assert.Equal(t, 1, a.calls[putUser], "without its source, the last password stays")
	assert.Equal(t, "second-value", a.current)
}

func TestClickhouseUser_AResetWhoseAnswerIsLostIsMadeAgain(t *testing.T) {
	a, p := usersOf(t, newClickhouseUser(withSource), source("first-value"))
	require.NoError(t, p.Reconcile("app"))
	require.NoError(t, p.Cluster().Update(t.Context(), source("second-value")))
	a.fail[putUser] = http.StatusBadGateway
	_ = p.ReconcileLater("app")
	rests(t, p, published(defaultPrefix, "second-value"))
	assert.Equal(t, "second-value", a.current)
	assert.Equal(t, 2, a.calls[putUser])
}

func TestClickhouseUser_WithoutASecretAPasswordIsSentWithEachVersionOfItsSource(t *testing.T) {
	a, p := usersOf(t, newClickhouseUser(withSource, withoutSecret), source("first-value"))
	for range 3 {
		require.NoError(t, p.ReconcileLater("app"))
	}
	assert.Equal(t, []int{1, 0}, []int{a.calls[postUser], a.calls[putUser]})
	require.NoError(t, p.Cluster().Update(t.Context(), source("second-value")))
	for range 3 {
		require.NoError(t, p.ReconcileLater("app"))
	}
	assert.Equal(t, []int{1, 1}, []int{a.calls[postUser], a.calls[putUser]})
	assert.Equal(t, "second-value", a.current)
	assert.Nil(t, dataOf(t, p, "app"))
}

func TestClickhouseUser_AUserIsDeletedAlsoAfterItsStatusWasWiped(t *testing.T) {
	a, p := usersOf(t, newClickhouseUser())
	require.NoError(t, p.Reconcile("app"))
	obj := p.Get("app")
	obj.Status = v1alpha1.ClickhouseUserStatus{}
	require.NoError(t, p.Cluster().Status().Update(t.Context(), obj))
	p.Delete("app")
	require.NoError(t, p.ReconcileLater("app"))
	assert.True(t, p.Gone("app"))
	assert.Empty(t, a.current)
}
