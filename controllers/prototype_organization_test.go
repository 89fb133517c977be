package controllers_test

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aiven/go-client-codegen/handler/upgradepipeline"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/resource"
)

// A kind in an organization with a list that can't be filtered, as UpgradePipelineStep is.

type stepSpec struct {
	Organization, SourceProject, SourceService, DestProject, DestService string
}

type step = prototype[stepSpec]

// key is what identifies a step: its four names.
func (s stepSpec) key() string {
	return strings.Join([]string{s.SourceProject, s.SourceService, s.DestProject, s.DestService}, "/")
}

func stepKey(s upgradepipeline.StepOut) string {
	return stepSpec{"", s.SourceProjectName, s.SourceServiceName, s.DestinationProjectName, s.DestinationServiceName}.key()
}

func stepList(obj *step) aiven.ListKey {
	return aiven.ListKey{Organization: obj.Spec.Organization, Operation: "UpgradePipelineStepList"}
}

var stepKind = resource.Definition[*step, upgradepipeline.StepOut]{
	Object: &step{},
	Place:  resource.InOrganization(func(obj *step) string { return obj.Spec.Organization }),
	Identity: func(obj *step) controllers.Identity {
		return controllers.Identity{Name: obj.Spec.Organization + "/" + obj.Spec.key()}
	},
	Item: func(obj *step) aiven.Item { return aiven.Item{List: stepList(obj), Key: obj.Spec.key()} },
	Find: func(ctx context.Context, s resource.Scope, obj *step) (*upgradepipeline.StepOut, error) {
		all, err := aiven.List(ctx, s.Client, stepList(obj), aiven.ListSource[[]upgradepipeline.StepOut]{
			Read:  func(ctx context.Context) ([]upgradepipeline.StepOut, error) { return listSteps(ctx, s) },
			Items: indexSteps,
		}, obj.Spec.key())
		if err != nil {
			return nil, err
		}
		return chooseStep(all, obj)
	},
	Create: func(ctx context.Context, s resource.Scope, obj *step) (*upgradepipeline.StepOut, error) {
		out, err := s.Client.API().UpgradePipelineStepCreate(ctx, s.Organization, &upgradepipeline.UpgradePipelineStepCreateIn{
			SourceProjectName: obj.Spec.SourceProject, SourceServiceName: obj.Spec.SourceService,
			DestinationProjectName: obj.Spec.DestProject, DestinationServiceName: obj.Spec.DestService,
		})
		if err != nil {
			return nil, fmt.Errorf("creating step: %w", err)
		}
		obj.Status.ID = out.StepId
		return (*upgradepipeline.StepOut)(out), nil
	},
	LookupOnDelete: true,
	Delete: func(ctx context.Context, s resource.Scope, obj *step, found *upgradepipeline.StepOut) error {
		id := obj.Status.ID
		if found != nil {
			id = found.StepId
		}
		if id == "" {
			return s.LookupErr
		}
		return s.Client.API().UpgradePipelineStepDelete(ctx, s.Organization, id)
	},
}.Kind()

func listSteps(ctx context.Context, s resource.Scope) ([]upgradepipeline.StepOut, error) {
	out, err := s.Client.API().UpgradePipelineStepList(ctx, s.Organization)
	if err != nil {
		return nil, err
	}
	if out.TotalCount != nil && *out.TotalCount > len(out.Steps) {
		return nil, fmt.Errorf("the list of steps has %d of %d", len(out.Steps), *out.TotalCount)
	}
	return out.Steps, nil
}

// indexSteps keeps several steps of the same names together.
func indexSteps(steps []upgradepipeline.StepOut) map[string]any {
	if steps == nil {
		return nil
	}
	byKey := map[string][]upgradepipeline.StepOut{}
	for _, found := range steps {
		byKey[stepKey(found)] = append(byKey[stepKey(found)], found)
	}
	index := make(map[string]any, len(byKey))
	for key, found := range byKey {
		index[key] = found
	}
	return index
}

// chooseStep returns the step of the four names: of several, the one in the status.
func chooseStep(all []upgradepipeline.StepOut, obj *step) (*upgradepipeline.StepOut, error) {
	var found []upgradepipeline.StepOut
	for _, candidate := range all {
		if stepKey(candidate) == obj.Spec.key() {
			found = append(found, candidate)
		}
	}
	slices.SortFunc(found, func(a, b upgradepipeline.StepOut) int { return cmp.Compare(a.StepId, b.StepId) })
	at := slices.IndexFunc(found, func(s upgradepipeline.StepOut) bool { return s.StepId == obj.Status.ID })
	switch {
	case len(found) == 0:
		return nil, nil
	case len(found) > 1 && at < 0:
		return nil, fault.InvalidSpec("spec", fmt.Sprintf("several steps have these names: %s and %s. Delete one of them at Aiven",
			found[0].StepId, found[1].StepId))
	}
	chosen := found[max(at, 0)]
	obj.Status.ID = chosen.StepId
	return &chosen, nil
}

const (
	getSteps   = "GET /v1/organization/org1/upgrade-pipeline/steps"
	postStep   = "POST /v1/organization/org1/upgrade-pipeline/steps"
	deleteStep = "DELETE /v1/organization/org1/upgrade-pipeline/steps/{id}"
)

// steps is an API with an organization. While lagging is set, the list doesn't show what was created.
type steps struct {
	*api
	list, shown []fields
	lagging     bool
	total       int // of the list, if it isn't as many as it has
}

