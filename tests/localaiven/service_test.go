package localaiven_test

import (
	"net/http"
	"net/url"
	"strconv"
	"testing"

	aiven "github.com/aiven/go-client-codegen"
	"github.com/aiven/go-client-codegen/handler/project"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

func TestStates(t *testing.T) {
	type step struct {
		in    service.ServiceUpdateIn
		now   string
		later string
	}
	for name, steps := range map[string][]step{
		"a change of plan rebalances":           {{service.ServiceUpdateIn{Plan: ptr("business-8")}, "REBALANCING", "RUNNING"}},
		"a change of cloud rebalances":          {{service.ServiceUpdateIn{Cloud: ptr("aws-eu-west-1")}, "REBALANCING", "RUNNING"}},
		"other changes leave it running":        {{service.ServiceUpdateIn{TerminationProtection: ptr(true)}, "RUNNING", "RUNNING"}},
		"power on without power off is no-op":   {{service.ServiceUpdateIn{Powered: ptr(true)}, "RUNNING", "RUNNING"}},
		"it stays off without power":            {{service.ServiceUpdateIn{Powered: ptr(false)}, "POWEROFF", "POWEROFF"}},
		"it is moved while it is off":           {{service.ServiceUpdateIn{Powered: ptr(false)}, "POWEROFF", "POWEROFF"}, {service.ServiceUpdateIn{Plan: ptr("business-8")}, "POWEROFF", "POWEROFF"}},
		"it is rebuilt when power comes back":   {{service.ServiceUpdateIn{Powered: ptr(false)}, "POWEROFF", "POWEROFF"}, {service.ServiceUpdateIn{Powered: ptr(true)}, "REBUILDING", "RUNNING"}},
		"the same plan again changes nothing":   {{service.ServiceUpdateIn{Plan: ptr("startup-4")}, "RUNNING", "RUNNING"}},
		"protection lifted allows to power off": {{service.ServiceUpdateIn{TerminationProtection: ptr(true)}, "RUNNING", "RUNNING"}, {service.ServiceUpdateIn{TerminationProtection: ptr(false), Powered: ptr(false)}, "POWEROFF", "POWEROFF"}},
	} {
		t.Run(name, func(t *testing.T) {
			h := running(t, localaiven.Options{})
			for _, step := range steps {
				h.update(t, step.in)
				assert.Equal(t, step.now, h.state(t))
				h.clock.Advance(provision)
				assert.Equal(t, step.later, h.state(t))
			}
		})
	}
}

func TestLifeOfAService(t *testing.T) {
	h := start(t, localaiven.Options{ProvisionTime: provision})
	created := h.create(t, service.ServiceCreateIn{
		Plan: "business-4", Cloud: ptr("google-europe-north1"), DiskSpaceMb: ptr(200 * 1024),
		Maintenance:           &service.MaintenanceIn{Dow: service.DowTypeSunday, Time: ptr("11:00:00")},
		TechEmails:            &[]service.TechEmailIn{{Email: "ops@example.com"}},
		Tags:                  &map[string]string{"env": "test"},
		TerminationProtection: ptr(true),
		UserConfig:            &map[string]any{"pg_version": "16", "pg": map[string]any{"max_connections": 50}},
	})
	assert.EqualValues(t, "REBUILDING", created.State)

	got := h.get(t)
	require.Len(t, got.NodeStates, 2)
	assert.EqualValues(t, "setting_up_vm", got.NodeStates[0].State)
	h.clock.Advance(provision)

	got = h.get(t)
	assert.EqualValues(t, "RUNNING", got.State)
	assert.EqualValues(t, "running", got.NodeStates[1].State)
	assert.Equal(t, "google-europe-north1", got.CloudName)
	assert.Equal(t, 200*1024, *got.DiskSpaceMb)
	assert.EqualValues(t, "sunday", got.Maintenance.Dow)
	assert.Equal(t, "11:00:00", got.Maintenance.Time)
	assert.Equal(t, []service.TechEmailOut{{Email: "ops@example.com"}}, got.TechEmails)
	assert.Equal(t, map[string]string{"env": "test"}, got.Tags)
	assert.Equal(t, []string{"defaultdb"}, got.Databases)
	assert.Equal(t, "16", got.UserConfig["pg_version"])
	assert.NotEmpty(t, got.UserConfig["ip_filter"], "defaults are echoed")
	assert.NotEmpty(t, got.Backups)
	requireURI(t, got)

	err := h.client.ServiceDelete(t.Context(), proj, svcName)
	assert.ErrorContains(t, err, "[403 ServiceDelete]")
	h.update(t, service.ServiceUpdateIn{TerminationProtection: ptr(false)})
	require.NoError(t, h.client.ServiceDelete(t.Context(), proj, svcName))
	_, err = h.client.ServiceGet(t.Context(), proj, svcName)
	assert.True(t, aiven.IsNotFound(err))
	assert.Empty(t, h.Resources())
}

// requireURI checks that the URI, its parameters, the admin's password and the component agree.
func requireURI(t *testing.T, got *service.ServiceGetOut) {
	t.Helper()
	uri, err := url.Parse(got.ServiceUri)
	require.NoError(t, err)
	password, _ := uri.User.Password()
	require.Equal(t, map[string]string{
		"host": uri.Hostname(), "port": uri.Port(), "user": "avnadmin", "password": password,
		"dbname": "defaultdb", "sslmode": "require",
	}, got.ServiceUriParams)
	require.Equal(t, "avnadmin", got.Users[0].Username)
	require.Equal(t, "primary", got.Users[0].Type)
	require.Equal(t, password, got.Users[0].Password)
	require.Equal(t, "pg", got.Components[0].Component)
	require.Equal(t, uri.Port(), strconv.Itoa(got.Components[0].Port))
}

func TestListShowsWhatGetShows(t *testing.T) {
	h := running(t, localaiven.Options{})
	_, got := h.send(t, http.MethodGet, servicePath+"?include_secrets=true&limit=1", "x", "")
	_, list := h.send(t, http.MethodGet, "/v1/project/"+proj+"/service?include_secrets=true&limit=1", "x", "")
	assert.Equal(t, []any{got["service"]}, list["services"])
}

func TestLimitNeverCutsAList(t *testing.T) {
	h := start(t, localaiven.Options{})
	for i := range 3 {
		_, err := h.client.ServiceCreate(t.Context(), proj, &service.ServiceCreateIn{
			ServiceName: svcName + strconv.Itoa(i), ServiceType: "pg", Plan: "hobbyist",
		})
		require.NoError(t, err)
	}
	list, err := h.client.ServiceList(t.Context(), proj, [2]string{"limit", "1"})
	require.NoError(t, err)
	assert.Len(t, list, 3)
}

func TestSecretsAreShownOnRequestOnly(t *testing.T) {
	h := running(t, localaiven.Options{})
	h.update(t, service.ServiceUpdateIn{UserConfig: &map[string]any{
		"migration": map[string]any{"host": "db.example.com", "port": 5432, "password": "hunter22"},
	}})
	open := h.get(t)
	closed, err := h.client.ServiceGet(t.Context(), proj, svcName)
	require.NoError(t, err)
	assert.Equal(t, "<redacted>", closed.Users[0].Password)
	assert.Equal(t, "<redacted>", closed.UserConfig["migration"].(map[string]any)["password"])
	assert.NotContains(t, closed.ServiceUri, open.Users[0].Password)
	assert.Contains(t, open.ServiceUri, open.Users[0].Password)
	assert.Equal(t, "hunter22", open.UserConfig["migration"].(map[string]any)["password"])
}

func TestUserConfigIsMergedAndNullResets(t *testing.T) {
	h := running(t, localaiven.Options{})
	h.update(t, service.ServiceUpdateIn{UserConfig: &map[string]any{
		"work_mem": 8, "pg": map[string]any{"max_connections": 50, "idle_in_transaction_session_timeout": 60},
	}})
	h.update(t, service.ServiceUpdateIn{UserConfig: &map[string]any{
		"work_mem": nil, "ip_filter": []any{"10.0.0.0/8"}, "pg": map[string]any{"max_connections": 60},
	}})
	config := h.get(t).UserConfig
	assert.NotContains(t, config, "work_mem")
	assert.Equal(t, []any{"10.0.0.0/8"}, config["ip_filter"])
	assert.Equal(t, map[string]any{"max_connections": 60.0, "idle_in_transaction_session_timeout": 60.0}, config["pg"])
	h.update(t, service.ServiceUpdateIn{UserConfig: &map[string]any{"ip_filter": nil}})
	assert.Equal(t, []any{"0.0.0.0/0", "::/0"}, h.get(t).UserConfig["ip_filter"])
}

func TestDiskSpaceFollowsThePlanUnlessAdded(t *testing.T) {
	h := running(t, localaiven.Options{})
	assert.Equal(t, 80*1024, *h.get(t).DiskSpaceMb)
	h.update(t, service.ServiceUpdateIn{Plan: ptr("startup-8")})
	assert.Equal(t, 175*1024, *h.get(t).DiskSpaceMb)
	h.update(t, service.ServiceUpdateIn{DiskSpaceMb: ptr(200 * 1024)})
	h.update(t, service.ServiceUpdateIn{Plan: ptr("business-8")})
	assert.Equal(t, 200*1024, *h.get(t).DiskSpaceMb)
}

func TestTagsBackupsAndMigration(t *testing.T) {
	h := running(t, localaiven.Options{})
	ctx := t.Context()
	require.NoError(t, h.client.ProjectServiceTagsReplace(ctx, proj, svcName, &service.ProjectServiceTagsReplaceIn{Tags: map[string]string{"a": "b"}}))
	tags, err := h.client.ProjectServiceTagsList(ctx, proj, svcName)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"a": "b"}, tags)
	assert.Equal(t, tags, h.get(t).Tags)

	backups, err := h.client.ServiceBackupsGet(ctx, proj, svcName)
	require.NoError(t, err)
	assert.NotEmpty(t, backups.Backups)

	_, err = h.client.ServiceGetMigrationStatus(ctx, proj, svcName)
	assert.True(t, aiven.IsNotFound(err))
	h.update(t, service.ServiceUpdateIn{UserConfig: &map[string]any{"migration": map[string]any{"host": "h", "port": 1}}})
	migration, err := h.client.ServiceGetMigrationStatus(ctx, proj, svcName)
	require.NoError(t, err)
	assert.EqualValues(t, "done", migration.Migration.Status)
}

