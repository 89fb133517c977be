package account

import (
	"context"
	"errors"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=upgradepipelinesteps,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=upgradepipelinesteps/status,verbs=patch

// UpgradePipelineStep is the kind UpgradePipelineStep.
var UpgradePipelineStep = resource.Definition[*v1alpha1.UpgradePipelineStep, remoteUpgradePipelineStep]{
	Object: &v1alpha1.UpgradePipelineStep{},
	Place:  resource.InOrganization(func(obj *v1alpha1.UpgradePipelineStep) string { return obj.Spec.OrganizationID }),
	// Replace it if Aiven knows the resource by less than the fields that can't change, or by more.
	Identity: func(obj *v1alpha1.UpgradePipelineStep) controllers.Identity {
		return controllers.Identity{Name: obj.Spec.DestinationProjectName + "/" + obj.Spec.DestinationServiceName + "/" + obj.Spec.OrganizationID + "/" + obj.Spec.SourceProjectName + "/" + obj.Spec.SourceServiceName}
	},
	Find:   findUpgradePipelineStep,
	Diff:   diffUpgradePipelineStep,
	Create: createUpgradePipelineStep,
	Update: updateUpgradePipelineStep,
	Delete: deleteUpgradePipelineStep,
}.Kind()

// remoteUpgradePipelineStep is the resource at Aiven. Replace it by the type that the client returns.
type remoteUpgradePipelineStep struct{}

func findUpgradePipelineStep(_ context.Context, _ resource.Scope, _ *v1alpha1.UpgradePipelineStep) (*remoteUpgradePipelineStep, error) {
	return nil, errors.New("not implemented: findUpgradePipelineStep")
}

// diffUpgradePipelineStep can't return an error: what it returns is never corrected.
func diffUpgradePipelineStep(_ resource.Scope, _ *v1alpha1.UpgradePipelineStep, _ *remoteUpgradePipelineStep) controllers.Diff {
	var diff controllers.Diff
	diff.Add("spec", "not implemented: diffUpgradePipelineStep", "")
	return diff
}

func createUpgradePipelineStep(_ context.Context, _ resource.Scope, _ *v1alpha1.UpgradePipelineStep) (*remoteUpgradePipelineStep, error) {
	return nil, errors.New("not implemented: createUpgradePipelineStep")
}

func updateUpgradePipelineStep(
	_ context.Context, _ resource.Scope, _ *v1alpha1.UpgradePipelineStep, _ *remoteUpgradePipelineStep, _ controllers.Diff,
) (*remoteUpgradePipelineStep, error) {
	return nil, errors.New("not implemented: updateUpgradePipelineStep")
}

func deleteUpgradePipelineStep(_ context.Context, _ resource.Scope, _ *v1alpha1.UpgradePipelineStep, _ *remoteUpgradePipelineStep) error {
	return errors.New("not implemented: deleteUpgradePipelineStep")
}
