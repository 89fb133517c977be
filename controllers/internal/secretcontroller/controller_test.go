package secretcontroller_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/connectionsecret"
	"github.com/aero-operator/aero/controllers/internal/event"
	"github.com/aero-operator/aero/controllers/internal/secretcontroller"
)

// world is a cluster with a ConnectionSecret of the user data/joe in the namespace apps.
type world struct {
	client.Client
	*secretcontroller.Loop[*aero.ConnectionSecret]
	reconciler *secretcontroller.Reconciler
	known      *connectionsecret.Known
	grants     []unstructured.Unstructured
	published  map[string]string
	kind       corev1.SecretType
	writes     int // of statuses
	events     []string
	asked      []string
	now        time.Time
	fail       error
}

func newWorld(t *testing.T, change func(*aero.ConnectionSecret), objects ...client.Object) *world {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme, aero.AddToScheme} {
		require.NoError(t, add(scheme))
	}
	obj := &aero.ConnectionSecret{ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: "orders", UID: "2", Generation: 1}}
	obj.Spec = aero.ConnectionSecretSpec{
		SourceRef:      aero.SourceReference{Kind: "ServiceUser", Name: "joe", Namespace: "data"},
		SecretContents: aero.SecretContents{Presets: []aero.Preset{aero.PresetLibpq}},
	}
	change(obj)
	user := &v1alpha1.ServiceUser{ObjectMeta: metav1.ObjectMeta{Namespace: "data", Name: "joe", UID: "1"}}
	user.Spec.Project, user.Spec.ServiceName = "p", "pg"
	w := &world{now: time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC), grants: []unstructured.Unstructured{grant()}}
	w.known = connectionsecret.NewKnown(func(connectionsecret.Key) bool { return true }, func(connectionsecret.Key) {})
	w.Client = fake.NewClientBuilder().WithScheme(scheme).WithObjects(append(objects, obj, user)...).WithStatusSubresource(obj).
		WithInterceptorFuncs(interceptor.Funcs{
			SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
				w.writes++
				return c.SubResource(sub).Patch(ctx, o, p, opts...)
			},
		}).Build()
	w.reconciler = &secretcontroller.Reconciler{
		Client: w.Client, Live: w.Client, Known: w.known, Publisher: w, Ask: func(key connectionsecret.Key) { w.asked = append(w.asked, key.String()) },
		Grants: func(_ context.Context, namespace string) ([]unstructured.Unstructured, error) {
			require.Equal(t, "data", namespace)
			return w.grants, nil
		},
	}
	w.Loop = w.reconciler.Loop(secretcontroller.Options{
		Now: func() time.Time { return w.now }, Grace: 10 * time.Second, Recheck: 10 * time.Second, RecheckMax: 5 * time.Minute,
		Report: func(_ context.Context, _ client.Object, _ schema.GroupVersionKind, e event.Event) {
			w.events = append(w.events, e.Type+" "+e.Reason)
		},
	})
	w.observe("secret")
	return w
}

func grant() unstructured.Unstructured {
	granted := unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{
		"from": []any{map[string]any{"group": "aero-operator.io", "kind": "ConnectionSecret", "namespace": "apps"}},
		"to":   []any{map[string]any{"group": "aiven.io", "kind": "ServiceUser"}, map[string]any{"group": "aiven.io", "kind": "Database"}},
	}}}
	granted.SetNamespace("data")
	return granted
}

// observe is what the reconcile of the user hands over.
func (w *world) observe(password string) {
	obj := &aero.ConnectionSecret{Spec: aero.ConnectionSecretSpec{SourceRef: aero.SourceReference{Kind: "ServiceUser", Name: "joe", Namespace: "data"}}}
	w.known.Observed(secretcontroller.KeyOf(obj), "1", connection.Info{
		Type: "pg", Address: connection.Address{Host: "pg.test", Port: "21"}, User: "joe", Password: password,
		Layout:    connection.Layout{Prefixed: map[string]connection.Value{"PASSWORD": connection.Password}},
		Endpoints: []aiven.Component{{Component: "pg", Host: "pg.test", Port: 21, Route: service.RouteTypeDynamic, Usage: service.UsageTypePrimary}},
	})
}

