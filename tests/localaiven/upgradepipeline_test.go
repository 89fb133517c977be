package localaiven_test

import (
	"testing"

	aiven "github.com/aiven/go-client-codegen"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/aiven/go-client-codegen/handler/upgradepipeline"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

// withPipeline starts a server with services a, b and c of one type and k of another, and returns the path of the steps.
func withPipeline(t testing.TB) (*harness, string) {
	t.Helper()
	h := start(t, localaiven.Options{})
	for name, kind := range map[string]string{"a": "pg", "b": "pg", "c": "pg", "k": "kafka"} {
		_, err := h.client.ServiceCreate(t.Context(), proj, &service.ServiceCreateIn{ServiceName: name, ServiceType: kind, Plan: "startup-4"})
		require.NoError(t, err)
	}
	return h, "/v1/organization/" + h.ids(t).organization + "/upgrade-pipeline/steps"
}

func stepBody(source, destination string) string {
	return `{"source_project_name":"` + proj + `","source_service_name":"` + source +
		`","destination_project_name":"` + proj + `","destination_service_name":"` + destination + `"}`
}

func (h *harness) createStep(t testing.TB, source, destination string) *upgradepipeline.UpgradePipelineStepCreateOut {
	t.Helper()
	out, err := h.client.UpgradePipelineStepCreate(t.Context(), h.ids(t).organization, &upgradepipeline.UpgradePipelineStepCreateIn{
		SourceProjectName: proj, SourceServiceName: source, DestinationProjectName: proj, DestinationServiceName: destination,
	})
	require.NoError(t, err)
	return out
}

func (h *harness) listSteps(t testing.TB, query ...[2]string) *upgradepipeline.UpgradePipelineStepListOut {
	t.Helper()
	out, err := h.client.UpgradePipelineStepList(t.Context(), h.ids(t).organization, query...)
	require.NoError(t, err)
	return out
}

func TestLifeOfAnUpgradePipelineStep(t *testing.T) {
	t.Parallel()
	h, _ := withPipeline(t)
	ctx, org := t.Context(), h.ids(t).organization
	made := h.createStep(t, "a", "b")
	assert.Len(t, made.StepId, 36)
	assert.Equal(t, []any{7, proj, "a", proj, "b"}, []any{
		made.AutoValidationDelayDays, made.SourceProjectName, made.SourceServiceName, made.DestinationProjectName, made.DestinationServiceName,
	})
	assert.Zero(t, made.LastValidation)
	got, err := h.client.UpgradePipelineStepGet(ctx, org, made.StepId)
	require.NoError(t, err)
	assert.EqualValues(t, made, got)
	assert.Contains(t, h.Resources(), localaiven.Resource{
		Type: "upgrade_pipeline_step", ID: proj + "/a/" + proj + "/b#" + made.StepId,
	})

	changed, err := h.client.UpgradePipelineStepUpdate(ctx, org, made.StepId,
		&upgradepipeline.UpgradePipelineStepUpdateIn{AutoValidationDelayDays: ptr(0)})
	require.NoError(t, err)
	assert.Equal(t, 0, changed.AutoValidationDelayDays)
	changed, err = h.client.UpgradePipelineStepUpdate(ctx, org, made.StepId, &upgradepipeline.UpgradePipelineStepUpdateIn{})
	require.NoError(t, err)
	assert.Equal(t, 0, changed.AutoValidationDelayDays, "what isn't named stays")

	require.NoError(t, h.client.UpgradePipelineStepDelete(ctx, org, made.StepId))
	_, err = h.client.UpgradePipelineStepGet(ctx, org, made.StepId)
	assert.True(t, aiven.IsNotFound(err))
	assert.True(t, aiven.IsNotFound(h.client.UpgradePipelineStepDelete(ctx, org, made.StepId)))
	assert.Empty(t, h.listSteps(t).Steps)
	assert.NotEqual(t, made.StepId, h.createStep(t, "a", "b").StepId)
}

func TestStepsAreFiltered(t *testing.T) {
	t.Parallel()
	h, _ := withPipeline(t)
	for _, step := range [][2]string{{"a", "b"}, {"a", "c"}, {"b", "c"}} {
		h.createStep(t, step[0], step[1])
	}
	for name, c := range map[string]struct {
		query [][2]string
		want  int
	}{
		"all":            {nil, 3},
		"by source":      {[][2]string{upgradepipeline.UpgradePipelineStepListSourceServiceName("a")}, 2},
		"by destination": {[][2]string{upgradepipeline.UpgradePipelineStepListDestinationServiceName("c")}, 2},
		"by all": {[][2]string{
			upgradepipeline.UpgradePipelineStepListLimit(30), upgradepipeline.UpgradePipelineStepListSourceProjectName(proj),
			upgradepipeline.UpgradePipelineStepListSourceServiceName("a"), upgradepipeline.UpgradePipelineStepListDestinationProjectName(proj),
			upgradepipeline.UpgradePipelineStepListDestinationServiceName("c"),
		}, 1},
		"by another project":     {[][2]string{upgradepipeline.UpgradePipelineStepListSourceProjectName("other")}, 0},
		"by another destination": {[][2]string{upgradepipeline.UpgradePipelineStepListDestinationProjectName("other")}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := h.listSteps(t, c.query...)
			assert.Len(t, got.Steps, c.want)
			assert.Equal(t, c.want, *got.TotalCount)
		})
	}
}

