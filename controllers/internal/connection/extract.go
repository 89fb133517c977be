package connection

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"
)

// appliedFields are those of a Secret that a manager has applied, as FieldsV1 has them: f: begins the name of a field, and k: an item of a
// list, by its key as JSON.
type appliedFields struct {
	Data      map[string]any `json:"f:data"`
	Type      *any           `json:"f:type"`
	Immutable *any           `json:"f:immutable"`
	Metadata  struct {
		Labels          map[string]any `json:"f:labels"`
		Annotations     map[string]any `json:"f:annotations"`
		OwnerReferences map[string]any `json:"f:ownerReferences"`
	} `json:"f:metadata"`
}

// extracted are the fields of a Secret that a manager has applied, with their values. client-go's ExtractSecret returns the same for these
// fields: its schema of all types of Kubernetes takes a megabyte of memory for as long as the operator runs.
func extracted(live *corev1.Secret, manager string) (*applycorev1.SecretApplyConfiguration, error) {
	own := applycorev1.Secret(live.Name, live.Namespace)
	at := slices.IndexFunc(live.ManagedFields, func(e metav1.ManagedFieldsEntry) bool {
		return e.Manager == manager && e.Operation == metav1.ManagedFieldsOperationApply && e.Subresource == "" && e.FieldsV1 != nil
	})
	if at < 0 {
		return own, nil
	}
	var fields appliedFields
	if err := json.Unmarshal(live.ManagedFields[at].FieldsV1.GetRawBytes(), &fields); err != nil {
		return nil, fmt.Errorf("decoding the fields of %s: %w", manager, err)
	}
	own.Data = taken(live.Data, fields.Data)
	own.WithLabels(taken(live.Labels, fields.Metadata.Labels)).WithAnnotations(taken(live.Annotations, fields.Metadata.Annotations))
	if fields.Type != nil && live.Type != "" {
		own.WithType(live.Type)
	}
	if fields.Immutable != nil {
		own.Immutable = live.Immutable
	}
	for _, owner := range live.OwnerReferences {
		key, err := json.Marshal(map[string]types.UID{"uid": owner.UID})
		if err != nil {
			return nil, fmt.Errorf("encoding the uid of the owner: %w", err)
		}
		if _, is := fields.Metadata.OwnerReferences["k:"+string(key)]; is {
			own.WithOwnerReferences(ownerReference(owner))
		}
	}
	return own, nil
}

// taken are the entries of a map whose fields are among those that were applied; nil for none.
func taken[V any](live map[string]V, fields map[string]any) map[string]V {
	var found map[string]V
	for field := range fields {
		name, isField := strings.CutPrefix(field, "f:")
		if value, has := live[name]; isField && has {
			if found == nil {
				found = map[string]V{}
			}
			found[name] = value
		}
	}
	return found
}

func ownerReference(owner metav1.OwnerReference) *applymetav1.OwnerReferenceApplyConfiguration {
	reference := applymetav1.OwnerReference().WithAPIVersion(owner.APIVersion).WithKind(owner.Kind).WithName(owner.Name).WithUID(owner.UID)
	reference.Controller, reference.BlockOwnerDeletion = owner.Controller, owner.BlockOwnerDeletion
	return reference
}
