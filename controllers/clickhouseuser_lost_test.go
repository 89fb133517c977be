package controllers_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/kinds/clickhouse"
)

// A policy under which nothing is written at Aiven makes no Secret that is gone Ready.
func TestClickhouseUser_ALostPasswordThatAPolicyKeepsLostIsNotReady(t *testing.T) {
	const drift, management = "controllers.aiven.io/drift-policy", "controllers.aiven.io/management-policy"
	remove := func(t *testing.T, p *controllers.Prototype[clickhouseUser]) {
		require.NoError(t, p.Cluster().Delete(t.Context(), secretNamed("app", nil)))
	}
	for name, tc := range map[string]struct {
		annotation, value string
		lose              func(t *testing.T, p *controllers.Prototype[clickhouseUser])
	}{
		"its Secret is deleted, under Report":  {drift, "Report", remove},
		"its Secret is deleted, under Observe": {management, "Observe", remove},
		"its keys are overwritten": {drift, "Report", func(t *testing.T, p *controllers.Prototype[clickhouseUser]) {
			secret := secretOf(t, p, "app")
			secret.Data["PASSWORD"], secret.Data[defaultPrefix+"PASSWORD"] = []byte("junk"), []byte("junk")
			require.NoError(t, p.Cluster().Update(t.Context(), secret, client.FieldOwner("a-client")))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			a, p := usersOf(t, newClickhouseUser())
			rests(t, p, published(defaultPrefix, "made-by-create"))
			obj := p.Get("app")
			metav1.SetMetaDataAnnotation(&obj.ObjectMeta, tc.annotation, tc.value)
			require.NoError(t, p.Cluster().Update(t.Context(), obj))
			require.NoError(t, p.ReconcileLater("app"))
			tc.lose(t, p)
			require.NoError(t, p.ReconcileLater("app"))
			assert.Equal(t, "Unknown/Progressing", p.Condition("app", condition.Ready))
			assert.Equal(t, "False/NotYetAvailable", p.Condition("app", condition.SecretReady))
			for _, kind := range []string{condition.Ready, condition.SecretReady} {
				assert.Contains(t, p.Message("app", kind), "They aren't reset because of the annotation "+drift+" or "+management+". To publish them, name a Secret")
			}
			assert.Equal(t, v1alpha1.PhaseDegraded, p.Get("app").Status.Phase)
			assert.Zero(t, a.calls[putUser])

			obj = p.Get("app")
			delete(obj.Annotations, tc.annotation)
			require.NoError(t, p.Cluster().Update(t.Context(), obj))
			rests(t, p, published(defaultPrefix, "made-by-reset-1"))
		})
	}
}

func TestClickhouseUser_WhatOnlyObservesSaysThatThePasswordIsNotKnown(t *testing.T) {
	a, p := usersOf(t, newClickhouseUser(func(obj clickhouseUser) {
		metav1.SetMetaDataAnnotation(&obj.ObjectMeta, "controllers.aiven.io/management-policy", "Observe")
	}))
	a.current, a.made = "of-a-colleague", 1
	for range 40 {
		require.NoError(t, p.ReconcileLater("app"))
	}
	assert.Contains(t, p.Message("app", condition.Ready), "Aiven returns them only when they are set")
	assert.NotContains(t, p.Message("app", condition.Ready), "token")
}

// A Secret that can't be written is a matter of the cluster: no reset is made, and the status says what can't be written.
func TestClickhouseUser_ADryRunThatFailsIsShownBySecretReady(t *testing.T) {
	a, p := usersOf(t, newClickhouseUser())
	rests(t, p, published(defaultPrefix, "made-by-create"))
	require.NoError(t, p.Cluster().Delete(t.Context(), secretNamed("app", nil)))
	p.BeforeWrite(func(call string) error {
		if call == "create" {
			return errors.New("admission webhook denied the request")
		}
		return nil
	})
	require.Error(t, p.ReconcileLater("app"))
	assert.Equal(t, "Unknown/ProgressingWithRetry", p.Condition("app", condition.Ready))
	assert.Equal(t, "False/WriteFailed", p.Condition("app", condition.SecretReady))
	assert.Contains(t, p.Message("app", condition.SecretReady), "denied the request")
	assert.Equal(t, "True/Reachable", p.Condition("app", condition.DependenciesReachable))
	assert.NotContains(t, p.Get("app").Annotations, "controllers.aiven.io/instance-is-running")
	assert.Zero(t, a.calls[putUser])
}

