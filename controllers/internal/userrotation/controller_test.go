package userrotation_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/connectionsecret"
	"github.com/aero-operator/aero/controllers/internal/event"
	"github.com/aero-operator/aero/controllers/internal/secretcontroller"
	"github.com/aero-operator/aero/controllers/internal/userrotation"
)

const requested = "controllers.aiven.io/rotate-requested-at"

var key = types.NamespacedName{Namespace: "apps", Name: "orders"}

// world is a cluster with a rotation of the users a and b, whose passwords this test rotates.
type world struct {
	client.Client

	t      *testing.T
	loop   *secretcontroller.Loop[*aero.ServiceUserRotation]
	known  *connectionsecret.Known
	now    time.Time
	secret *corev1.Secret // nil for none
	fail   error          // of the next publication
	events []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	scheme := runtime.NewScheme()
	require.NoError(t, errors.Join(v1alpha1.AddToScheme(scheme), aero.AddToScheme(scheme), corev1.AddToScheme(scheme)))
	w := &world{t: t, now: time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)}
	obj := &aero.ServiceUserRotation{ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: "orders", UID: "r", Generation: 1}}
	obj.Spec = aero.ServiceUserRotationSpec{
		UserRefs: []aero.UserReference{{Name: "a"}, {Name: "b"}}, RotationInterval: metav1.Duration{Duration: time.Hour},
		SecretContents: aero.SecretContents{Presets: []aero.Preset{aero.PresetLibpq}},
	}
	w.known = connectionsecret.NewKnown(func(connectionsecret.Key) bool { return true }, func(connectionsecret.Key) {})
	builder := fake.NewClientBuilder().WithScheme(scheme).WithObjects(obj).WithStatusSubresource(obj, &v1alpha1.ServiceUser{})
	for _, name := range []string{"a", "b"} {
		user := &v1alpha1.ServiceUser{ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: name, UID: types.UID(name), Generation: 1}}
		user.Spec.Project, user.Spec.ServiceName = "p", "pg"
		user.Status.ObservedGeneration = 1
		user.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: metav1.ConditionTrue, Reason: "ReconciliationSucceeded"}}
		builder = builder.WithObjects(user)
		w.observe(name, name+"0")
	}
	w.Client = builder.Build()
	w.restart()
	return w
}

// restart is a process that knows nothing of the one before.
func (w *world) restart() {
	r := &userrotation.Reconciler{
		Client: w.Client, Live: w.Client, Known: w.known, Publisher: w,
		Naming: func(ctx context.Context, user connectionsecret.Key) ([]client.Object, error) {
			list := &aero.ServiceUserRotationList{}
			err := w.List(ctx, list)
			var found []client.Object
			for i := range list.Items {
				if slices.Contains(secretcontroller.KeysOf(&list.Items[i]), user) {
					found = append(found, &list.Items[i])
				}
			}
			return found, err
		},
	}
	w.loop = r.Loop(secretcontroller.Options{
		Now: func() time.Time { return w.now }, Grace: 10 * time.Second,
		Report: func(_ context.Context, _ client.Object, _ schema.GroupVersionKind, e event.Event) {
			w.events = append(w.events, e.Type+" "+e.Reason)
		},
	})
}

// Annotations implements userrotation.Publisher.
func (w *world) Annotations(context.Context, *aero.ServiceUserRotation) (map[string]string, error) {
	if w.secret == nil {
		return nil, nil
	}
	return w.secret.Annotations, nil
}

// Publish implements userrotation.Publisher.
func (w *world) Publish(ctx context.Context, owner *aero.ServiceUserRotation, secret corev1.Secret) error {
	if w.fail != nil {
		return w.fail
	}
	w.secret = secret.DeepCopy()
	secret.Namespace, secret.OwnerReferences = owner.Namespace, []metav1.OwnerReference{{UID: owner.UID, Controller: new(true)}}
	return client.IgnoreAlreadyExists(w.Create(ctx, &secret))
}

