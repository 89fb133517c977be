package kafka

import (
	"context"
	"errors"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=kafkaschemaregistryacls,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=kafkaschemaregistryacls/status,verbs=patch

// SchemaRegistryACL is the kind KafkaSchemaRegistryACL.
var SchemaRegistryACL = resource.Definition[*v1alpha1.KafkaSchemaRegistryACL, remoteSchemaRegistryACL]{
	Object: &v1alpha1.KafkaSchemaRegistryACL{},
	Place:  resource.InService("kafka"),
	// Replace it if Aiven knows the resource by less than the fields that can't change, or by more.
	Identity: func(obj *v1alpha1.KafkaSchemaRegistryACL) controllers.Identity {
		return controllers.Identity{Name: obj.Spec.Project + "/" + obj.Spec.ServiceName + "/" + obj.Spec.Permission + "/" + obj.Spec.Resource + "/" + obj.Spec.Username}
	},
	Find:   findSchemaRegistryACL,
	Diff:   diffSchemaRegistryACL,
	Create: createSchemaRegistryACL,
	Update: updateSchemaRegistryACL,
	Delete: deleteSchemaRegistryACL,
}.Kind()

// remoteSchemaRegistryACL is the resource at Aiven. Replace it by the type that the client returns.
type remoteSchemaRegistryACL struct{}

func findSchemaRegistryACL(_ context.Context, _ resource.Scope, _ *v1alpha1.KafkaSchemaRegistryACL) (*remoteSchemaRegistryACL, error) {
	return nil, errors.New("not implemented: findSchemaRegistryACL")
}

// diffSchemaRegistryACL can't return an error: what it returns is never corrected.
func diffSchemaRegistryACL(_ resource.Scope, _ *v1alpha1.KafkaSchemaRegistryACL, _ *remoteSchemaRegistryACL) controllers.Diff {
	var diff controllers.Diff
	diff.Add("spec", "not implemented: diffSchemaRegistryACL", "")
	return diff
}

func createSchemaRegistryACL(_ context.Context, _ resource.Scope, _ *v1alpha1.KafkaSchemaRegistryACL) (*remoteSchemaRegistryACL, error) {
	return nil, errors.New("not implemented: createSchemaRegistryACL")
}

func updateSchemaRegistryACL(
	_ context.Context, _ resource.Scope, _ *v1alpha1.KafkaSchemaRegistryACL, _ *remoteSchemaRegistryACL, _ controllers.Diff,
) (*remoteSchemaRegistryACL, error) {
	return nil, errors.New("not implemented: updateSchemaRegistryACL")
}

func deleteSchemaRegistryACL(_ context.Context, _ resource.Scope, _ *v1alpha1.KafkaSchemaRegistryACL, _ *remoteSchemaRegistryACL) error {
	return errors.New("not implemented: deleteSchemaRegistryACL")
}
