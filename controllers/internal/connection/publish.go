package connection

import (
	"bytes"
	"context"
	"errors"
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
	// Reader MUST read live and return managedFields, which distinguish our keys from those of others.
	Reader client.Reader
	// Metadata reads the metadata of Secrets from the cache of a watch; nil if there is none.
	Metadata client.Reader
	// FieldManager is the name under which the fields of a Secret are ours. It MUST stay the same over releases.
	FieldManager string
	// RecordWrite is called with the version of a Secret after each write; nil if that isn't needed.
	RecordWrite func(secret types.NamespacedName, resourceVersion string)
	// Returned are credentials that may not be published yet; nil if nothing is remembered.
	Returned *Returned
}

func (p Publisher) recordWrite(secret types.NamespacedName, resourceVersion string) {
	if p.RecordWrite != nil {
		p.RecordWrite(secret, resourceVersion)
	}
}

// Publish brings the Secret of an owner in line with its details and reports whether it changed the Secret. A disabled
// target and empty details are nothing to do.
//
// Errors: *RouteError if the target's route doesn't exist, *OwnershipError if the Secret belongs to another object, *PendingError
// if it has to go away first, an invalid spec if the target asks for something impossible, and the wrapped error of the API otherwise.
func (p Publisher) Publish(ctx context.Context, owner client.Object, gvk schema.GroupVersionKind, target Target, details Info) (bool, error) {
	if target.Disabled || details.Empty() {
		return false, nil
	}
	changed, err := p.publish(ctx, OwnerOf(owner, gvk), target, details)
	if err == nil {
		err = p.withdraw(ctx, OwnerOf(owner, gvk), target)
	}
	if err == nil {
		p.Returned.published(owner.GetUID())
	}
	countPublish(gvk.Kind, changed, err)
	return changed, err
}

// PublishData is Publish for data that is as it is published, whatever its values look like. If the API server refuses them, that is an
// invalid spec, too.
func (p Publisher) PublishData(
	ctx context.Context, owner client.Object, gvk schema.GroupVersionKind, target Target, data map[string][]byte,
) (bool, error) {
	layout := Layout{Legacy: map[string]Value{}}
	for key, value := range data {
		layout.Legacy[key] = func(Info) string { return string(value) }
	}
	changed, err := p.publish(ctx, OwnerOf(owner, gvk), target, Info{Layout: layout})
	countPublish(gvk.Kind, changed, err)
	return changed, named(explained(err, target), target)
}

// named adds the field of a target to an error about another owner.
func named(err error, target Target) error {
	if foreign, is := errors.AsType[*OwnershipError](err); is {
		foreign.Field = target.Field
	}
	return err
}

func (p Publisher) publish(ctx context.Context, owner Owner, target Target, details Info) (bool, error) {
	details, err := details.Via(target.Route)
	if err != nil {
		return false, err
	}
	want := Render(owner, target, details)
	if err := validate(want, target); err != nil {
		return false, err
	}
	if err := p.keepUnmarkedAsFormer(ctx, want, target, details); err != nil {
		return false, err
	}
	live, created, err := p.readOrCreate(ctx, want)
	if err != nil || created {
		return created, err
	}
	if err := checkOwnership(live, want); err != nil {
		return false, err
	}
	if err := checkType(live, target); err != nil {
		return false, err
	}
	own, err := p.owned(live, owner.UID)
	if err != nil {
		return false, err
	}
	keep(want, own, target, details.Keep)
	keepUnmarked(want, own, target.Prefix, details.Keep)
	want = keepLiveFields(want, live, own)
	// What we own is compared, not what is there: so a key that we no longer want differs, and so does one that was
	// overwritten, while what belongs to others doesn't.
	if equality.Semantic.DeepEqual(own, applied(want)) {
		return false, nil
	}
	if isImmutable(live) && dataDiffers(live, want, own) {
		return false, fmt.Errorf("Secret %s is immutable and its data is outdated: delete it to have it published again",
			client.ObjectKeyFromObject(live))
	}
	return p.change(ctx, live, want, owner.UID)
}

// readOrCreate returns the Secret as it is stored, and whether this call created it.
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
		// Another client was faster, or it was us and the answer got lost: the ownership check decides.
		live, err = p.read(ctx, want)
		return live, false, err
	}
	if err != nil {
		return nil, false, fmt.Errorf("creating Secret %s: %w", client.ObjectKeyFromObject(want), err)
	}
	p.recordWrite(client.ObjectKeyFromObject(live), live.ResourceVersion)
	return live, true, nil
}

// mayExist reports whether the Secret has to be read before it is created.
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

// change writes what is ours in the Secret.
func (p Publisher) change(ctx context.Context, live, want *corev1.Secret, owner types.UID) (bool, error) {
	live, err := p.migrateFieldManagers(ctx, live, owner)
	if err != nil {
		return false, err
	}
	config := applied(want).WithUID(live.UID).WithResourceVersion(live.ResourceVersion)
	err = p.Client.Apply(ctx, config, client.FieldOwner(p.FieldManager), client.ForceOwnership)
	if err != nil {
		return false, fmt.Errorf("applying Secret %s: %w", client.ObjectKeyFromObject(live), err)
	}
	p.recordWrite(client.ObjectKeyFromObject(live), *config.ResourceVersion)
	return true, nil
}

func isImmutable(secret *corev1.Secret) bool { return secret.Immutable != nil && *secret.Immutable }

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

// keepLiveFields keeps what the live Secret doesn't allow to change: the type, which is immutable, and a managed-by label
// that names another tool.
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