// observe is what the reconcile of a user hands over.
func (w *world) observe(user, password string) {
	w.known.Observed(secretcontroller.UserKey(types.NamespacedName{Namespace: "apps", Name: user}), types.UID(user), connection.Info{
		Type: "pg", Address: connection.Address{Host: "pg.test", Port: "21"}, User: user, Password: password,
		Layout:    connection.Layout{Prefixed: map[string]connection.Value{"PASSWORD": connection.Password}},
		Endpoints: []aiven.Component{{Component: "pg", Host: "pg.test", Port: 21, Route: service.RouteTypeDynamic, Usage: service.UsageTypePrimary}},
	})
}

func (w *world) user(name string) *v1alpha1.ServiceUser {
	user := &v1alpha1.ServiceUser{}
	require.NoError(w.t, w.Get(w.t.Context(), types.NamespacedName{Namespace: "apps", Name: name}, user))
	return user
}

// rotate is what the reconcile of a user does with a request: the login is handed over before the status is written.
func (w *world) rotate(name, password string) {
	user := w.user(name)
	w.observe(name, password)
	user.Status.LastHandledRotateAt = user.Annotations[requested]
	require.NoError(w.t, w.Client.Status().Update(w.t.Context(), user))
}

func (w *world) reconcile() (*aero.ServiceUserRotation, time.Duration) {
	w.t.Helper()
	result, err := w.loop.Reconcile(w.t.Context(), ctrl.Request{NamespacedName: key})
	require.NoError(w.t, err)
	return w.object(), result.RequeueAfter
}

func (w *world) object() *aero.ServiceUserRotation {
	obj := &aero.ServiceUserRotation{}
	require.NoError(w.t, w.Get(w.t.Context(), key, obj))
	return obj
}

// login is what is published, as user:password.
func (w *world) login() string {
	return string(w.secret.Data["PGUSER"]) + ":" + string(w.secret.Data["PGPASSWORD"])
}

func TestAUserIsRotatedOnlyAfterTheInterval(t *testing.T) {
	w := newWorld(t)
	obj, after := w.reconcile()
	assert.Equal(t, []any{"a:a0", "a", time.Hour}, []any{w.login(), obj.Status.ActiveUser, after})
	for _, wait := range []time.Duration{time.Minute, 58 * time.Minute} {
		w.now = w.now.Add(wait)
		w.reconcile()
		assert.Empty(t, w.user("b").Annotations, "the login of b may still be in use")
	}
	w.now = w.now.Add(time.Minute)
	w.reconcile()
	assert.Equal(t, "orders/r/2026-11-26T12:00:00Z", w.user("b").Annotations[requested])
	assert.Empty(t, w.user("a").Annotations, "what is published is never rotated")

	w.restart()
	w.reconcile()
	assert.Equal(t, "a:a0", w.login(), "b isn't rotated yet")
	w.rotate("b", "b1")
	obj, after = w.reconcile()
	assert.Equal(t, []any{"b:b1", "b", time.Hour}, []any{w.login(), obj.Status.ActiveUser, after})
	assert.Equal(t, []string{"Normal Rotated"}, w.events)
	w.reconcile()
	assert.Empty(t, w.user("a").Annotations, "it has another hour")
	w.now = w.now.Add(time.Hour)
	w.reconcile()
	assert.Equal(t, "orders/r/2026-11-26T13:00:00Z", w.user("a").Annotations[requested])
}

