package connection

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestOnlyOurAnnotationsCount(t *testing.T) {
	b := newBench(t)
	p := Publisher{Client: b, Reader: b, FieldManager: "aero"}
	owner := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: kafkaOwner.Namespace, Name: kafkaOwner.Name, UID: kafkaOwner.UID}}
	read := func() map[string]string {
		t.Helper()
		found, err := p.Annotations(t.Context(), owner, kafkaOwner.GVK, target)
		require.NoError(t, err)
		return found
	}
	assert.Nil(t, read(), "there is no Secret")
	annotated := target
	annotated.Annotations = map[string]string{"since": "now", "user": "a"}
	_, err := p.PublishData(t.Context(), owner, kafkaOwner.GVK, annotated, map[string][]byte{"a": []byte("b")})
	require.NoError(t, err)
	assert.Equal(t, annotated.Annotations, read())

	secret := &corev1.Secret{}
	require.NoError(t, b.Get(t.Context(), types.NamespacedName{Namespace: kafkaOwner.Namespace, Name: target.Name}, secret))
	secret.Annotations["user"], secret.Annotations["other"] = "forged", "added"
	require.NoError(t, b.Update(t.Context(), secret, client.FieldOwner("kubectl")))
	assert.Equal(t, map[string]string{"since": "now"}, read())

	owner.UID, owner.Name = "else", "else"
	_, err = p.Annotations(t.Context(), owner, kafkaOwner.GVK, Target{Name: target.Name, Field: "spec.target"})
	var foreign *OwnershipError
	require.ErrorAs(t, err, &foreign)
	assert.Equal(t, "spec.target", foreign.Field)
}
