package integration

import (
	"context"
	"fmt"

	avnservice "github.com/aiven/go-client-codegen/handler/service"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/userconfig"
	"github.com/aero-operator/aero/controllers/resource"
)

const (
	pathName = "spec.endpointName"
	pathType = "spec.endpointType"
)

// endpoint is an endpoint at Aiven. The answers to creating, getting and changing one convert to it by a Go conversion.
type endpoint = avnservice.ServiceIntegrationEndpointOut

// +kubebuilder:rbac:groups=aiven.io,resources=serviceintegrationendpoints,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=serviceintegrationendpoints/status,verbs=patch

// Endpoint is something outside of Aiven that services can be integrated with. Its credentials are in its spec.
var Endpoint = resource.Definition[*v1alpha1.ServiceIntegrationEndpoint, endpoint]{
	Object: &v1alpha1.ServiceIntegrationEndpoint{},
	Place:  resource.InProject(),
	Free:   func(obj *v1alpha1.ServiceIntegrationEndpoint, _ *endpoint) bool { return isFree(obj) },
	Identity: func(obj *v1alpha1.ServiceIntegrationEndpoint) controllers.Identity {
		return controllers.Identity{Name: obj.Spec.Project + "/" + obj.Spec.EndpointType + "/" + obj.Spec.EndpointName}
	},
	Item:           endpointItem,
	ReadsItems:     nameTaken,
	Secrets:        endpointSecrets,
	LookupOnDelete: true,
	Find:           findEndpoint,
	Diff: func(_ resource.Scope, obj *v1alpha1.ServiceIntegrationEndpoint, found *endpoint) controllers.Diff {
		return controllers.Diff(compareEndpoint(obj, found).Diff)
	},
	WriteOnly: func(obj *v1alpha1.ServiceIntegrationEndpoint, found *endpoint) []string {
		return compareEndpoint(obj, found).WriteOnly
	},
	Intent: func(obj *v1alpha1.ServiceIntegrationEndpoint, found *endpoint) { // ends the id of one that is gone: see Integration
		obj.Status.ID = ptr.Deref(found, endpoint{}).EndpointId
	},
	Create: createEndpoint,
	Update: updateEndpoint,
	Delete: deleteEndpoint,
}.Kind()

// endpointItem is the endpoint in the list of its project. Its type is left out: whether endpoints of two types can have one
// name isn't known.
func endpointItem(obj *v1alpha1.ServiceIntegrationEndpoint) aiven.Item {
	list := aiven.ListKey{Project: obj.Spec.Project, Operation: "ServiceIntegrationEndpointList"}
	return aiven.Item{List: list, Key: obj.Spec.EndpointName}
}

// nameTaken is the endpoint as long as the object doesn't manage it: it may be another's, whose object frees the name. One that has
// failed without an id has the finalizer, too, if another was created at the same time.
func nameTaken(obj *v1alpha1.ServiceIntegrationEndpoint) []aiven.Item {
	refused := obj.Status.ID == "" && obj.Status.Phase == v1alpha1.PhaseFailed
	if ownership.Owns(obj) && !refused {
		return nil
	}
	return []aiven.Item{endpointItem(obj)}
}

// byName indexes endpoints as endpointItem names them.
func byName(all []endpoint) map[string]any {
	if all == nil {
		return nil
	}
	items := map[string]any{}
	for _, e := range all {
		same, _ := items[e.EndpointName].([]endpoint)
		items[e.EndpointName] = append(same, e)
	}
	return items
}

func endpointSecrets(obj *v1alpha1.ServiceIntegrationEndpoint) []string {
	_, options := endpointOptions(&obj.Spec)
	return userconfig.Secrets(options)
}