func TestStepsCanBePaged(t *testing.T) {
	t.Parallel()
	h, _ := withPipeline(t)
	var want, got []string
	for _, step := range [][2]string{{"a", "b"}, {"a", "c"}, {"b", "c"}, {"c", "a"}, {"b", "a"}} {
		want = append(want, h.createStep(t, step[0], step[1]).StepId)
	}
	cursor := ptr("")
	var page *upgradepipeline.UpgradePipelineStepListOut
	for cursor != nil {
		page = h.listSteps(t, upgradepipeline.UpgradePipelineStepListLimit(2), upgradepipeline.UpgradePipelineStepListCursor(*cursor))
		for _, step := range page.Steps {
			got = append(got, step.StepId)
		}
		cursor = page.Next
		assert.Equal(t, 5, *page.TotalCount)
	}
	assert.Equal(t, want, got)
	require.NotNil(t, page.Prev)
	before := h.listSteps(t, upgradepipeline.UpgradePipelineStepListLimit(2), upgradepipeline.UpgradePipelineStepListCursor(*page.Prev))
	assert.Equal(t, want[2], before.Steps[0].StepId)
	last := h.listSteps(t, upgradepipeline.UpgradePipelineStepListLimit(2), upgradepipeline.UpgradePipelineStepListCursor(*before.Last))
	require.Len(t, last.Steps, 1)
	assert.Equal(t, want[4], last.Steps[0].StepId)
	first := h.listSteps(t, upgradepipeline.UpgradePipelineStepListLimit(2), upgradepipeline.UpgradePipelineStepListCursor(*last.First))
	assert.Equal(t, want[0], first.Steps[0].StepId)
	assert.Nil(t, first.Prev)
	whole := h.listSteps(t, upgradepipeline.UpgradePipelineStepListLimit(5))
	assert.Equal(t, *whole.First, *whole.Last, "one page has them all")
	assert.Nil(t, whole.Next)
}

