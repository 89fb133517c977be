package connection

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers/internal/annotation"
)

// Labels that every connection Secret carries, unless the target sets the same label to something else.
const (
	// ManagedByLabel has the value ManagedBy. A different value on the Secret is left alone.
	ManagedByLabel = "app.kubernetes.io/managed-by"
	// OwnerKindLabel is the kind of the owner.
	OwnerKindLabel = "aiven.io/owner-kind"
	// OwnerNameLabel is the name of the owner. A name longer than the 63 characters of a label value is cut to 54 and
	// gets a dash and 8 hexadecimal digits of its SHA-256; the owner reference has the full name.
	OwnerNameLabel = "aiven.io/owner-name"

	// ManagedBy is the value of ManagedByLabel.
	ManagedBy = "aero"
)

// Owner identifies the object whose details are published.
type Owner struct {
	GVK             schema.GroupVersionKind
	Namespace, Name string
	UID             types.UID
}

// OwnerOf identifies an object. The kind is given separately: typed objects come without one from a client.
func OwnerOf(obj client.Object, gvk schema.GroupVersionKind) Owner {
	return Owner{GVK: gvk, Namespace: obj.GetNamespace(), Name: obj.GetName(), UID: obj.GetUID()}
}

// reference is what makes the garbage collector remove the Secret together with its owner.
func (o Owner) reference() metav1.OwnerReference {
	return metav1.OwnerReference{
		APIVersion:         o.GVK.GroupVersion().String(),
		Kind:               o.GVK.Kind,
		Name:               o.Name,
		UID:                o.UID,
		Controller:         new(true),
		BlockOwnerDeletion: new(true),
	}
}

// Render lays out the whole Secret. It is pure: the same input gives the same Secret.
func Render(owner Owner, target Target, details Info) *corev1.Secret {
	labels := map[string]string{
		ManagedByLabel: ManagedBy,
		OwnerKindLabel: owner.GVK.Kind,
		OwnerNameLabel: labelValue(owner.Name),
	}
	maps.Copy(labels, target.Labels)
	annotations := maps.Clone(target.Annotations)
	if details.IssuedFor != "" {
		annotations = map[string]string{}
		maps.Copy(annotations, target.Annotations)
		annotations[annotation.CredentialsIssuedFor] = details.IssuedFor
	}
	return &corev1.Secret{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace:       owner.Namespace,
			Name:            target.Name,
			Labels:          labels,
			Annotations:     annotations,
			OwnerReferences: []metav1.OwnerReference{owner.reference()},
		},
		Type: cmp.Or(target.Type, corev1.SecretTypeOpaque),
		Data: details.data(target.Prefix),
	}
}

// labelValue fits an object's name into a label value. Names are lower-case letters, digits, dots and dashes that begin
// and end with a letter or a digit, so only the length can be wrong.
func labelValue(name string) string {
	if len(name) <= validation.LabelValueMaxLength {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	suffix := "-" + hex.EncodeToString(sum[:4])
	return name[:validation.LabelValueMaxLength-len(suffix)] + suffix
}

// applied is the Secret in the form that server-side apply takes: exactly the fields that are ours.
func applied(secret *corev1.Secret) *applycorev1.SecretApplyConfiguration {
	config := applycorev1.Secret(secret.Name, secret.Namespace).
		WithType(secret.Type).
		WithLabels(secret.Labels).
		WithAnnotations(secret.Annotations).
		WithData(secret.Data)
	for _, ref := range secret.OwnerReferences {
		config.WithOwnerReferences(applymetav1.OwnerReference().
			WithAPIVersion(ref.APIVersion).
			WithKind(ref.Kind).
			WithName(ref.Name).
			WithUID(ref.UID).
			WithController(*ref.Controller).
			WithBlockOwnerDeletion(*ref.BlockOwnerDeletion))
	}
	return config
}
