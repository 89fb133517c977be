package reference

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// Spent is a Secret that an object names, whose values were used once and for all.
type Spent struct {
	Name   string // of the Secret, in the namespace of the object
	Delete bool   // the spec asks for its deletion
}

// Discarded is what became of a Secret that the spec wants deleted.
type Discarded struct {
	Message string // a sentence without its period; empty if there is no such Secret
	Warning bool   // a user has to do something
	Retry   bool   // the API server failed: it is tried again soon
}

// Discarder deletes the Secrets that objects have spent. It reads no data of them: the version that the status records is
// that of which the values were sent, and a Secret of this version is deleted or none.
type Discarder struct {
	// Client deletes Secrets, and reads their metadata from the cache of a watch, with managedFields.
	Client client.Client
	// FieldManager is that of the connection Secrets.
	FieldManager string
	// Users names the objects that have their token in a Secret, or still need its values.
	Users func(ctx context.Context, secret types.NamespacedName) ([]string, error)
}

// Discard deletes the Secret that an object has spent, if its spec asks for that. recorded are the references in its status.
// reports means that nothing may be changed for the object.
func (d Discarder) Discard(
	ctx context.Context, obj client.Object, decls []Declaration, recorded []v1alpha1.ResolvedReference, reports bool,
) Discarded {
	for _, decl := range decls {
		if spent := decl.spent(obj); spent != nil && spent.Delete {
			secret := types.NamespacedName{Namespace: obj.GetNamespace(), Name: spent.Name}
			return d.discard(ctx, secret, recordOf(spent.reference(obj), recorded), reports)
		}
	}
	return Discarded{}
}

func (d Discarder) discard(ctx context.Context, secret types.NamespacedName, record *v1alpha1.ResolvedReference, reports bool) Discarded {
	meta := &metav1.PartialObjectMetadata{}
	meta.SetGroupVersionKind(SecretKind)
	err := d.Client.Get(ctx, secret, meta)
	if err != nil {
		return discarded(secret, err)
	}
	users, err := d.Users(ctx, secret)
	if err != nil {
		return discarded(secret, err)
	}
	why := d.whyKept(meta, record)
	switch {
	case reports:
		return Discarded{Message: fmt.Sprintf("Secret %s is kept, as differences of this object are only reported", secret)}
	case meta.DeletionTimestamp != nil:
		return Discarded{Message: fmt.Sprintf("Secret %s is being deleted: it is gone once its finalizers are", secret)}
	case why != "":
		return Discarded{Warning: true, Message: fmt.Sprintf("Secret %s was not deleted: %s. Delete it if nothing needs it", secret, why)}
	case len(users) > 0:
		return Discarded{Message: fmt.Sprintf("Secret %s is deleted once it is no longer needed by %s", secret, strings.Join(users, ", "))}
	}
	return discarded(secret, d.Client.Delete(ctx,
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: secret.Namespace, Name: secret.Name}},
		client.Preconditions{UID: &record.UID, ResourceVersion: &record.ResourceVersion}))
}

// whyKept is why a Secret isn't for this object to delete; empty if it is.
func (d Discarder) whyKept(meta *metav1.PartialObjectMetadata, record *v1alpha1.ResolvedReference) string {
	owner := metav1.GetControllerOf(meta)
	switch {
	case owner != nil:
		return fmt.Sprintf("it belongs to %s %s", owner.Kind, owner.Name)
	case slices.ContainsFunc(meta.ManagedFields, func(e metav1.ManagedFieldsEntry) bool { return e.Manager == d.FieldManager }):
		return "the operator has written it"
	case record == nil:
		return "the status doesn't record that its values were sent"
	case record.UID != meta.UID:
		return "it was created again after its values were sent"
	case record.ResourceVersion != meta.ResourceVersion:
		return "it was changed after its values were sent"
	default:
		return ""
	}
}

// discarded is what the answer of the API server means.
func discarded(secret types.NamespacedName, err error) Discarded {
	switch {
	case err == nil, apierrors.IsNotFound(err):
		return Discarded{Message: fmt.Sprintf("Secret %s is deleted", secret)}
	case apierrors.IsForbidden(err):
		return Discarded{Warning: true, Message: fmt.Sprintf("Secret %s was not deleted: the operator has no permission to. "+
			"Set rbac.deleteMigrationSecrets to true in the values of its chart, or delete the Secret", secret)}
	default:
		return Discarded{Retry: true, Message: fmt.Sprintf("Secret %s was not deleted yet: %s", secret, fault.Of(err).Message)}
	}
}

// spent is the Secret of this reference whose values an object needs no longer, or nil.
func (d Declaration) spent(obj client.Object) *Spent {
	if d.Spent == nil {
		return nil
	}
	return d.Spent(obj)
}

// reference is the beginning of the record of a Secret in the status.
func (s *Spent) reference(obj client.Object) v1alpha1.ResolvedReference {
	return v1alpha1.ResolvedReference{Kind: SecretKind.Kind, Namespace: obj.GetNamespace(), Name: s.Name}
}
