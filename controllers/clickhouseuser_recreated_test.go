package controllers_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
)

// issuedFor is the annotation of a Secret with the id of the user that its password is of.
const issuedFor = "controllers.aiven.io/credentials-issued-for"

func secretOf(t *testing.T, p *controllers.Prototype[clickhouseUser], name string) *corev1.Secret {
	t.Helper()
	secret := &corev1.Secret{}
	require.NoError(t, p.Cluster().Get(t.Context(), types.NamespacedName{Namespace: "ns", Name: name}, secret))
	return secret
}

// replace is a colleague who deletes the user and makes another one of the name.
func replace(_ *testing.T, a *passwords, _ *controllers.Prototype[clickhouseUser]) {
	a.current, a.made = "of-a-colleague", a.made+1
}

// recreateAndLoseTheAnswer is a colleague who deletes the user, while a proxy loses the answer to its recreation.
func recreateAndLoseTheAnswer(_ *testing.T, a *passwords, p *controllers.Prototype[clickhouseUser]) {
	a.current, a.fail[postUser] = "", http.StatusBadGateway
	_ = p.ReconcileLater("app")
}

// recreateAndDie is a colleague who deletes the user, and a process that is killed after it has made another one.
func recreateAndDie(t *testing.T, a *passwords, p *controllers.Prototype[clickhouseUser]) {
	a.current = ""
	p.BeforeWrite(func(string) error { return errors.New("killed") })
	require.Error(t, p.ReconcileLater("app"))
	p.BeforeWrite(func(string) error { return nil })
	restartUnsure(p)
}

// restartUnsure starts a new process, which resets nothing before the writes of the earlier one are shown.
func restartUnsure(p *controllers.Prototype[clickhouseUser]) {
	p.Restart()
	_ = p.Reconcile("app")
}

var replacements = map[string]func(*testing.T, *passwords, *controllers.Prototype[clickhouseUser]){
	"by a colleague":                          replace,
	"by an operator that lost the answer":     recreateAndLoseTheAnswer,
	"by an operator that was killed after it": recreateAndDie,
}

func TestClickhouseUser_ThePasswordOfAnEarlierUserOfTheNameIsResetOnce(t *testing.T) {
	for name, remake := range replacements {
		for mark, change := range map[string]func(annotations map[string]string){
			"":                             func(map[string]string) {},
			", where a client removed it":  func(annotations map[string]string) { delete(annotations, issuedFor) },
			", where a client replaced it": func(annotations map[string]string) { annotations[issuedFor] = "of-another" },
		} {
			t.Run(name+mark, func(t *testing.T) {
				a, p := usersOf(t, newClickhouseUser())
				rests(t, p, published(defaultPrefix, "made-by-create"))
				secret := secretOf(t, p, "app")
				change(secret.Annotations)
				require.NoError(t, p.Cluster().Update(t.Context(), secret, client.FieldOwner("a-client")))
				rests(t, p, published(defaultPrefix, "made-by-create"))
				remake(t, a, p)
				rests(t, p, published(defaultPrefix, "made-by-reset-1"))
				assert.Equal(t, "made-by-reset-1", a.current)
				assert.Equal(t, 1, a.calls[putUser])
				require.NoError(t, p.ReconcileLater("app"))
				assert.Equal(t, "u2", p.Get("app").Status.UUID)
				assert.Equal(t, "u2", secretOf(t, p, "app").Annotations[issuedFor])
			})
		}
	}
}

func TestClickhouseUser_ADeclaredPasswordIsSentToAnotherUserOfTheName(t *testing.T) {
	for name, remake := range replacements {
		t.Run(name, func(t *testing.T) {
			a, p := usersOf(t, newClickhouseUser(withSource), source("declared-value"))
			rests(t, p, published(defaultPrefix, "declared-value"))
			remake(t, a, p)
			rests(t, p, published(defaultPrefix, "declared-value"))
			assert.Equal(t, "declared-value", a.current)
			assert.LessOrEqual(t, a.calls[putUser], 1)
			assert.Equal(t, "u2", secretOf(t, p, "app").Annotations[issuedFor])
		})
	}
}

