package kafkaconnect

import (
	"context"
	"errors"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=kafkaconnectors,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=kafkaconnectors/status,verbs=patch

// Connector is the kind KafkaConnector.
var Connector = resource.Definition[*v1alpha1.KafkaConnector, remoteConnector]{
	Object: &v1alpha1.KafkaConnector{},
	Place:  resource.InService("kafka_connect"),
	// Replace it if Aiven knows the resource by less than the fields that can't change, or by more.
	Identity: func(obj *v1alpha1.KafkaConnector) controllers.Identity {
		return controllers.Identity{Name: obj.Spec.Project + "/" + obj.Spec.ServiceName + "/" + obj.Name}
	},
	Find:   findConnector,
	Diff:   diffConnector,
	Create: createConnector,
	Update: updateConnector,
	Delete: deleteConnector,
}.Kind()

// remoteConnector is the resource at Aiven. Replace it by the type that the client returns.
type remoteConnector struct{}

func findConnector(_ context.Context, _ resource.Scope, _ *v1alpha1.KafkaConnector) (*remoteConnector, error) {
	return nil, errors.New("not implemented: findConnector")
}

// diffConnector can't return an error: what it returns is never corrected.
func diffConnector(_ resource.Scope, _ *v1alpha1.KafkaConnector, _ *remoteConnector) controllers.Diff {
	var diff controllers.Diff
	diff.Add("spec", "not implemented: diffConnector", "")
	return diff
}

func createConnector(_ context.Context, _ resource.Scope, _ *v1alpha1.KafkaConnector) (*remoteConnector, error) {
	return nil, errors.New("not implemented: createConnector")
}

func updateConnector(
	_ context.Context, _ resource.Scope, _ *v1alpha1.KafkaConnector, _ *remoteConnector, _ controllers.Diff,
) (*remoteConnector, error) {
	return nil, errors.New("not implemented: updateConnector")
}

func deleteConnector(_ context.Context, _ resource.Scope, _ *v1alpha1.KafkaConnector, _ *remoteConnector) error {
	return errors.New("not implemented: deleteConnector")
}