// forget is a restart, after which the user isn't observed yet.
func (w *world) forget() {
	w.known.Gone(connectionsecret.Key{Kind: "ServiceUser", NamespacedName: client.ObjectKey{Namespace: "data", Name: "joe"}})
}

func (w *world) Publish(ctx context.Context, owner *aero.ConnectionSecret, kind corev1.SecretType, data map[string][]byte) error {
	if w.fail != nil {
		return w.fail
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: owner.Namespace, Name: owner.GetSecretName(),
		OwnerReferences: []metav1.OwnerReference{{UID: owner.UID, Controller: new(true)}}}}
	if err := client.IgnoreAlreadyExists(w.Create(ctx, secret)); err != nil {
		return err
	}
	w.kind, w.published = kind, map[string]string{}
	for key, value := range data {
		w.published[key] = string(value)
	}
	return nil
}

var request = ctrl.Request{NamespacedName: client.ObjectKey{Namespace: "apps", Name: "orders"}}

// reconcile returns Ready as status/reason, and its message.
func (w *world) reconcile(t *testing.T) (ready, message string) {
	t.Helper()
	_, err := w.Reconcile(t.Context(), request)
	require.NoError(t, err)
	return w.ready(t)
}

func (w *world) ready(t *testing.T) (ready, message string) {
	t.Helper()
	obj := &aero.ConnectionSecret{}
	require.NoError(t, w.Get(t.Context(), request.NamespacedName, obj))
	require.NotEmpty(t, obj.Status.Conditions)
	first := obj.Status.Conditions[0]
	return fmt.Sprintf("%s/%s", first.Status, first.Reason), first.Message
}

func unchanged(*aero.ConnectionSecret) {}

const isReady = "True/ReconciliationSucceeded"

func TestALoginIsPublishedAndFollowsItsSource(t *testing.T) {
	w := newWorld(t, unchanged)
	ready, _ := w.reconcile(t)
	assert.Equal(t, isReady, ready)
	assert.Empty(t, w.kind, "the Secret may have any type")
	assert.Equal(t, map[string]string{
		"PGHOST": "pg.test", "PGPORT": "21", "PGUSER": "joe", "PGPASSWORD": "secret", "PGDATABASE": "defaultdb", "PGSSLMODE": "require",
	}, w.published)
	w.reconcile(t)
	assert.Equal(t, 1, w.writes, "the same status isn't written")
	w.observe("rotated")
	w.reconcile(t)
	assert.Equal(t, "rotated", w.published["PGPASSWORD"])
	assert.Equal(t, 1, w.writes)
}

func TestAGrantThatIsRemovedStopsUpdatesAndLeavesTheSecret(t *testing.T) {
	w := newWorld(t, unchanged)
	w.grants = nil
	ready, message := w.reconcile(t)
	assert.Equal(t, "False/ReferenceNotPermitted", ready)
	assert.Contains(t, message, "needs a ReferenceGrant in the namespace data")
	assert.Nil(t, w.published)

	w.grants = []unstructured.Unstructured{grant()}
	ready, _ = w.reconcile(t)
	assert.Equal(t, isReady, ready)

	w.grants = nil
	w.observe("rotated")
	ready, _ = w.reconcile(t)
	assert.Equal(t, "False/ReferenceNotPermitted", ready)
	assert.Equal(t, "secret", w.published["PGPASSWORD"])

	w.grants = []unstructured.Unstructured{grant()}
	ready, _ = w.reconcile(t)
	assert.Equal(t, isReady, ready)
	assert.Equal(t, "rotated", w.published["PGPASSWORD"])
}

func TestWithoutAGrantTheExistenceOfASourceStaysHidden(t *testing.T) {
	there, gone := newWorld(t, unchanged), newWorld(t, unchanged)
	user := &v1alpha1.ServiceUser{ObjectMeta: metav1.ObjectMeta{Namespace: "data", Name: "joe"}}
	require.NoError(t, gone.Delete(t.Context(), user))
	there.grants, gone.grants = nil, nil
	_, one := there.reconcile(t)
	_, two := gone.reconcile(t)
	assert.Equal(t, one, two)
}

