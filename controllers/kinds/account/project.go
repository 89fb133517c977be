package account

import (
	"cmp"
	"context"
	"fmt"

	avnproject "github.com/aiven/go-client-codegen/handler/project"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=projects,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=projects/status,verbs=patch
// +kubebuilder:rbac:groups=aiven.io,resources=projects/finalizers,verbs=update

// Project is a project by calls that Aiven has deprecated. Those of organizations, their successors, don't know all of it.
var Project = resource.Definition[*v1alpha1.Project, avnproject.ProjectOut]{
	Object: &v1alpha1.Project{}, HoldsData: true,
	Place:     resource.Anywhere(),
	Identity:  func(obj *v1alpha1.Project) controllers.Identity { return projectIdentity(obj.GetName()) },
	Item:      projectItem,
	Find:      findProject,
	Diff:      diffProject,
	WriteOnly: writeOnlyOfProject,
	Create:    createProject,
	Update:    updateProject,
	Delete:    deleteProject,
	Details:   projectDetails,
}.Kind()

// projectItem is the project in the list of all projects that the user of the token is a member of.
func projectItem(obj *v1alpha1.Project) aiven.Item {
	return aiven.Item{List: aiven.ListKey{Operation: "ProjectList"}, Key: obj.GetName()}
}

// projectsByName indexes projects without what changes all the time: a change of the index enqueues objects, and one of the
// balance can wait for the next poll.
func projectsByName(all []avnproject.ProjectOut) map[string]any {
	if all == nil {
		return nil
	}
	items := make(map[string]any, len(all))
	for _, p := range all {
		p.EstimatedBalance, p.EstimatedBalanceLocal, p.AvailableCredits = "", nil, nil
		items[p.ProjectName] = p
	}
	return items
}

func findProject(ctx context.Context, s resource.Scope, obj *v1alpha1.Project) (*avnproject.ProjectOut, error) {
	if err := checkProjectName(obj.GetName()); err != nil {
		return nil, err
	}
	item := projectItem(obj)
	all, err := aiven.List(ctx, s.Client, item.List, aiven.ListSource[[]avnproject.ProjectOut]{
		Read: func(ctx context.Context) ([]avnproject.ProjectOut, error) {
			out, err := s.Client.API().ProjectList(ctx) //nolint:staticcheck // deprecated: see Project
			return ptr.Deref(out, avnproject.ProjectListOut{}).Projects, err
		},
		Items: projectsByName,
	}, item.Key)
	for i := range all {
		if all[i].ProjectName == obj.GetName() {
			return recordProject(obj, &all[i]), nil
		}
	}
	found, err := getProject(obj, "metadata.name", err, readProject(ctx, s, obj.GetName()))
	if err != nil {
		return nil, err
	}
	return recordProject(obj, found), nil
}

// readProject is the read of one project.
func readProject(ctx context.Context, s resource.Scope, name string) func() (*avnproject.ProjectOut, error) {
	return func() (*avnproject.ProjectOut, error) {
		out, err := s.Client.API().ProjectGet(ctx, name) //nolint:staticcheck // deprecated: see Project
		return (*avnproject.ProjectOut)(out), err
	}
}

// recordProject fills the status. It is called once a reconcile, so the balance is written once a poll at most.
func recordProject(obj *v1alpha1.Project, found *avnproject.ProjectOut) *avnproject.ProjectOut {
	p := ptr.Deref(found, avnproject.ProjectOut{})
	obj.Status.VatID, obj.Status.Country, obj.Status.PaymentMethod = p.VatId, p.Country, p.PaymentMethod
	obj.Status.EstimatedBalance, obj.Status.AvailableCredits = p.EstimatedBalance, ptr.Deref(p.AvailableCredits, "")
	return found
}

func createProject(ctx context.Context, s resource.Scope, obj *v1alpha1.Project) (*avnproject.ProjectOut, error) {
	in, err := projectRequest(ctx, s, obj, true)
	if err = cmp.Or(err, checkCopy(obj)); err != nil {
		return nil, err
	}
	create := &avnproject.ProjectCreateIn{
		Project: obj.GetName(), AccountId: in.AccountId, BillingAddress: in.BillingAddress, BillingCurrency: in.BillingCurrency,
		BillingEmails: in.BillingEmails, BillingExtraText: in.BillingExtraText, BillingGroupId: in.BillingGroupId,
		CardId: in.CardId, Cloud: in.Cloud, CountryCode: in.CountryCode, Tags: in.Tags, TechEmails: in.TechEmails,
	}
	if obj.Spec.CopyFromProject != "" {
		create.CopyFromProject, create.CopyTags = &obj.Spec.CopyFromProject, ptr.To(obj.Spec.Tags == nil)
	}
	out, err := s.Client.API().ProjectCreate(ctx, create) //nolint:staticcheck // deprecated: see Project
	if err != nil {
		err = refusedName(s, "metadata.name", err, readProject(ctx, s, obj.GetName()))
		return nil, fmt.Errorf("creating project: %w", atField(copyFields(), err))
	}
	s.Client.InvalidateCA(obj.GetName())
	return madeProject(obj, (*avnproject.ProjectOut)(out)), nil
}

// updateProject sends what Aiven never returns only where the whole spec is applied: it may have been changed at the console.
func updateProject(
	ctx context.Context, s resource.Scope, obj *v1alpha1.Project, _ *avnproject.ProjectOut, diff controllers.Diff,
) (*avnproject.ProjectOut, error) {
	in, err := projectRequest(ctx, s, obj, len(diff) == 0)
	if err != nil {
		return nil, err
	}
	out, err := s.Client.API().ProjectUpdate(ctx, obj.GetName(), in) //nolint:staticcheck // deprecated: see Project
	if err != nil {
		return nil, fmt.Errorf("updating project: %w", atField(projectFields(), err))
	}
	return recordProject(obj, (*avnproject.ProjectOut)(out)), nil
}

func deleteProject(ctx context.Context, s resource.Scope, obj *v1alpha1.Project, _ *avnproject.ProjectOut) error {
	return deleteIfEmpty(ctx, s, obj.GetName(), func() error {
		return s.Client.API().ProjectDelete(ctx, obj.GetName()) //nolint:staticcheck // deprecated: see Project
	})
}

func projectDetails(ctx context.Context, s resource.Scope, obj *v1alpha1.Project, _ *avnproject.ProjectOut) (connection.Info, error) {
	details, err := caDetails(ctx, s, obj, obj.GetName())
	details.Layout = details.Layout.Twice()
	return details, err
}
