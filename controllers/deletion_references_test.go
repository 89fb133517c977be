package controllers

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/reference"
)

func TestADeletionGoesOnWithoutAReferenceOnlyIfItIsKnownToBeMissing(t *testing.T) {
	for name, tc := range map[string]struct {
		secret   *corev1.Secret // nil if there is none
		err      error          // of reading it
		gone     bool
		password string // that the kind finds
		ready    string
	}{
		"it is there": {
			secret: &corev1.Secret{ObjectMeta: named("pw"), Data: map[string][]byte{"password": []byte("12345678")}}, gone: true, password: "12345678",
		},
		"it has no key":                          {secret: &corev1.Secret{ObjectMeta: named("pw")}, gone: true},
		"it doesn't exist":                       {gone: true},
		"it can't be read":                       {err: errors.New("etcdserver: request timed out"), ready: "Unknown/ProgressingWithRetry"},
		"it is there, and the answer is cut off": {secret: &corev1.Secret{ObjectMeta: named("pw")}, err: errors.New("unexpected EOF"), ready: "Unknown/ProgressingWithRetry"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newDying(t)
			if tc.secret != nil {
				require.NoError(t, w.cluster.Create(t.Context(), tc.secret))
			}
			w.engine.kind.References = []reference.Declaration{passwordReference()}
			var passed reference.Resolved
			w.engine.kind.New = func(env Env) AivenController[*v1alpha1.ServiceUser] {
				passed = env.Refs
				return w.aiven
			}
			w.engine.references.Reader = interceptor.NewClient(w.cluster, interceptor.Funcs{
				Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
					if tc.err != nil {
						return tc.err
					}
					return c.Get(ctx, key, obj, opts...)
				},
			})
			if tc.gone {
				w.deletes(nil)
			}
			_, err := w.reconcile()
			assert.Equal(t, tc.gone, w.gone())
			password, _ := passed.SecretValue("SecretSource")
			assert.Equal(t, tc.password, string(password))
			if !tc.gone {
				require.ErrorContains(t, err, tc.err.Error())
				assert.Equal(t, tc.ready, w.ready())
				assert.True(t, ownership.HasFinalizer(w.get()))
			}
		})
	}
}