func TestAClusterThatServesNoGrantsIsNamed(t *testing.T) {
	w := newWorld(t, unchanged)
	w.reconciler.Grants = func(context.Context, string) ([]unstructured.Unstructured, error) {
		return nil, secretcontroller.ErrUnserved
	}
	ready, message := w.reconcile(t)
	assert.Equal(t, "False/ReferenceNotPermitted", ready)
	assert.Contains(t, message, "The cluster doesn't serve ReferenceGrants: install the Gateway API")
}

func TestWhatTheSpecNamesAndDoesNotExistIsNamed(t *testing.T) {
	keystore := func(obj *aero.ConnectionSecret) {
		obj.Spec.Keystore = &aero.Keystore{PasswordSecretRef: aero.SecretKeyReference{Name: "ks", Key: "password"}}
	}
	for name, tc := range map[string]struct {
		change func(*aero.ConnectionSecret)
		also   []client.Object
		says   string
	}{
		"a source":   {func(obj *aero.ConnectionSecret) { obj.Spec.SourceRef.Name = "jim" }, nil, "spec.sourceRef: ServiceUser data/jim doesn't exist"},
		"a database": {func(obj *aero.ConnectionSecret) { obj.Spec.DatabaseRef = &aero.DatabaseReference{Name: "a"} }, nil, "spec.databaseRef: Database data/a doesn't exist"},
		"a password": {keystore, nil, "spec.keystore.passwordSecretRef.name: Secret apps/ks doesn't exist"},
		"the key of a password": {keystore, []client.Object{&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: "ks"}}},
			"spec.keystore.passwordSecretRef.key: the key password of Secret apps/ks doesn't exist"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, tc.change, tc.also...)
			ready, message := w.reconcile(t)
			assert.Equal(t, "Unknown/Progressing", ready, "what is applied together comes in any order")
			assert.Contains(t, message, tc.says)
			assert.Empty(t, w.events)
			w.now = w.now.Add(w.Grace)
			ready, message = w.reconcile(t)
			assert.Equal(t, []string{"Warning UnableToWaitForPreconditions"}, w.events)
			assert.Equal(t, "False/ReferenceNotFound", ready)
			assert.Contains(t, message, tc.says)
			assert.Nil(t, w.published)
		})
	}
}

// The key stores would be made with a password that is a part of them.
func TestTheSecretOfTheObjectHasNoPasswordOfKeyStores(t *testing.T) {
	for name, target := range map[string]string{"by its own name": "", "by the name in the spec": "ks"} {
		t.Run(name, func(t *testing.T) {
			secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: cmp.Or(target, "orders")}, Data: map[string][]byte{"password": []byte("a")}}
			w := newWorld(t, func(obj *aero.ConnectionSecret) {
				obj.Spec.Target.Name = target
				obj.Spec.Keystore = &aero.Keystore{PasswordSecretRef: aero.SecretKeyReference{Name: secret.Name, Key: "password"}}
			}, secret)
			ready, message := w.reconcile(t)
			assert.Equal(t, "False/InvalidSpec", ready)
			assert.Equal(t, "spec.keystore.passwordSecretRef: Secret apps/"+secret.Name+" is the one that receives the key stores. Name another Secret", message)
			assert.Nil(t, w.published)
		})
	}
}

