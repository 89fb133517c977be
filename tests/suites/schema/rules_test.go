package schema_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// services are the kinds that may be created as a replica.
var services = []string{"Clickhouse", "Flink", "Grafana", "Kafka", "KafkaConnect", "MySQL", "OpenSearch", "PostgreSQL", "Valkey"}

// ruled are the kinds of aiven.io whose rules are tested here.
var ruled = append([]string{"ClickhouseGrant", "KafkaConnector", "Project", "ServiceIntegration", "UpgradePipelineStep"}, services...)

// named is an object orders of a kind, with a spec in YAML.
func named(t *testing.T, kind, spec string) map[string]any {
	t.Helper()
	fields := map[string]any{}
	require.NoError(t, yaml.Unmarshal([]byte(spec), &fields))
	return runtime.DeepCopyJSON(map[string]any{
		"apiVersion": "aiven.io/v1alpha1", "kind": kind, "metadata": map[string]any{"name": "orders"}, "spec": fields,
	})
}

const (
	connectorSpec = `{project: p, serviceName: events, connectorClass: c, userConfig: {%}}`
	stepSpec      = `{organizationId: o, sourceProjectName: p, destinationProjectName: %, sourceServiceName: xx, destinationServiceName: xx}`
	serviceSpec   = `{project: p, plan: startup-4, serviceIntegrations: [{integrationType: read_replica, sourceServiceName: %}]}`
)

// privilegeSpec grants one list of privileges.
func privilegeSpec(privileges, database, grantee string) string {
	return "{project: p, serviceName: events, privilegeGrants: [{privileges: " + privileges + ", database: " + database + ", grantees: [" + grantee + "]}]}"
}

// inputs have what a rule refuses, what is like it and isn't refused.
var inputs = map[string]struct{ kind, spec, bad, says, good string }{
	"a connector of another name": {
		"KafkaConnector", connectorSpec, "name: other", "spec.userConfig: Invalid value: name must be the name of this object: remove it", "name: orders",
	},
	"a grant to a user and a role": {
		"ClickhouseGrant", privilegeSpec("[SELECT]", "db", "{%}"), "user: app, role: team",
		"spec.privilegeGrants[0].grantees[0]: Invalid value: must have either a user or a role: set one of them, and remove the other", `user: app, role: ""`,
	},
	"a grant without a grantee": {
		"ClickhouseGrant", privilegeSpec("[SELECT]", "db", "{%}"), `user: "", role: ""`, "must have either a user or a role", `user: "", role: team`,
	},
	"a role of a user and a role": {
		"ClickhouseGrant", "{project: p, serviceName: events, roleGrants: [{roles: [a], grantees: [{%}]}]}", "user: app, role: team",
		"spec.roleGrants[0].grantees[0]: Invalid value: must have either a user or a role", "role: team",
	},
	"a table of all databases": {
		"ClickhouseGrant", privilegeSpec("[SELECT]", "'*', table: %", "{user: app}"), "orders",
		"spec.privilegeGrants[0].table: Invalid value: can't be set together with database *: name the database", "'*'",
	},
	"a grant on information_schema": {
		"ClickhouseGrant", privilegeSpec("[SELECT]", "%", "{user: app}"), "INFORMATION_SCHEMA",
		"spec.privilegeGrants[0].database: Invalid value: privileges on information_schema can't be granted: choose another database", "information",
	},
	"a privilege that is SQL": {
		"ClickhouseGrant", privilegeSpec("['%']", "db", "{user: app}"), "SELECT ON *.* TO app; DROP ROLE x --",
		"spec.privilegeGrants[0].privileges[0] in body should match", " alter  UPDATE(`a b`, c) ",
	},
	"a copy of itself": {
		"Project", `{copyFromProject: %, cloud: a}`, "orders", "spec.copyFromProject: Invalid value: a project can't be a copy of itself: remove the field", "other",
	},
	"a step to itself": {
		"UpgradePipelineStep", stepSpec, "p", "spec.destinationServiceName: Invalid value: must be another service than the source: name another one", "q",
	},
}

func TestASpecThatCannotBeIsRefusedAtAdmission(t *testing.T) {
	for _, kind := range services {
		inputs["a replica of itself, "+kind] = struct{ kind, spec, bad, says, good string }{
			kind, serviceSpec, "orders", "spec.serviceIntegrations: Invalid value: a service can't be a replica of itself: remove the field", "other",
		}
	}
	for name, tc := range inputs {
		t.Run(name, func(t *testing.T) {
			of := func(value string) map[string]any { return named(t, tc.kind, strings.ReplaceAll(tc.spec, "%", value)) }
			assert.ErrorContains(t, refusal(admit(t, of(tc.bad), nil)), tc.says)
			assert.Empty(t, admit(t, of(tc.good), nil))
			edited := of(tc.bad)
			edited["spec"].(map[string]any)["authSecretRef"] = map[string]any{"name": "token", "key": "token"}
			edited["status"] = map[string]any{"observedGeneration": int64(1)}
			assert.Empty(t, admit(t, edited, of(tc.bad)), "an older object stays editable")
		})
	}
}

