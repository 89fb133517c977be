package controllers_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/kinds/clickhouse"
	"github.com/aero-operator/aero/controllers/kinds/postgres"
	"github.com/aero-operator/aero/controllers/kinds/shared"
)

const modifyUser = "PUT /v1/project/demo/service/my-pg/user/{user}"

var errKilled = errors.New("killed")

// rotating is an Aiven with a PostgreSQL service, whose users have passwords, and an engine with one object.
type rotating[T controllers.Object] struct {
	*api
	*controllers.Prototype[T]
	t         *testing.T
	passwords map[string]string // by user
	hidden    bool              // Aiven shows no password
	lagging   map[string]string // passwords that reads still show, by user
	refuses   bool              // Aiven refuses to set one
	quotes    bool              // it quotes the password then
	set       []string          // passwords that were set
	writes    int               // at Aiven and in the cluster
	dead      bool              // the process is killed: none of its writes takes effect
	killAt    int               // the write at which it is killed; 0 for none
	clock     func() time.Time
}

// strike reports whether the process is killed at this write or was before.
func (a *rotating[T]) strike() bool {
	a.writes++
	a.dead = a.dead || a.writes == a.killAt
	return a.dead
}

// RoundTrip implements http.RoundTripper.
func (a *rotating[T]) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet && a.strike() {
		return nil, errKilled
	}
	return a.api.RoundTrip(r)
}

func newRotating[T controllers.Object](t *testing.T, kind controllers.Kind[T], obj T, others ...client.Object) *rotating[T] {
	a := &rotating[T]{api: newAPI(t), t: t, passwords: map[string]string{"app": "first-password", "avnadmin": "admin-password"}}
	start, changed := time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), map[string]time.Time{}
	a.on("GET /v1/project/demo/service/my-pg", func(*http.Request) (any, int) {
		users := []any{}
		for _, name := range []string{"app", "avnadmin"} {
			at, ok := changed[name]
			if !ok {
				at = start
			}
			user := fields{"username": name, "type": "regular", "password": a.passwords[name], "password_updated_time": at.Format(time.RFC3339)}
			if shown, lags := a.lagging[name]; lags {
				user["password"] = shown
			}
			if a.hidden {
				user["password"] = "<redacted>"
			}
			users = append(users, user)
		}
		return service("my-pg", "pg", "RUNNING", fields{
			"users":      users,
			"components": []any{fields{"component": "pg", "host": "pg.test", "port": 5432, "route": "dynamic", "usage": "primary"}},
			"service_uri_params": fields{
				"host": "pg.test", "port": "5432", "user": "avnadmin", "dbname": "defaultdb", "password": a.passwords["avnadmin"],
			},
		}), http.StatusOK
	})
	a.on("GET /v1/project/demo/kms/ca", func(*http.Request) (any, int) { return fields{"certificate": "ca"}, http.StatusOK })
	a.on(modifyUser, func(r *http.Request) (any, int) {
		in := decode[fields](t, r)
		password, chosen := in["new_password"].(string)
		require.True(t, chosen, "Aiven would make a password that could be lost")
		require.Equal(t, "reset-credentials", in["operation"])
		switch {
		case a.refuses && a.quotes:
			return refusal("no such luck with " + password), http.StatusBadRequest
		case a.refuses:
			return refusal("no such luck"), http.StatusBadRequest
		}
		a.passwords[r.PathValue("user")], changed[r.PathValue("user")] = password, a.clock()
		a.set = append(a.set, password)
		return fields{"service": fields{}}, http.StatusOK
	})
	a.Prototype = controllers.NewPrototype(t, kind, runtime.NewScheme(), a, append([]client.Object{obj}, others...)...)
	a.clock = a.Prototype.Now
	a.BeforeWrite(func(string) error {
		if a.strike() {
			return errKilled
		}
		return nil
	})
	return a
}

func newRotatingUser(t *testing.T, changes ...func(*v1alpha1.ServiceUser)) *rotating[*v1alpha1.ServiceUser] {
	obj := &v1alpha1.ServiceUser{ObjectMeta: named("app")}
	obj.Spec.Project, obj.Spec.ServiceName = "demo", "my-pg"
	for _, change := range changes {
		change(obj)
	}
	return newRotating(t, shared.User, obj)
}

