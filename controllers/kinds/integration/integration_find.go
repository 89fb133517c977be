package integration

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	avnservice "github.com/aiven/go-client-codegen/handler/service"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/kinds/integration/internal/remote"
	"github.com/aero-operator/aero/controllers/resource"
)

// readReplica is the type of integrations that Aiven makes together with a service, and in no other way.
const readReplica = string(avnservice.IntegrationTypeReadReplica)

const referenceEndpoint = "DestinationEndpoint"

// destinationEndpoint is needed to make an integration, which knows its endpoint by an id afterwards.
var destinationEndpoint = reference.Declaration{
	Name: referenceEndpoint, Kind: v1alpha1.GroupVersion.WithKind("ServiceIntegrationEndpoint"), Field: remote.PathEndpointRef,
	CreateOnly: true, BlocksDeletion: true,
	Targets: func(obj client.Object) []reference.Target {
		ref := obj.(*v1alpha1.ServiceIntegration).Spec.DestinationEndpointRef
		if ref == nil {
			return nil
		}
		return []reference.Target{{NamespacedName: types.NamespacedName{Name: ref.Name}}}
	},
	Ready: reference.Typed(func(referrer *v1alpha1.ServiceIntegration, target *v1alpha1.ServiceIntegrationEndpoint) (string, error) {
		switch {
		case target.Spec.Project != referrer.Spec.Project:
			return "", fault.InvalidSpec(remote.PathEndpointRef, fmt.Sprintf("ServiceIntegrationEndpoint %s is in project %s, and the integration "+
				"is in project %s. Recreate the object with an endpoint of its project", target.Name, target.Spec.Project, referrer.Spec.Project))
		case target.Status.ID == "" && referrer.DeletionTimestamp.IsZero():
			return "", errors.New("ServiceIntegrationEndpoint " + target.Name + " has no id yet")
		}
		return target.Status.ID, nil
	}),
}

// services are the ends that aren't endpoints. A token may have no access to those of other projects.
func services(obj *v1alpha1.ServiceIntegration) []resource.End {
	var ends []resource.End
	add := func(end aiven.IntegrationEnd, condition string) {
		if end.Service != "" {
			key := aiven.ServiceKey{Project: end.Project, Service: end.Service}
			ends = append(ends, resource.End{ServiceKey: key, Condition: condition, MayBeHidden: end.Project != obj.Spec.Project})
		}
	}
	source, dest := remote.Ends(obj)
	add(source, resource.SourceServiceReady)
	add(dest, resource.DestinationServiceReady)
	return ends
}

// deniedEnd names the project of a service that the token may not read, where Aiven refuses the integration for lack of permission:
// its answer names none.
func deniedEnd(s resource.Scope, obj *v1alpha1.ServiceIntegration, err error) error {
	for i, end := range services(obj) {
		if fault.Is(err, fault.Forbidden) && s.Services[i] == nil {
			path := map[string]string{
				resource.SourceServiceReady: "spec.sourceProjectName", resource.DestinationServiceReady: "spec.destinationProjectName",
			}[end.Condition]
			return fault.AtField(fault.Field{Path: path, Remedy: "The token needs access to project " + end.Project + ", too"}, err)
		}
	}
	return err
}

func findIntegration(ctx context.Context, s resource.Scope, obj *v1alpha1.ServiceIntegration) (*aiven.Integration, error) {
	listed, err := listIntegrations(ctx, s, obj)
	if err != nil {
		return nil, err
	}
	found, err := remote.Follow(obj, cmp.Or(s.Refs.ID(referenceEndpoint), obj.Spec.DestinationEndpointID), s.ObservesOnly, listed)
	switch deleting := obj.GetDeletionTimestamp() != nil; {
	case err != nil:
		return nil, err
	case found != nil:
		obj.Status.ID = found.ServiceIntegrationId
	case deleting: // the id stays, for a later attempt
	case obj.Spec.IntegrationType == readReplica:
		obj.Status.ID = ""
		return &aiven.Integration{}, nil
	default:
		obj.Status.ID = ""
	}
	return found, nil
}

// listIntegrations lists those of both services. No list says nothing about what exists: of hidden services the id in the status does.
func listIntegrations(ctx context.Context, s resource.Scope, obj *v1alpha1.ServiceIntegration) ([]aiven.Integration, error) {
	if obj.Status.ID != "" && !slices.ContainsFunc(s.Services, func(service *aiven.Service) bool { return service != nil }) {
		out, err := s.Client.API().ServiceIntegrationGet(ctx, s.Project, obj.Status.ID)
		return remote.ByID(obj, out, err)
	}
	var listed []aiven.Integration
	for _, service := range s.Services {
		if service == nil {
			continue // hidden
		}
		listed = append(listed, service.Integrations...)
		if !service.Lists(remote.Entry(obj)) {
			more, err := s.Client.API().ServiceIntegrationList(ctx, service.Project, service.Name)
			if err != nil {
				return nil, fmt.Errorf("listing integrations: %w", err)
			}
			listed = append(listed, more...)
		}
	}
	return listed, nil
}

// deleteIntegration deletes what was found, or else what a service that is off shows, or what the id in the status leads to.
func deleteIntegration(ctx context.Context, s resource.Scope, obj *v1alpha1.ServiceIntegration, found *aiven.Integration) error {
	var err error
	if found == nil && s.LookupErr != nil {
		found, err = readElsewhere(ctx, s, obj)
	}
	if err != nil || found == nil {
		return cmp.Or(err, s.LookupErr)
	}
	if err := s.Client.API().ServiceIntegrationDelete(ctx, s.Project, found.ServiceIntegrationId); err != nil {
		return fmt.Errorf("deleting integration: %w", err)
	}
	return nil
}

// readElsewhere returns nil where nothing is known. The error is of class NotFound: what the id in the status led to is gone.
func readElsewhere(ctx context.Context, s resource.Scope, obj *v1alpha1.ServiceIntegration) (*aiven.Integration, error) {
	var shown []aiven.Integration
	for _, service := range s.Services {
		if service != nil {
			shown = append(shown, service.Integrations...)
		}
	}
	found, err := remote.Choose(obj, shown)
	if found != nil || err != nil || obj.Status.ID == "" {
		return found, err
	}
	out, err := s.Client.API().ServiceIntegrationGet(ctx, s.Project, obj.Status.ID)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil, fmt.Errorf("reading integration: %w", err)
	case err == nil && remote.EntryOf((*aiven.Integration)(out)) == remote.Entry(obj):
		return (*aiven.Integration)(out), nil
	}
	return nil, nil
}