func newSteps(t *testing.T, objects ...client.Object) (*steps, *controllers.Prototype[*step]) {
	a := &steps{api: newAPI(t)}
	a.on(getSteps, func(*http.Request) (any, int) {
		if !a.lagging {
			a.shown = slices.Clone(a.list)
		}
		return fields{"steps": append([]fields{}, a.shown...), "total_count": max(a.total, len(a.shown))}, http.StatusOK
	})
	a.on(postStep, func(r *http.Request) (any, int) {
		in := decode[fields](t, r)
		in["step_id"] = fmt.Sprintf("step-%d", len(a.list)+1)
		a.list = append(a.list, in)
		return in, http.StatusOK
	})
	a.on(deleteStep, func(r *http.Request) (any, int) {
		a.list = slices.DeleteFunc(a.list, func(s fields) bool { return s["step_id"] == r.PathValue("id") })
		return fields{"message": "deleted"}, http.StatusOK
	})
	return a, controllers.NewPrototype(t, stepKind, schemeOf[stepSpec]("StepPrototype"), a, objects...)
}

func newStep(name string) *step {
	return &step{ObjectMeta: named(name), Spec: stepSpec{"org1", "dev", "pg-" + name, "prod", "pg-" + name}}
}

func existing(id string, spec stepSpec) fields {
	return fields{
		"step_id": id, "source_project_name": spec.SourceProject, "source_service_name": spec.SourceService,
		"destination_project_name": spec.DestProject, "destination_service_name": spec.DestService,
	}
}

func TestP11_AResourceOfAnOrganizationIsCreatedOnceWhileItsListLags(t *testing.T) {
	for name, status := range map[string]int{"with the answer": 0, "without the answer": http.StatusBadGateway} {
		t.Run(name, func(t *testing.T) {
			a, p := newSteps(t, newStep("a"))
			a.lagging = true
			if status != 0 {
				a.fail[postStep] = status
			}
			_ = p.Reconcile("a")
			for range 3 {
				p.Advance(controllers.ReadLag / 4)
				require.NoError(t, p.Reconcile("a"))
				assert.Equal(t, "Unknown/Progressing", p.Condition("a", condition.Ready), "it is pending, not absent")
			}
			a.lagging = false
			require.NoError(t, p.ReconcileLater("a"))
			assert.Equal(t, "True/ReconciliationSucceeded", p.Condition("a", condition.Ready))
			assert.Equal(t, "step-1", p.Get("a").Status.ID)
			assert.Equal(t, 1, a.calls[postStep])
		})
	}
}

func TestAResourceOfAnOrganizationIsFoundByItsFourNames(t *testing.T) {
	spec := newStep("a").Spec
	swapped := stepSpec{"org1", spec.DestProject, spec.DestService, spec.SourceProject, spec.SourceService}
	for name, tc := range map[string]struct {
		list     []fields
		id       string // in the status
		want     string
		ready    string
		contains []string
		posts    int
	}{
		"one of them":                  {[]fields{existing("x", swapped), existing("y", spec)}, "", "y", "True/ReconciliationSucceeded", nil, 0},
		"none of them":                 {[]fields{existing("x", swapped)}, "", "step-2", "True/ReconciliationSucceeded", nil, 1},
		"an id that is outdated":       {[]fields{existing("y", spec)}, "gone", "y", "True/ReconciliationSucceeded", nil, 0},
		"two, and the status has one":  {[]fields{existing("x", spec), existing("y", spec)}, "y", "y", "True/ReconciliationSucceeded", nil, 0},
		"two, and the status has none": {[]fields{existing("y", spec), existing("x", spec)}, "", "", "False/InvalidSpec", []string{"x and y"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			obj := newStep("a")
			obj.Status.ID = tc.id
			a, p := newSteps(t, obj)
			a.list = tc.list
			_ = p.Reconcile("a")
			assert.Equal(t, tc.ready, p.Condition("a", condition.Ready))
			assert.Equal(t, tc.want, p.Get("a").Status.ID)
			assert.Equal(t, tc.posts, a.calls[postStep])
			for _, text := range tc.contains {
				assert.Contains(t, p.Message("a", condition.Ready), text)
			}
		})
	}
}

func TestAListThatIsIncompleteShowsNoAbsence(t *testing.T) {
	a, p := newSteps(t, newStep("a"))
	a.total = 1000
	_ = p.Reconcile("a")
	assert.NotEqual(t, "True/ReconciliationSucceeded", p.Condition("a", condition.Ready))
	assert.Zero(t, a.calls[postStep])
}

func TestAHundredResourcesOfAnOrganizationShareOneListing(t *testing.T) {
	var objects []client.Object
	for i := range 100 {
		objects = append(objects, newStep(fmt.Sprintf("s%d", i)))
	}
	a, p := newSteps(t, objects...)
	for _, obj := range objects {
		a.list = append(a.list, existing("id-"+obj.GetName(), obj.(*step).Spec))
	}
	for _, obj := range objects {
		require.NoError(t, p.Reconcile(obj.GetName()))
		assert.Equal(t, "id-"+obj.GetName(), p.Get(obj.GetName()).Status.ID)
	}
	assert.Equal(t, 1, a.calls[getSteps])
	assert.Zero(t, a.calls[postStep])

	p.Delete("s7")
	require.NoError(t, p.ReconcileLater("s7"))
	assert.True(t, p.Gone("s7"))
	assert.Len(t, a.list, 99)
}
