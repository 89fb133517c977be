package account

import (
	"context"
	"errors"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=projects,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=projects/status,verbs=patch
// +kubebuilder:rbac:groups=aiven.io,resources=projects/finalizers,verbs=update

// Project is the kind Project.
var Project = resource.Definition[*v1alpha1.Project, remoteProject]{
	Object: &v1alpha1.Project{},
	Place:  resource.Anywhere(),
	// Replace it if Aiven knows the resource by less than the fields that can't change, or by more.
	Identity: func(obj *v1alpha1.Project) controllers.Identity {
		return controllers.Identity{Name: obj.Spec.BillingGroupID + "/" + obj.Spec.CopyFromProject}
	},
	Find:    findProject,
	Diff:    diffProject,
	Create:  createProject,
	Update:  updateProject,
	Delete:  deleteProject,
	Details: detailsProject,
}.Kind()

// remoteProject is the resource at Aiven. Replace it by the type that the client returns.
type remoteProject struct{}

func findProject(_ context.Context, _ resource.Scope, _ *v1alpha1.Project) (*remoteProject, error) {
	return nil, errors.New("not implemented: findProject")
}

// diffProject can't return an error: what it returns is never corrected.
func diffProject(_ resource.Scope, _ *v1alpha1.Project, _ *remoteProject) controllers.Diff {
	var diff controllers.Diff
	diff.Add("spec", "not implemented: diffProject", "")
	return diff
}

func createProject(_ context.Context, _ resource.Scope, _ *v1alpha1.Project) (*remoteProject, error) {
	return nil, errors.New("not implemented: createProject")
}

func updateProject(
	_ context.Context, _ resource.Scope, _ *v1alpha1.Project, _ *remoteProject, _ controllers.Diff,
) (*remoteProject, error) {
	return nil, errors.New("not implemented: updateProject")
}

func deleteProject(_ context.Context, _ resource.Scope, _ *v1alpha1.Project, _ *remoteProject) error {
	return errors.New("not implemented: deleteProject")
}

func detailsProject(
	_ context.Context, _ resource.Scope, _ *v1alpha1.Project, _ *remoteProject,
) (connection.Details, error) {
	return connection.Details{}, errors.New("not implemented: detailsProject")
}