// annotate sets an annotation, as a user does.
func (a *rotating[T]) annotate(name, value string) {
	a.t.Helper()
	obj := a.Get("app")
	annotations := map[string]string{}
	for key, value := range obj.GetAnnotations() {
		annotations[key] = value
	}
	annotations[name] = value
	obj.SetAnnotations(annotations)
	require.NoError(a.t, a.Cluster().Update(a.t.Context(), obj))
}

func (a *rotating[T]) secret(name string) map[string][]byte {
	secret := &corev1.Secret{}
	if a.Cluster().Get(a.t.Context(), types.NamespacedName{Namespace: "ns", Name: name}, secret) != nil {
		return nil
	}
	return secret.Data
}

// settle reconciles until nothing is left to do.
func (a *rotating[T]) settle() {
	a.t.Helper()
	for range 4 {
		require.NoError(a.t, a.ReconcileLater("app"))
	}
}

// rests expects that nothing is written any more.
func (a *rotating[T]) rests() {
	a.t.Helper()
	before := a.writes
	a.settle()
	a.Restart()
	a.settle()
	assert.Equal(a.t, before, a.writes)
}

func TestRotation_ARequestIsOneNewPassword(t *testing.T) {
	a := newRotatingUser(t)
	a.settle()
	assert.Nil(t, a.secret("app-pending"), "nothing is stored without a request")
	for i, request := range []string{"one", "two"} {
		a.annotate(annotation.RotateRequested, request)
		a.settle()
		require.Len(t, a.set, i+1)
		assert.Equal(t, a.passwords["app"], string(a.secret("app")["SERVICEUSER_PASSWORD"]))
		assert.Equal(t, request, a.Get("app").Status.LastHandledRotateAt)
		assert.Empty(t, a.secret("app-pending"))
		assert.Equal(t, "True/ReconciliationSucceeded", a.Condition("app", condition.Ready))
		a.rests()
	}
	assert.NotEqual(t, a.set[0], a.set[1])
	assert.Contains(t, a.Events(), "Normal Rotated Reconcile: Set another password at Aiven, by the annotation "+
		"controllers.aiven.io/rotate-requested-at or controllers.aiven.io/rotation-interval. New logins need it from now on")
}

// survive reconciles until all is done. The process that is killed at a write is started again.
func (a *rotating[T]) survive(killAt int) {
	a.writes, a.killAt = 0, killAt
	for range 6 {
		_ = a.ReconcileLater("app")
		if a.dead {
			a.dead, a.killAt = false, 0
			a.Restart()
		}
	}
}

// A process that is killed at any write, of the cluster or of Aiven, is started again.
func TestRotation_AKillAtAnyWriteLosesNoPasswordAndRotatesOnce(t *testing.T) {
	lives := func(t *testing.T, killAt int) *rotating[*v1alpha1.ServiceUser] {
		a := newRotatingUser(t)
		a.settle()
		a.annotate(annotation.RotateRequested, "one")
		a.survive(killAt)
		return a
	}
	writes := lives(t, 0).writes
	require.GreaterOrEqual(t, writes, 5, "the pending password, Aiven, the Secret, the status, and the pending password again")
	for killAt := 1; killAt <= writes; killAt++ {
		t.Run(fmt.Sprintf("write %d", killAt), func(t *testing.T) {
			a := lives(t, killAt)
			require.Len(t, a.set, 1, "one request is one rotation")
			assert.Equal(t, a.set[0], a.passwords["app"])
			assert.Equal(t, a.set[0], string(a.secret("app")["SERVICEUSER_PASSWORD"]))
			assert.Equal(t, "one", a.Get("app").Status.LastHandledRotateAt)
			assert.Empty(t, a.secret("app-pending"))
			a.rests()
		})
	}
}

func TestRotation_AnAnswerThatIsLostRepeatsTheSamePassword(t *testing.T) {
	a := newRotatingUser(t)
	a.settle()
	a.annotate(annotation.RotateRequested, "one")
	a.fail[modifyUser] = http.StatusBadGateway
	_ = a.ReconcileLater("app")
	a.settle()
	require.NotEmpty(t, a.set)
	for _, password := range a.set {
		assert.Equal(t, a.set[0], password)
	}
	assert.Equal(t, a.set[0], string(a.secret("app")["SERVICEUSER_PASSWORD"]))
	assert.Equal(t, "one", a.Get("app").Status.LastHandledRotateAt)
	a.rests()
}

