package account

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aiven/go-client-codegen/handler/upgradepipeline"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=upgradepipelinesteps,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=upgradepipelinesteps/status,verbs=patch

// UpgradePipelineStep is a step of the upgrade pipeline of an organization. Its place is the organization, and not the two
// services: a step outlives them. It may wait for them to be created.
var UpgradePipelineStep = resource.Definition[*v1alpha1.UpgradePipelineStep, step]{
	Object: &v1alpha1.UpgradePipelineStep{}, IsRule: true,
	Place: resource.InOrganization(func(obj *v1alpha1.UpgradePipelineStep) string { return obj.Spec.OrganizationID }),
	Identity: func(obj *v1alpha1.UpgradePipelineStep) controllers.Identity {
		return controllers.Identity{Name: obj.Spec.OrganizationID + "/" + stepKey(obj)}
	},
	Named: func(obj *v1alpha1.UpgradePipelineStep) (string, string) {
		return pathOrganization, obj.Spec.OrganizationID
	},
	Services:       stepEnds,
	LookupOnDelete: true,
	Item:           stepItem,
	Find:           findStep,
	Diff:           diffStep,
	Create:         createStep,
	Update:         updateStep,
	Delete:         deleteStep,
}.Kind()

// step has the fields of all answers.
type step = upgradepipeline.StepOut

func stepEnds(obj *v1alpha1.UpgradePipelineStep) []aiven.ServiceKey {
	return []aiven.ServiceKey{
		{Project: obj.Spec.SourceProjectName, Service: obj.Spec.SourceServiceName},
		{Project: obj.Spec.DestinationProjectName, Service: obj.Spec.DestinationServiceName},
	}
}

// stepKey has what identifies a step in its organization.
func stepKey(obj *v1alpha1.UpgradePipelineStep) string {
	s := obj.Spec
	return strings.Join([]string{s.SourceProjectName, s.SourceServiceName, s.DestinationProjectName, s.DestinationServiceName}, "/")
}

func keyOfStep(s step) string {
	return strings.Join([]string{s.SourceProjectName, s.SourceServiceName, s.DestinationProjectName, s.DestinationServiceName}, "/")
}

func stepItem(obj *v1alpha1.UpgradePipelineStep) aiven.Item {
	return aiven.Item{List: aiven.ListKey{Organization: obj.Spec.OrganizationID, Operation: "UpgradePipelineStepList"}, Key: stepKey(obj)}
}

// stepPage is as many steps as aiven-operator asks for: Aiven may refuse more. A longer list is read by filters, as what the
// page calls the next one isn't documented.
const stepPage = 30

// stepList is the first page of an organization's steps.
type stepList struct {
	steps    []step
	complete bool
}

func readSteps(ctx context.Context, s resource.Scope, filters ...[2]string) (stepList, error) {
	out, err := s.Client.API().UpgradePipelineStepList(ctx, s.Organization, append(filters, upgradepipeline.UpgradePipelineStepListLimit(stepPage))...)
	switch {
	case fault.Is(err, fault.NotFound):
		return stepList{}, unknownOrganizationError(s.Organization)
	case err != nil:
		return stepList{}, fmt.Errorf("listing steps: %w", err)
	}
	complete := out.Next == nil && len(out.Steps) < stepPage
	if out.TotalCount != nil {
		complete = *out.TotalCount == len(out.Steps)
	}
	return stepList{steps: out.Steps, complete: complete}, nil
}

// indexSteps keeps several steps of the same names together.
func indexSteps(list stepList) map[string]any {
	if list.steps == nil {
		return nil
	}
	index := map[string]any{}
	for _, found := range list.steps {
		same, _ := index[keyOfStep(found)].([]step)
		index[keyOfStep(found)] = append(same, found)
	}
	return index
}

// findStep reads the list that all steps of the organization share, and by filters what a list of one page leaves out.
func findStep(ctx context.Context, s resource.Scope, obj *v1alpha1.UpgradePipelineStep) (*step, error) {
	item := stepItem(obj)
	list, err := aiven.List(ctx, s.Client, item.List, aiven.ListSource[stepList]{
		Read: func(ctx context.Context) (stepList, error) { return readSteps(ctx, s) }, Items: indexSteps,
	}, item.Key)
	if err == nil && !list.complete {
		list, err = readSteps(ctx, s, filtersOf(obj)...)
		if err == nil && (list.steps == nil || !list.complete) {
			err = errors.New("listing steps: the answer isn't the whole list")
		}
	}
	if err != nil {
		return nil, withoutList(obj, err)
	}
	found, err := chooseStep(list.steps, obj)
	if err == nil {
		recordStep(obj, found)
	}
	return found, err
}

func filtersOf(obj *v1alpha1.UpgradePipelineStep) [][2]string {
	return [][2]string{
		upgradepipeline.UpgradePipelineStepListSourceProjectName(obj.Spec.SourceProjectName),
		upgradepipeline.UpgradePipelineStepListSourceServiceName(obj.Spec.SourceServiceName),
		upgradepipeline.UpgradePipelineStepListDestinationProjectName(obj.Spec.DestinationProjectName),
		upgradepipeline.UpgradePipelineStepListDestinationServiceName(obj.Spec.DestinationServiceName),
	}
}

