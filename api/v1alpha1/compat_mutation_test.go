package v1alpha1_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestComparerNoticesAMutationOfOurSchema(t *testing.T) {
	cases := []struct {
		name   string
		mutate func(spec map[string]any)
		want   string
		looser bool
	}{
		{"a tighter upper bound", set(100.0, "plan", "maxLength"), "spec.plan: maxLength is 100, aiven-operator has 128", false},
		{"a wider upper bound", set(200.0, "plan", "maxLength"), "spec.plan: maxLength is 200, aiven-operator has 128", true},
		{"a new upper bound", set(5.0, "disk_space", "maxLength"), "spec.disk_space: maxLength is 5, aiven-operator has none", false},
		{"a lost upper bound", unset("plan", "maxLength"), "spec.plan: maxLength 128 is missing", true},
		{
			"a tighter lower bound", set(2.0, "projectVPCRef", "properties", "name", "minLength"),
			"spec.projectVPCRef.name: minLength is 2, aiven-operator has 1", false,
		},
		{
			"a wider lower bound", set(0.0, "projectVPCRef", "properties", "name", "minLength"),
			"spec.projectVPCRef.name: minLength is 0, aiven-operator has 1", true,
		},
		{
			"a bound below an array", set(9.0, "serviceIntegrations", "items", "properties", "sourceServiceName", "maxLength"),
			"spec.serviceIntegrations[].sourceServiceName: maxLength is 9, aiven-operator has 64", false,
		},
		{
			"an enum value less", set([]any{"monday"}, "maintenanceWindowDow", "enum"),
			"spec.maintenanceWindowDow: enum lacks tuesday", false,
		},
		{
			"an enum value more", set([]any{"read_replica", "logs"}, "serviceIntegrations", "items", "properties", "integrationType", "enum"),
			"spec.serviceIntegrations[].integrationType: enum has logs, which aiven-operator hasn't", true,
		},
		{"a new enum", set([]any{"startup-4"}, "plan", "enum"), "spec.plan: the enum [startup-4] is new", false},
		{"a lost enum", unset("maintenanceWindowDow", "enum"), "spec.maintenanceWindowDow: the enum [", true},
		{"another pattern", set("^a$", "disk_space", "pattern"), "spec.disk_space: pattern is ^a$, aiven-operator has (?i)", false},
		{"a lost pattern", unset("disk_space", "pattern"), "spec.disk_space: the pattern (?i)", true},
		{"another default", set(false, "powered", "default"), "spec.powered: default is false, aiven-operator has true", false},
		{"a lost default", unset("powered", "default"), "spec.powered: default is none, aiven-operator has true", false},
		{"another type", set("integer", "disk_space", "type"), "spec.disk_space: type is integer, aiven-operator has string", false},
		{"another value type of a map", set("integer", "tags", "additionalProperties", "type"), "spec.tags[]: type is integer", false},
		{"a lost value type of a map", unset("tags", "additionalProperties"), "spec.tags: additionalProperties is none", false},
		{"a lost field", unset("powered"), "spec.powered: the field is missing", false},
		{
			"a lost field below another", unset("userConfig", "properties", "pg", "properties", "jit"),
			"spec.userConfig.pg.jit: the field is missing", false,
		},
		{"a new field", set(map[string]any{"type": "string"}, "brandNew"), "spec.brandNew: aiven-operator hasn't the field", true},
		{
			"a new field below an array", set(map[string]any{"type": "string"}, "serviceIntegrations", "items", "properties", "brandNew"),
			"spec.serviceIntegrations[].brandNew: aiven-operator hasn't the field", true,
		},
		{
			"a field that became required", set([]any{"name", "namespace"}, "projectVPCRef", "required"),
			"spec.projectVPCRef: required has namespace, which aiven-operator hasn't", false,
		},
		{
			"a field that became optional", set([]any{"name"}, "authSecretRef", "required"),
			"spec.authSecretRef: required lacks key", true,
		},
		{
			"a lost rule", unset("project", "x-kubernetes-validations"),
			`spec.project: the CEL rule "self == oldSelf" is missing`, false,
		},
		{
			"a new rule",
			set([]any{map[string]any{"rule": "self == oldSelf", "message": "Fixed"}}, "plan", "x-kubernetes-validations"),
			`spec.plan: the CEL rule "self == oldSelf" is not aiven-operator's`, false,
		},
		{"a keyword that it doesn't know", set(true, "plan", "nullable"), "spec.plan: nullable is true, aiven-operator has none", false},
	}
	reference := loadReferences(t)["PostgreSQL"].Spec
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			ours := deepCopy(reference)
			tc.mutate(ours)
			findings := compareSchemas("spec", reference, ours)
			require.NotEmpty(t, findings)
			assert.Contains(t, findings[0].String(), tc.want)
			assert.Equal(t, tc.looser, findings[0].looser)
		})
	}
}

func TestComparerAcceptsWhatBreaksNoClient(t *testing.T) {
	reference := loadReferences(t)["PostgreSQL"].Spec
	for name, mutate := range map[string]func(map[string]any){
		"the same schema":           func(map[string]any) {},
		"another message of a rule": set([]any{map[string]any{"rule": "self == oldSelf", "message": "No."}}, "project", "x-kubernetes-validations"),
		"another description":       set("Anything.", "plan", "description"),
	} {
		t.Run(name, func(t *testing.T) {
			ours := deepCopy(reference)
			mutate(ours)
			assert.Empty(t, compareSchemas("spec", reference, ours))
		})
	}
}

// set returns a mutation that puts a value at a path below the properties of a spec.
func set(value any, path ...string) func(map[string]any) {
	return func(spec map[string]any) {
		parent, last := descend(spec, path)
		parent[last] = value
	}
}

// unset returns a mutation that removes what is at a path below the properties of a spec.
func unset(path ...string) func(map[string]any) {
	return func(spec map[string]any) {
		parent, last := descend(spec, path)
		delete(parent, last)
	}
}

func descend(spec map[string]any, path []string) (map[string]any, string) {
	at := asMap(spec["properties"])
	for _, step := range path[:len(path)-1] {
		at = asMap(at[step])
	}
	return at, path[len(path)-1]
}
