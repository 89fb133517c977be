package integration

import (
	"context"
	"fmt"

	avnservice "github.com/aiven/go-client-codegen/handler/service"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/internal/userconfig"
	"github.com/aero-operator/aero/controllers/kinds/integration/internal/remote"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=serviceintegrations,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=serviceintegrations/status,verbs=patch

// Integration connects a service with another service or an endpoint. It has no name: its type and its ends are unique.
var Integration = resource.Definition[*v1alpha1.ServiceIntegration, aiven.Integration]{
	Object: &v1alpha1.ServiceIntegration{}, IsRule: true,
	Place: resource.InServices(
		func(obj *v1alpha1.ServiceIntegration) string { return obj.Spec.Project }, services),
	Identity: func(obj *v1alpha1.ServiceIntegration) controllers.Identity {
		return controllers.Identity{Entry: remote.Entry(obj)}
	},
	References:     []reference.Declaration{destinationEndpoint},
	LookupOnDelete: true,
	Find:           findIntegration,
	State:          remote.State,
	Diff: func(_ resource.Scope, obj *v1alpha1.ServiceIntegration, found *aiven.Integration) controllers.Diff {
		return controllers.Diff(compareIntegration(obj, found).Diff)
	},
	WriteOnly: func(obj *v1alpha1.ServiceIntegration, found *aiven.Integration) []string {
		return compareIntegration(obj, found).WriteOnly
	},
	// The status without the id of one that is gone is stored before another is made: a deletion goes by the id, and would miss that.
	Intent: func(*v1alpha1.ServiceIntegration, *aiven.Integration) {},
	Create: createIntegration,
	Update: updateIntegration,
	Delete: deleteIntegration,
}.Kind()

func compareIntegration(obj *v1alpha1.ServiceIntegration, found *aiven.Integration) userconfig.Comparison {
	path, options := integrationOptions(&obj.Spec)
	return userconfig.Compare(path, userconfig.Encode(options, userconfig.Replace), found.UserConfig)
}

func createIntegration(ctx context.Context, s resource.Scope, obj *v1alpha1.ServiceIntegration) (*aiven.Integration, error) {
	spec := &obj.Spec
	_, dest := remote.Ends(obj)
	in := &avnservice.ServiceIntegrationCreateIn{
		IntegrationType: avnservice.IntegrationType(spec.IntegrationType),
		SourceProject:   aiven.Optional(spec.SourceProjectName), SourceService: aiven.Optional(spec.SourceServiceName),
		SourceEndpointId: aiven.Optional(spec.SourceEndpointID),
		DestProject:      aiven.Optional(spec.DestinationProjectName), DestService: aiven.Optional(spec.DestinationServiceName),
		DestEndpointId: aiven.Optional(dest.EndpointID),
	}
	_, options := integrationOptions(spec)
	if encoded := userconfig.Encode(options, userconfig.Create); encoded != nil {
		in.UserConfig = &encoded
	}
	out, err := s.Client.API().ServiceIntegrationCreate(ctx, s.Project, in)
	if err != nil {
		fields := integrationFields(spec)
		return nil, fmt.Errorf("creating integration: %w", deniedEnd(s, obj, fields.Missing(fields.Of(err))))
	}
	return remote.Made(obj, (*aiven.Integration)(out)), nil
}

// updateIntegration sends the whole block: it isn't known whether Aiven resets what it leaves out.
func updateIntegration(
	ctx context.Context, s resource.Scope, obj *v1alpha1.ServiceIntegration, found *aiven.Integration, _ controllers.Diff,
) (*aiven.Integration, error) {
	_, options := integrationOptions(&obj.Spec)
	encoded := userconfig.Encode(options, userconfig.Replace)
	if encoded == nil {
		return found, nil
	}
	in := &avnservice.ServiceIntegrationUpdateIn{UserConfig: encoded}
	out, err := s.Client.API().ServiceIntegrationUpdate(ctx, s.Project, found.ServiceIntegrationId, in)
	if err != nil {
		return nil, fmt.Errorf("updating integration: %w", integrationFields(&obj.Spec).Of(err))
	}
	changed := *found
	changed.UserConfig, changed.Active, changed.IntegrationStatus = out.UserConfig, out.Active, out.IntegrationStatus
	return &changed, nil
}