// TestAKillBetweenTheSecretAndTheStatusEndsNoTurnTwice has a Secret that is ahead of the status, longer ago than the interval.
func TestAKillBetweenTheSecretAndTheStatusEndsNoTurnTwice(t *testing.T) {
	w := newWorld(t)
	before, _ := w.reconcile()
	require.NoError(t, w.Patch(t.Context(), w.object(), client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"`+requested+`":"1"}}}`))))
	w.reconcile()
	w.rotate("b", "b1")
	obj, _ := w.reconcile()
	require.Equal(t, []string{"b", "1"}, []string{obj.Status.ActiveUser, obj.Status.LastHandledRotateAt})
	since := w.secret.Annotations["controllers.aiven.io/active-since"]

	obj.Status = before.Status
	require.NoError(t, w.Client.Status().Update(t.Context(), obj))
	w.restart()
	w.now = w.now.Add(59 * time.Minute)
	obj, after := w.reconcile()
	assert.Equal(t, []any{"b", "1", time.Minute}, []any{obj.Status.ActiveUser, obj.Status.LastHandledRotateAt, after})
	assert.Equal(t, since, w.secret.Annotations["controllers.aiven.io/active-since"])
	assert.Empty(t, w.user("a").Annotations)
}

// TestALostAnnotationOfTheSecretRotatesNothing has a request that was handled long ago, and is still in the object.
func TestALostAnnotationOfTheSecretRotatesNothing(t *testing.T) {
	w := newWorld(t)
	w.reconcile()
	require.NoError(t, w.Patch(t.Context(), w.object(), client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"`+requested+`":"1"}}}`))))
	w.reconcile()
	w.rotate("b", "b1")
	w.reconcile()
	published, events := maps.Clone(w.secret.Annotations), slices.Clone(w.events)
	require.Equal(t, "1", published["controllers.aiven.io/rotation-handled"])
	for range 2 {
		delete(w.secret.Annotations, "controllers.aiven.io/rotation-handled")
		w.restart()
		obj, after := w.reconcile()
		assert.Equal(t, []any{"b", "1", time.Hour}, []any{obj.Status.ActiveUser, obj.Status.LastHandledRotateAt, after})
		assert.Equal(t, published, w.secret.Annotations)
		assert.Empty(t, w.user("a").Annotations)
	}
	assert.Equal(t, events, w.events)
}

func TestALostSecretIsPublishedAgainFromTheStatus(t *testing.T) {
	w := newWorld(t)
	w.reconcile()
	before := maps.Clone(w.secret.Annotations)
	w.secret, w.now = nil, w.now.Add(30*time.Minute)
	_, after := w.reconcile()
	assert.Equal(t, 30*time.Minute, after)
	assert.Equal(t, before, w.secret.Annotations)
}

func TestNothingIsRotatedThatCannotBePublished(t *testing.T) {
	w := newWorld(t)
	w.reconcile()
	w.fail, w.now = &connection.OwnershipError{Secret: key, Object: "ServiceUserRotation orders"}, w.now.Add(2*time.Hour)
	obj, _ := w.reconcile()
	assert.Equal(t, "ConnInfoSecretConflict", apimeta.FindStatusCondition(obj.Status.Conditions, "Ready").Reason)
	assert.Empty(t, w.user("b").Annotations)
	w.fail = nil
	w.reconcile()
	assert.NotEmpty(t, w.user("b").Annotations)
}

// TestALoginThatIsNotKnownYetIsNotPublished is the moment after a restart, when the other user hasn't been observed again.
func TestALoginThatIsNotKnownYetIsNotPublished(t *testing.T) {
	w := newWorld(t)
	w.reconcile()
	w.now = w.now.Add(time.Hour)
	w.reconcile()
	w.rotate("b", "b1")
	w.known.Gone(secretcontroller.UserKey(types.NamespacedName{Namespace: "apps", Name: "b"}))
	w.reconcile()
	assert.Equal(t, "a:a0", w.login())
	w.observe("b", "b1")
	w.reconcile()
	assert.Equal(t, "b:b1", w.login())
}

// TestThePublishedLoginFollowsItsUserWhateverIsWrongWithTheOtherOne keeps it valid.
func TestThePublishedLoginFollowsItsUserWhateverIsWrongWithTheOtherOne(t *testing.T) {
	w := newWorld(t)
	w.reconcile()
	require.NoError(t, w.Delete(t.Context(), w.user("b")))
	w.observe("a", "changed-at-aiven")
	w.now = w.now.Add(time.Minute)
	w.reconcile()
	assert.Equal(t, "a:changed-at-aiven", w.login())
	w.now = w.now.Add(time.Minute)
	obj, _ := w.reconcile()
	ready := apimeta.FindStatusCondition(obj.Status.Conditions, "Ready")
	assert.Equal(t, "ReferenceNotFound", ready.Reason)
	assert.Contains(t, ready.Message, "spec.userRefs[1]: ServiceUser apps/b doesn't exist")
}