// findEndpoint gets what the spec has credentials for a second time: the list never holds any.
func findEndpoint(ctx context.Context, s resource.Scope, obj *v1alpha1.ServiceIntegrationEndpoint) (*endpoint, error) {
	item, deleting := endpointItem(obj), obj.GetDeletionTimestamp() != nil
	switch {
	case item.Key == "" && deleting:
		return nil, nil // aiven-operator can't have created it
	case item.Key == "":
		return nil, fault.InvalidSpec(pathName, "is required. Set it to the name that the endpoint has, or is to have, at Aiven")
	}
	all, err := aiven.List(ctx, s.Client, item.List, aiven.ListSource[[]endpoint]{
		Read: func(ctx context.Context) ([]endpoint, error) {
			return s.Client.API().ServiceIntegrationEndpointList(ctx, s.Project)
		},
		Items: byName,
	}, item.Key)
	if err != nil {
		return nil, err
	}
	found, err := chooseEndpoint(obj, all)
	if err != nil || found == nil || deleting || len(endpointSecrets(obj)) == 0 {
		return found, err
	}
	withSecrets := avnservice.ServiceIntegrationEndpointGetIncludeSecrets(true)
	out, err := s.Client.API().ServiceIntegrationEndpointGet(ctx, s.Project, found.EndpointId, withSecrets)
	if fault.Is(err, fault.NotFound) {
		s.Client.InvalidateList(item.List) // which decides whether it is gone
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading endpoint: %w", err)
	case out.EndpointId != found.EndpointId:
		return nil, fmt.Errorf("unclear answer: Aiven was asked for endpoint %s, and has returned %q", found.EndpointId, out.EndpointId)
	}
	return (*endpoint)(out), nil
}

// chooseEndpoint records the endpoint that it finds. An id stays until another is made: for a later attempt to delete it, and as what
// has another id was made by another client, whose credentials aren't overwritten.
func chooseEndpoint(obj *v1alpha1.ServiceIntegrationEndpoint, all []endpoint) (*endpoint, error) {
	found, other, err := matchEndpoint(obj, all)
	switch deleting := obj.GetDeletionTimestamp() != nil; {
	case err != nil:
		return nil, err
	case found != nil && !deleting && obj.Status.ID != "" && obj.Status.ID != found.EndpointId && !isFree(obj):
		return nil, fault.InvalidSpec(pathName, fmt.Sprintf("the endpoint of this object, %s, is gone, and another client has made one "+
			"of this name. Delete theirs at Aiven, or recreate the object", obj.Status.ID))
	case found != nil:
		obj.Status.ID = found.EndpointId
	case other != nil && !deleting:
		return nil, fault.InvalidSpec(pathName, fmt.Sprintf("project %s already has an endpoint of this name, of type %s. "+
			"Recreate the object with another %s", obj.Spec.Project, other.EndpointType, pathName))
	}
	return found, nil
}

// matchEndpoint finds the endpoint by its name and type, which never change: of several the one with the id in the status, else
// the one with the smallest. For a deletion that id has to be there: another client may have made an endpoint of the same name.
// An id of another endpoint, by a forged status, leads to nothing. other is one of the same name and another type.
func matchEndpoint(obj *v1alpha1.ServiceIntegrationEndpoint, all []endpoint) (found, other *endpoint, err error) {
	deleting := obj.GetDeletionTimestamp() != nil
	for i := range all {
		candidate, same := &all[i], describesEndpoint(obj, &all[i])
		switch id, had := candidate.EndpointId, obj.Status.ID != "" && candidate.EndpointId == obj.Status.ID; {
		case had && same:
			return candidate, nil, nil
		case had && deleting:
			return nil, nil, &deletion.BlockedError{Reason: fmt.Sprintf("The id in the status, %s, is of another endpoint: %q of the type %s. "+
				"Remove status.id", id, candidate.EndpointName, candidate.EndpointType)}
		case had:
			return nil, nil, fault.InvalidSpec(pathName, fmt.Sprintf("the endpoint of this object, %s, has the name %q and the type %s. "+
				"Recreate the object", id, candidate.EndpointName, candidate.EndpointType))
		case same && (found == nil || id < found.EndpointId):
			found = candidate
		case candidate.EndpointName == obj.Spec.EndpointName:
			other = candidate
		}
	}
	if deleting && obj.Status.ID != "" {
		return nil, nil, nil
	}
	return found, other, nil
}