func TestClickhouseUser_ASecretOfAnotherNameThatIsAdoptedGetsTheSamePassword(t *testing.T) {
	existing := secretNamed("existing", map[string]string{"theirs": "x"})
	existing.Annotations = map[string]string{"controllers.aiven.io/adopt-secret": "true"}
	a, p := usersOf(t, newClickhouseUser(), existing)
	rests(t, p, published(defaultPrefix, "made-by-create"))
	obj := p.Get("app")
	obj.Spec.ConnInfoSecretTarget, obj.Generation = v1alpha1.ConnInfoSecretTarget{Name: "existing"}, 2
	require.NoError(t, p.Cluster().Update(t.Context(), obj))
	require.NoError(t, p.ReconcileLater("app"))
	assert.Equal(t, "made-by-create", dataOf(t, p, "existing")["PASSWORD"])
	assert.Zero(t, a.calls[putUser])
}

// A Secret of aiven-operator may have the key without a value.
func TestClickhouseUser_AnEmptyPasswordIsALostOne(t *testing.T) {
	obj := newClickhouseUser(func(obj clickhouseUser) {
		obj.Spec.ConnInfoSecretTarget = v1alpha1.ConnInfoSecretTarget{Name: "app", Prefix: defaultPrefix}
		obj.Status.UUID = "u1"
	})
	secret := secretNamed("app", published(defaultPrefix, ""))
	secret.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: "aiven.io/v1alpha1", Kind: "ClickhouseUser", Name: "app", UID: obj.UID, Controller: ptr.To(true), BlockOwnerDeletion: ptr.To(true),
	}}
	a, p := usersOf(t, obj)
	a.current, a.made = "forgotten", 1
	require.NoError(t, p.Cluster().Create(t.Context(), secret, client.FieldOwner("manager")))
	rests(t, p, published(defaultPrefix, "made-by-reset-1"))
}

// A reset whose answer was lost may be made after the process that sent it is gone: the next one waits for that.
func TestClickhouseUser_AResetOfAnEarlierProcessIsNotPublishedOver(t *testing.T) {
	a, p := usersOf(t, newClickhouseUser())
	rests(t, p, published(defaultPrefix, "made-by-create"))
	require.NoError(t, p.Cluster().Delete(t.Context(), secretNamed("app", nil)))
	a.fail[putUser] = http.StatusGatewayTimeout
	p.Advance(time.Minute)
	before := a.current
	_ = p.Reconcile("app")
	late := a.current
	a.current = before // it isn't made yet
	p.Restart()
	p.Advance(time.Second)
	_ = p.Reconcile("app")
	assert.Equal(t, 1, a.calls[putUser])
	a.current = late // now it is
	rests(t, p, published(defaultPrefix, "made-by-reset-2"))
	assert.Equal(t, "made-by-reset-2", a.current)
}

// What Aiven hides isn't compared: a declared password would be sent at each poll.
func TestClickhouseUser_APasswordOfTheAdminThatTheServiceHidesIsSentOnce(t *testing.T) {
	a, sent := newAPI(t), 0
	a.on("GET /v1/project/demo/service/my-ch", func(*http.Request) (any, int) {
		return service("my-ch", "clickhouse", "RUNNING", fields{"service_uri_params": fields{
			"host": "my-ch.test", "port": "9440", "user": "avnadmin", "password": "<redacted>",
		}}), http.StatusOK
	})
	a.on(getUsers, func(*http.Request) (any, int) {
		return fields{"users": []any{fields{"name": "avnadmin", "uuid": "u0", "required": true}}}, http.StatusOK
	})
	a.on(putUser, func(*http.Request) (any, int) {
		sent++
		return fields{"password": "<redacted>"}, http.StatusOK
	})
	obj := newClickhouseUser(withSource, func(obj clickhouseUser) { obj.Spec.Username = "avnadmin" })
	p := controllers.NewPrototype(t, clickhouse.User, runtime.NewScheme(), a, obj, source("declared-value"))
	for range 6 {
		require.NoError(t, p.ReconcileLater("app"))
	}
	assert.Equal(t, 1, sent)
	assert.Equal(t, "declared-value", dataOf(t, p, "app")["PASSWORD"])
}
