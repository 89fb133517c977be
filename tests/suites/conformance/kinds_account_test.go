package conformance_test

import (
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/aiven/go-client-codegen/handler/upgradepipeline"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// The organization of the local Aiven, and the other project of a step in the example.
const (
	organization = "org9af211329b2f"
	production   = "my-production"
)

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
		name: "ServiceIntegration", example: "serviceintegration", phase: v1alpha1.PhaseReady,
	},
	{
		name: "ServiceIntegrationEndpoint", example: "serviceintegrationendpoint", phase: v1alpha1.PhaseReady,
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
	for _, project := range []string{e.Project, production} {
		_, err := e.Aiven.Console.ServiceCreate(e.T.Context(), project, &service.ServiceCreateIn{
			ServiceName: serviceName, ServiceType: inPostgres.serviceType, Plan: inPostgres.plan,
		})
		require.NoError(e.T, err)
	}
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