func TestADatabaseIsOneOfTheService(t *testing.T) {
	database := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "data", Name: "orders"}}
	database.Spec.Project, database.Spec.ServiceName, database.Spec.DatabaseName = "p", "pg", "orders_db"
	refers := func(obj *aero.ConnectionSecret) { obj.Spec.DatabaseRef = &aero.DatabaseReference{Name: "orders"} }
	w := newWorld(t, refers, database)
	ready, _ := w.reconcile(t)
	assert.Equal(t, isReady, ready)
	assert.Equal(t, "orders_db", w.published["PGDATABASE"])

	onlyUsers := grant()
	require.NoError(t, unstructured.SetNestedSlice(onlyUsers.Object, []any{map[string]any{"group": "aiven.io", "kind": "ServiceUser"}}, "spec", "to"))
	w.grants = []unstructured.Unstructured{onlyUsers}
	ready, message := w.reconcile(t)
	assert.Equal(t, "False/ReferenceNotPermitted", ready)
	assert.Contains(t, message, "spec.databaseRef needs a ReferenceGrant in the namespace data, from ConnectionSecret of aero-operator.io in the namespace apps to Database")

	other := database.DeepCopy()
	other.ResourceVersion, other.Spec.ServiceName = "", "other"
	ready, message = newWorld(t, refers, other).reconcile(t)
	assert.Equal(t, "False/InvalidSpec", ready)
	assert.Contains(t, message, "spec.databaseRef: Database data/orders isn't of the service of the source")
}

func TestABadSpecLeavesTheLastSecret(t *testing.T) {
	for name, tc := range map[string]struct {
		change      func(*aero.ConnectionSecretSpec)
		ready, says string
	}{
		"a template": {func(s *aero.ConnectionSecretSpec) { s.Data = map[string]aero.Template{"A": "{{ .Nope }}"} }, "False/InvalidTemplate", "spec.data[A]: line 1:3: at <.Nope>"},
		"a preset":   {func(s *aero.ConnectionSecretSpec) { s.Presets = []aero.Preset{aero.PresetKafkaEnv} }, "False/InvalidSpec", "the preset KafkaEnv"},
		"a route":    {func(s *aero.ConnectionSecretSpec) { s.Endpoint = &aero.EndpointSelector{Route: "public"} }, "False/RouteNotAvailable", "there are: dynamic"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, unchanged)
			w.reconcile(t)
			before := w.published
			obj := &aero.ConnectionSecret{}
			require.NoError(t, w.Get(t.Context(), request.NamespacedName, obj))
			tc.change(&obj.Spec)
			obj.Generation++
			require.NoError(t, w.Update(t.Context(), obj))
			ready, message := w.reconcile(t)
			assert.Equal(t, tc.ready, ready)
			assert.Contains(t, message, tc.says)
			assert.Equal(t, before, w.published)
			require.NoError(t, w.Get(t.Context(), request.NamespacedName, obj))
			assert.Equal(t, &aero.SecretBinding{Name: "orders"}, obj.Status.Binding)
		})
	}
}

func TestASourceThatIsNotKnownYetIsAWait(t *testing.T) {
	w := newWorld(t, unchanged)
	w.reconcile(t)
	w.forget()
	ready, _ := w.reconcile(t)
	assert.Equal(t, isReady, ready, "a restart changes no status")
	assert.Equal(t, 1, w.writes)

	fresh := newWorld(t, unchanged)
	require.NoError(t, fresh.Delete(t.Context(), &v1alpha1.ServiceUser{ObjectMeta: metav1.ObjectMeta{Namespace: "data", Name: "joe"}}))
	require.NoError(t, fresh.Create(t.Context(), &v1alpha1.ServiceUser{ObjectMeta: metav1.ObjectMeta{Namespace: "data", Name: "joe", UID: "2"}}))
	ready, message := fresh.reconcile(t)
	assert.Equal(t, "Unknown/Progressing", ready, "the login is of an object that is gone")
	assert.Contains(t, message, "Waiting for ServiceUser data/joe to connect")
}

func TestTheStatusIsKeptAfterARestartOnlyIfTheSecretIsThere(t *testing.T) {
	w := newWorld(t, unchanged)
	w.reconcile(t)
	w.forget()
	ready, _ := w.reconcile(t)
	assert.Equal(t, isReady, ready)
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: "orders"}}
	require.NoError(t, w.Delete(t.Context(), secret))
	ready, _ = w.reconcile(t)
	assert.Equal(t, "Unknown/Progressing", ready)
	obj := &aero.ConnectionSecret{}
	require.NoError(t, w.Get(t.Context(), request.NamespacedName, obj))
	assert.Nil(t, obj.Status.Binding)
	w.observe("secret")
	ready, _ = w.reconcile(t)
	assert.Equal(t, isReady, ready)
}