// chooseStep returns the step of the four names: of several, the one in the status.
func chooseStep(all []step, obj *v1alpha1.UpgradePipelineStep) (*step, error) {
	found := slices.DeleteFunc(slices.Clone(all), func(s step) bool { return keyOfStep(s) != stepKey(obj) })
	slices.SortFunc(found, func(a, b step) int { return cmp.Compare(a.StepId, b.StepId) })
	at := slices.IndexFunc(found, func(s step) bool { return s.StepId == obj.Status.ID })
	switch {
	case len(found) == 0:
		return nil, nil
	case len(found) > 1 && at < 0:
		return nil, fault.InvalidSpec("spec", fmt.Sprintf("Aiven has several steps between these services: %s and %s. Delete one of them at Aiven",
			found[0].StepId, found[1].StepId))
	}
	return &found[max(at, 0)], nil
}

func recordStep(obj *v1alpha1.UpgradePipelineStep, found *step) {
	obj.Status.ID, obj.Status.LastValidation = "", nil
	if found == nil {
		return
	}
	obj.Status.ID = found.StepId
	if last := found.LastValidation; last != (upgradepipeline.LastValidationOut{}) {
		at := metav1.NewTime(last.ValidatedAt)
		obj.Status.LastValidation = &v1alpha1.UpgradePipelineStepLastValidation{
			Comment: last.Comment, ValidatedAt: &at, ValidatedByUser: last.ValidatedByUser,
		}
	}
}

func diffStep(_ resource.Scope, obj *v1alpha1.UpgradePipelineStep, found *step) controllers.Diff {
	var diff controllers.Diff
	if wanted := obj.Spec.AutoValidationDelayDays; wanted != nil && *wanted != found.AutoValidationDelayDays {
		diff.Add("spec.autoValidationDelayDays", *wanted, found.AutoValidationDelayDays)
	}
	return diff
}

// stepServices are the fields that name the services, in the order of stepEnds.
var stepServices = []string{"spec.sourceServiceName", "spec.destinationServiceName"}

func missingEnd(service, path string) fault.Field {
	return fault.Field{Path: path, Value: service, Remedy: "Create the service, or recreate the object with another " + path}
}

// stepFields are the fields of a step by the parameters that they are sent as, and by the services that Aiven may not find.
func stepFields(obj *v1alpha1.UpgradePipelineStep) fault.Fields {
	source, destination := stepServices[0], stepServices[1]
	fields := fault.Fields{
		"source_service_name": fault.Fixed(source), "destination_service_name": fault.Fixed(destination),
		"source_project_name": fault.Fixed("spec.sourceProjectName"), "destination_project_name": fault.Fixed("spec.destinationProjectName"),
		"auto_validation_delay_days": {Path: "spec.autoValidationDelayDays"},
		"project": {
			Path: "spec.sourceProjectName or spec.destinationProjectName",
			Remedy: fmt.Sprintf("Check that the projects %s and %s exist, and recreate the object if a name is wrong",
				obj.Spec.SourceProjectName, obj.Spec.DestinationProjectName),
		},
		"service " + obj.Spec.SourceServiceName:      missingEnd("", source),
		"service " + obj.Spec.DestinationServiceName: missingEnd("", destination),
	}
	if obj.Spec.SourceServiceName == obj.Spec.DestinationServiceName {
		fields["service "+obj.Spec.SourceServiceName] = missingEnd("", source+" or "+destination)
	}
	return fields
}

// createStep reads the services if Aiven doesn't find one: from then on, the watch notices when it is created.
func createStep(ctx context.Context, s resource.Scope, obj *v1alpha1.UpgradePipelineStep) (*step, error) {
	out, err := s.Client.API().UpgradePipelineStepCreate(ctx, s.Organization, &upgradepipeline.UpgradePipelineStepCreateIn{
		SourceProjectName: obj.Spec.SourceProjectName, SourceServiceName: obj.Spec.SourceServiceName,
		DestinationProjectName: obj.Spec.DestinationProjectName, DestinationServiceName: obj.Spec.DestinationServiceName,
		AutoValidationDelayDays: obj.Spec.AutoValidationDelayDays,
	})
	fields := stepFields(obj)
	if fault.Is(err, fault.NotFound) {
		for i, end := range stepEnds(obj) {
			name := "service " + end.Service
			if _, read := s.Client.Service(ctx, end.Project, end.Service); fault.Is(read, fault.NotFound) && fields[name].Value == "" {
				fields[name] = missingEnd(end.String(), stepServices[i])
			}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("creating step: %w", atField(fields, err))
	}
	if out.StepId == "" || keyOfStep(step(*out)) != stepKey(obj) {
		return nil, nil // about another step, or none: it is read
	}
	recordStep(obj, (*step)(out))
	return (*step)(out), nil
}

func updateStep(ctx context.Context, s resource.Scope, obj *v1alpha1.UpgradePipelineStep, found *step, _ controllers.Diff) (*step, error) {
	out, err := s.Client.API().UpgradePipelineStepUpdate(ctx, s.Organization, found.StepId, &upgradepipeline.UpgradePipelineStepUpdateIn{
		AutoValidationDelayDays: obj.Spec.AutoValidationDelayDays,
	})
	if err != nil {
		return nil, fmt.Errorf("updating step: %w", stepFields(obj).Of(err))
	}
	recordStep(obj, (*step)(out))
	return (*step)(out), nil
}

func deleteStep(ctx context.Context, s resource.Scope, _ *v1alpha1.UpgradePipelineStep, found *step) error {
	if found == nil {
		return s.LookupErr
	}
	if err := s.Client.API().UpgradePipelineStepDelete(ctx, s.Organization, found.StepId); err != nil {
		return fmt.Errorf("deleting step: %w", err)
	}
	return nil
}
