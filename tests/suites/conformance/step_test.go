package conformance_test

import (
	"fmt"
	"testing"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/aiven/go-client-codegen/handler/upgradepipeline"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
)

func withSteps(t *testing.T, o testenv.Options) (*testenv.Env, *v1alpha1.UpgradePipelineStep) {
	t.Helper()
	o.Kinds = []string{"UpgradePipelineStep"}
	e := testenv.New(t, o)
	return e, e.Example("upgradepipelinestep").(*v1alpha1.UpgradePipelineStep)
}

func TestAStepWaitsForItsServicesAndOutlivesThem(t *testing.T) {
	t.Parallel()
	e, obj := withSteps(t, testenv.Options{Config: testenv.OnlyWatches})
	e.Create(obj)
	e.Wait(obj, testenv.Condition("Ready", metav1.ConditionUnknown, "Progressing"), testenv.Saying("Ready", "Service my-pg does not exist"))
	makeStepEnds(e)
	e.Wait(obj, testenv.Ready())
	assert.Equal(t, stepAtAiven(e).StepId, obj.Status.ID)
	require.NoError(t, e.Aiven.Console.ServiceDelete(t.Context(), e.Project, serviceName))
	request(e, obj, "now")
	e.Wait(obj, testenv.Ready())
	e.Delete(obj)
	e.WaitGone(obj)
	listed, err := e.Aiven.Console.UpgradePipelineStepList(t.Context(), organization)
	require.NoError(t, err)
	assert.Empty(t, listed.Steps, "a step doesn't go with its services")
}

func TestAStepIsOneOfMoreThanAHundred(t *testing.T) {
	t.Parallel()
	e, obj := withSteps(t, testenv.Options{})
	makeStepEnds(e)
	name := func(i int) string { return fmt.Sprintf("pg-%d", i) }
	for i := range 12 {
		_, err := e.Aiven.Console.ServiceCreate(t.Context(), e.Project, &service.ServiceCreateIn{ServiceName: name(i), ServiceType: "pg", Plan: "startup-4"})
		require.NoError(t, err)
	}
	for i := range 120 {
		_, err := e.Aiven.Console.UpgradePipelineStepCreate(t.Context(), organization, &upgradepipeline.UpgradePipelineStepCreateIn{
			SourceProjectName: e.Project, SourceServiceName: name(i % 12), DestinationProjectName: e.Project, DestinationServiceName: name((i%12 + 1 + i/12) % 12),
		})
		require.NoError(t, err)
	}
	e.Create(obj)
	e.Wait(obj, testenv.Ready())
	e.Rest(2)
	assert.Equal(t, []string{"UpgradePipelineStepCreate"}, e.Aiven.Writes(0))
	e.Delete(obj)
	e.WaitGone(obj)
	left := 0
	for _, r := range e.Aiven.Resources() {
		if r.Type == "upgrade_pipeline_step" {
			left++
		}
	}
	assert.Equal(t, 120, left)
}

func TestTwoStepsOfOneNameAreAMatterForAUser(t *testing.T) {
	t.Parallel()
	e, obj := withSteps(t, testenv.Options{Aiven: localaiven.Options{Variants: localaiven.Variants{DuplicateSteps: true}}})
	makeStepEnds(e)
	var ids []string
	for range 2 {
		made, err := e.Aiven.Console.UpgradePipelineStepCreate(t.Context(), organization, &upgradepipeline.UpgradePipelineStepCreateIn{
			SourceProjectName: e.Project, SourceServiceName: serviceName, DestinationProjectName: production, DestinationServiceName: serviceName,
		})
		require.NoError(t, err)
		ids = append(ids, made.StepId)
	}
	e.Create(obj)
	e.Wait(obj, testenv.Condition("Ready", metav1.ConditionFalse, "InvalidSpec"), testenv.Saying("Ready", ids[0]), testenv.Saying("Ready", ids[1]))
	assert.Empty(t, e.Aiven.Writes(0))
	require.NoError(t, e.Aiven.Console.UpgradePipelineStepDelete(t.Context(), organization, ids[0]))
	e.Wait(obj, testenv.Ready())
	assert.Equal(t, ids[1], obj.Status.ID)
}

func TestAStepBetweenServicesOfTwoTypesIsRefused(t *testing.T) {
	t.Parallel()
	e, obj := withSteps(t, testenv.Options{Config: testenv.OnlyWatches})
	makeStepEnds(e)
	makeService(e, inKafka)
	obj.Spec.DestinationProjectName, obj.Spec.DestinationServiceName = e.Project, kafkaName
	e.Create(obj)
	e.Wait(obj, testenv.Condition("Ready", metav1.ConditionFalse, "InvalidSpec"), testenv.Saying("Ready", "Aiven rejected spec.destinationServiceName"),
		testenv.Saying("Ready", "Recreate the object with another spec.destinationServiceName"))
	assert.Len(t, e.Aiven.Writes(0), 1)
}
