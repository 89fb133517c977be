package connection

import (
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
)

// written are the versions that our writes have led to.
type written map[types.NamespacedName]string

func (w written) IsLatest(secret client.Object) bool {
	return w[client.ObjectKeyFromObject(secret)] == secret.GetResourceVersion()
}

func (w written) Forget(secret types.NamespacedName) { delete(w, secret) }

func TestK06_ChangesThatEnqueueTheOwnerOfASecret(t *testing.T) {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "joe"}}
	secret.ResourceVersion = "8"
	managed := func(manager, version string) *corev1.Secret {
		s := secret.DeepCopy()
		s.ResourceVersion = version
		s.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate}}
		return s
	}
	edited, seenEarly := managed("kubectl-edit", "9"), managed("aero", "10")
	labelled := secret.DeepCopy()
	labelled.ResourceVersion, labelled.Labels = "9", map[string]string{"team": "orders"}
	ours := written{client.ObjectKeyFromObject(secret): "8"}
	p := ExternalChangePredicate("aero", ours)
	assert.False(t, p.Create(event.CreateEvent{Object: secret}), "it was just made by its owner")
	assert.False(t, p.Update(event.UpdateEvent{ObjectOld: edited, ObjectNew: secret}), "we wrote that version")
	assert.False(t, p.Update(event.UpdateEvent{ObjectOld: secret, ObjectNew: seenEarly}), "we wrote it, and have no answer yet")
	assert.True(t, p.Update(event.UpdateEvent{ObjectOld: secret, ObjectNew: edited}), "another manager wrote a field")
	assert.True(t, p.Update(event.UpdateEvent{ObjectOld: secret, ObjectNew: labelled}))
	assert.True(t, p.Delete(event.DeleteEvent{Object: secret}))
	assert.True(t, p.Update(event.UpdateEvent{ObjectOld: edited, ObjectNew: secret}), "a deleted Secret has no version of ours")
}
