package account

import (
	"context"
	"errors"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=serviceintegrationendpoints,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=serviceintegrationendpoints/status,verbs=patch

// ServiceIntegrationEndpoint is the kind ServiceIntegrationEndpoint.
var ServiceIntegrationEndpoint = resource.Definition[*v1alpha1.ServiceIntegrationEndpoint, remoteServiceIntegrationEndpoint]{
	Object: &v1alpha1.ServiceIntegrationEndpoint{},
	Place:  resource.InProject(),
	// Replace it if Aiven knows the resource by less than the fields that can't change, or by more.
	Identity: func(obj *v1alpha1.ServiceIntegrationEndpoint) controllers.Identity {
		return controllers.Identity{Name: obj.Spec.Project + "/" + obj.Spec.EndpointName + "/" + obj.Spec.EndpointType}
	},
	Find:   findServiceIntegrationEndpoint,
	Diff:   diffServiceIntegrationEndpoint,
	Create: createServiceIntegrationEndpoint,
	Update: updateServiceIntegrationEndpoint,
	Delete: deleteServiceIntegrationEndpoint,
}.Kind()

// remoteServiceIntegrationEndpoint is the resource at Aiven. Replace it by the type that the client returns.
type remoteServiceIntegrationEndpoint struct{}

func findServiceIntegrationEndpoint(_ context.Context, _ resource.Scope, _ *v1alpha1.ServiceIntegrationEndpoint) (*remoteServiceIntegrationEndpoint, error) {
	return nil, errors.New("not implemented: findServiceIntegrationEndpoint")
}

// diffServiceIntegrationEndpoint can't return an error: what it returns is never corrected.
func diffServiceIntegrationEndpoint(_ resource.Scope, _ *v1alpha1.ServiceIntegrationEndpoint, _ *remoteServiceIntegrationEndpoint) controllers.Diff {
	var diff controllers.Diff
	diff.Add("spec", "not implemented: diffServiceIntegrationEndpoint", "")
	return diff
}

func createServiceIntegrationEndpoint(_ context.Context, _ resource.Scope, _ *v1alpha1.ServiceIntegrationEndpoint) (*remoteServiceIntegrationEndpoint, error) {
	return nil, errors.New("not implemented: createServiceIntegrationEndpoint")
}

func updateServiceIntegrationEndpoint(
	_ context.Context, _ resource.Scope, _ *v1alpha1.ServiceIntegrationEndpoint, _ *remoteServiceIntegrationEndpoint, _ controllers.Diff,
) (*remoteServiceIntegrationEndpoint, error) {
	return nil, errors.New("not implemented: updateServiceIntegrationEndpoint")
}

func deleteServiceIntegrationEndpoint(_ context.Context, _ resource.Scope, _ *v1alpha1.ServiceIntegrationEndpoint, _ *remoteServiceIntegrationEndpoint) error {
	return errors.New("not implemented: deleteServiceIntegrationEndpoint")
}
