package controllers

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	avngen "github.com/aiven/go-client-codegen"
	"github.com/stretchr/testify/require"
	"go.uber.org/mock/gomock"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/event"
	"github.com/aero-operator/aero/controllers/internal/status"
	"github.com/aero-operator/aero/controllers/internal/userconfig"
)

// world is a cluster with one object of kind T, a kind that is played by a mock, and a clock that stands still.
type world[T Object] struct {
	t                  *testing.T
	cluster            client.WithWatch
	aiven              *MockAivenController[T]
	engine             *Reconciler[T]
	kind               Kind[T]
	key                client.ObjectKey
	events             []string
	now                time.Time
	journal            []string                // writes to the cluster and calls of the kind, in their order
	patches            []string                // bodies of the patches of the object and its status
	adoption, recreate string                  // the policies of the operator
	before             func(call string) error // runs before each write, and may fail it
}

func newWorld[T Object](t *testing.T, obj T, others ...client.Object) *world[T] {
	t.Helper()
	mock := NewMockAivenController[T](gomock.NewController(t))
	kind := Kind[T]{
		Object: obj.DeepCopyObject().(T), New: func(Env) AivenController[T] { return mock },
		Services: func(obj T) []aiven.ServiceKey {
			d := any(obj).(interface {
				GetServiceDependant() *v1alpha1.ServiceDependant
			}).GetServiceDependant()
			return []aiven.ServiceKey{{Project: d.Project, Service: d.ServiceName}}
		},
		Identity: func(obj T) Identity {
			return Identity{Entry: aiven.UserEntry(cmp.Or(obj.GetLabels()["user"], obj.GetName()))}
		},
	}
	if _, isService := any(obj).(*v1alpha1.PostgreSQL); isService {
		kind.IsService = true
		kind.Services = func(obj T) []aiven.ServiceKey { return []aiven.ServiceKey{{Project: "prj", Service: obj.GetName()}} }
		kind.Identity = func(T) Identity { return Identity{Group: "service"} }
	}
	w := newWorldOf(t, kind, runtime.NewScheme(), append([]client.Object{obj}, others...)...)
	w.aiven = mock
	w.start(aiven.Options{BaseURL: "http://192.0.2.1"})
	return w
}

// hear remembers events, and logs them as event.Recorder does.
func (w *world[T]) hear(ctx context.Context, _ client.Object, _ schema.GroupVersionKind, e event.Event) {
	log.FromContext(ctx).Info(e.Note)
	w.events = append(w.events, fmt.Sprintf("%s %s %s: %s", e.Type, e.Reason, e.Action, e.Note))
}

// note writes a call to the journal, unless it is made to fail.
func (w *world[T]) note(call string) error {
	if err := w.before(call); err != nil {
		return err
	}
	w.journal = append(w.journal, call)
	return nil
}

func (w *world[T]) spy() interceptor.Funcs {
	return interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.CreateOption) error {
			if err := w.note("create"); err != nil {
				return err
			}
			return c.Create(ctx, obj, opts...)
		},
		Apply: func(ctx context.Context, c client.WithWatch, obj runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
			err := w.note("apply")
			if options := (&client.ApplyOptions{}).ApplyOptions(opts); err != nil || len(options.DryRun) > 0 {
				return err // the fake would write in a dry run
			}
			return c.Apply(ctx, obj, opts...)
		},
		Delete: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.DeleteOption) error {
			if err := w.note("delete"); err != nil {
				return err
			}
			return c.Delete(ctx, obj, opts...)
		},
		Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
			call := w.describe(obj, patch)
			if err := w.note(call); err != nil {
				return err
			}
			return c.Patch(ctx, obj, patch, opts...)
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, obj client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
			data, err := patch.Data(obj)
			if err := errors.Join(err, w.note(sub)); err != nil {
				return err
			}
			w.patches = append(w.patches, string(data))
			err = c.SubResource(sub).Patch(ctx, obj, patch, opts...)
			if err != nil && apierrors.ReasonForError(err) == metav1.StatusReasonUnknown { // a test in the patch: as the API server answers
				err = apierrors.NewInvalid(schema.GroupKind{}, w.key.Name, nil)
			}
			return err
		},
	}
}

// describe names what a patch is about: the Secret, or the part of the metadata of the object.
func (w *world[T]) describe(obj client.Object, patch client.Patch) string {
	if _, isSecret := obj.(*corev1.Secret); isSecret {
		return "patch Secret"
	}
	data, err := patch.Data(obj)
	require.NoError(w.t, err)
	w.patches = append(w.patches, string(data))
	var body struct{ Metadata map[string]any }
	require.NoError(w.t, json.Unmarshal(data, &body))
	for _, part := range []string{"finalizers", "annotations"} {
		if _, there := body.Metadata[part]; there {
			return part
		}
	}
	return "patch " + string(data)
}

// reconcile takes one step.
func (w *world[T]) reconcile() (reconcile.Result, error) {
	w.t.Helper()
	return w.engine.Reconcile(w.t.Context(), reconcile.Request{NamespacedName: w.key})
}

// settle takes one step that must succeed, and forgets what was written down about it.
func (w *world[T]) settle() {
	w.t.Helper()
	_, err := w.reconcile()
	require.NoError(w.t, err)
	w.journal, w.patches, w.events = nil, nil, nil
}