func TestRotation_APasswordThatAUserSetsMeanwhileIsPublished(t *testing.T) {
	a := newRotatingUser(t)
	a.settle()
	a.annotate(annotation.RotateRequested, "one")
	a.writes, a.killAt = 0, 5 // after a dry run, and the pending password was stored and set at Aiven
	_ = a.ReconcileLater("app")
	require.Len(t, a.set, 1)
	a.passwords["app"] = "of-a-user"
	a.dead, a.killAt = false, 0
	a.Restart()
	a.settle()
	assert.Len(t, a.set, 1, "it isn't reverted")
	assert.Equal(t, "of-a-user", string(a.secret("app")["SERVICEUSER_PASSWORD"]))
	assert.Equal(t, "one", a.Get("app").Status.LastHandledRotateAt)
	a.rests()
}

func TestRotation_ARequestBeforeTheFirstReadyIsHandledAsItIs(t *testing.T) {
	a := newRotatingUser(t, func(obj *v1alpha1.ServiceUser) {
		metav1.SetMetaDataAnnotation(&obj.ObjectMeta, annotation.RotateRequested, "of-the-manifest")
	})
	a.settle()
	assert.Empty(t, a.set)
	assert.Equal(t, "of-the-manifest", a.Get("app").Status.LastHandledRotateAt)
	a.rests()
}

// A backup has the annotations of an object and not its status. What is restored from it adopts the user, whose password clients have.
func TestRotation_ARestoredRequestIsHandledAsItIs(t *testing.T) {
	for killAt := range 6 {
		t.Run(fmt.Sprintf("killed at write %d", killAt), func(t *testing.T) {
			a := newRotatingUser(t, func(obj *v1alpha1.ServiceUser) {
				obj.Annotations = map[string]string{
					annotation.RotateRequested: "of-the-backup", annotation.Running: "true", annotation.Processed: "1",
				}
			})
			a.survive(killAt)
			assert.Empty(t, a.set)
			assert.Equal(t, "of-the-backup", a.Get("app").Status.LastHandledRotateAt)
			a.rests()
		})
	}
}

// A tool may restore the status together with the object, whose UID is another one then.
func TestRotation_TheStatusOfAnotherObjectIsNoReadiness(t *testing.T) {
	a := newRotatingUser(t, func(obj *v1alpha1.ServiceUser) {
		metav1.SetMetaDataAnnotation(&obj.ObjectMeta, annotation.RotateRequested, "of-the-backup")
		obj.UID = "restored"
		obj.Status.Phase = v1alpha1.PhaseReady
		obj.Status.Provenance = &v1alpha1.Provenance{Type: v1alpha1.ProvenanceCreated, UID: "backed-up", WasReady: true}
	})
	a.settle()
	assert.Empty(t, a.set)
	assert.Equal(t, "of-the-backup", a.Get("app").Status.LastHandledRotateAt)
}

func TestRotation_OneAtATimeServesItsOwnRequest(t *testing.T) {
	a := newRotatingUser(t)
	a.settle()
	a.annotate(annotation.RotateRequested, "one")
	a.writes, a.killAt = 0, 5
	_ = a.ReconcileLater("app")
	a.dead, a.killAt = false, 0
	a.Restart()
	a.annotate(annotation.RotateRequested, "two")
	a.settle()
	assert.Len(t, a.set, 2)
	assert.Equal(t, "two", a.Get("app").Status.LastHandledRotateAt)
	assert.Equal(t, a.set[1], string(a.secret("app")["SERVICEUSER_PASSWORD"]))
	a.rests()
}