func TestProject(t *testing.T) {
	h := only(t)
	got, err := h.client.ProjectGet(t.Context(), proj) //nolint:staticcheck // deprecated, and still what clients call
	require.NoError(t, err)
	assert.Equal(t, proj, got.ProjectName)
	ca, err := h.client.ProjectKmsGetCA(t.Context(), proj)
	require.NoError(t, err)
	assert.Contains(t, ca, "BEGIN CERTIFICATE")
	again, err := h.client.ProjectKmsGetCA(t.Context(), proj)
	require.NoError(t, err)
	assert.Equal(t, ca, again, "the CA of a project stays")
	h.createProject(t, project.ProjectCreateIn{Project: "other"})
	other, err := h.client.ProjectKmsGetCA(t.Context(), "other")
	require.NoError(t, err)
	assert.NotEqual(t, ca, other, "each project has its own")
}

func TestAnUpgradeCheckFindsWhatTheConsoleHasSet(t *testing.T) {
	h := running(t, localaiven.Options{})
	const finding = "The extension timescaledb isn't there in version 18"
	for _, tc := range []struct {
		set, version, result string
		success              bool
	}{
		{"", "18", "All checks passed", true},
		{"", "15", "Cannot go back from version 17 to 15", false},
		{finding, "18", finding, false},
		{"", "18", "All checks passed", true},
	} {
		require.NoError(t, h.Patch(proj, svcName, map[string]any{"upgrade_check": tc.set}))
		made, err := h.client.ServiceTaskCreate(t.Context(), proj, svcName, &service.ServiceTaskCreateIn{
			TaskType: service.TaskTypeUpgradeCheck, UpgradeCheck: &service.UpgradeCheckIn{TargetVersion: tc.version},
		})
		require.NoError(t, err)
		task, err := h.client.ServiceTaskGet(t.Context(), proj, svcName, made.TaskId)
		require.NoError(t, err)
		assert.Equal(t, tc.success, task.Success, tc.version)
		assert.Equal(t, tc.result, task.Result)
	}
}
