package service

import (
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/reference"
)

const referenceVPC = "ProjectVPC"

// VPC is the reference of every service kind to the network that it is to run in. An id in the spec wins over it.
var VPC = reference.Declaration{
	Name: referenceVPC, Kind: v1alpha1.GroupVersion.WithKind("ProjectVPC"), Field: "spec.projectVPCRef",
	Targets: func(obj client.Object) []reference.Target {
		spec := obj.(Object).GetServiceCommonSpec()
		if spec.ProjectVPCRef == nil || spec.ProjectVPCID != "" {
			return nil
		}
		name := types.NamespacedName{Namespace: spec.ProjectVPCRef.Namespace, Name: spec.ProjectVPCRef.Name}
		return []reference.Target{{NamespacedName: name}}
	},
}

// Protected says whether the spec turns termination protection on.
func Protected[T Object](obj T) bool {
	on := obj.GetServiceCommonSpec().TerminationProtection
	return on != nil && *on
}
