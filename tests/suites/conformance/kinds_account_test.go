package conformance_test

import (
	"github.com/aiven/go-client-codegen/handler/organizationprojects"
	"github.com/aiven/go-client-codegen/handler/project"
	"github.com/stretchr/testify/require"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// Names of projects in the examples, and where their new services go.
const (
	projectName             = "my-project"
	organizationProjectName = "my-organization-project"

	wantedCloud = "aws-eu-west-1"
	otherCloud  = "google-europe-north1"
)

var accountKinds = []kind{
	{
		name: "OrganizationProject", example: "organizationproject", phase: v1alpha1.PhaseReady,
		resource: "project", path: organizationProjectName,
		create: "OrganizationProjectsCreate", update: "OrganizationProjectsUpdate",
		prefix: "ORGANIZATIONPROJECT_", keys: []string{"CA_CERT"},
		change: func(_ *testenv.Env, obj testenv.Object) {
			obj.(*v1alpha1.OrganizationProject).Spec.BasePort = ptr.To(20000)
		},
		drift: func(e *testenv.Env) {
			_, err := e.Aiven.Console.OrganizationProjectsUpdate(e.T.Context(), organization(e), organizationProjectName,
				&organizationprojects.OrganizationProjectsUpdateIn{BasePort: ptr.To(13000)})
			require.NoError(e.T, err)
		},
		repaired: func(e *testenv.Env) bool {
			found, err := e.Aiven.Console.OrganizationProjectsGet(e.T.Context(), organization(e), organizationProjectName)
			require.NoError(e.T, err)
			return ptr.Deref(found.BasePort, 0) == 20000
		},
		remove: func(e *testenv.Env) error { return removeProject(e, organizationProjectName) },
	},
	{
		name: "Project", example: "project", phase: v1alpha1.PhaseReady,
		resource: "project", path: projectName,
		create: "ProjectCreate", update: "ProjectUpdate",
		prefix: "PROJECT_", keys: []string{"CA_CERT"}, legacy: []string{"CA_CERT"},
		change: func(_ *testenv.Env, obj testenv.Object) { obj.(*v1alpha1.Project).Spec.Cloud = wantedCloud },
		drift: func(e *testenv.Env) {
			_, err := e.Aiven.Console.ProjectUpdate(e.T.Context(), projectName, &project.ProjectUpdateIn{Cloud: ptr.To(otherCloud)}) //nolint:staticcheck // as the kind
			require.NoError(e.T, err)
		},
		repaired: func(e *testenv.Env) bool {
			found, err := e.Aiven.Console.ProjectGet(e.T.Context(), projectName) //nolint:staticcheck // as the kind
			require.NoError(e.T, err)
			return found.DefaultCloud == wantedCloud
		},
		remove: func(e *testenv.Env) error { return removeProject(e, projectName) },
	},
	{
		name: "ProjectVPC", example: "projectvpc", phase: v1alpha1.PhaseReady,
		resource: "project_vpc", path: vpcPath,
		create: "VpcCreate", remove: removeVPC,
	},
	{
		name: "ServiceIntegration", example: "serviceintegration", phase: v1alpha1.PhaseReady,
	},
	{
		name: "ServiceIntegrationEndpoint", example: "serviceintegrationendpoint", phase: v1alpha1.PhaseReady,
	},
	{
		name: "UpgradePipelineStep", example: "upgradepipelinestep", phase: v1alpha1.PhaseReady,
	},
}

// organization is that of all projects of the local Aiven.
func organization(e *testenv.Env) string {
	return e.Example("organizationproject").(*v1alpha1.OrganizationProject).Spec.OrganizationID
}

func removeProject(e *testenv.Env, name string) error {
	return e.Aiven.Console.ProjectDelete(e.T.Context(), name) //nolint:staticcheck // as the kind
}