// conditions are those of a user from now on.
func (w *world) conditions(name string, conditions ...metav1.Condition) {
	user := w.user(name)
	user.Status.Conditions = conditions
	require.NoError(w.t, w.Client.Status().Update(w.t.Context(), user))
}

func TestALoginWhoseUserIsGoneAtAivenIsNotReady(t *testing.T) {
	isReady := metav1.Condition{Type: "Ready", Status: metav1.ConditionTrue, Reason: "ReconciliationSucceeded"}
	for name, gone := range map[string][]metav1.Condition{
		"the user, which isn't created again": {{Type: "Ready", Status: metav1.ConditionFalse, Reason: "RemoteMissing"}},
		"its service": {
			{Type: "Ready", Status: metav1.ConditionUnknown, Reason: "Progressing"}, {Type: "RemoteReady", Status: metav1.ConditionFalse, Reason: "Missing"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.conditions("a", gone...)
			obj, _ := w.reconcile()
			assert.Nil(t, w.secret)
			assert.Empty(t, obj.Status.ActiveUser, "it isn't published")
			w.conditions("a", isReady)
			w.reconcile()
			published := w.secret.DeepCopy()

			w.conditions("a", gone...)
			w.known.Gone(secretcontroller.UserKey(types.NamespacedName{Namespace: "apps", Name: "a"})) // after a restart
			obj, after := w.reconcile()
			ready := apimeta.FindStatusCondition(obj.Status.Conditions, "Ready")
			assert.Equal(t, []any{metav1.ConditionUnknown, "Progressing", time.Hour}, []any{ready.Status, ready.Reason, after})
			assert.Equal(t, "Waiting for ServiceUser apps/a to connect. Its own status has the reason", ready.Message)
			assert.Equal(t, published, w.secret, "the last Secret stays")
			assert.Equal(t, "a", obj.Status.ActiveUser)

			w.now = w.now.Add(time.Hour)
			obj, _ = w.reconcile()
			assert.Equal(t, "Progressing", apimeta.FindStatusCondition(obj.Status.Conditions, "Ready").Reason)
			w.rotate("b", "b1")
			obj, _ = w.reconcile()
			assert.Equal(t, "b:b1", w.login(), "the other user has its turn")
			assert.True(t, apimeta.IsStatusConditionTrue(obj.Status.Conditions, "Ready"))
		})
	}
}

func TestAUserThatIsNotReadyIsReportedOnce(t *testing.T) {
	w := newWorld(t)
	w.reconcile()
	user := w.user("b")
	user.Status.Conditions[0].Status, user.Status.Conditions[0].Reason = metav1.ConditionFalse, "AuthFailed"
	require.NoError(t, w.Client.Status().Update(t.Context(), user))
	w.now = w.now.Add(time.Hour)
	w.reconcile()
	obj, _ := w.reconcile()
	blocked := apimeta.FindStatusCondition(obj.Status.Conditions, "RotationBlocked")
	require.NotNil(t, blocked)
	assert.Equal(t, "UserNotReady", blocked.Reason)
	assert.Equal(t, "ServiceUser b has its turn, and its password isn't rotated: it isn't ready. Its own status has the reason, which is AuthFailed", blocked.Message)
	assert.True(t, apimeta.IsStatusConditionTrue(obj.Status.Conditions, "Ready"), "the login that is published is valid")
	assert.Equal(t, []string{"Warning RotationBlocked"}, w.events)
	assert.Empty(t, w.user("b").Annotations, "a request before it was ready would be handled without a rotation")

	user = w.user("b")
	user.Status.Conditions[0].Status = metav1.ConditionTrue
	require.NoError(t, w.Client.Status().Update(t.Context(), user))
	obj, _ = w.reconcile()
	assert.Nil(t, apimeta.FindStatusCondition(obj.Status.Conditions, "RotationBlocked"))
	assert.NotEmpty(t, w.user("b").Annotations)
}

