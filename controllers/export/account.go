package export

import (
	"context"
	"slices"

	avnprojects "github.com/aiven/go-client-codegen/handler/organizationprojects"
	avnproject "github.com/aiven/go-client-codegen/handler/project"
	"github.com/aiven/go-client-codegen/handler/upgradepipeline"
	avnvpc "github.com/aiven/go-client-codegen/handler/vpc"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/oneshot"
	"github.com/aero-operator/aero/controllers/kinds/account"
)

// account exports the project itself, its VPCs, and the steps of upgrade pipelines between its services.
func (e *exporter) account(ctx context.Context) {
	if e.wants("Project", "OrganizationProject", "UpgradePipelineStep") {
		found, read := ask(ctx, e, "project "+e.Project, func(ctx context.Context) (*avnproject.ProjectGetOut, error) {
			return e.client.API().ProjectGet(ctx, e.Project) //nolint:staticcheck // deprecated, and the only call that names the organization
		})
		if read {
			e.project(ctx, found)
			e.steps(ctx, found.OrganizationId)
		}
	}
	if !e.wants("ProjectVPC") {
		return
	}
	vpcs, _ := ask(ctx, e, "VPCs of the project", func(ctx context.Context) ([]avnvpc.VpcOut, error) {
		return e.client.API().VpcList(ctx, e.Project)
	})
	for _, found := range vpcs {
		d := draft{what: "VPC " + found.CloudName + " " + found.NetworkCidr, real: joined(found.CloudName, found.NetworkCidr)}
		if found.State == avnvpc.VpcStateTypeDeleted || found.State == avnvpc.VpcStateTypeDeleting {
			e.leave(d.what, "Aiven is deleting it")
			continue
		}
		e.peerings(ctx, d.what, found.ProjectVpcId)
		obj := &v1alpha1.ProjectVPC{}
		obj.Spec.Project, obj.Spec.CloudName, obj.Spec.NetworkCidr = e.Project, found.CloudName, found.NetworkCidr
		add(e, account.VPC, obj, d)
	}
}

// peerings notes the peering connections of a VPC.
func (e *exporter) peerings(ctx context.Context, what, id string) {
	vpc, read := ask(ctx, e, what+": peering connections", func(ctx context.Context) (*avnvpc.VpcGetOut, error) {
		return e.client.API().VpcGet(ctx, e.Project, id)
	})
	if !read {
		return
	}
	for _, peer := range vpc.PeeringConnections {
		e.leave(what+": peering connection with "+peer.PeerCloudAccount+"/"+peer.PeerVpc, "no kind serves it")
	}
}

// project exports the project by one of the two kinds, as both would manage the same: as a project of its organization, if the token may
// read it there and nothing else is asked for.
func (e *exporter) project(ctx context.Context, found *avnproject.ProjectGetOut) {
	onlyProject := len(e.Kinds) > 0 && !e.wants("OrganizationProject")
	if organization := found.OrganizationId; organization != "" && !onlyProject && e.wants("OrganizationProject") {
		inside, err := oneshot.Repeat(ctx, func(ctx context.Context) (*avnprojects.OrganizationProjectsGetOut, error) {
			return e.client.API().OrganizationProjectsGet(ctx, organization, e.Project)
		})
		if err == nil {
			d := draft{what: "project " + e.Project, real: e.Project}
			add(e, account.OrganizationProject, exportOrganizationProject(inside), d)
			return
		}
		if !e.wants("Project") {
			e.unread("project "+e.Project+" of organization "+organization, err)
		}
	}
	if e.wants("Project") {
		d := draft{what: "project " + e.Project, real: e.Project, fixed: true}
		d.note("spec.billingAddress and other fields of invoices", "not exported, as Aiven keeps them in the billing group")
		add(e, account.Project, exportProject(found), d)
	}
}

func exportProject(found *avnproject.ProjectGetOut) *v1alpha1.Project {
	obj := &v1alpha1.Project{}
	spec := &obj.Spec
	spec.AccountID, spec.BillingGroupID, spec.Cloud = found.AccountId, found.BillingGroupId, found.DefaultCloud
	if len(found.Tags) > 0 {
		spec.Tags = found.Tags
	}
	for _, address := range found.TechEmails {
		spec.TechnicalEmails = append(spec.TechnicalEmails, address.Email)
	}
	for _, address := range found.BillingEmails {
		spec.BillingEmails = append(spec.BillingEmails, address.Email)
	}
	return obj
}

func exportOrganizationProject(found *avnprojects.OrganizationProjectsGetOut) *v1alpha1.OrganizationProject {
	obj := &v1alpha1.OrganizationProject{}
	spec := &obj.Spec
	spec.ProjectID, spec.OrganizationID, spec.ParentID = found.ProjectId, found.OrganizationId, found.ParentId
	spec.BillingGroupID, spec.BasePort = ptr.Deref(found.BillingGroupId, ""), found.BasePort
	if len(found.Tags) > 0 {
		spec.Tags = found.Tags
	}
	for _, address := range found.TechEmails {
		spec.TechnicalEmails = append(spec.TechnicalEmails, address.Email)
	}
	return obj
}

// stepPage is as many steps as the kind asks for at once.
const stepPage = 30

// steps exports the steps of the organization's upgrade pipeline whose source is in the project. Those of other projects belong to these.
func (e *exporter) steps(ctx context.Context, organization string) {
	if organization == "" || !e.wants("UpgradePipelineStep") {
		return
	}
	what := "upgrade pipeline of organization " + organization
	listed, read := ask(ctx, e, what, func(ctx context.Context) (*upgradepipeline.UpgradePipelineStepListOut, error) {
		return e.client.API().UpgradePipelineStepList(ctx, organization,
			upgradepipeline.UpgradePipelineStepListSourceProjectName(e.Project), upgradepipeline.UpgradePipelineStepListLimit(stepPage))
	})
	if !read {
		return
	}
	if listed.Next != nil || len(listed.Steps) == stepPage && ptr.Deref(listed.TotalCount, stepPage+1) > stepPage {
		e.leave(what, "Aiven returns the first steps only: the others aren't exported")
	}
	slices.SortFunc(listed.Steps, func(a, b upgradepipeline.StepOut) int { return slices.Compare([]string{a.StepId}, []string{b.StepId}) })
	for _, found := range listed.Steps {
		obj := exportStep(organization, found)
		d := draft{
			what: "step from " + end(found.SourceProjectName, found.SourceServiceName) + " to " + end(found.DestinationProjectName, found.DestinationServiceName),
			real: joined(found.SourceServiceName, found.DestinationServiceName),
		}
		add(e, account.UpgradePipelineStep, obj, d)
	}
}

func exportStep(organization string, found upgradepipeline.StepOut) *v1alpha1.UpgradePipelineStep {
	obj := &v1alpha1.UpgradePipelineStep{}
	spec := &obj.Spec
	spec.OrganizationID, spec.AutoValidationDelayDays = organization, &found.AutoValidationDelayDays
	spec.SourceProjectName, spec.SourceServiceName = found.SourceProjectName, found.SourceServiceName
	spec.DestinationProjectName, spec.DestinationServiceName = found.DestinationProjectName, found.DestinationServiceName
	return obj
}