func TestRotation_WhatIsInTheWayIsACondition(t *testing.T) {
	for name, tc := range map[string]struct {
		change  func(a *rotating[*v1alpha1.ServiceUser], obj *v1alpha1.ServiceUser)
		reason  string
		message string
	}{
		"the spec names a Secret with the password": {
			func(_ *rotating[*v1alpha1.ServiceUser], obj *v1alpha1.ServiceUser) {
				obj.Spec.ConnInfoSecretSource = &v1alpha1.ConnInfoSecretSource{Name: "pw", PasswordKey: "password"}
			}, "RotationRefused", "spec.connInfoSecretSource names the Secret that has it",
		},
		"nothing is published": {
			func(_ *rotating[*v1alpha1.ServiceUser], obj *v1alpha1.ServiceUser) {
				obj.Spec.ConnInfoSecretTargetDisabled = ptr.To(true)
			}, "RotationRefused", "spec.connInfoSecretTargetDisabled is set",
		},
		"nothing may be written": {
			func(_ *rotating[*v1alpha1.ServiceUser], obj *v1alpha1.ServiceUser) {
				metav1.SetMetaDataAnnotation(&obj.ObjectMeta, annotation.Management, "Observe")
			}, "RotationRefused", "management-policy allows no change",
		},
		"Aiven hides the password": {
			func(a *rotating[*v1alpha1.ServiceUser], _ *v1alpha1.ServiceUser) { a.hidden = true },
			"PasswordUnknown", "Check that the token has the permission to read secrets",
		},
		"the connection Secret can't be changed": {
			func(a *rotating[*v1alpha1.ServiceUser], _ *v1alpha1.ServiceUser) {
				secret := &corev1.Secret{}
				require.NoError(t, a.Cluster().Get(t.Context(), types.NamespacedName{Namespace: "ns", Name: "app"}, secret))
				secret.Immutable = ptr.To(true)
				require.NoError(t, a.Cluster().Update(t.Context(), secret))
			}, "RotationRefused", "Secret ns/app is immutable",
		},
		"a Secret of a user has the name": {
			func(a *rotating[*v1alpha1.ServiceUser], _ *v1alpha1.ServiceUser) {
				require.NoError(t, a.Cluster().Create(t.Context(), secretNamed("app-pending", map[string]string{"x": "y"})))
			}, "RotationRefused", "Delete the Secret",
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := newRotatingUser(t)
			require.NoError(t, a.Cluster().Create(t.Context(), secretNamed("pw", map[string]string{"password": "first-password"})))
			a.settle()
			obj := a.Get("app")
			tc.change(a, obj)
			metav1.SetMetaDataAnnotation(&obj.ObjectMeta, annotation.RotateRequested, "one")
			require.NoError(t, a.Cluster().Update(t.Context(), obj))
			a.settle()
			assert.Empty(t, a.set)
			assert.Equal(t, "True/"+tc.reason, a.Condition("app", condition.RotationBlocked))
			assert.Contains(t, a.Message("app", condition.RotationBlocked), tc.message)
			assert.Equal(t, "True/ReconciliationSucceeded", a.Condition("app", condition.Ready), "the password that is published is valid")
			assert.Empty(t, a.Get("app").Status.LastHandledRotateAt)
			a.rests()
			obj = a.Get("app")
			delete(obj.Annotations, annotation.RotateRequested)
			require.NoError(t, a.Cluster().Update(t.Context(), obj))
			a.settle()
			assert.Empty(t, a.Condition("app", condition.RotationBlocked))
		})
	}
}

// A user who may write Secrets, and not the object, can't have a password set.
func TestRotation_ASecretAloneSetsNoPassword(t *testing.T) {
	for _, request := range []string{"one", ""} {
		a := newRotatingUser(t)
		a.settle()
		replaced, obj := sha256.Sum256([]byte("first-password")), a.Get("app")
		forged := secretNamed("app-pending", map[string]string{"password": "of-a-stranger", "request": request, "replaces": string(replaced[:])})
		forged.Annotations = map[string]string{annotation.Rotation: "pending"}
		forged.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: "aiven.io/v1alpha1", Kind: "ServiceUser", Name: "app", UID: obj.UID, Controller: ptr.To(true),
		}}
		require.NoError(t, a.Cluster().Create(t.Context(), forged))
		a.settle()
		assert.Empty(t, a.set)
		assert.Equal(t, "first-password", string(a.secret("app")["SERVICEUSER_PASSWORD"]))
	}
}

