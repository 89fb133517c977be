package account

import (
	"context"
	"errors"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=organizationprojects,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=organizationprojects/status,verbs=patch
// +kubebuilder:rbac:groups=aiven.io,resources=organizationprojects/finalizers,verbs=update

// OrganizationProject is the kind OrganizationProject.
var OrganizationProject = resource.Definition[*v1alpha1.OrganizationProject, remoteOrganizationProject]{
	Object: &v1alpha1.OrganizationProject{},
	Place:  resource.InOrganization(func(obj *v1alpha1.OrganizationProject) string { return obj.Spec.OrganizationID }),
	// Replace it if Aiven knows the resource by less than the fields that can't change, or by more.
	Identity: func(obj *v1alpha1.OrganizationProject) controllers.Identity {
		return controllers.Identity{Name: obj.Spec.OrganizationID + "/" + obj.Spec.ProjectID}
	},
	Find:    findOrganizationProject,
	Diff:    diffOrganizationProject,
	Create:  createOrganizationProject,
	Update:  updateOrganizationProject,
	Delete:  deleteOrganizationProject,
	Details: detailsOrganizationProject,
}.Kind()

// remoteOrganizationProject is the resource at Aiven. Replace it by the type that the client returns.
type remoteOrganizationProject struct{}

func findOrganizationProject(_ context.Context, _ resource.Scope, _ *v1alpha1.OrganizationProject) (*remoteOrganizationProject, error) {
	return nil, errors.New("not implemented: findOrganizationProject")
}

// diffOrganizationProject can't return an error: what it returns is never corrected.
func diffOrganizationProject(_ resource.Scope, _ *v1alpha1.OrganizationProject, _ *remoteOrganizationProject) controllers.Diff {
	var diff controllers.Diff
	diff.Add("spec", "not implemented: diffOrganizationProject", "")
	return diff
}

func createOrganizationProject(_ context.Context, _ resource.Scope, _ *v1alpha1.OrganizationProject) (*remoteOrganizationProject, error) {
	return nil, errors.New("not implemented: createOrganizationProject")
}

func updateOrganizationProject(
	_ context.Context, _ resource.Scope, _ *v1alpha1.OrganizationProject, _ *remoteOrganizationProject, _ controllers.Diff,
) (*remoteOrganizationProject, error) {
	return nil, errors.New("not implemented: updateOrganizationProject")
}

func deleteOrganizationProject(_ context.Context, _ resource.Scope, _ *v1alpha1.OrganizationProject, _ *remoteOrganizationProject) error {
	return errors.New("not implemented: deleteOrganizationProject")
}

func detailsOrganizationProject(
	_ context.Context, _ resource.Scope, _ *v1alpha1.OrganizationProject, _ *remoteOrganizationProject,
) (connection.Details, error) {
	return connection.Details{}, errors.New("not implemented: detailsOrganizationProject")
}
