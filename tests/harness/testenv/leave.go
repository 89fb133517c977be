package testenv

import (
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// aivenOperator is the field manager of aiven-operator, in objects and in Secrets.
const aivenOperator = client.FieldOwner("manager")

// leftBehind is what aiven-operator writes into the status of an object, in place of ours. It replaces the whole status, so that
// fields which it doesn't know are gone.
const leftBehind = `{"status": {
	"conditions": [
		{"type": "Initialized", "status": "True", "reason": "CreatedOrUpdated", "message": "Instance was created or update on Aiven side",
		 "lastTransitionTime": "2026-01-02T03:04:05Z"},
		{"type": "Running", "status": "True", "reason": "CheckRunning", "message": "Instance is running on Aiven side",
		 "lastTransitionTime": "2026-01-02T03:04:05Z"}
	],
	"phase": null, "observedGeneration": null, "drift": null, "lastAttemptTime": null, "editObservedTime": null,
	"lastHandledReconcileAt": null, "resolvedRefs": null, "binding": null, "provenance": null
}}`

// Leave makes an object, and the Secret of this name that it has published, what they are where aiven-operator
// ran. There is none if the name is empty. The operator must be stopped.
func (e *Env) Leave(obj Object, secret string) {
	e.T.Helper()
	e.Change(obj, func() {
		all := obj.GetAnnotations()
		obj.SetAnnotations(map[string]string{markProcessed: all[markProcessed], markRunning: all[markRunning]})
		obj.SetManagedFields([]metav1.ManagedFieldsEntry{{}}) // none
	})
	patch := client.RawPatch(types.MergePatchType, []byte(leftBehind))
	require.NoError(e.T, e.Client.Status().Patch(e.T.Context(), obj, patch, aivenOperator))
	if secret == "" {
		return
	}
	ours := e.Secret(secret)
	require.NotNil(e.T, ours, secret)
	e.Delete(ours.DeepCopy())
	theirs := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: ours.Namespace, Name: ours.Name, OwnerReferences: ours.OwnerReferences},
		Data:       ours.Data,
	}
	require.NoError(e.T, e.Client.Create(e.T.Context(), theirs, aivenOperator))
}