func TestRotation_OfTheAdministratorOfAService(t *testing.T) {
	obj := &v1alpha1.PostgreSQL{ObjectMeta: named("my-pg")}
	obj.Spec.Project, obj.Spec.Plan = "demo", "startup-4"
	a := newRotating(t, postgres.Service, obj)
	reconcile := func() {
		for range 4 {
			require.NoError(t, a.ReconcileLater("my-pg"))
		}
	}
	reconcile()
	live := a.Get("my-pg")
	metav1.SetMetaDataAnnotation(&live.ObjectMeta, annotation.RotateRequested, "one")
	require.NoError(t, a.Cluster().Update(t.Context(), live))
	reconcile()
	require.Len(t, a.set, 1)
	assert.Equal(t, a.set[0], a.passwords["avnadmin"])
	assert.Equal(t, a.set[0], string(a.secret("my-pg")["POSTGRESQL_PASSWORD"]))
	assert.Equal(t, "one", a.Get("my-pg").Status.LastHandledRotateAt)
	assert.Empty(t, a.secret("my-pg-pending"))
}

func TestRotation_OfAClickhouseUser(t *testing.T) {
	for killAt := range 7 {
		t.Run(fmt.Sprintf("killed at write %d", killAt), func(t *testing.T) {
			a, p := newPasswordsOf(t, clickhouse.User, newClickhouseUser())
			require.NoError(t, p.ReconcileLater("app"))
			obj := p.Get("app")
			metav1.SetMetaDataAnnotation(&obj.ObjectMeta, annotation.RotateRequested, "one")
			require.NoError(t, p.Cluster().Update(t.Context(), obj))
			writes, dead := 0, false
			p.BeforeWrite(func(string) error {
				writes++
				if dead = dead || writes == killAt; dead {
					return errKilled
				}
				return nil
			})
			for range 6 {
				_ = p.ReconcileLater("app")
				if dead {
					dead, killAt = false, 0
					p.Restart()
				}
			}
			assert.NotContains(t, []string{"", "made-by-create"}, a.current)
			assert.LessOrEqual(t, a.calls[putUser], 2, "a kill between Aiven and the Secret sets the same one again")
			rests(t, p, published(defaultPrefix, a.current))
			assert.Equal(t, "one", p.Get("app").Status.LastHandledRotateAt)
			assert.Empty(t, dataOf(t, p, "app-pending"))
		})
	}
}

func TestRotation_ByTheClock(t *testing.T) {
	a := newRotatingUser(t, func(obj *v1alpha1.ServiceUser) {
		metav1.SetMetaDataAnnotation(&obj.ObjectMeta, annotation.RotationInterval, "1080h")
	})
	for range 20 { // the password is of April 1, and the clock starts on May 1
		a.Advance(23 * time.Hour)
		require.NoError(t, a.Reconcile("app"))
		if a.Now().Before(time.Date(2026, 5, 16, 0, 0, 0, 0, time.UTC)) {
			require.Empty(t, a.set)
		}
	}
	require.Len(t, a.set, 1)
	assert.Equal(t, a.set[0], string(a.secret("app")["SERVICEUSER_PASSWORD"]))
	assert.Empty(t, a.Get("app").Status.LastHandledRotateAt, "there was no request")
	assert.Empty(t, a.secret("app-pending"))
	a.Advance(40 * 24 * time.Hour)
	a.settle()
	assert.Len(t, a.set, 1)
	a.Advance(2 * 24 * time.Hour)
	a.settle()
	assert.Len(t, a.set, 2)
}

func TestRotation_AKillOfOneByTheClockIsOneRotation(t *testing.T) {
	for killAt := range 6 {
		t.Run(fmt.Sprintf("write %d", killAt), func(t *testing.T) {
			a := newRotatingUser(t)
			a.settle()
			a.annotate(annotation.RotationInterval, "1h")
			a.survive(killAt)
			require.Len(t, a.set, 1)
			assert.Equal(t, a.set[0], string(a.secret("app")["SERVICEUSER_PASSWORD"]))
			assert.Empty(t, a.secret("app-pending"))
		})
	}
}

