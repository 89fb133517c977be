package account

import (
	"context"
	"fmt"
	"maps"
	"strings"

	avnprojects "github.com/aiven/go-client-codegen/handler/organizationprojects"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=organizationprojects,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=organizationprojects/status,verbs=patch
// +kubebuilder:rbac:groups=aiven.io,resources=organizationprojects/finalizers,verbs=update

// OrganizationProject is a project of an organization.
var OrganizationProject = resource.Definition[*v1alpha1.OrganizationProject, organizationProject]{
	Object: &v1alpha1.OrganizationProject{}, HoldsData: true,
	Place: resource.InOrganization(func(obj *v1alpha1.OrganizationProject) string { return obj.Spec.OrganizationID }),
	Identity: func(obj *v1alpha1.OrganizationProject) controllers.Identity {
		return projectIdentity(obj.Spec.ProjectID)
	},
	Named: func(obj *v1alpha1.OrganizationProject) (string, string) {
		return pathOrganization, obj.Spec.OrganizationID
	},
	Item:    organizationProjectItem,
	Find:    findOrganizationProject,
	Diff:    diffOrganizationProject,
	Create:  createOrganizationProject,
	Update:  updateOrganizationProject,
	Delete:  deleteOrganizationProject,
	Details: organizationProjectDetails,
}.Kind()

// organizationProject is a project as the list of its organization has it, and single answers, too.
type organizationProject struct {
	avnprojects.ProjectOut

	moved bool // it belongs to another parent than the spec says
}

// organizationProjectItem is the project in the list of its organization.
func organizationProjectItem(obj *v1alpha1.OrganizationProject) aiven.Item {
	list := aiven.ListKey{Organization: obj.Spec.OrganizationID, Operation: "OrganizationProjectsList"}
	return aiven.Item{List: list, Key: obj.Spec.ProjectID}
}

func findOrganizationProject(ctx context.Context, s resource.Scope, obj *v1alpha1.OrganizationProject) (*organizationProject, error) {
	item := organizationProjectItem(obj)
	all, err := aiven.List(ctx, s.Client, item.List, aiven.ListSource[[]avnprojects.ProjectOut]{
		Read:  func(ctx context.Context) ([]avnprojects.ProjectOut, error) { return listOrganizationProjects(ctx, s) },
		Items: aiven.IndexBy(func(p avnprojects.ProjectOut) string { return p.ProjectId }),
	}, item.Key)
	for i := range all {
		if all[i].ProjectId == obj.Spec.ProjectID {
			return withParent(ctx, s, obj, all[i])
		}
	}
	found, err := getProject(obj, "spec.projectId", withoutList(obj, err), readOrganizationProject(ctx, s, obj))
	switch {
	case err == nil && found == nil && obj.GetDeletionTimestamp() != nil:
		return nil, checkNotMoved(ctx, s, obj.Spec.ProjectID)
	case err != nil || found == nil:
		return nil, err
	}
	return withParent(ctx, s, obj, *found)
}

// listOrganizationProjects refuses a part of the list: what is missing in it isn't absent.
func listOrganizationProjects(ctx context.Context, s resource.Scope) ([]avnprojects.ProjectOut, error) {
	out, err := s.Client.API().OrganizationProjectsList(ctx, s.Organization)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil, unknownOrganizationError(s.Organization)
	case err != nil:
		return nil, err
	}
	if out.TotalProjectCount > len(out.Projects) {
		return nil, fmt.Errorf("%w: it has %d of %d projects", aiven.ErrCutOff, len(out.Projects), out.TotalProjectCount)
	}
	return out.Projects, nil
}

// readOrganizationProject is the read of one project.
func readOrganizationProject(
	ctx context.Context, s resource.Scope, obj *v1alpha1.OrganizationProject,
) func() (*avnprojects.ProjectOut, error) {
	return func() (*avnprojects.ProjectOut, error) {
		out, err := s.Client.API().OrganizationProjectsGet(ctx, s.Organization, obj.Spec.ProjectID)
		if err != nil {
			return nil, err
		}
		return listedAs(*out), nil
	}
}

// listedAs is a single project as the list has it. The answers to reads and writes have the same fields.
func listedAs(out avnprojects.OrganizationProjectsGetOut) *avnprojects.ProjectOut {
	return &avnprojects.ProjectOut{
		AccountId: out.AccountId, BasePort: out.BasePort, BillingGroupId: out.BillingGroupId, EndOfLifeExtension: out.EndOfLifeExtension,
		ParentId: out.ParentId, ProjectId: out.ProjectId, Tags: out.Tags, TechEmails: out.TechEmails,
	}
}

// withParent compares the parents. Each may be the id of an organization, or that of its account: both mean the same. It isn't
// asked for a deletion, which doesn't depend on it.
func withParent(
	ctx context.Context, s resource.Scope, obj *v1alpha1.OrganizationProject, found avnprojects.ProjectOut,
) (*organizationProject, error) {
	p := &organizationProject{ProjectOut: found}
	if obj.GetDeletionTimestamp() != nil || found.ParentId == obj.Spec.ParentID {
		return p, nil
	}
	wanted, err := accountOf(ctx, s, obj.Spec.ParentID)
	if err != nil {
		return nil, err
	}
	actual, err := accountOf(ctx, s, found.ParentId)
	p.moved = wanted != actual
	return p, err
}

// accountKey is where the account of an organization is in controllers.Env.Memory. It never changes.
type accountKey struct{ organization string }