// get reads the object.
func (w *world[T]) get() T {
	w.t.Helper()
	obj := w.engine.kind.Object.DeepCopyObject().(T)
	require.NoError(w.t, w.cluster.Get(w.t.Context(), w.key, obj))
	return obj
}

func (w *world[T]) gone() bool {
	return apierrors.IsNotFound(w.cluster.Get(w.t.Context(), w.key, w.engine.kind.Object.DeepCopyObject().(T)))
}

// edit changes the object as a user would.
func (w *world[T]) edit(change func(T)) {
	w.t.Helper()
	obj := w.get()
	change(obj)
	require.NoError(w.t, w.cluster.Update(w.t.Context(), obj))
}

// wipe leaves the object with the status of a new one.
func (w *world[T]) wipe() {
	w.t.Helper()
	obj := w.get()
	*obj.GetCommonStatus() = v1alpha1.CommonStatus{ObservedGeneration: -1}
	require.NoError(w.t, w.cluster.Status().Update(w.t.Context(), obj))
}

func (w *world[T]) delete() {
	w.t.Helper()
	require.NoError(w.t, w.cluster.Delete(w.t.Context(), w.get()))
}

func (w *world[T]) condition(kind string) string {
	w.t.Helper()
	c := meta.FindStatusCondition(w.get().GetCommonStatus().Conditions, kind)
	if c == nil {
		return ""
	}
	return string(c.Status) + "/" + c.Reason
}

func (w *world[T]) message(kind string) string {
	w.t.Helper()
	c := meta.FindStatusCondition(w.get().GetCommonStatus().Conditions, kind)
	require.NotNil(w.t, c, kind)
	return c.Message
}

func (w *world[T]) ready() string { return w.condition(condition.Ready) }

// observes lets the kind find something, any number of times.
func (w *world[T]) observes(o Observation, err error) *gomock.Call {
	return w.aiven.EXPECT().Observe(gomock.Any(), gomock.Any()).Return(o, err).AnyTimes()
}

// creates lets the kind create once, and notes when.
func (w *world[T]) creates(o Observation, err error) *gomock.Call {
	return w.aiven.EXPECT().Create(gomock.Any(), gomock.Any()).DoAndReturn(func(context.Context, T) (Observation, error) {
		return o, errors.Join(w.note("aiven create"), err)
	})
}

func (w *world[T]) updates(o Observation, err error) *gomock.Call {
	return w.aiven.EXPECT().Update(gomock.Any(), gomock.Any(), gomock.Any()).DoAndReturn(
		func(context.Context, T, Observation) (Observation, error) {
			return o, errors.Join(w.note("aiven update"), err)
		})
}

func (w *world[T]) deletes(err error) *gomock.Call {
	return w.aiven.EXPECT().Delete(gomock.Any(), gomock.Any()).DoAndReturn(func(context.Context, T) error {
		return errors.Join(w.note("aiven delete"), err)
	})
}

// What a kind may find.
var (
	runs    = []status.Service{{Name: "prj/pg", Exists: true, Usable: true, State: "RUNNING"}}
	details = connection.Info{
		Address: connection.Address{Host: "db.example.com"}, Layout: connection.Layout{Prefixed: map[string]connection.Value{"HOST": connection.Host}},
	}
	// withPassword is a kind that publishes a password and nothing else.
	withPassword = connection.Layout{Prefixed: map[string]connection.Value{"PASSWORD": connection.Password}}

	nothing = Observation{Services: runs}
	allWell = Observation{Services: runs, Remote: status.Remote{Exists: true, Active: true}, Details: details}
	differs = Observation{
		Services: runs, Remote: status.Remote{Exists: true, Active: true}, Details: details,
		Diff: Diff{userconfig.NewDifference("spec.authentication", "a", "b")},
	}
)

func answer(code int, message string) error {
	return fmt.Errorf("calling: %w", avngen.Error{OperationID: "ServiceUserCreate", Status: code, Message: message})
}

func named(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID("uid-" + name), Generation: 1}
}

func placed() v1alpha1.ServiceDependant {
	return v1alpha1.ServiceDependant{
		ProjectDependant: v1alpha1.ProjectDependant{ProjectField: v1alpha1.ProjectField{Project: "prj"}},
		ServiceField:     v1alpha1.ServiceField{ServiceName: "pg"},
	}
}

func newUser(changes ...func(*v1alpha1.ServiceUser)) *v1alpha1.ServiceUser {
	user := &v1alpha1.ServiceUser{ObjectMeta: named("joe"), Spec: v1alpha1.ServiceUserSpec{ServiceDependant: placed()}}
	user.Status.ObservedGeneration = -1
	for _, change := range changes {
		change(user)
	}
	return user
}

func newDatabase() *v1alpha1.Database {
	return &v1alpha1.Database{ObjectMeta: named("db"), Spec: v1alpha1.DatabaseSpec{ServiceDependant: placed()}}
}

func annotated(key, value string) func(*v1alpha1.ServiceUser) {
	return func(u *v1alpha1.ServiceUser) { metav1.SetMetaDataAnnotation(&u.ObjectMeta, key, value) }
}