// A rotation itself leaves a user Unknown for a moment.
func TestAUserThatWaitsForMoreThanAMomentIsReported(t *testing.T) {
	for reason, reported := range map[string]bool{"Progressing": false, "ProgressingWithRetry": false, "AwaitingApproval": true, "ServicePoweredOff": true} {
		t.Run(reason, func(t *testing.T) {
			w := newWorld(t)
			w.reconcile()
			user := w.user("b")
			user.Status.Conditions[0].Status, user.Status.Conditions[0].Reason = metav1.ConditionUnknown, reason
			require.NoError(t, w.Client.Status().Update(t.Context(), user))
			w.now = w.now.Add(time.Hour)
			obj, _ := w.reconcile()
			assert.Equal(t, reported, apimeta.FindStatusCondition(obj.Status.Conditions, "RotationBlocked") != nil)
			assert.Empty(t, w.user("b").Annotations)
		})
	}
}

func TestARenewalThatIsNotAcknowledgedBlocksNoRotation(t *testing.T) {
	w := newWorld(t)
	w.reconcile()
	w.now = w.now.Add(time.Hour)
	w.reconcile()
	user := w.user("b")
	require.NotEmpty(t, user.Annotations[requested])
	user.Status.Conditions = append(user.Status.Conditions, metav1.Condition{
		Type: "RotationBlocked", Status: metav1.ConditionTrue, Reason: "RenewalNotAcknowledged", Message: "The renewal of the client certificate isn't acknowledged",
	})
	require.NoError(t, w.Client.Status().Update(t.Context(), user))
	obj, _ := w.reconcile()
	assert.Nil(t, apimeta.FindStatusCondition(obj.Status.Conditions, "RotationBlocked"))
	w.rotate("b", "b1")
	w.reconcile()
	assert.Equal(t, "b:b1", w.login())
}

func TestOtherUsersInTheSpecBeginATurnWithoutARotation(t *testing.T) {
	w := newWorld(t)
	w.reconcile()
	obj := w.object()
	other := w.user("b")
	other.ObjectMeta = metav1.ObjectMeta{Namespace: "apps", Name: "c", UID: "c", Generation: 1}
	require.NoError(t, w.Create(t.Context(), other))
	w.observe("c", "c0")
	obj.Spec.UserRefs[0].Name = "c"
	require.NoError(t, w.Update(t.Context(), obj))
	w.now = w.now.Add(30 * time.Minute)
	_, after := w.reconcile()
	assert.Equal(t, []any{"c:c0", time.Hour}, []any{w.login(), after})
	assert.Empty(t, w.user("b").Annotations)
}

// TestOfTwoRotationsOfOneUserTheFirstOneIsLeftAlone has two that the API server has given one creation time, which is in whole seconds.
func TestOfTwoRotationsOfOneUserTheFirstOneIsLeftAlone(t *testing.T) {
	for name, uid := range map[string]types.UID{"a smaller UID": "q", "a larger UID": "s"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.reconcile()
			second := w.object()
			second.Name, second.UID, second.ResourceVersion, second.Status = "second", uid, "", aero.ServiceUserRotationStatus{}
			second.Spec.Target.Name = "second"
			require.NoError(t, w.Create(t.Context(), second))
			for _, next := range []string{"second", "orders", "second"} {
				_, err := w.loop.Reconcile(t.Context(), ctrl.Request{NamespacedName: types.NamespacedName{Namespace: "apps", Name: next}})
				require.NoError(t, err)
			}
			require.NoError(t, w.Get(t.Context(), client.ObjectKeyFromObject(second), second))
			assert.Equal(t, "Conflict", apimeta.FindStatusCondition(second.Status.Conditions, "Ready").Reason)
			assert.Equal(t, "ReconciliationSucceeded", apimeta.FindStatusCondition(w.object().Status.Conditions, "Ready").Reason)
		})
	}
}
