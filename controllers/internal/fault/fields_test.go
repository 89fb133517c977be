package fault_test

import (
	"fmt"
	"strings"
	"testing"

	avngen "github.com/aiven/go-client-codegen"
	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

func TestARefusalNamesTheFieldThatAivenWritesOf(t *testing.T) {
	fields := fault.Fields{
		"plan": {Path: "spec.plan", Remedy: "Choose another"}, "disk_space_mb": {Path: "spec.disk_space"},
		"maintenance.dow": {Path: "spec.maintenanceWindowDow"}, "database": fault.NameField("spec.databaseName", ""),
		"user_config": {Path: "spec.userConfig", Tree: true}, "user_config.migration": {Path: "spec.migrationSecretSource"},
		"number of partitions": {Path: "spec.partitions"},
	}
	for text, want := range map[string]string{
		"Invalid plan 'startup-400' for service type 'pg'": "Aiven rejected spec.plan: Invalid plan 'startup-400' for service type 'pg'. Choose another. Still up (400 ServiceCreate)",
		"Plan 'startup-400' is not available":              "Aiven rejected spec.plan: Plan 'startup-400' is not available. Choose another. Still up (400 ServiceCreate)",
		"Invalid disk_space_mb 10: too small":              "Aiven rejected spec.disk_space: Invalid disk_space_mb 10: too small. Still up (400 ServiceCreate)",
		"Invalid disk space MB 10":                         "Aiven rejected spec.disk_space: Invalid disk space MB 10. Still up (400 ServiceCreate)",
		"Invalid maintenance.dow 'x'":                      "Aiven rejected spec.maintenanceWindowDow: Invalid maintenance.dow 'x'. Still up (400 ServiceCreate)",
		"Invalid database 'a b': must not":                 "Aiven rejected metadata.name: Invalid database 'a b': must not. Recreate the object under another name, or with spec.databaseName. Still up (400 ServiceCreate)",
		"Invalid user_config: 'x' was unexpected":          "Aiven rejected spec.userConfig: Invalid user_config: 'x' was unexpected. Still up (400 ServiceCreate)",
		"Invalid input for user_config.pg.jit: must be 1":  "Aiven rejected spec.userConfig.pg.jit: Invalid input for user_config.pg.jit: must be 1. Still up (400 ServiceCreate)",
		"Invalid value for 'user_config.migration.host'":   "Aiven rejected spec.migrationSecretSource: Invalid value for 'user_config.migration.host'. Still up (400 ServiceCreate)",
		"Number of partitions cannot be decreased":         "Aiven rejected spec.partitions: Number of partitions cannot be decreased. Still up (400 ServiceCreate)",
		"user_config.migrations.pg is no option":           "Aiven rejected spec.userConfig.migrations.pg: user_config.migrations.pg is no option. Still up (400 ServiceCreate)",
		"Invalid input: disk_space_mb is required":         "Aiven rejected spec.disk_space: Invalid input: disk_space_mb is required. Still up (400 ServiceCreate)",
		"Invalid input: 'x' is no disk_space_mb of a plan": "Aiven rejected spec.disk_space: Invalid input: 'x' is no disk_space_mb of a plan. Still up (400 ServiceCreate)",
		"'x' exceeds disk_space_mb.max of the plan":        "Aiven rejected the change: 'x' exceeds disk_space_mb.max of the plan. Still up (400 ServiceCreate)",
		"Invalid plan_name 'x'":                            "Aiven rejected the change: Invalid plan_name 'x'. Still up (400 ServiceCreate)",
		"Service plan 'x' is not for you":                  "Aiven rejected the change: Service plan 'x' is not for you. Still up (400 ServiceCreate)",
		"Something is wrong with the plan":                 "Aiven rejected the change: Something is wrong with the plan. Still up (400 ServiceCreate)",
	} {
		t.Run(text, func(t *testing.T) {
			answer := avngen.Error{OperationID: "ServiceCreate", Status: 400, Message: text}
			err := fields.Of(fmt.Errorf("creating service: %w", answer))
			assert.Equal(t, fault.Rejected, fault.Of(err).Class)
			assert.ErrorContains(t, err, "creating service")
			assert.Equal(t, want, (*fault.Secrets)(nil).Refusal(err, "Aiven rejected the change", "Still up"))
		})
	}
}

func TestADetailOfAnAnswerNamesTheField(t *testing.T) {
	answer := avngen.Error{
		OperationID: "ServiceUpdate", Status: 422, Message: "Input validation failed",
		Errors: []map[string]string{{"message": "Invalid plan 'x'"}},
	}
	err := fault.Fields{"plan": {Path: "spec.plan"}}.Of(answer)
	assert.Equal(t, "Aiven rejected spec.plan: Input validation failed: Invalid plan 'x' (422 ServiceUpdate)",
		(*fault.Secrets)(nil).Refusal(err, "", ""))
}

func TestOnlyWhatAivenHasRejectedIsAboutAField(t *testing.T) {
	fields := fault.Fields{"plan": {Path: "spec.plan"}}
	assert.NoError(t, fields.Of(nil))
	for _, err := range []error{
		avngen.Error{Status: 503, Message: "Plan unknown"},
		avngen.Error{Status: 409, Message: "Plan unknown"},
		fault.InvalidSpec("spec.x", "plan"),
	} {
		assert.Equal(t, err, fields.Of(err))
	}
}

func TestAFieldWithoutANameIsNotNamed(t *testing.T) {
	fields := fault.Fields{"": {Path: "spec.userConfig."}, "topics": {Path: "spec.userConfig.topics"}}
	unnamed := avngen.Error{OperationID: "Op", Status: 400, Message: "Invalid 'x'"}
	assert.Equal(t, unnamed, fields.Of(unnamed))
	assert.Contains(t, (*fault.Secrets)(nil).Refusal(fields.Of(avngen.Error{Status: 400, Message: "Invalid value for \"topics\""}), "", ""), "spec.userConfig.topics")
}

func TestAFieldThatNamesAResourceCannotBeChanged(t *testing.T) {
	for name, tc := range map[string]struct{ path, value, field, remedy string }{
		"the field is set":   {"spec.topicName", "a b", "spec.topicName", "Recreate the object with another spec.topicName"},
		"the field is left":  {"spec.topicName", "", "metadata.name", "Recreate the object under another name, or with spec.topicName"},
		"there is no field":  {"", "", "metadata.name", "Recreate the object under another name"},
		"a value of no path": {"", "x", "metadata.name", "Recreate the object under another name"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, fault.Field{Path: tc.field, Remedy: tc.remedy}, fault.NameField(tc.path, tc.value))
		})
	}
}

