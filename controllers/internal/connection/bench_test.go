package connection

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// bench is a cluster that records the writes that reach it.
type bench struct {
	client.WithWatch
	writes []string
	fail   map[string]error                   // by verb
	lose   string                             // the verb whose answer is lost, after it took effect
	admit  func(keys map[string][]byte) error // what an admission policy has against the keys that a write names
}

func newBench(t *testing.T, objects ...client.Object) *bench {
	t.Helper()
	b := &bench{fail: map[string]error{}, admit: func(map[string][]byte) error { return nil }}
	note := func(verb string, write func() error) error {
		b.writes = append(b.writes, verb)
		if err := b.fail[verb]; err != nil {
			return err
		}
		err := write()
		if err == nil && b.lose == verb {
			err = errors.New("connection reset")
		}
		return err
	}
	b.WithWatch = fake.NewClientBuilder().WithReturnManagedFields().WithObjects(objects...).
		WithInterceptorFuncs(interceptor.Funcs{
			Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
				if err := b.fail["get"]; err != nil {
					return err
				}
				return c.Get(ctx, key, obj, opts...)
			},
			Create: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.CreateOption) error {
				return note("create", func() error {
					return errors.Join(b.admit(obj.(*corev1.Secret).Data), c.Create(ctx, obj, opts...))
				})
			},
			Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
				return note("patch", func() error { return c.Patch(ctx, obj, patch, opts...) })
			},
			Apply: func(ctx context.Context, c client.WithWatch, obj runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
				return note("apply", func() error {
					err := b.admit(obj.(*applycorev1.SecretApplyConfiguration).Data)
					if options := (&client.ApplyOptions{}).ApplyOptions(opts); err != nil || len(options.DryRun) > 0 {
						return err // the fake would write in a dry run
					}
					return c.Apply(ctx, obj, opts...)
				})
			},
		}).Build()
	return b
}

func (b *bench) publish(t *testing.T, target Target, details Info) (bool, error) {
	t.Helper()
	b.writes = nil
	publisher := Publisher{Client: b, Reader: b, FieldManager: "aero"}
	return publisher.Publish(t.Context(), kafka(), kafkaKind, target, details)
}

func (b *bench) secret(t *testing.T) *corev1.Secret {
	t.Helper()
	secret := &corev1.Secret{}
	require.NoError(t, b.Get(t.Context(), client.ObjectKey{Namespace: "apps", Name: "events"}, secret))
	return secret
}

func kafka() client.Object {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: "events", UID: kafkaOwner.UID}}
}

var target = Target{Name: "events", Prefix: "KAFKA_"}

// keys is a layout that has these values, whatever the Info.
func keys(prefixed, legacy map[string]string) Layout {
	fixed := func(values map[string]string) map[string]Value {
		layout := map[string]Value{}
		for key, value := range values {
			layout[key] = func(Info) string { return value }
		}
		return layout
	}
	return Layout{Prefixed: fixed(prefixed), Legacy: fixed(legacy)}
}

func detailsOf(pairs ...string) Info {
	values := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		values[pairs[i]] = pairs[i+1]
	}
	return Info{Layout: keys(values, nil)}
}

func keysOf(secret *corev1.Secret) map[string]string {
	keys := map[string]string{}
	for key, value := range secret.Data {
		keys[key] = string(value)
	}
	return keys
}
