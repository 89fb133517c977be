package controllers

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/reference"
)

func passwordReference() reference.Declaration {
	return reference.Declaration{
		Name: "SecretSource", Kind: reference.SecretKind, Field: "spec.connInfoSecretSource",
		Targets: func(client.Object) []reference.Target {
			return []reference.Target{{NamespacedName: client.ObjectKey{Name: "pw"}, Key: "password"}}
		},
	}
}

func TestE05_AnAbsentReferenceIsAwaited(t *testing.T) {
	w := newWorld(t, newUser())
	w.engine.kind.References = []reference.Declaration{passwordReference()}
	w.settle()
	assert.Equal(t, "Unknown/Progressing", w.ready())
	assert.Equal(t, "False/ReferenceNotFound", w.condition(condition.ConfigValid))
	assert.Equal(t, "False/NotFound", w.condition("SecretSourceReady"))

	w.now = w.now.Add(11 * time.Second)
	w.settle()
	assert.Equal(t, "False/ReferenceNotFound", w.ready())

	pw := &corev1.Secret{ObjectMeta: named("pw"), Data: map[string][]byte{"password": []byte("12345678")}}
	require.NoError(t, w.cluster.Create(t.Context(), pw))
	w.observes(allWell, nil)
	w.settle()
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
	assert.Len(t, w.get().Status.ResolvedRefs, 1)
}