func TestASourceThatIsGoingOrGoneAtAivenHasNoLogin(t *testing.T) {
	user := func(w *world) *v1alpha1.ServiceUser {
		found := &v1alpha1.ServiceUser{}
		require.NoError(t, w.Get(t.Context(), client.ObjectKey{Namespace: "data", Name: "joe"}, found))
		return found
	}
	for name, gone := range map[string][]metav1.Condition{
		"the resource, which isn't created again": {{Type: "Ready", Status: metav1.ConditionFalse, Reason: "RemoteMissing"}},
		"its service": {
			{Type: "Ready", Status: metav1.ConditionUnknown, Reason: "Progressing"}, {Type: "RemoteReady", Status: metav1.ConditionFalse, Reason: "Missing"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, unchanged)
			w.reconcile(t)
			source := user(w)
			source.Status.Conditions = gone
			require.NoError(t, w.Update(t.Context(), source))
			ready, message := w.reconcile(t)
			assert.Equal(t, "Unknown/Progressing", ready)
			assert.Contains(t, message, "Waiting for ServiceUser data/joe to connect. Its own status has the reason")
			assert.NotEmpty(t, w.published, "the last Secret stays")

			source = user(w)
			source.Status.Conditions = []metav1.Condition{{Type: "RemoteReady", Status: metav1.ConditionTrue, Reason: "Active"}}
			require.NoError(t, w.Update(t.Context(), source))
			ready, _ = w.reconcile(t)
			assert.Equal(t, isReady, ready, "it is back")
		})
	}

	w := newWorld(t, unchanged)
	w.reconcile(t)
	source := user(w)
	source.Finalizers = []string{"example.com/stays"}
	require.NoError(t, w.Update(t.Context(), source))
	require.NoError(t, w.Delete(t.Context(), source))
	w.now = w.now.Add(time.Minute)
	_, _ = w.reconcile(t)
	w.now = w.now.Add(time.Minute)
	ready, _ := w.reconcile(t)
	assert.Equal(t, "False/ReferenceNotFound", ready)
	assert.NotEmpty(t, w.published, "the last Secret stays")
}

func TestASourceThatIsNotCreatedYetIsWaitedFor(t *testing.T) {
	for name, conditions := range map[string][]metav1.Condition{
		"not observed yet": nil,
		"not at Aiven yet": {{Type: "RemoteReady", Status: metav1.ConditionFalse, Reason: "Missing"}},
		"being created":    {{Type: "RemoteReady", Status: metav1.ConditionFalse, Reason: "Creating"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, unchanged)
			w.forget()
			source := &v1alpha1.ServiceUser{}
			require.NoError(t, w.Get(t.Context(), client.ObjectKey{Namespace: "data", Name: "joe"}, source))
			source.Status.Conditions = conditions
			require.NoError(t, w.Update(t.Context(), source))
			ready, message := w.reconcile(t)
			assert.Equal(t, "Unknown/Progressing", ready)
			assert.Contains(t, message, "Waiting for ServiceUser data/joe to connect. Its own status has the reason")

			source.Status.Conditions = []metav1.Condition{{Type: "RemoteReady", Status: metav1.ConditionTrue, Reason: "Active"}}
			require.NoError(t, w.Update(t.Context(), source))
			w.observe("secret")
			ready, _ = w.reconcile(t)
			assert.Equal(t, isReady, ready)
		})
	}
}

func TestASourceIsAskedOnceItMayBeRead(t *testing.T) {
	w := newWorld(t, unchanged)
	w.forget()
	w.grants = nil
	w.reconcile(t)
	assert.Empty(t, w.asked, "a reconcile of a source takes calls to Aiven")
	w.grants = []unstructured.Unstructured{grant()}
	w.reconcile(t)
	assert.Equal(t, []string{"ServiceUser/data/joe"}, w.asked)
}

func TestASecretOfAnotherIsTriedAgain(t *testing.T) {
	w := newWorld(t, unchanged)
	w.fail = &connection.OwnershipError{}
	result, err := w.Reconcile(t.Context(), request)
	require.NoError(t, err)
	assert.Equal(t, 10*time.Second, result.RequeueAfter)
	w.fail = nil
	ready, _ := w.reconcile(t)
	assert.Equal(t, isReady, ready)
}

