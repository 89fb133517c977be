package controllers

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/config"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/credentials"
	"github.com/aero-operator/aero/controllers/internal/enqueue"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/policy"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/internal/store"
	"github.com/aero-operator/aero/controllers/internal/watches"
)

// newWorldOf has a kind that isn't played, and objects of it, of which it is about the first. It has to be started.
func newWorldOf[T Object](t *testing.T, kind Kind[T], scheme *runtime.Scheme, objects ...client.Object) *world[T] {
	t.Helper()
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	require.NoError(t, corev1.AddToScheme(scheme))
	w := &world[T]{
		t: t, kind: kind, key: client.ObjectKeyFromObject(objects[0]),
		now:    time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC),
		before: func(string) error { return nil }, adoption: policy.AdoptOrCreate, recreate: policy.Always,
	}
	shape := kind.shape(enqueue.Lister{})
	builder := fake.NewClientBuilder().WithScheme(scheme).WithReturnManagedFields().
		WithIndex(kind.Object, ownership.Index, shape.IdentityIndex).WithIndex(kind.Object, watches.SharedIndex, shape.Shares)
	for _, declaration := range kind.References {
		builder = builder.WithIndex(kind.Object, declaration.IndexKey(), declaration.IndexFunc())
	}
	w.cluster = builder.WithStatusSubresource(kind.Object).WithObjects(objects...).Build()
	return w
}

// start makes a new process, which remembers nothing.
func (w *world[T]) start(options aiven.Options) {
	w.t.Helper()
	kind, spied := w.kind, interceptor.NewClient(w.cluster, w.spy())
	gvk, err := spied.GroupVersionKindFor(kind.Object)
	require.NoError(w.t, err)
	lister := enqueue.Lister{Reader: spied, Kind: gvk, Scheme: spied.Scheme()}
	identities := &ownership.Registry{}
	shape := kind.shape(lister)
	identities.Add(shape.Group(), lister)
	options.Now = func() time.Time { return w.now }
	w.engine = &Reconciler[T]{
		kind: kind, gvk: gvk, shape: shape, identities: identities,
		policies:    policy.Defaults{Adoption: w.adoption, Recreate: w.recreate},
		store:       &store.Store[T]{Client: spied, Live: spied},
		recordEvent: w.hear, now: func() time.Time { return w.now },
		timings: config.Default().Timings, jitter: func() float64 { return 0 },
		clients:         aiven.New(options),
		credentials:     credentials.Resolver{Reader: spied, Default: credentials.NewDefault("token"), Fallback: true},
		secretFinalizer: credentials.SecretFinalizer{Client: spied, Live: spied},
		references: reference.Resolver{Reader: spied, Discarder: reference.Discarder{
			Client: spied, FieldManager: FieldManager,
			Users: func(context.Context, client.ObjectKey) ([]string, error) { return nil, nil },
		}},
		publisher: connection.Publisher{
			Client: spied, Reader: spied, FieldManager: FieldManager, Returned: &connection.Returned{Now: options.Now},
		},
	}
	for _, declaration := range kind.References {
		if declaration.BlocksDeletion && declaration.Kind == gvk {
			w.engine.guards.References = append(w.engine.guards.References, reference.Guard{Declaration: declaration, Lister: lister})
			w.engine.references.Guards = w.engine.guards.References
		}
	}
}
