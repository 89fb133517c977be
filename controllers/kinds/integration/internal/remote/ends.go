package remote

import (
	"cmp"

	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
)

// PathEndpointRef is the field that names an endpoint by its object.
const PathEndpointRef = "spec.destinationEndpointRef"

// Ends are the source and the destination. An endpoint whose id isn't known yet is known by its object.
func Ends(obj *v1alpha1.ServiceIntegration) (source, dest aiven.IntegrationEnd) {
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

// Entry is the integration of an object, by its type and ends.
func Entry(obj *v1alpha1.ServiceIntegration) aiven.Entry {
	source, dest := Ends(obj)
	return aiven.IntegrationEntry(obj.Spec.IntegrationType, source, dest)
}

// EntryOf is an integration at Aiven, by its type and ends.
func EntryOf(found *aiven.Integration) aiven.Entry {
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
		return PathEndpointRef
	}
	return "spec"
}
