package localaiven_test

import (
	"slices"
	"testing"

	aiven "github.com/aiven/go-client-codegen"
	"github.com/aiven/go-client-codegen/handler/organizationprojects"
	"github.com/aiven/go-client-codegen/handler/project"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/aiven/go-client-codegen/handler/upgradepipeline"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

// lateThing is what a client makes and deletes, and finds in its list and by its GET.
type lateThing struct {
	make   func(*testing.T, *harness) string
	remove func(*testing.T, *harness, string) error
	listed func(*testing.T, *harness, string) bool
	get    func(*testing.T, *harness, string) error
}

func lateThings() map[string]lateThing {
	return map[string]lateThing{
		"a VPC":                          lateVPC(),
		"an endpoint":                    lateEndpoint(),
		"a project":                      lateProject(),
		"an organization's project":      lateOrganizationProject(),
		"a step of the upgrade pipeline": lateStep(),
	}
}

// TestWhatBelongsToNoServiceIsReadLate reads just before and just after the lag is over.
func TestWhatBelongsToNoServiceIsReadLate(t *testing.T) {
	for name, thing := range lateThings() {
		t.Run(name, func(t *testing.T) {
			h := start(t, localaiven.Options{Eventual: lag, Projects: []string{proj}})
			h.create(t, service.ServiceCreateIn{})
			h.service(t, proj, "other", "pg", "startup-4")
			h.clock.Advance(lag)
			id := thing.make(t, h)
			see := func(want bool, when string) {
				t.Helper()
				err := thing.get(t, h, id)
				require.True(t, err == nil || aiven.IsNotFound(err), err)
				assert.Equal(t, []bool{want, want}, []bool{thing.listed(t, h, id), err == nil}, when)
			}
			see(false, "at once")
			h.clock.Advance(lag - 1)
			see(false, "just before")
			h.clock.Advance(1)
			see(true, "after the lag")
			require.NoError(t, thing.remove(t, h, id), "writes don't lag")
			require.True(t, aiven.IsNotFound(thing.remove(t, h, id)))
			see(true, "just deleted")
			h.clock.Advance(lag)
			see(false, "deleted long ago")
		})
	}
}

func lateVPC() lateThing {
	return lateThing{
		make: func(t *testing.T, h *harness) string { t.Helper(); return h.createVPC(t, "10.0.0.0/24").ProjectVpcId },
		remove: func(t *testing.T, h *harness, id string) error {
			t.Helper()
			_, err := h.client.VpcDelete(t.Context(), proj, id)
			return err
		},
		listed: func(t *testing.T, h *harness, id string) bool {
			t.Helper()
			all, err := h.client.VpcList(t.Context(), proj)
			require.NoError(t, err)
			return len(all) == 1 && all[0].ProjectVpcId == id
		},
		get: func(t *testing.T, h *harness, id string) error {
			t.Helper()
			_, err := h.client.VpcGet(t.Context(), proj, id)
			return err
		},
	}
}

func lateEndpoint() lateThing {
	return lateThing{
		make: func(t *testing.T, h *harness) string { t.Helper(); return h.endpoint(t, "prom", "prometheus", nil) },
		remove: func(t *testing.T, h *harness, id string) error {
			t.Helper()
			return h.client.ServiceIntegrationEndpointDelete(t.Context(), proj, id)
		},
		listed: func(t *testing.T, h *harness, id string) bool {
			t.Helper()
			all, err := h.client.ServiceIntegrationEndpointList(t.Context(), proj)
			require.NoError(t, err)
			return len(all) == 1 && all[0].EndpointId == id
		},
		get: func(t *testing.T, h *harness, id string) error {
			t.Helper()
			_, err := h.client.ServiceIntegrationEndpointGet(t.Context(), proj, id)
			return err
		},
	}
}

func lateProject() lateThing {
	return lateThing{
		make: func(t *testing.T, h *harness) string {
			t.Helper()
			return h.createProject(t, project.ProjectCreateIn{Project: "new"}).ProjectName
		},
		remove: func(t *testing.T, h *harness, id string) error { t.Helper(); return h.deleteProject(t, id) },
		listed: func(t *testing.T, h *harness, id string) bool {
			t.Helper()
			all, err := h.client.ProjectList(t.Context()) //nolint:staticcheck // deprecated, and still what clients call
			require.NoError(t, err)
			return slices.ContainsFunc(all.Projects, func(p project.ProjectOut) bool { return p.ProjectName == id })
		},
		get: func(t *testing.T, h *harness, id string) error {
			t.Helper()
			_, err := h.client.ProjectGet(t.Context(), id) //nolint:staticcheck // deprecated, and still what clients call
			return err
		},
	}
}

func lateOrganizationProject() lateThing {
	return lateThing{
		make: func(t *testing.T, h *harness) string {
			t.Helper()
			made, err := h.client.OrganizationProjectsCreate(t.Context(), h.ids(t).organization, &organizationprojects.OrganizationProjectsCreateIn{
				ProjectId: "new", BillingGroupId: h.ids(t).group, Tags: map[string]string{},
			})
			require.NoError(t, err)
			return made.ProjectId
		},
		remove: func(t *testing.T, h *harness, id string) error {
			t.Helper()
			return h.client.OrganizationProjectsDelete(t.Context(), h.ids(t).organization, id)
		},
		listed: func(t *testing.T, h *harness, id string) bool {
			t.Helper()
			all, err := h.client.OrganizationProjectsList(t.Context(), h.ids(t).organization)
			require.NoError(t, err)
			return slices.ContainsFunc(all.Projects, func(p organizationprojects.ProjectOut) bool { return p.ProjectId == id })
		},
		get: func(t *testing.T, h *harness, id string) error {
			t.Helper()
			_, err := h.client.OrganizationProjectsGet(t.Context(), h.ids(t).organization, id)
			return err
		},
	}
}

func lateStep() lateThing {
	return lateThing{
		make: func(t *testing.T, h *harness) string { t.Helper(); return h.createStep(t, svcName, "other").StepId },
		remove: func(t *testing.T, h *harness, id string) error {
			t.Helper()
			return h.client.UpgradePipelineStepDelete(t.Context(), h.ids(t).organization, id)
		},
		listed: func(t *testing.T, h *harness, id string) bool {
			t.Helper()
			steps := h.listSteps(t).Steps
			return slices.ContainsFunc(steps, func(s upgradepipeline.StepOut) bool { return s.StepId == id })
		},
		get: func(t *testing.T, h *harness, id string) error {
			t.Helper()
			_, err := h.client.UpgradePipelineStepGet(t.Context(), h.ids(t).organization, id)
			return err
		},
	}
}

func TestAProjectThatIsCreatedAgainIsNotTheOldOne(t *testing.T) {
	h := start(t, localaiven.Options{Eventual: lag})
	h.createProject(t, project.ProjectCreateIn{Project: "new", Tags: &map[string]string{"team": "a"}})
	h.clock.Advance(lag)
	assert.Equal(t, map[string]string{"team": "a"}, h.getProject(t, "new").Tags)
	require.NoError(t, h.deleteProject(t, "new"))
	h.createProject(t, project.ProjectCreateIn{Project: "new"})
	_, err := h.client.ProjectGet(t.Context(), "new") //nolint:staticcheck // deprecated, and still what clients call
	require.True(t, aiven.IsNotFound(err), err)
	h.clock.Advance(lag)
	assert.Empty(t, h.getProject(t, "new").Tags)
}

func TestChangesOfWhatBelongsToNoServiceAreReadLate(t *testing.T) {
	h := start(t, localaiven.Options{Eventual: lag})
	ctx := t.Context()
	h.create(t, service.ServiceCreateIn{})
	h.service(t, proj, "other", "pg", "startup-4")
	h.createProject(t, project.ProjectCreateIn{Project: "new"})
	endpoint := h.endpoint(t, "dd", "datadog", map[string]any{"datadog_api_key": datadogKey})
	org, step := h.ids(t).organization, h.createStep(t, svcName, "other").StepId
	h.clock.Advance(lag)

	h.updateProject(t, "new", project.ProjectUpdateIn{Tags: &map[string]string{"team": "a"}})
	_, err := h.client.ServiceIntegrationEndpointUpdate(ctx, proj, endpoint, &service.ServiceIntegrationEndpointUpdateIn{
		UserConfig: map[string]any{"datadog_api_key": datadogKey, "site": "datadoghq.eu"},
	})
	require.NoError(t, err)
	_, err = h.client.UpgradePipelineStepUpdate(ctx, org, step, &upgradepipeline.UpgradePipelineStepUpdateIn{AutoValidationDelayDays: ptr(3)})
	require.NoError(t, err)
	see := func(tags map[string]string, site any, delay int) {
		t.Helper()
		assert.Equal(t, tags, h.getProject(t, "new").Tags)
		got, err := h.client.ServiceIntegrationEndpointGet(ctx, proj, endpoint)
		require.NoError(t, err)
		assert.Equal(t, site, got.UserConfig["site"])
		assert.Equal(t, delay, h.listSteps(t).Steps[0].AutoValidationDelayDays)
	}
	see(map[string]string{}, nil, 7)
	h.clock.Advance(lag)
	see(map[string]string{"team": "a"}, "datadoghq.eu", 3)
}
