package connection

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/util/csaupgrade"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// unknownWriter is the manager that the API server invents for fields without a known writer, because managedFields were
// cleared or are younger than the object. They may belong to any client.
const unknownWriter = "before-first-apply"

// owned returns the fields of a live Secret that are ours: those of our server-side apply, and those of the write that
// made the Secret ours, which is our own POST or a write of aiven-operator for the same object.
func (p Publisher) owned(live *corev1.Secret, owner types.UID) (*applycorev1.SecretApplyConfiguration, error) {
	name := client.ObjectKeyFromObject(live)
	writers, err := writersOf(live.ManagedFields, owner)
	if err != nil {
		return nil, fmt.Errorf("reading the field managers of Secret %s: %w", name, err)
	}
	migrated := live.DeepCopy()
	if err := csaupgrade.UpgradeManagedFields(migrated, writers, p.FieldManager); err != nil {
		return nil, fmt.Errorf("reading the field managers of Secret %s: %w", name, err)
	}
	own, err := extracted(migrated, p.FieldManager)
	if err != nil {
		return nil, fmt.Errorf("reading the field managers of Secret %s: %w", name, err)
	}
	return own, nil
}

// migrateFieldManagers moves the fields of the write that made the Secret ours to our server-side apply, and returns the
// Secret as it is stored then. It precedes the first apply.
//
// A POST, like any write that isn't an apply, is recorded with the operation Update, and an apply by the same manager
// is recorded next to it, not instead of it. A key that both hold is not removed when the apply stops naming it.
func (p Publisher) migrateFieldManagers(ctx context.Context, live *corev1.Secret, owner types.UID) (*corev1.Secret, error) {
	name := client.ObjectKeyFromObject(live)
	writers, err := writersOf(live.ManagedFields, owner)
	if err != nil {
		return nil, fmt.Errorf("reading the field managers of Secret %s: %w", name, err)
	}
	if writers.Len() == 0 {
		return live, nil
	}
	// The patch carries the resourceVersion, and csaupgrade changes entries in place: hence the copy.
	patch, err := csaupgrade.UpgradeManagedFieldsPatch(live.DeepCopy(), writers, p.FieldManager)
	if err != nil {
		return nil, fmt.Errorf("migrating the field managers of Secret %s: %w", name, err)
	}
	patched := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: live.Namespace, Name: live.Name}}
	err = p.Client.Patch(ctx, patched, client.RawPatch(types.JSONPatchType, patch), client.FieldOwner(p.FieldManager))
	if err != nil {
		return nil, fmt.Errorf("migrating the field managers of Secret %s: %w", name, err)
	}
	p.recordWrite(name, patched.ResourceVersion)
	return patched, nil
}

// writersOf names the managers that set the reference to this owner by another operation than apply: our own POST, or
// aiven-operator, whatever the name of its binary was. No other client writes that reference, so users and tools that
// added a key or a label keep it.
func writersOf(entries []metav1.ManagedFieldsEntry, owner types.UID) (sets.Set[string], error) {
	reference, err := json.Marshal(map[string]types.UID{"uid": owner})
	if err != nil {
		return nil, fmt.Errorf("encoding the uid of the owner: %w", err)
	}
	writers := sets.New[string]()
	for _, entry := range entries {
		if entry.Operation != metav1.ManagedFieldsOperationUpdate || entry.Manager == unknownWriter || entry.FieldsV1 == nil {
			continue
		}
		var fields struct {
			Metadata struct {
				OwnerReferences map[string]json.RawMessage `json:"f:ownerReferences"`
			} `json:"f:metadata"`
		}
		if err := json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields); err != nil {
			return nil, fmt.Errorf("decoding the fields of %s: %w", entry.Manager, err)
		}
		if _, ok := fields.Metadata.OwnerReferences["k:"+string(reference)]; ok {
			writers.Insert(entry.Manager)
		}
	}
	return writers, nil
}