func TestANameThatNoServiceCanHaveIsRefusedAtAdmission(t *testing.T) {
	for _, kind := range services {
		of := func(name string) map[string]any {
			obj := named(t, kind, strings.ReplaceAll(serviceSpec, "%", "other"))
			obj["metadata"] = map[string]any{"name": name}
			return obj
		}
		for _, name := range []string{"1pg", "my.pg", "a" + strings.Repeat("b", 64)} {
			assert.Contains(t, refusal(admit(t, of(name), nil)).Error(), "choose another metadata.name", "%s %s", kind, name)
			assert.Empty(t, admit(t, of(name), of(name)), "an older object stays editable, its finalizer and status too")
		}
		for _, name := range []string{"a", "my-pg-1", "a" + strings.Repeat("b", 63)} {
			assert.Empty(t, admit(t, of(name), nil), "%s %s", kind, name)
		}
	}
}

func TestANameThatNoProjectCanHaveIsRefusedAtAdmission(t *testing.T) {
	of := func(name string) map[string]any {
		obj := named(t, "Project", "{cloud: a}")
		obj["metadata"] = map[string]any{"name": name}
		return obj
	}
	for _, name := range []string{"my.project", "a" + strings.Repeat("b", 63)} {
		assert.Contains(t, refusal(admit(t, of(name), nil)).Error(), "choose another metadata.name", name)
		assert.Empty(t, admit(t, of(name), of(name)), "an older object stays editable, its finalizer and status too")
	}
	for _, name := range []string{"1a", "my-project", strings.Repeat("b", 63)} {
		assert.Empty(t, admit(t, of(name), nil), name)
	}
}

func TestAConnectorsNameMayComeFromATemplate(t *testing.T) {
	of := func(name string) map[string]any {
		return named(t, "KafkaConnector", strings.ReplaceAll(connectorSpec, "%", name))
	}
	assert.Empty(t, admit(t, of(`name: '{{ fromSecret "a" "b" }}'`), nil), "which is checked once it is rendered")
	assert.Empty(t, admit(t, of(""), nil))
	assert.Contains(t, admit(t, of("name: third"), of("name: other")), "remove it", "another bad name is refused")
	assert.Contains(t, admit(t, of("name: other"), of("")), "remove it")
}

// endsOf are specs of integrations in which an end has a value that is to be set: the rest of each is complete without it.
var endsOf = map[string]string{
	"sourceServiceName":      "{project: p, integrationType: logs, destinationServiceName: a%}",
	"sourceEndpointID":       "{project: p, integrationType: logs, destinationServiceName: a%}",
	"sourceProjectName":      "{project: p, integrationType: logs, sourceServiceName: a, destinationServiceName: b%}",
	"destinationServiceName": "{project: p, integrationType: logs, sourceServiceName: a%}",
	"destinationEndpointId":  "{project: p, integrationType: logs, sourceServiceName: a%}",
	"destinationProjectName": "{project: p, integrationType: logs, sourceServiceName: a, destinationServiceName: b%}",
}

// An end may be written down without a value, as some tools do. What it names is the same with it and without it.
func TestAnEndOfAnIntegrationThatIsEmptyIsNone(t *testing.T) {
	const none, empty, value = "", `, %: ""`, ", %: other"
	for end, spec := range endsOf {
		of := func(field string) map[string]any {
			return named(t, "ServiceIntegration", strings.ReplaceAll(spec, "%", strings.ReplaceAll(field, "%", end)))
		}
		for name, tc := range map[string]struct {
			before, after string
			says          []string // nothing: it is accepted
		}{
			"made empty":        {none, empty, nil},
			"left out":          {empty, none, nil},
			"named later":       {none, value, []string{"can't be added or removed"}},
			"named where empty": {empty, value, []string{"can't be added or removed", "is immutable"}},
			"emptied":           {value, empty, []string{"can't be added or removed", "is immutable"}},
			"removed":           {value, none, []string{"can't be added or removed"}},
		} {
			t.Run(end+" "+name, func(t *testing.T) {
				assert.Empty(t, admit(t, of(tc.before), nil))
				problem := admit(t, of(tc.after), of(tc.before))
				if tc.says == nil {
					assert.Empty(t, problem)
				}
				for _, part := range tc.says {
					assert.Contains(t, problem, "spec."+end+": Invalid value: ")
					assert.Contains(t, problem, part)
				}
			})
		}
	}
}

// The status keeps what a spec of before has granted, until that is revoked.
func TestTheStatusOfAGrantHasNoRuleOfItsSpec(t *testing.T) {
	before := named(t, "ClickhouseGrant", privilegeSpec("[SELECT]", "db", "{user: app}"))
	after := runtime.DeepCopyJSON(before)
	after["status"] = map[string]any{"state": map[string]any{"privilegeGrants": []any{map[string]any{
		"privileges": []any{"; DROP"}, "database": "*", "table": "orders", "grantees": []any{map[string]any{"user": "app", "role": "team"}},
	}}}}
	assert.Empty(t, admit(t, after, before))
}

// Rules about former values hold only where both objects have a spec: without this one, a spec would be exchanged in two steps, and with it
// the resource that an object owns.
func TestNoSpecCanBeRemoved(t *testing.T) {
	examples, err := filepath.Glob("../../../docs/examples/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, examples)
	for _, file := range examples {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		t.Run(filepath.Base(file), func(t *testing.T) {
			object := func() (obj map[string]any) {
				require.NoError(t, yaml.Unmarshal(text, &obj))
				return runtime.DeepCopyJSON(obj)
			}
			without := object()
			delete(without, "spec")
			assert.Contains(t, admit(t, without, object()), "spec can't be removed: delete the object instead")
			assert.Empty(t, admit(t, object(), runtime.DeepCopyJSON(without)), "one that was created without a spec gets one")
			assert.Empty(t, admit(t, object(), object()))
		})
	}
}
