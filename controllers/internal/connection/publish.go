package connection

import (
	"bytes"
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Publisher writes connection Secrets.
type Publisher struct {
	// Client writes. It needs create and patch on Secrets.
	Client client.Client
	// Reader MUST read live and leave managedFields in place: they tell our keys from those of others.
	Reader client.Reader
	// Metadata reads the metadata of Secrets from the cache of a watch; nil if there is none.
	Metadata client.Reader
	// FieldManager is the name under which the fields of a Secret are ours. It MUST stay the same over releases.
	FieldManager string
	// RecordWrite is told each version of a Secret that a write of ours has led to; nil if nobody needs to know.
	RecordWrite func(secret types.NamespacedName, resourceVersion string)
}

func (p Publisher) recordWrite(secret types.NamespacedName, resourceVersion string) {
	if p.RecordWrite != nil {
		p.RecordWrite(secret, resourceVersion)
	}
}

// Publish brings the Secret of an owner in line with its details and reports whether it changed what the Secret says.
// A disabled target and empty details are nothing to do.
//
// Errors: *OwnershipError if the Secret is somebody else's, *PendingError if it has to go away first, an invalid spec
// if the target asks for something that can't be, and the wrapped error of the API otherwise.
func (p Publisher) Publish(ctx context.Context, owner client.Object, gvk schema.GroupVersionKind, target Target, details Details) (bool, error) {
	if target.Disabled || details.Empty() {
		return false, nil
	}
	changed, err := p.publish(ctx, owner, gvk, target, details)
	countPublish(gvk.Kind, changed, err)
	return changed, err
}

func (p Publisher) publish(ctx context.Context, owner client.Object, gvk schema.GroupVersionKind, target Target, details Details) (bool, error) {
	want := Render(OwnerOf(owner, gvk), target, details)
	if err := validate(want, target); err != nil {
		return false, err
	}
	live, created, err := p.readOrCreate(ctx, want)
	if err != nil {
		return false, err
	}
	if err := checkOwnership(live, want, target.AdoptExisting); err != nil {
		return false, err
	}
	if live, err = p.migrateFieldManagers(ctx, live, owner.GetUID()); err != nil {
		return created, err
	}
	applied, err := p.apply(ctx, live, want)
	return created || applied, err
}

// readOrCreate returns the Secret as it lives, and whether this call made it.
func (p Publisher) readOrCreate(ctx context.Context, want *corev1.Secret) (live *corev1.Secret, created bool, err error) {
	if p.mayExist(ctx, want) {
		live, err = p.read(ctx, want)
		if !apierrors.IsNotFound(err) {
			return live, false, err
		}
	}
	live = want.DeepCopy()
	err = p.Client.Create(ctx, live, client.FieldOwner(p.FieldManager))
	if apierrors.IsAlreadyExists(err) {
		// Somebody was faster, or it was us and the answer got lost: the ownership check tells.
		live, err = p.read(ctx, want)
		return live, false, err
	}
	if err != nil {
		return nil, false, fmt.Errorf("creating Secret %s: %w", client.ObjectKeyFromObject(want), err)
	}
	p.recordWrite(client.ObjectKeyFromObject(live), live.ResourceVersion)
	return live, true, nil
}

// mayExist says whether it is worth looking for the Secret before it is made.
func (p Publisher) mayExist(ctx context.Context, want *corev1.Secret) bool {
	if p.Metadata == nil {
		return true
	}
	meta := &metav1.PartialObjectMetadata{}
	meta.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	return !apierrors.IsNotFound(p.Metadata.Get(ctx, client.ObjectKeyFromObject(want), meta))
}

func (p Publisher) read(ctx context.Context, want *corev1.Secret) (*corev1.Secret, error) {
	live := &corev1.Secret{}
	key := client.ObjectKeyFromObject(want)
	if err := p.Reader.Get(ctx, key, live); err != nil {
		return nil, fmt.Errorf("reading Secret %s: %w", key, err)
	}
	return live, nil
}

// checkOwnership returns an error unless the live Secret may be written.
func checkOwnership(live, want *corev1.Secret, adopt bool) error {
	name := client.ObjectKeyFromObject(live)
	if live.DeletionTimestamp != nil {
		return &PendingError{Secret: name, Problem: "is being deleted: waiting until it is gone"}
	}
	ours := want.OwnerReferences[0]
	controller := metav1.GetControllerOf(live)
	switch {
	case controller == nil && adopt, controller != nil && controller.UID == ours.UID:
		return nil
	case controller == nil:
		return &OwnershipError{Secret: name}
	case sameObject(*controller, ours):
		return &PendingError{Secret: name, Problem: fmt.Sprintf(
			"belongs to a deleted %s of the same name: waiting until it is garbage-collected", ours.Kind)}
	default:
		return &OwnershipError{Secret: name, Owner: controller.Kind + " " + controller.Name}
	}
}

// sameObject reports that two references name the same object, whatever its uid and version.
func sameObject(a, b metav1.OwnerReference) bool {
	return a.Kind == b.Kind && a.Name == b.Name &&
		schema.FromAPIVersionAndKind(a.APIVersion, a.Kind).Group == schema.FromAPIVersionAndKind(b.APIVersion, b.Kind).Group
}

// apply writes what is ours in the Secret, unless that is there already.
func (p Publisher) apply(ctx context.Context, live, want *corev1.Secret) (bool, error) {
	name := client.ObjectKeyFromObject(live)
	own, err := applycorev1.ExtractSecret(live, p.FieldManager)
	if err != nil {
		return false, fmt.Errorf("reading the field managers of Secret %s: %w", name, err)
	}
	want = keepLiveFields(want, live, own)
	config := applied(want)
	// What we own is compared, not what is there: so a key that we no longer want differs, and so does one that
	// somebody else wrote over, while what is only theirs doesn't.
	if equality.Semantic.DeepEqual(own, config) {
		return false, nil
	}
	if live.Immutable != nil && *live.Immutable && dataDiffers(live, want, own) {
		return false, fmt.Errorf("Secret %s is immutable and its data is outdated: delete it to have it published anew", name)
	}
	config.WithUID(live.UID).WithResourceVersion(live.ResourceVersion)
	err = p.Client.Apply(ctx, config, client.FieldOwner(p.FieldManager), client.ForceOwnership)
	if err != nil {
		return false, fmt.Errorf("applying Secret %s: %w", name, err)
	}
	p.recordWrite(name, *config.ResourceVersion)
	return true, nil
}

// dataDiffers reports that applying would change a value: set one, or remove one that is ours and no longer wanted.
func dataDiffers(live, want *corev1.Secret, own *applycorev1.SecretApplyConfiguration) bool {
	for key, value := range want.Data {
		if there, ok := live.Data[key]; !ok || !bytes.Equal(there, value) {
			return true
		}
	}
	for key := range own.Data {
		if _, wanted := want.Data[key]; !wanted {
			return true
		}
	}
	return false
}

// keepLiveFields yields to what the live Secret doesn't allow or wants otherwise: the type, which can't be changed once a
// Secret exists, and a managed-by label that names another tool.
func keepLiveFields(want, live *corev1.Secret, own *applycorev1.SecretApplyConfiguration) *corev1.Secret {
	want = want.DeepCopy()
	want.Type = live.Type
	_, isOurs := own.Labels[ManagedByLabel]
	there, labelled := live.Labels[ManagedByLabel]
	if want.Labels[ManagedByLabel] == ManagedBy && labelled && there != ManagedBy && !isOurs {
		delete(want.Labels, ManagedByLabel)
	}
	return want
}