func TestRotation_AnIntervalThatIsNoneIsACondition(t *testing.T) {
	for value, reason := range map[string]string{"59m": "True/RotationRefused", "monthly": "True/RotationRefused", "": "True/RotationRefused", "1080h": ""} {
		t.Run(value, func(t *testing.T) {
			a := newRotatingUser(t)
			a.settle()
			a.annotate(annotation.RotationInterval, value)
			a.settle()
			assert.Empty(t, a.set)
			assert.Equal(t, reason, a.Condition("app", condition.RotationBlocked))
			if reason != "" {
				assert.Contains(t, a.Message("app", condition.RotationBlocked), "must be a duration of at least 1h")
			}
			a.rests()
		})
	}
}

func TestRotation_AivenDoesNotReportTheTimeOfAClickhouseUser(t *testing.T) {
	a, p := newPasswordsOf(t, clickhouse.User, newClickhouseUser())
	require.NoError(t, p.ReconcileLater("app"))
	obj := p.Get("app")
	metav1.SetMetaDataAnnotation(&obj.ObjectMeta, annotation.RotationInterval, "1h")
	require.NoError(t, p.Cluster().Update(t.Context(), obj))
	rests(t, p, published(defaultPrefix, "made-by-create"))
	assert.Zero(t, a.calls[putUser])
	assert.Equal(t, "True/PasswordUnknown", p.Condition("app", condition.RotationBlocked))
	assert.Contains(t, p.Message("app", condition.RotationBlocked), "Use annotation controllers.aiven.io/rotate-requested-at")
}

// What Aiven refuses is shown as the refusal of any other change, and the published password stays the valid one.
func TestRotation_ARefusalOfAivenIsShown(t *testing.T) {
	a := newRotatingUser(t)
	a.settle()
	a.refuses = true
	a.annotate(annotation.RotateRequested, "one")
	for range 3 {
		_ = a.ReconcileLater("app")
	}
	assert.Equal(t, "False/InvalidSpec", a.Condition("app", condition.Ready))
	assert.Contains(t, a.Message("app", condition.Ready), "no such luck")
	assert.Equal(t, "first-password", string(a.secret("app")["SERVICEUSER_PASSWORD"]))
	assert.Equal(t, "True/Published", a.Condition("app", condition.SecretReady))
	assert.Empty(t, a.Get("app").Status.LastHandledRotateAt)
	a.refuses = false
	a.settle()
	assert.Len(t, a.set, 1)
	assert.Equal(t, "True/ReconciliationSucceeded", a.Condition("app", condition.Ready))
	assert.Equal(t, "one", a.Get("app").Status.LastHandledRotateAt)
}

// A pending password is shown nowhere, also where Aiven quotes it.
func TestRotation_NoTextHasThePassword(t *testing.T) {
	a := newRotatingUser(t)
	a.settle()
	a.quotes, a.refuses = true, true
	a.annotate(annotation.RotateRequested, "one")
	for range 3 {
		_ = a.ReconcileLater("app")
	}
	pending := string(a.secret("app-pending")["password"])
	require.Len(t, pending, 26)
	for _, text := range append(a.Events(), fmt.Sprint(a.Get("app").Status)) {
		assert.NotContains(t, text, pending)
	}
	assert.Contains(t, a.Message("app", condition.Ready), "***")
}

// Reads may show the former password for a while: it isn't published as if it were valid, and there is no second one.
func TestRotation_AReadThatLagsBehind(t *testing.T) {
	a := newRotatingUser(t)
	a.settle()
	a.annotate(annotation.RotateRequested, "one")
	a.lagging = map[string]string{"app": "first-password"}
	require.NoError(t, a.ReconcileLater("app"))
	assert.Equal(t, "Unknown/Progressing", a.Condition("app", condition.Ready), "the Secret has a password that is no longer valid")
	assert.Empty(t, a.Get("app").Status.LastHandledRotateAt)
	require.NoError(t, a.ReconcileLater("app"))
	assert.Empty(t, a.Get("app").Status.LastHandledRotateAt)
	a.lagging = nil
	a.settle()
	for _, password := range a.set {
		assert.Equal(t, a.passwords["app"], password)
	}
	assert.Equal(t, a.passwords["app"], string(a.secret("app")["SERVICEUSER_PASSWORD"]))
	assert.Equal(t, "one", a.Get("app").Status.LastHandledRotateAt)
	assert.Equal(t, "True/ReconciliationSucceeded", a.Condition("app", condition.Ready))
	a.rests()
}