// accountOf returns the id of the account of an organization. Any other id is returned as it is.
func accountOf(ctx context.Context, s resource.Scope, parent string) (string, error) {
	if !strings.HasPrefix(parent, "org") {
		return parent, nil
	}
	if !aiven.FitsPath(parent) {
		return "", fault.InvalidSpec("spec.parentId", fmt.Sprintf("%q can't be an organization: it would change the paths of calls. "+
			"List them with: avn organization list", parent))
	}
	if known, ok := s.Memory.Load(accountKey{parent}); ok {
		return known.(string), nil
	}
	out, err := s.Client.API().OrganizationGet(ctx, parent)
	switch {
	case fault.Is(err, fault.NotFound):
		return "", fault.InvalidSpec("spec.parentId", fmt.Sprintf("Aiven knows no organization %s, or the token has no access to it. "+
			"List them with: avn organization list", parent))
	case err != nil:
		return "", fmt.Errorf("reading organization %s: %w", parent, err)
	case out.AccountId == "":
		return "", fmt.Errorf("reading organization %s: Aiven's answer has no account", parent)
	}
	s.Memory.Store(accountKey{parent}, out.AccountId)
	return out.AccountId, nil
}

func diffOrganizationProject(_ resource.Scope, obj *v1alpha1.OrganizationProject, found *organizationProject) controllers.Diff {
	var diff controllers.Diff
	spec := &obj.Spec
	if group := ptr.Deref(found.BillingGroupId, ""); group != spec.BillingGroupID {
		diff.Add("spec.billingGroupId", spec.BillingGroupID, group)
	}
	if found.moved {
		diff.Add("spec.parentId", spec.ParentID, found.ParentId)
	}
	if port := ptr.Deref(found.BasePort, 0); spec.BasePort != nil && *spec.BasePort != port {
		diff.Add("spec.basePort", *spec.BasePort, port)
	}
	if !maps.Equal(spec.Tags, found.Tags) {
		diff.Add("spec.tags", spec.Tags, found.Tags)
	}
	diffAddresses(&diff, "spec.technicalEmails", append([]string{}, spec.TechnicalEmails...), found.TechEmails)
	return diff
}

// organizationProjectRequest has all that the spec says. Tags and addresses that it leaves out are none.
func organizationProjectRequest(
	ctx context.Context, s resource.Scope, obj *v1alpha1.OrganizationProject,
) (*avnprojects.OrganizationProjectsCreateIn, error) {
	parent, err := accountOf(ctx, s, obj.Spec.ParentID)
	if err != nil {
		return nil, err
	}
	tags := map[string]string{}
	maps.Copy(tags, obj.Spec.Tags)
	return &avnprojects.OrganizationProjectsCreateIn{
		ProjectId: obj.Spec.ProjectID, BillingGroupId: obj.Spec.BillingGroupID, ParentId: &parent, BasePort: obj.Spec.BasePort,
		Tags: tags, TechEmails: addressesIn[avnprojects.TechEmailIn](obj.Spec.TechnicalEmails),
	}, nil
}

func createOrganizationProject(ctx context.Context, s resource.Scope, obj *v1alpha1.OrganizationProject) (*organizationProject, error) {
	in, err := organizationProjectRequest(ctx, s, obj)
	if err != nil {
		return nil, err
	}
	out, err := s.Client.API().OrganizationProjectsCreate(ctx, s.Organization, in)
	if err != nil {
		err = refusedName(s, "spec.projectId", err, readOrganizationProject(ctx, s, obj))
		return nil, fmt.Errorf("creating project: %w", atField(organizationProjectFields(), err))
	}
	s.Client.InvalidateCA(obj.Spec.ProjectID)
	if out.ProjectId != obj.Spec.ProjectID {
		return nil, nil // about another project, or none: it is read
	}
	return withParent(ctx, s, obj, *listedAs(avnprojects.OrganizationProjectsGetOut(*out)))
}

func updateOrganizationProject(
	ctx context.Context, s resource.Scope, obj *v1alpha1.OrganizationProject, _ *organizationProject, _ controllers.Diff,
) (*organizationProject, error) {
	in, err := organizationProjectRequest(ctx, s, obj)
	if err != nil {
		return nil, err
	}
	out, err := s.Client.API().OrganizationProjectsUpdate(ctx, s.Organization, obj.Spec.ProjectID, &avnprojects.OrganizationProjectsUpdateIn{
		BillingGroupId: &in.BillingGroupId, ParentId: in.ParentId, BasePort: in.BasePort, Tags: &in.Tags, TechEmails: in.TechEmails,
	})
	if err != nil {
		return nil, fmt.Errorf("updating project: %w", atField(organizationProjectFields(), err))
	}
	return withParent(ctx, s, obj, *listedAs(avnprojects.OrganizationProjectsGetOut(*out)))
}

func deleteOrganizationProject(
	ctx context.Context, s resource.Scope, obj *v1alpha1.OrganizationProject, _ *organizationProject,
) error {
	return deleteIfEmpty(ctx, s, obj.Spec.ProjectID, func() error {
		return s.Client.API().OrganizationProjectsDelete(ctx, s.Organization, obj.Spec.ProjectID)
	})
}

func organizationProjectDetails(
	ctx context.Context, s resource.Scope, obj *v1alpha1.OrganizationProject, _ *organizationProject,
) (connection.Info, error) {
	return caDetails(ctx, s, obj, obj.Spec.ProjectID)
}