func TestAValidationIsOfAllStepsFromAService(t *testing.T) {
	t.Parallel()
	h, steps := withPipeline(t)
	for _, step := range [][2]string{{"a", "b"}, {"b", "c"}} {
		h.createStep(t, step[0], step[1])
	}
	_, body := h.send(t, get, steps, "x", "")
	assert.Contains(t, body["steps"].([]any)[0], "last_validation")
	assert.Nil(t, body["steps"].([]any)[0].(map[string]any)["last_validation"], "null until it is validated")
	require.NoError(t, h.client.UpgradePipelineStepValidate(t.Context(), proj, "a", &upgradepipeline.UpgradePipelineStepValidateIn{Comment: ptr("fine")}))
	list := h.listSteps(t)
	assert.Equal(t, "fine", list.Steps[0].LastValidation.Comment)
	assert.True(t, h.clock.Now().Equal(list.Steps[0].LastValidation.ValidatedAt))
	assert.NotEmpty(t, list.Steps[0].LastValidation.ValidatedByUser)
	assert.Zero(t, list.Steps[1].LastValidation)
}

func TestRefusedSteps(t *testing.T) {
	t.Parallel()
	h, steps := withPipeline(t)
	made := h.createStep(t, "a", "b")
	with := func(fields string) string { return stepBody("b", "c")[:len(stepBody("b", "c"))-1] + fields + "}" }
	for name, c := range map[string]badCall{
		"a step that exists":             {post, steps, stepBody("a", "b"), 409, "already exists"},
		"a step from an unknown service": {post, steps, stepBody("nope", "b"), 404, "Service nope does not exist"},
		"a step to an unknown service":   {post, steps, stepBody("a", "nope"), 404, "Service nope does not exist"},
		"a step to itself":               {post, steps, stepBody("a", "a"), 400, "destination_service_name"},
		"a step to another type":         {post, steps, stepBody("a", "k"), 400, "kafka"},
		"a step from nowhere":            {post, steps, `{}`, 400, "source_project_name"},
		"a negative delay":               {post, steps, with(`,"auto_validation_delay_days":-1`), 400, "auto_validation_delay_days"},
		"an unknown key":                 {post, steps, with(`,"colour":1`), 400, "colour"},
		"changing to a negative delay":   {patch, steps + "/" + made.StepId, `{"auto_validation_delay_days":-1}`, 400, "auto_validation_delay_days"},
		"changing where it leads":        {patch, steps + "/" + made.StepId, `{"source_service_name":"c"}`, 400, "source_service_name"},
		"reading an unknown step":        {get, steps + "/nope", "", 404, "Upgrade pipeline step does not exist"},
		"changing an unknown step":       {patch, steps + "/nope", "{}", 404, "Upgrade pipeline step does not exist"},
		"deleting an unknown step":       {del, steps + "/nope", "", 404, "Upgrade pipeline step does not exist"},
		"a limit that is no number":      {get, steps + "?limit=x", "", 400, "limit"},
		"a limit of nothing":             {get, steps + "?limit=0", "", 400, "limit"},
		"a cursor that is none":          {get, steps + "?cursor=-1", "", 400, "cursor"},
		"validating without a step":      {post, servicesPath + "/c/upgrade-validation", "{}", 404, "Upgrade pipeline step does not exist"},
		"validating an unknown service":  {post, servicesPath + "/nope/upgrade-validation", "{}", 404, "Service nope does not exist"},
		"listing elsewhere":              {get, "/v1/organization/nope/upgrade-pipeline/steps", "", 404, "Organization does not exist"},
		"creating elsewhere":             {post, "/v1/organization/nope/upgrade-pipeline/steps", stepBody("b", "c"), 404, "Organization does not exist"},
		"reading elsewhere":              {get, "/v1/organization/nope/upgrade-pipeline/steps/" + made.StepId, "", 404, "Organization does not exist"},
		"changing elsewhere":             {patch, "/v1/organization/nope/upgrade-pipeline/steps/" + made.StepId, "{}", 404, "Organization does not exist"},
		"deleting elsewhere":             {del, "/v1/organization/nope/upgrade-pipeline/steps/" + made.StepId, "", 404, "Organization does not exist"},
	} {
		t.Run(name, func(t *testing.T) {
			assertRefused(t, h, "x", c)
			list := h.listSteps(t)
			require.Len(t, list.Steps, 1)
			assert.Equal(t, 7, list.Steps[0].AutoValidationDelayDays)
		})
	}
}
