package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/internal/schemaregistry"
	"github.com/aero-operator/aero/controllers/resource"
)

// schemaReference leads to the version that another KafkaSchema has registered.
var schemaReference = reference.Declaration{
	Name: "KafkaSchema", Kind: v1alpha1.GroupVersion.WithKind("KafkaSchema"), Field: "spec.references", BlocksDeletion: true,
	Targets: func(obj client.Object) []reference.Target {
		var targets []reference.Target
		for _, ref := range obj.(*v1alpha1.KafkaSchema).Spec.References {
			if ref.KafkaSchemaRef != nil {
				targets = append(targets, reference.Target{NamespacedName: types.NamespacedName{Name: ref.KafkaSchemaRef.Name}})
			}
		}
		return targets
	},
	Ready: reference.Typed(func(referrer, target *v1alpha1.KafkaSchema) (schemaregistry.Reference, error) {
		to := schemaregistry.Reference{Subject: target.Spec.SubjectName, Version: ptr.Deref(target.Status.Version, 0)}
		switch {
		case target.Spec.Project != referrer.Spec.Project || target.Spec.ServiceName != referrer.Spec.ServiceName:
			return to, fault.InvalidSpec("spec.references", fmt.Sprintf("KafkaSchema %s is in service %s/%s. Refer to one in the service of this object",
				target.Name, target.Spec.Project, target.Spec.ServiceName))
		case to.Version <= 0 && referrer.DeletionTimestamp.IsZero():
			return to, errors.New("KafkaSchema " + target.Name + " has no version yet")
		}
		return to, nil
	}),
}

// wantedSchema has the references in the order of the spec.
func wantedSchema(s resource.Scope, obj *v1alpha1.KafkaSchema) schemaregistry.Schema {
	wanted, objects := schemaregistry.Schema{Type: obj.Spec.SchemaType, Text: obj.Spec.Schema}, 0
	for _, ref := range obj.Spec.References {
		to := schemaregistry.Reference{Subject: ref.Subject, Version: ptr.Deref(ref.Version, 0)}
		if ref.KafkaSchemaRef != nil {
			to, _ = reference.Value[schemaregistry.Reference](s.Refs, schemaReference.Name, objects)
			objects++
		}
		to.Name = ref.Name
		wanted.References = append(wanted.References, to)
	}
	return wanted
}

// named are the references to subjects that no object of the spec registers.
func named(obj *v1alpha1.KafkaSchema) []v1alpha1.KafkaSchemaReference {
	return slices.DeleteFunc(slices.Clone(obj.Spec.References), func(ref v1alpha1.KafkaSchemaReference) bool { return ref.KafkaSchemaRef != nil })
}

func subjectsRead(obj *v1alpha1.KafkaSchema) []aiven.Item {
	var items []aiven.Item
	for _, ref := range named(obj) {
		items = append(items, schemaregistry.Item(obj.Spec.Project, obj.Spec.ServiceName, ref.Subject))
	}
	return items
}

// missingReference is what to wait for: the registry rejects references to what doesn't exist.
func missingReference(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaSchema) (string, error) {
	for _, ref := range named(obj) {
		own := ref.Subject == obj.Spec.SubjectName && obj.DeletionTimestamp.IsZero()
		if waitFor, err := subject(s, ref.Subject).Missing(ctx, ptr.Deref(ref.Version, 0), schemaReference.Field, own); waitFor != "" || err != nil {
			return waitFor, err
		}
	}
	return "", nil
}
