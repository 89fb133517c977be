package service

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	pguserconfig "github.com/aero-operator/aero/api/v1alpha1/userconfig/service/pg"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
)

func forked(source string) *pguserconfig.PgUserConfig {
	return &pguserconfig.PgUserConfig{ServiceToForkFrom: &source}
}

func administered(name, password string) *pguserconfig.PgUserConfig {
	return &pguserconfig.PgUserConfig{AdminUsername: &name, AdminPassword: &password}
}

func TestOptionsThatAivenTakesAtCreationOnly(t *testing.T) {
	const late = ". Aiven takes such options only when it creates a service: remove them from the spec"
	const unknown = ", and takes such options only when it creates a service: what was added later isn't applied"
	creator := func(obj pg) {
		obj.Generation, obj.Status.Provenance = 1, &v1alpha1.Provenance{Type: v1alpha1.ProvenanceCreated, UID: obj.UID}
	}
	edit := func(obj pg) { obj.Generation = 2 }
	reported := func(options aiventest.Object) aiventest.Object { return aiventest.Object{"user_config": options} }
	replica := func(obj pg) {
		obj.Spec.ServiceIntegrations = []*v1alpha1.ServiceIntegrationItem{{IntegrationType: "read_replica", SourceServiceName: "main"}}
	}
	integrated := func(source string) aiventest.Object {
		return aiventest.Object{"service_integrations": []any{aiventest.Object{
			"integration_type": "read_replica", "source_service": source, "dest_service": "my-pg",
		}}}
	}
	for name, tc := range map[string]struct {
		options *pguserconfig.PgUserConfig
		edits   []func(obj pg)
		service aiventest.Object
		message string
	}{
		"none": {options: &pguserconfig.PgUserConfig{BackupHour: ptr.To(3)}, service: reported(aiventest.Object{"backup_hour": 3})},
		"the service has it": {
			options: forked("main"), edits: []func(obj pg){creator, edit},
			service: reported(aiventest.Object{"service_to_fork_from": "main"}),
		},
		"the service has another value": {
			options: forked("other"), edits: []func(obj pg){creator, edit},
			service: reported(aiventest.Object{"service_to_fork_from": "main"}),
			message: "Running. Not applied: spec.userConfig.service_to_fork_from" + late,
		},
		"the service has another value since before aero took the object over": {
			options: forked("other"), edits: []func(obj pg){accepted},
			service: reported(aiventest.Object{"service_to_fork_from": "main"}),
			message: "Running. Not applied: spec.userConfig.service_to_fork_from" + late,
		},
		"it isn't reported, and made the service": {options: forked("main"), edits: []func(obj pg){creator}},
		"it isn't reported, and may have been added later": {
			options: forked("main"), edits: []func(obj pg){creator, edit},
			message: "Running. Aiven doesn't report spec.userConfig.service_to_fork_from" + unknown,
		},
		"it isn't reported of a service that another client made": {
			options: forked("main"), message: "Running. Aiven doesn't report spec.userConfig.service_to_fork_from" + unknown,
		},
		"the administrator isn't reported as an option, and is that of the service": {
			options: administered("avnadmin", "pass-word"), edits: []func(obj pg){creator, edit},
		},
		"the administrator isn't reported as an option, and is another": {
			options: administered("root", "new-password"), edits: []func(obj pg){creator, edit},
			message: "Running. Not applied: spec.userConfig.admin_password, spec.userConfig.admin_username" + late,
		},
		"a password that was changed later is that of the options for Aiven": {
			options: administered("avnadmin", "first-password"), edits: []func(obj pg){creator, edit},
			service: reported(aiventest.Object{"admin_password": "first-password"}),
		},
		"a replica": {edits: []func(obj pg){creator, edit, replica}, service: integrated("main")},
		"a replica that was added later": {
			edits: []func(obj pg){creator, edit, replica}, service: aiventest.Object{"service_integrations": []any{}},
			message: "Running. Not applied: spec.serviceIntegrations" + late,
		},
		"a replica of another service": {
			edits: []func(obj pg){creator, edit, replica}, service: integrated("other"),
			message: "Running. Not applied: spec.serviceIntegrations" + late,
		},
		"a replica whose integrations aren't returned": {
			edits: []func(obj pg){creator, edit, replica}, service: aiventest.Object{"service_integrations": nil},
		},
		"a service that doesn't run has another message": {
			options: forked("other"), service: aiventest.Object{"state": "REBALANCING"},
			message: "Waiting for Aiven: the service is REBALANCING",
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, aiventest.Service(tc.service))
			obj := edited(func(obj *v1alpha1.PostgreSQL) { obj.Spec.UserConfig = tc.options })
			for _, edit := range tc.edits {
				edit(obj)
			}
			o, err := start(t, a, obj).Observe(t.Context(), obj)
			require.NoError(t, err)
			assert.Equal(t, tc.message, o.Remote.Message)
			assert.Empty(t, o.Diff, "no update could apply it")
			assert.Empty(t, o.WriteOnly, "it is never sent again")
			assert.NotContains(t, o.Remote.Message, "pass-word")
			assert.NotContains(t, o.Remote.Message, "new-password")
		})
	}
}
