package kafka

import (
	"context"
	"errors"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=kafkaschemas,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=kafkaschemas/status,verbs=patch

// Schema is the kind KafkaSchema.
var Schema = resource.Definition[*v1alpha1.KafkaSchema, remoteSchema]{
	Object: &v1alpha1.KafkaSchema{},
	Place:  resource.InService("kafka"),
	// Replace it if Aiven knows the resource by less than the fields that can't change, or by more.
	Identity: func(obj *v1alpha1.KafkaSchema) controllers.Identity {
		return controllers.Identity{Name: obj.Spec.Project + "/" + obj.Spec.ServiceName + "/" + obj.Spec.SchemaType + "/" + obj.Spec.SubjectName}
	},
	Find:   findSchema,
	Diff:   diffSchema,
	Create: createSchema,
	Update: updateSchema,
	Delete: deleteSchema,
}.Kind()

// remoteSchema is the resource at Aiven. Replace it by the type that the client returns.
type remoteSchema struct{}

func findSchema(_ context.Context, _ resource.Scope, _ *v1alpha1.KafkaSchema) (*remoteSchema, error) {
	return nil, errors.New("not implemented: findSchema")
}

// diffSchema can't return an error: what it returns is never corrected.
func diffSchema(_ resource.Scope, _ *v1alpha1.KafkaSchema, _ *remoteSchema) controllers.Diff {
	var diff controllers.Diff
	diff.Add("spec", "not implemented: diffSchema", "")
	return diff
}

func createSchema(_ context.Context, _ resource.Scope, _ *v1alpha1.KafkaSchema) (*remoteSchema, error) {
	return nil, errors.New("not implemented: createSchema")
}

func updateSchema(
	_ context.Context, _ resource.Scope, _ *v1alpha1.KafkaSchema, _ *remoteSchema, _ controllers.Diff,
) (*remoteSchema, error) {
	return nil, errors.New("not implemented: updateSchema")
}

func deleteSchema(_ context.Context, _ resource.Scope, _ *v1alpha1.KafkaSchema, _ *remoteSchema) error {
	return errors.New("not implemented: deleteSchema")
}