// A password from before there was the annotation may be of any user: nothing is concluded, also where the rest changes.
func TestClickhouseUser_ASecretWithoutTheAnnotationStaysAsItIs(t *testing.T) {
	for name, change := range map[string]func(clickhouseUser){
		"at rest":             nil,
		"with another prefix": func(obj clickhouseUser) { obj.Spec.ConnInfoSecretTarget.Prefix = "MINE_" },
		"under another name":  func(obj clickhouseUser) { obj.Spec.ConnInfoSecretTarget.Name = "moved" },
	} {
		t.Run(name, func(t *testing.T) {
			obj := newClickhouseUser(func(obj clickhouseUser) {
				obj.Spec.ConnInfoSecretTarget = v1alpha1.ConnInfoSecretTarget{Name: "app", Prefix: defaultPrefix}
			})
			a, p := usersOf(t, obj)
			require.NoError(t, p.Reconcile("app"))
			secret := secretOf(t, p, "app")
			require.Equal(t, "u1", secret.Annotations[issuedFor])
			delete(secret.Annotations, issuedFor)
			require.NoError(t, p.Cluster().Update(t.Context(), secret))
			before := secretOf(t, p, "app")
			if change != nil {
				obj = p.Get("app")
				change(obj)
				obj.Generation = 2
				require.NoError(t, p.Cluster().Update(t.Context(), obj))
			}
			for range 3 {
				require.NoError(t, p.ReconcileLater("app"))
			}
			target := p.Get("app").Spec.ConnInfoSecretTarget
			now := secretOf(t, p, target.Name)
			assert.Equal(t, published(target.Prefix, "made-by-create"), dataOf(t, p, target.Name))
			assert.NotContains(t, now.Annotations, issuedFor)
			assert.Zero(t, a.calls[putUser])
			if change == nil {
				assert.Equal(t, before.ResourceVersion, now.ResourceVersion)
			}
		})
	}
}

func TestClickhouseUser_TheAnnotationMovesWithThePassword(t *testing.T) {
	a, p := usersOf(t, newClickhouseUser())
	require.NoError(t, p.Reconcile("app"))
	obj := p.Get("app")
	obj.Spec.ConnInfoSecretTarget, obj.Generation = v1alpha1.ConnInfoSecretTarget{Name: "moved"}, 2
	require.NoError(t, p.Cluster().Update(t.Context(), obj))
	require.NoError(t, p.ReconcileLater("app"))
	assert.Equal(t, "u1", secretOf(t, p, "moved").Annotations[issuedFor])
	assert.NotContains(t, secretOf(t, p, "app").Annotations, issuedFor)
	replace(t, a, p)
	require.NoError(t, p.ReconcileLater("app"))
	assert.Equal(t, published(defaultPrefix, "made-by-reset-1"), dataOf(t, p, "moved"))
	assert.Equal(t, "u2", secretOf(t, p, "moved").Annotations[issuedFor])
}

// A backup is older than the user of the name.
func TestClickhouseUser_ASecretThatWasRestoredWithThePasswordOfAnEarlierUserIsReset(t *testing.T) {
	a, p := usersOf(t, newClickhouseUser())
	require.NoError(t, p.Reconcile("app"))
	backup := secretOf(t, p, "app")
	replace(t, a, p)
	require.NoError(t, p.ReconcileLater("app"))
	require.NoError(t, p.Cluster().Delete(t.Context(), secretOf(t, p, "app")))
	backup.ResourceVersion, backup.UID = "", ""
	require.NoError(t, p.Cluster().Create(t.Context(), backup))
	restartUnsure(p)
	rests(t, p, published(defaultPrefix, "made-by-reset-2"))
	assert.Equal(t, "made-by-reset-2", a.current)
}