func TestANewObjectThatWaitsBrieflyGetsOneStatus(t *testing.T) {
	w := newWorld(t, unchanged)
	key := secretcontroller.KeyOf(&aero.ConnectionSecret{Spec: aero.ConnectionSecretSpec{
		SourceRef: aero.SourceReference{Kind: "ServiceUser", Name: "joe", Namespace: "data"},
	}})
	w.known.Gone(key)
	obj := &aero.ConnectionSecret{}
	require.NoError(t, w.Get(t.Context(), request.NamespacedName, obj))
	w.now, w.FirstStatus = obj.CreationTimestamp.Time, 2*time.Second
	result, err := w.Reconcile(t.Context(), request)
	require.NoError(t, err)
	assert.Equal(t, w.FirstStatus, result.RequeueAfter)
	assert.Zero(t, w.writes)
	w.now = w.now.Add(w.FirstStatus)
	ready, _ := w.reconcile(t)
	assert.Equal(t, "Unknown/Progressing", ready)
	w.observe("secret")
	ready, _ = w.reconcile(t)
	assert.Equal(t, isReady, ready)
	assert.Equal(t, 2, w.writes)
}

// behind is a cache that doesn't show the latest write.
type behind struct {
	client.Client
	shows *aero.ConnectionSecret // nil for what there is
}

func (b *behind) Get(ctx context.Context, key client.ObjectKey, obj client.Object, options ...client.GetOption) error {
	if into, is := obj.(*aero.ConnectionSecret); is && b.shows != nil {
		b.shows.DeepCopyInto(into)
		return nil
	}
	return b.Client.Get(ctx, key, obj, options...)
}

func TestACacheThatIsBehindLeadsToNoSecondWrite(t *testing.T) {
	w := newWorld(t, unchanged)
	key := client.ObjectKey{Namespace: "apps", Name: "orders"}
	cached, old := &behind{Client: w.Client}, &aero.ConnectionSecret{}
	require.NoError(t, w.Get(t.Context(), key, old))
	w.Loop.Client = cached
	w.reconcile(t)
	require.Equal(t, 1, w.writes)

	cached.shows = old
	result, err := w.Reconcile(t.Context(), ctrl.Request{NamespacedName: key})
	require.NoError(t, err)
	assert.Positive(t, result.RequeueAfter, "no watch event comes of it: our own statuses enqueue nothing")
	assert.Equal(t, 1, w.writes)

	cached.shows = nil
	result, err = w.Reconcile(t.Context(), ctrl.Request{NamespacedName: key})
	require.NoError(t, err)
	assert.Zero(t, result.RequeueAfter)
	assert.Equal(t, 1, w.writes)
}

func TestErrorsOfTheAPIServerAreTriedAgain(t *testing.T) {
	w := newWorld(t, unchanged)
	w.fail = apierrors.NewServiceUnavailable("try later")
	_, err := w.Reconcile(t.Context(), request)
	require.ErrorContains(t, err, "try later")
	ready, _ := w.ready(t)
	assert.Equal(t, "Unknown/ProgressingWithRetry", ready)

	w.fail = nil
	w.reconciler.Grants = func(context.Context, string) ([]unstructured.Unstructured, error) { return nil, errors.New("no list") }
	_, err = w.Reconcile(t.Context(), request)
	require.ErrorContains(t, err, "listing ReferenceGrants of the namespace data: no list")
}

func TestAnObjectThatGoesIsLeftAlone(t *testing.T) {
	w := newWorld(t, func(obj *aero.ConnectionSecret) { obj.Finalizers = []string{"example.com/x"} })
	require.NoError(t, w.Delete(t.Context(), &aero.ConnectionSecret{ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: "orders"}}))
	_, err := w.Reconcile(t.Context(), request)
	require.NoError(t, err)
	_, err = w.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKey{Namespace: "apps", Name: "none"}})
	require.NoError(t, err)
	assert.Nil(t, w.published)
	assert.Zero(t, w.writes)
}
