package conformance_test

import "github.com/aero-operator/aero/api/v1alpha1"

var accountKinds = []kind{
	{
		name: "OrganizationProject", example: "organizationproject", phase: v1alpha1.PhaseReady,
		prefix: "ORGANIZATIONPROJECT_",
	},
	{
		name: "Project", example: "project", phase: v1alpha1.PhaseReady,
		prefix: "PROJECT_",
	},
	{
		name: "ProjectVPC", example: "projectvpc", phase: v1alpha1.PhaseReady,
		resource: "project_vpc", path: vpcPath,
		create: "VpcCreate", remove: removeVPC,
	},
	{
		name: "UpgradePipelineStep", example: "upgradepipelinestep", phase: v1alpha1.PhaseReady,
	},
}