func TestALongFieldLeavesRoomForAivensSentence(t *testing.T) {
	long := strings.Repeat("x", 2000)
	fields := fault.Fields{"user_config": {Path: "spec.userConfig", Tree: true}}
	for name, err := range map[string]error{
		"its value":            fault.AtField(fault.Field{Path: "spec.tags", Value: long}, avngen.Error{OperationID: "Op", Status: 400, Message: "Tags are bad"}),
		"its path, from Aiven": fields.Of(avngen.Error{OperationID: "Op", Status: 400, Message: "Tags are bad", Errors: []map[string]string{{"message": "user_config." + long + " no"}}}),
	} {
		t.Run(name, func(t *testing.T) {
			message := (*fault.Secrets)(nil).Refusal(err, "Aiven rejected the change", "")
			assert.Contains(t, message, "Tags are bad")
			assert.LessOrEqual(t, len(message), 1024)
		})
	}
}

func TestASecretInALongFieldIsHiddenBeforeItIsCut(t *testing.T) {
	const value = "CorrectHorseBattery"
	secrets := &fault.Secrets{}
	secrets.Add(value)
	for length := 150; length < 400; length++ {
		err := fault.AtField(fault.Field{Path: "spec.tags", Value: strings.Repeat("x", length) + value}, avngen.Error{Status: 400, Message: "no"})
		assert.NotContains(t, secrets.Refusal(err, "", ""), value[:4])
	}
}
