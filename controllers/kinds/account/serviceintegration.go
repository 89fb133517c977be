package account

import (
	"context"
	"errors"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=serviceintegrations,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=serviceintegrations/status,verbs=patch

// ServiceIntegration is the kind ServiceIntegration.
var ServiceIntegration = resource.Definition[*v1alpha1.ServiceIntegration, remoteServiceIntegration]{
	Object: &v1alpha1.ServiceIntegration{},
	Place:  resource.InProject(),
	// Replace it if Aiven knows the resource by less than the fields that can't change, or by more.
	Identity: func(obj *v1alpha1.ServiceIntegration) controllers.Identity {
		return controllers.Identity{Name: obj.Spec.Project + "/" + obj.Spec.DestinationEndpointID + "/" + obj.Spec.DestinationProjectName + "/" + obj.Spec.DestinationServiceName + "/" + obj.Spec.IntegrationType + "/" + obj.Spec.SourceEndpointID + "/" + obj.Spec.SourceProjectName + "/" + obj.Spec.SourceServiceName}
	},
	Find:   findServiceIntegration,
	Diff:   diffServiceIntegration,
	Create: createServiceIntegration,
	Update: updateServiceIntegration,
	Delete: deleteServiceIntegration,
}.Kind()

// remoteServiceIntegration is the resource at Aiven. Replace it by the type that the client returns.
type remoteServiceIntegration struct{}

func findServiceIntegration(_ context.Context, _ resource.Scope, _ *v1alpha1.ServiceIntegration) (*remoteServiceIntegration, error) {
	return nil, errors.New("not implemented: findServiceIntegration")
}

// diffServiceIntegration can't return an error: what it returns is never corrected.
func diffServiceIntegration(_ resource.Scope, _ *v1alpha1.ServiceIntegration, _ *remoteServiceIntegration) controllers.Diff {
	var diff controllers.Diff
	diff.Add("spec", "not implemented: diffServiceIntegration", "")
	return diff
}

func createServiceIntegration(_ context.Context, _ resource.Scope, _ *v1alpha1.ServiceIntegration) (*remoteServiceIntegration, error) {
	return nil, errors.New("not implemented: createServiceIntegration")
}

func updateServiceIntegration(
	_ context.Context, _ resource.Scope, _ *v1alpha1.ServiceIntegration, _ *remoteServiceIntegration, _ controllers.Diff,
) (*remoteServiceIntegration, error) {
	return nil, errors.New("not implemented: updateServiceIntegration")
}

func deleteServiceIntegration(_ context.Context, _ resource.Scope, _ *v1alpha1.ServiceIntegration, _ *remoteServiceIntegration) error {
	return errors.New("not implemented: deleteServiceIntegration")
}
