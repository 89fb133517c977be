package controllers

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
)

func TestTheConnectionSecretMovesToAnotherName(t *testing.T) {
	for _, killedAt := range []string{"none", "create", "patch Secret", "apply", "status"} {
		t.Run("killed at "+killedAt, func(t *testing.T) {
			w := newWorld(t, newUser())
			w.observes(allWell, nil)
			w.settle()
			require.Equal(t, "joe", w.get().Status.Binding.Name)
			w.edit(func(u *v1alpha1.ServiceUser) { u.Spec.ConnInfoSecretTarget.Name, u.Generation = "new", 2 })
			w.before = func(call string) error {
				if call == killedAt {
					return errors.New("killed")
				}
				return nil
			}
			_, err := w.reconcile()
			require.Equal(t, killedAt != "none", err != nil)
			w.before = func(string) error { return nil }
			w.settle()

			var former, now corev1.Secret
			require.NoError(t, w.cluster.Get(t.Context(), client.ObjectKey{Namespace: "ns", Name: "joe"}, &former))
			require.NoError(t, w.cluster.Get(t.Context(), client.ObjectKey{Namespace: "ns", Name: "new"}, &now))
			assert.Empty(t, former.Data)
			assert.Equal(t, []byte("db.example.com"), now.Data["SERVICEUSER_HOST"])
			assert.Equal(t, "new", w.get().Status.Binding.Name)
			_, err = w.reconcile()
			require.NoError(t, err)
			assert.Empty(t, w.journal, "at rest")
		})
	}
}
