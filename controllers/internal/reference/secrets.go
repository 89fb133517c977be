package reference

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// mostSecretBytes is how much an object may take from Secrets: as much as one Secret holds. Each reconcile keeps it, in several
// encodings: see fault.Secrets.
const mostSecretBytes = 1 << 20

// secretReader reads each Secret once, however many of its keys are named, and keeps nothing but these.
type secretReader struct {
	reader client.Reader
	keys   map[types.NamespacedName][]string
	read   map[types.NamespacedName]secretResult
	left   *int // bytes that may still be kept
}

type secretResult struct {
	uid      types.UID
	version  string
	data     map[string][]byte
	tooLarge bool
	err      error
	// madeFor is the object of the group aero-operator.io that the operator makes the Secret for; nil if it is another one's.
	madeFor *metav1.OwnerReference
}

func newSecretReader(reader client.Reader, decls []Declaration, targets [][]Target) secretReader {
	left := mostSecretBytes
	s := secretReader{
		reader: reader, keys: map[types.NamespacedName][]string{}, read: map[types.NamespacedName]secretResult{}, left: &left,
	}
	for i, d := range decls {
		if d.Kind != SecretKind {
			continue
		}
		for _, target := range targets[i] {
			s.keys[target.NamespacedName] = append(append(s.keys[target.NamespacedName], target.Key), d.Keys...)
		}
	}
	return s
}

func (s secretReader) get(ctx context.Context, name types.NamespacedName) secretResult {
	result, known := s.read[name]
	if !known {
		secret := &corev1.Secret{}
		result.err = s.reader.Get(ctx, name, secret)
		if result.err == nil {
			result = s.keep(name, secret)
		}
		s.read[name] = result
	}
	return result
}

// keep returns what is needed of a Secret. What doesn't fit any more is known by its keys alone.
func (s secretReader) keep(name types.NamespacedName, secret *corev1.Secret) secretResult {
	result := secretResult{uid: secret.UID, version: secret.ResourceVersion, data: map[string][]byte{}, madeFor: madeFor(secret)}
	bytes := 0
	for key, value := range secret.Data {
		if slices.Contains(s.keys[name], key) {
			result.data[key] = value
			bytes += len(value)
		}
	}
	if result.tooLarge = bytes > *s.left; !result.tooLarge {
		*s.left -= bytes
		return result
	}
	for key := range result.data {
		result.data[key] = nil
	}
	return result
}

func madeFor(secret *corev1.Secret) *metav1.OwnerReference {
	controller := metav1.GetControllerOf(secret)
	if controller == nil || schema.FromAPIVersionAndKind(controller.APIVersion, controller.Kind).Group != aero.GroupVersion.Group {
		return nil
	}
	return controller
}

// versions are the resource versions of the Secrets that were found.
func (s secretReader) versions() map[types.NamespacedName]string {
	versions := map[types.NamespacedName]string{}
	for name, result := range s.read {
		if result.err == nil {
			versions[name] = result.version
		}
	}
	return versions
}

// followSecret completes the outcome and returns the data that is needed of the Secret.
func (d Declaration) followSecret(ctx context.Context, secrets secretReader, o *Outcome) map[string][]byte {
	secret := secrets.get(ctx, o.NamespacedName)
	if secret.err != nil {
		o.readFailed(secret.err)
		return nil
	}
	o.UID = secret.uid
	_, found := secret.data[o.Key]
	switch {
	case d.Original && secret.madeFor != nil:
		o.refuse(fault.InvalidSpec(o.Field, fmt.Sprintf("%s is made for %s %s, of logins: it would change with each password that is taken from it. "+
			"Name another Secret, which only you write", o.what(), secret.madeFor.Kind, secret.madeFor.Name)))
		return nil
	case !found && o.Key != "":
		o.conclude(KeyMissing, string(KeyMissing), fmt.Sprintf("%s, named by %s, has no key %q. Add it, or correct %s",
			o.what(), o.Field, o.Key, o.Field))
		return nil
	case secret.tooLarge:
		o.refuse(fault.InvalidSpec(d.Field, fmt.Sprintf("the values of Secrets that it names have more than %d MiB in all. "+
			"Name fewer Secrets, or put smaller values into them", mostSecretBytes>>20)))
		return nil
	}
	if d.WriteOnly {
		o.ResourceVersion = secret.version
	}
	o.conclude(Ready, string(Ready), o.what()+" exists")
	needed := map[string][]byte{}
	for _, key := range append(slices.Clone(d.Keys), o.Key) {
		if value, found := secret.data[key]; found {
			needed[key] = value
		}
	}
	return needed
}