// describesEndpoint reports whether an endpoint is the one that the spec describes, or one like it.
func describesEndpoint(obj *v1alpha1.ServiceIntegrationEndpoint, e *endpoint) bool {
	return e.EndpointName == obj.Spec.EndpointName && string(e.EndpointType) == obj.Spec.EndpointType
}

func compareEndpoint(obj *v1alpha1.ServiceIntegrationEndpoint, found *endpoint) userconfig.Comparison {
	path, options := endpointOptions(&obj.Spec)
	return userconfig.Compare(path, userconfig.Encode(options, userconfig.Replace), found.UserConfig)
}

func createEndpoint(ctx context.Context, s resource.Scope, obj *v1alpha1.ServiceIntegrationEndpoint) (*endpoint, error) {
	path, options := endpointOptions(&obj.Spec)
	if path == "" {
		return nil, fault.InvalidSpec(pathType, fmt.Sprintf("endpoints of type %s can't be created, as the spec has no options for them. "+
			"Create the endpoint at Aiven, with the name in %s", obj.Spec.EndpointType, pathName))
	}
	in := &avnservice.ServiceIntegrationEndpointCreateIn{
		EndpointName: obj.Spec.EndpointName, EndpointType: avnservice.EndpointType(obj.Spec.EndpointType),
		UserConfig: userconfig.Encode(options, userconfig.Create),
	}
	if in.UserConfig == nil {
		in.UserConfig = map[string]any{} // Aiven needs it
	}
	out, err := s.Client.API().ServiceIntegrationEndpointCreate(ctx, s.Project, in)
	if err != nil {
		return nil, fmt.Errorf("creating endpoint: %w", endpointFields(&obj.Spec).Of(err))
	}
	if out.EndpointId == "" || !describesEndpoint(obj, (*endpoint)(out)) {
		return nil, nil // about another endpoint, or none: it is read
	}
	obj.Status.ID = out.EndpointId
	return (*endpoint)(out), nil
}

// updateEndpoint sends the whole block: Aiven refuses one that lacks a required option.
func updateEndpoint(
	ctx context.Context, s resource.Scope, obj *v1alpha1.ServiceIntegrationEndpoint, found *endpoint, _ controllers.Diff,
) (*endpoint, error) {
	_, options := endpointOptions(&obj.Spec)
	encoded := userconfig.Encode(options, userconfig.Replace)
	if encoded == nil {
		return found, nil
	}
	in := &avnservice.ServiceIntegrationEndpointUpdateIn{UserConfig: encoded}
	out, err := s.Client.API().ServiceIntegrationEndpointUpdate(ctx, s.Project, found.EndpointId, in)
	if err != nil {
		return nil, fmt.Errorf("updating endpoint: %w", endpointFields(&obj.Spec).Of(err))
	}
	return (*endpoint)(out), nil
}

// deleteEndpoint waits for the integrations that use the endpoint: that is all that a deletion by id can be refused for. Where
// endpoints can't be listed, the one with the id in the status is read.
func deleteEndpoint(ctx context.Context, s resource.Scope, obj *v1alpha1.ServiceIntegrationEndpoint, found *endpoint) error {
	if found == nil && s.LookupErr != nil && obj.Status.ID != "" {
		out, err := s.Client.API().ServiceIntegrationEndpointGet(ctx, s.Project, obj.Status.ID)
		switch {
		case fault.Is(err, fault.NotFound):
			return fmt.Errorf("reading endpoint: %w", err)
		case err == nil && describesEndpoint(obj, (*endpoint)(out)):
			found = (*endpoint)(out)
		}
	}
	if found == nil {
		return s.LookupErr
	}
	err := s.Client.API().ServiceIntegrationEndpointDelete(ctx, s.Project, found.EndpointId)
	if fault.Is(err, fault.Rejected) {
		return &deletion.BlockedError{Reason: fault.Of(err).Message}
	}
	if err != nil {
		return fmt.Errorf("deleting endpoint: %w", err)
	}
	return nil
}
