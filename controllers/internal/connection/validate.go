package connection

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

const targetField = "spec.connInfoSecretTarget"

// path is that of the field of the spec that has the target.
func (t Target) path() *field.Path { return field.NewPath(cmp.Or(t.Field, targetField)) }

// validate finds what the API server would refuse, to name the field of the spec that asks for it. The API server
// speaks of the Secret, which isn't what the user wrote. Of several problems the same one is named every time.
func validate(secret *corev1.Secret, target Target) error {
	if problems := validation.IsDNS1123Subdomain(target.Name); len(problems) > 0 {
		path := target.path().Child("name") // it can't be changed
		return invalid(field.Invalid(path, target.Name, problems[0]+". Recreate the object with another "+path.String()+
			". If it exists at Aiven, set the annotation "+annotation.Deletion+"=Orphan first, which keeps it there"))
	}
	for _, key := range slices.Sorted(maps.Keys(secret.Data)) {
		if problems := validation.IsConfigMapKey(key); len(problems) > 0 {
			if target.Field != "" { // its keys have no prefix
				return fault.InvalidSpec(fmt.Sprintf("spec.data[%s]", key), problems[0])
			}
			return invalid(field.Invalid(target.path().Child("prefix"), target.Prefix,
				fmt.Sprintf("makes the key %q: %s", key, problems[0])))
		}
	}
	errs := append(metav1validation.ValidateLabels(target.Labels, target.path().Child("labels")),
		apivalidation.ValidateAnnotations(target.Annotations, target.path().Child("annotations"))...)
	if len(errs) > 0 {
		return invalid(slices.MinFunc(errs, func(a, b *field.Error) int { return strings.Compare(a.Error(), b.Error()) }))
	}
	return validateSize(secret)
}

// IfPossible is a call that creates a resource, made only if the connection Secret of its owner can exist: what is created for another
// one costs money, and no application can reach it. The keys that the call will return aren't known, so one tries the prefix.
func IfPossible[T any](owner client.Object, gvk schema.GroupVersionKind, create func(context.Context) (T, error)) func(context.Context) (T, error) {
	return func(ctx context.Context) (T, error) {
		target, _ := TargetOf(owner, gvk.Kind, policy.Defaults{}) // which routes there will be isn't known
		if !target.Disabled {
			if err := validate(Render(OwnerOf(owner, gvk), target, Info{Layout: Layout{Prefixed: map[string]Value{"HOST": Host}}}), target); err != nil {
				var none T
				return none, err
			}
		}
		return create(ctx)
	}
}

// validateSize applies the limit of Kubernetes: the values together, keys not counted.
func validateSize(secret *corev1.Secret) error {
	size := 0
	for _, value := range secret.Data {
		size += len(value)
	}
	if size > corev1.MaxSecretSize {
		return fmt.Errorf("connection details are too large for Secret %s: %d bytes, Kubernetes allows %d",
			client.ObjectKeyFromObject(secret), size, corev1.MaxSecretSize)
	}
	return nil
}

func invalid(err *field.Error) error {
	return fault.InvalidSpec(err.Field, err.ErrorBody())
}
