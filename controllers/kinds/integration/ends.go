package integration

import (
	"cmp"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/resource"
)

const (
	referenceEndpoint = "DestinationEndpoint"
	pathEndpointRef   = "spec.destinationEndpointRef"
)

// destinationEndpoint is needed to make an integration, which knows its endpoint by an id afterwards.
var destinationEndpoint = reference.Declaration{
	Name: referenceEndpoint, Kind: v1alpha1.GroupVersion.WithKind("ServiceIntegrationEndpoint"), Field: pathEndpointRef,
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
			return "", fault.InvalidSpec(pathEndpointRef, fmt.Sprintf("ServiceIntegrationEndpoint %s is in project %s, and the integration "+
				"is in project %s. Recreate the object with an endpoint of its project", target.Name, target.Spec.Project, referrer.Spec.Project))
		case target.Status.ID == "" && referrer.DeletionTimestamp.IsZero():
			return "", errors.New("ServiceIntegrationEndpoint " + target.Name + " has no id yet")
		}
		return target.Status.ID, nil
	}),
}

// endsOf are the source and the destination. An endpoint whose id isn't known yet is known by its object.
func endsOf(obj *v1alpha1.ServiceIntegration) (source, dest aiven.IntegrationEnd) {
	spec := &obj.Spec
	source = aiven.IntegrationEnd{
		Project: cmp.Or(spec.SourceProjectName, spec.Project), Service: spec.SourceServiceName, EndpointID: spec.SourceEndpointID,
	}
	dest = aiven.IntegrationEnd{
		Project: cmp.Or(spec.DestinationProjectName, spec.Project), Service: spec.DestinationServiceName, EndpointID: spec.DestinationEndpointID,
	}
	if ref := spec.DestinationEndpointRef; ref != nil {
		dest.EndpointID = cmp.Or(obj.Status.DestinationEndpointID, obj.Namespace+"/"+ref.Name)
	}
	return source, dest
}

func integrationEntry(obj *v1alpha1.ServiceIntegration) aiven.Entry {
	source, dest := endsOf(obj)
	return aiven.IntegrationEntry(obj.Spec.IntegrationType, source, dest)
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
	source, dest := endsOf(obj)
	add(source, resource.SourceServiceReady)
	add(dest, resource.DestinationServiceReady)
	return ends
}

// deniedEnd names the project of a service that the token may not read, where Aiven refuses the integration for lack of permission:
// its answer names none.
func deniedEnd(s resource.Scope, obj *v1alpha1.ServiceIntegration, err error) error {
	if !fault.Is(err, fault.Forbidden) {
		return err
	}
	paths := map[string]string{
		resource.SourceServiceReady: "spec.sourceProjectName", resource.DestinationServiceReady: "spec.destinationProjectName",
	}
	for i, end := range services(obj) {
		if s.Services[i] == nil {
			return fault.AtField(fault.Field{
				Path: paths[end.Condition], Remedy: "The token needs access to project " + end.Project + ", too",
			}, err)
		}
	}
	return err
}

func entryOf(found *aiven.Integration) aiven.Entry {
	source := aiven.IntegrationEnd{
		Project: found.SourceProject, Service: found.SourceService, EndpointID: ptr.Deref(found.SourceEndpointId, ""),
	}
	dest := aiven.IntegrationEnd{
		Project: found.DestProject, Service: ptr.Deref(found.DestService, ""), EndpointID: ptr.Deref(found.DestEndpointId, ""),
	}
	return aiven.IntegrationEntry(string(found.IntegrationType), source, dest)
}

// endsField is what may lead elsewhere without an edit of the spec.
func endsField(obj *v1alpha1.ServiceIntegration) string {
	if obj.Spec.DestinationEndpointRef != nil {
		return pathEndpointRef
	}
	return "spec"
}

// wasOurs reports whether an integration has the type and ends of the spec, but for an endpoint that an object names: that may
// have been made again since, with another id.
func wasOurs(obj *v1alpha1.ServiceIntegration, candidate *aiven.Integration) bool {
	before := *candidate
	if _, dest := endsOf(obj); obj.Spec.DestinationEndpointRef != nil && before.DestEndpointId != nil {
		before.DestEndpointId = &dest.EndpointID
	}
	return entryOf(&before) == integrationEntry(obj)
}
