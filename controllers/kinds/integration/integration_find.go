package integration

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	avnservice "github.com/aiven/go-client-codegen/handler/service"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/resource"
)

// readReplica is the type of integrations that Aiven makes together with a service, and in no other way.
const readReplica = string(avnservice.IntegrationTypeReadReplica)

func findIntegration(ctx context.Context, s resource.Scope, obj *v1alpha1.ServiceIntegration) (*aiven.Integration, error) {
	if id := cmp.Or(s.Refs.ID(referenceEndpoint), obj.Spec.DestinationEndpointID); id != "" {
		obj.Status.DestinationEndpointID = id
	}
	listed, err := listIntegrations(ctx, s, obj)
	if err != nil {
		return nil, err
	}
	found, err := chooseIntegration(obj, listed)
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

// listIntegrations lists those of both services. An answer without the list says nothing about what exists.
func listIntegrations(ctx context.Context, s resource.Scope, obj *v1alpha1.ServiceIntegration) ([]aiven.Integration, error) {
	var listed []aiven.Integration
	for _, service := range s.Services {
		if service == nil {
			continue // hidden
		}
		listed = append(listed, service.Integrations...)
		if !service.Lists(integrationEntry(obj)) {
			more, err := s.Client.API().ServiceIntegrationList(ctx, service.Project, service.Name)
			if err != nil {
				return nil, fmt.Errorf("listing integrations: %w", err)
			}
			listed = append(listed, more...)
		}
	}
	return listed, nil
}

// chooseIntegration finds the integration by its type and ends, which never change: of several the one with the id in the
// status, else the one with the smallest. For a deletion that id has to be there: another client may have made an integration
// of the same ends. An id of another integration, by a forged status, leads to nothing.
func chooseIntegration(obj *v1alpha1.ServiceIntegration, listed []aiven.Integration) (*aiven.Integration, error) {
	entry, deleting := integrationEntry(obj), obj.GetDeletionTimestamp() != nil
	var found *aiven.Integration
	for i := range listed {
		candidate := &listed[i]
		same := entryOf(candidate) == entry
		switch id := candidate.ServiceIntegrationId; {
		case id == obj.Status.ID && (same || deleting && wasOurs(obj, candidate)):
			return candidate, nil
		case id == obj.Status.ID && deleting:
			return nil, &deletion.BlockedError{Reason: fmt.Sprintf("The id in the status, %s, is of another integration. Remove status.id", id)}
		case id == obj.Status.ID:
			return nil, fault.InvalidSpec(endsField(obj), fmt.Sprintf("the integration of this object, %s, has another type or other ends. "+
				"Recreate the object", id))
		case same && (found == nil || id < found.ServiceIntegrationId):
			found = candidate
		}
	}
	if deleting && obj.Status.ID != "" {
		return nil, nil
	}
	return found, nil
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
	found, err := chooseIntegration(obj, shown)
	if found != nil || err != nil || obj.Status.ID == "" {
		return found, err
	}
	out, err := s.Client.API().ServiceIntegrationGet(ctx, s.Project, obj.Status.ID)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil, fmt.Errorf("reading integration: %w", err)
	case err == nil && wasOurs(obj, (*aiven.Integration)(out)):
		return (*aiven.Integration)(out), nil
	}
	return nil, nil
}

// failureOf is what Aiven reports of an integration that failed.
func failureOf(reported *avnservice.IntegrationStatusOut) string {
	text := strings.Join(append([]string{cmp.Or(reported.StatusUserDesc, "Aiven reported no description")}, reported.State.Errors...), ": ")
	return fault.Redact("The integration failed: " + text)
}
