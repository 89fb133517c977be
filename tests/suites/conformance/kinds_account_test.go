package conformance_test

import (
	"github.com/aiven/go-client-codegen/handler/organizationprojects"
	"github.com/aiven/go-client-codegen/handler/project"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/aiven/go-client-codegen/handler/upgradepipeline"
	"github.com/stretchr/testify/require"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// The organization of the local Aiven, and the other project of a step in the example.
const (
	organization = "org9af211329b2f"
	production   = "my-production"
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
			_, err := e.Aiven.Console.OrganizationProjectsUpdate(e.T.Context(), organization, organizationProjectName,
				&organizationprojects.OrganizationProjectsUpdateIn{BasePort: ptr.To(13000)})
			require.NoError(e.T, err)
		},
		repaired: func(e *testenv.Env) bool {
			found, err := e.Aiven.Console.OrganizationProjectsGet(e.T.Context(), organization, organizationProjectName)
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
		// It belongs to an organization, and outlives the services that it needs to be created.
		name: "UpgradePipelineStep", example: "upgradepipelinestep", phase: v1alpha1.PhaseReady,
		resource: "upgrade_pipeline_step", path: serviceName + "/" + production + "/" + serviceName,
		create: "UpgradePipelineStepCreate", update: "UpgradePipelineStepUpdate", inside: makeStepEnds,
		change: func(_ *testenv.Env, obj testenv.Object) {
			*obj.(*v1alpha1.UpgradePipelineStep).Spec.AutoValidationDelayDays = 3
		},
		drift:    func(e *testenv.Env) { setDelay(e, 30) },
		repaired: func(e *testenv.Env) bool { return stepAtAiven(e).AutoValidationDelayDays == 3 },
		remove: func(e *testenv.Env) error {
			return e.Aiven.Console.UpgradePipelineStepDelete(e.T.Context(), organization, stepAtAiven(e).StepId)
		},
	},
}

// makeStepEnds makes the two services of a step.
func makeStepEnds(e *testenv.Env) {
	makeStepEnd(e, e.Project)
	makeStepEnd(e, production)
}

func makeStepEnd(e *testenv.Env, project string) {
	_, err := e.Aiven.Console.ServiceCreate(e.T.Context(), project, &service.ServiceCreateIn{
		ServiceName: serviceName, ServiceType: inPostgres.serviceType, Plan: inPostgres.plan,
	})
	require.NoError(e.T, err)
}

// stepAtAiven is the only step.
func stepAtAiven(e *testenv.Env) upgradepipeline.StepOut {
	listed, err := e.Aiven.Console.UpgradePipelineStepList(e.T.Context(), organization)
	require.NoError(e.T, err)
	require.Len(e.T, listed.Steps, 1)
	return listed.Steps[0]
}

func setDelay(e *testenv.Env, days int) {
	_, err := e.Aiven.Console.UpgradePipelineStepUpdate(e.T.Context(), organization, stepAtAiven(e).StepId,
		&upgradepipeline.UpgradePipelineStepUpdateIn{AutoValidationDelayDays: &days})
	require.NoError(e.T, err)
}

func removeProject(e *testenv.Env, name string) error {
	return e.Aiven.Console.ProjectDelete(e.T.Context(), name) //nolint:staticcheck // as the kind
}
