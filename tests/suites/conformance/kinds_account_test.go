package conformance_test

import "github.com/aero-operator/aero/api/v1alpha1"

var accountKinds = []kind{
	{
		name: "ProjectVPC", example: "projectvpc", phase: v1alpha1.PhaseReady,
		resource: "project_vpc", path: vpcPath,
		create: "VpcCreate", remove: removeVPC,
	},
}
