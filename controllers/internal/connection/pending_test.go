package connection

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func (b *bench) pending(t *testing.T) *corev1.Secret {
	t.Helper()
	secret := &corev1.Secret{}
	require.NoError(t, b.Get(t.Context(), types.NamespacedName{Namespace: kafkaOwner.Namespace, Name: target.Name + "-pending"}, secret))
	return secret
}

func TestAPendingPasswordIsStoredReadAndDropped(t *testing.T) {
	b := newBench(t)
	p := Publisher{Client: b, Reader: b, FieldManager: "aero"}
	none, err := p.Pending(t.Context(), kafkaOwner, target)
	require.NoError(t, err)
	require.Nil(t, none)
	for _, request := range []string{"one", ""} { // the Secret is there for the second
		stored, err := p.StorePending(t.Context(), kafkaOwner, target, Pending{Password: "new-password", Request: request}, "old-password")
		require.NoError(t, err)
		assert.True(t, stored.Replaces("old-password"))
		assert.Equal(t, kafkaOwner.UID, b.pending(t).OwnerReferences[0].UID, "it goes with its owner")
		for _, value := range b.pending(t).Data {
			assert.NotContains(t, string(value), "old-password")
		}
		_, err = p.StorePending(t.Context(), kafkaOwner, target, Pending{Password: "another-password", Request: "two"}, "old-password")
		assert.True(t, apierrors.IsConflict(err), "of two processes, one stores its password")
		pending, err := p.Pending(t.Context(), kafkaOwner, target)
		require.NoError(t, err)
		assert.Equal(t, []string{"new-password", request}, []string{pending.Password, pending.Request})
		assert.True(t, pending.Replaces("old-password"))
		assert.False(t, pending.Replaces("new-password"))
		require.NoError(t, p.DropPending(t.Context(), pending))
		assert.Empty(t, b.pending(t).Data)
		none, err = p.Pending(t.Context(), kafkaOwner, target)
		require.NoError(t, err)
		assert.Nil(t, none)
		assert.True(t, apierrors.IsConflict(p.DropPending(t.Context(), pending)), "another process has dropped it")
	}
}

func TestASecretWithoutAPendingPasswordGetsOne(t *testing.T) {
	b := newBench(t)
	p := Publisher{Client: b, Reader: b, FieldManager: "aero"}
	_, err := p.StorePending(t.Context(), kafkaOwner, target, Pending{Password: "new-password"}, "old-password")
	require.NoError(t, err)
	secret := b.pending(t)
	secret.Data = nil // by a user
	require.NoError(t, b.Update(t.Context(), secret))
	stored, err := p.StorePending(t.Context(), kafkaOwner, target, Pending{Password: "another-password"}, "old-password")
	require.NoError(t, err)
	require.NoError(t, p.DropPending(t.Context(), stored))
}

func TestAPendingPasswordTouchesNoSecretOfOthers(t *testing.T) {
	for name, owners := range map[string][]metav1.OwnerReference{
		"without an owner": nil,
		"another's":        {{APIVersion: "v1", Kind: "Kafka", Name: "else", UID: "else", Controller: new(true)}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			p := Publisher{Client: b, Reader: b, FieldManager: "aero"}
			secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
				Namespace: kafkaOwner.Namespace, Name: target.Name + "-pending", OwnerReferences: owners,
				Annotations: map[string]string{"controllers.aiven.io/adopt-secret": "true"},
			}, Data: map[string][]byte{"theirs": []byte("x")}}
			require.NoError(t, b.Create(t.Context(), secret))
			var ownership *OwnershipError
			_, err := p.Pending(t.Context(), kafkaOwner, target)
			require.ErrorAs(t, err, &ownership)
			_, err = p.StorePending(t.Context(), kafkaOwner, target, Pending{Password: "new-password", Request: "one"}, "old-password")
			require.ErrorAs(t, err, &ownership)
			assert.Equal(t, map[string][]byte{"theirs": []byte("x")}, b.pending(t).Data)
		})
	}
}

func TestANameThatLeavesNoRoomHasNoPendingSecret(t *testing.T) {
	name, fits := PendingName(Target{Name: strings.Repeat("x", 245)})
	assert.Len(t, name, 253)
	assert.True(t, fits)
	_, fits = PendingName(Target{Name: strings.Repeat("x", 246)})
	assert.False(t, fits)
}
