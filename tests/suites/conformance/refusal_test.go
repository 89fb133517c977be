package conformance_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/aero-operator/aero/tests/harness/testenv"
)

const (
	immutable = "field is immutable: create another object instead"
	unaddable = "field can't be added or removed: create another object instead"
)

// refusedChanges are changes that a rule refuses, and what kubectl shows behind "is invalid: ".
var refusedChanges = map[string]struct {
	example string
	path    []string
	from    any // nil: the value of the example, or none
	to      any // nil removes the field
	shows   string
}{
	"the project of a service":       {"postgresql", []string{"spec", "project"}, nil, "another", `spec.project: Invalid value: "another": ` + immutable},
	"the service of a database":      {"database", []string{"spec", "serviceName"}, nil, "another", `spec.serviceName: Invalid value: "another": ` + immutable},
	"the collation of a database":    {"database", []string{"spec", "lcCollate"}, nil, "C", `spec.lcCollate: Invalid value: "C": ` + immutable},
	"the locale of a database":       {"database", []string{"spec", "lcCtype"}, nil, "C", `spec.lcCtype: Invalid value: "C": ` + immutable},
	"the name of a database":         {"database", []string{"spec", "databaseName"}, "given", "another", `spec.databaseName: Invalid value: "another": ` + immutable},
	"a database name given late":     {"database", []string{"spec", "databaseName"}, nil, "given_late", `spec.databaseName: Invalid value: ` + unaddable},
	"the user of a pool":             {"connectionpool", []string{"spec", "username"}, nil, "another", `[spec.username: Invalid value: ` + immutable + `, spec.username: Invalid value: "another": ` + immutable + `]`},
	"no user of a pool any more":     {"connectionpool", []string{"spec", "username"}, nil, nil, `spec.username: Invalid value: ` + immutable},
	"the database of a pool":         {"connectionpool", []string{"spec", "databaseName"}, nil, "another", `spec.databaseName: Invalid value: "another": ` + immutable},
	"the name of a user":             {"serviceuser", []string{"spec", "username"}, "given", "another", `spec.username: Invalid value: "another": ` + immutable},
	"a user name given late":         {"serviceuser", []string{"spec", "username"}, nil, "given_late", `spec.username: Invalid value: ` + unaddable},
	"the name of a topic":            {"kafkatopic", []string{"spec", "topicName"}, "given", "another", `spec.topicName: Invalid value: "another": ` + immutable},
	"a topic name given late":        {"kafkatopic", []string{"spec", "topicName"}, nil, "given_late", `spec.topicName: Invalid value: ` + unaddable},
	"the name of a Secret":           {"serviceuser", []string{"spec", "connInfoSecretTarget", "name"}, "given", "another", `spec.connInfoSecretTarget.name: Invalid value: "another": ` + immutable},
	"no Secret, late":                {"connectionpool", []string{"spec", "connInfoSecretTargetDisabled"}, nil, true, `spec.connInfoSecretTargetDisabled: Invalid value: ` + unaddable},
	"a Secret again":                 {"connectionpool", []string{"spec", "connInfoSecretTargetDisabled"}, true, false, `spec.connInfoSecretTargetDisabled: Invalid value: false: ` + immutable},
	"the cloud of a VPC":             {"projectvpc", []string{"spec", "cloudName"}, nil, "aws-eu-west-1", `spec.cloudName: Invalid value: "aws-eu-west-1": ` + immutable},
	"the addresses of a VPC":         {"projectvpc", []string{"spec", "networkCidr"}, nil, "10.1.0.0/24", `spec.networkCidr: Invalid value: "10.1.0.0/24": ` + immutable},
	"the billing group of a project": {"project", []string{"spec", "billingGroupId"}, strings.Repeat("a", 36), strings.Repeat("b", 36), `spec.billingGroupId: Invalid value: "` + strings.Repeat("b", 36) + `": ` + immutable},
	"what a project is a copy of":    {"project", []string{"spec", "copyFromProject"}, "source", "another", `spec.copyFromProject: Invalid value: "another": ` + immutable},
	"that a project is a copy, late": {"project", []string{"spec", "copyFromProject"}, nil, "source", `spec.copyFromProject: Invalid value: field can't be added, as a copy is made with its project: create another object instead`},
	"the name of a project":          {"organizationproject", []string{"spec", "projectId"}, nil, "another", `spec.projectId: Invalid value: "another": ` + immutable},
	"the organization of a project":  {"organizationproject", []string{"spec", "organizationId"}, nil, "another", `spec.organizationId: Invalid value: "another": ` + immutable},
	"an option set at the creation":  {"postgresql", []string{"spec", "userConfig", "admin_username"}, "given", "another", `spec.userConfig.admin_username: Invalid value: "another": ` + immutable},
	"two sources of a migration":     {"postgresql", []string{"spec", "migrationSecretSource"}, nil, map[string]any{"name": "x"}, `spec.migrationSecretSource: Invalid value: must not be set together with spec.userConfig.migration: remove one of the two`},
	"the user of a quota":            {"kafkaquota", []string{"spec", "user"}, nil, "another", `spec.user: Invalid value: "another": ` + immutable},
	"no user of a quota any more":    {"kafkaquota", []string{"spec", "user"}, nil, nil, `[spec: Invalid value: At least one of user or clientId must be set, spec.user: Invalid value: ` + unaddable + `]`},
	"a client id given late":         {"kafkaquota", []string{"spec", "clientId"}, nil, "late", `spec.clientId: Invalid value: ` + unaddable},
	"no client id any more":          {"kafkaquota", []string{"spec", "clientId"}, "given", nil, `spec.clientId: Invalid value: ` + unaddable},
	"the operation of an ACL":        {"kafkanativeacl", []string{"spec", "operation"}, nil, "Write", `spec: Invalid value: ` + immutable},
	"the token of an ACL":            {"kafkanativeacl", []string{"spec", "authSecretRef", "name"}, nil, "another", `spec: Invalid value: ` + immutable},
	"the subject of an ACL":          {"kafkaschemaregistryacl", []string{"spec", "resource"}, nil, "Subject:x", `spec.resource: Invalid value: "Subject:x": ` + immutable},
	"the user of an ACL":             {"kafkaschemaregistryacl", []string{"spec", "username"}, nil, "another", `spec.username: Invalid value: "another": ` + immutable},
	"an option of a new MySQL":       {"mysql", []string{"spec", "userConfig", "admin_username"}, nil, "another", `spec.userConfig.admin_username: Invalid value: "another": ` + immutable},
	"a name that is a path":          {"serviceuser", []string{"spec", "username"}, "x", "..", `[spec.username: Invalid value: "..": ` + immutable + `, spec.username: Invalid value: "..": must not be . or ..: choose another name]`},
	"a project of a source, late":    {"serviceintegration", []string{"spec", "sourceProjectName"}, nil, "my-project", `spec.sourceProjectName: Invalid value: ` + unaddable},
	"no source any more":             {"serviceintegration", []string{"spec", "sourceServiceName"}, nil, nil, `spec.sourceServiceName: Invalid value: ` + unaddable},
	"another destination":            {"serviceintegration", []string{"spec", "destinationServiceName"}, nil, "another", `spec.destinationServiceName: Invalid value: "another": ` + immutable},
	"a block of another type":        {"serviceintegration", []string{"spec", "metrics"}, nil, map[string]any{}, `spec.metrics: Invalid value: is only for the type metrics: remove it, or create another object with that type`},
	"no name of an endpoint":         {"serviceintegrationendpoint", []string{"spec", "endpointName"}, nil, nil, `spec.endpointName: Invalid value: is required: set it to the name that the endpoint has, or is to have, at Aiven`},
	"another name of an endpoint":    {"serviceintegrationendpoint", []string{"spec", "endpointName"}, nil, "another", `spec.endpointName: Invalid value: "another": ` + immutable},
	"another type of an endpoint":    {"serviceintegrationendpoint", []string{"spec", "endpointType"}, nil, "jolokia", `[spec.externalPostgresql: Invalid value: is only for the type external_postgresql: remove it, or create another object with that type, spec.endpointType: Invalid value: "jolokia": ` + immutable + `]`},
}

func TestQ12_WhatARuleRefusesReadsWellInKubectl(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Idle: true})
	for says, tc := range refusedChanges {
		t.Run(says, func(t *testing.T) {
			obj := loose(e, e.Example(tc.example))
			obj.SetName("t" + strings.ToLower(strings.NewReplacer(" ", "-", ",", "").Replace(says)))
			if tc.from != nil {
				require.NoError(t, unstructured.SetNestedField(obj.Object, tc.from, tc.path...))
			}
			if says == "two sources of a migration" {
				require.NoError(t, unstructured.SetNestedField(obj.Object, map[string]any{"host": "x", "port": int64(1)}, "spec", "userConfig", "migration"))
			}
			require.NoError(t, e.Client.Create(t.Context(), obj))
			if tc.to == nil {
				unstructured.RemoveNestedField(obj.Object, tc.path...)
			} else {
				require.NoError(t, unstructured.SetNestedField(obj.Object, tc.to, tc.path...))
			}
			err := e.Client.Update(t.Context(), obj)
			require.Error(t, err)
			_, shown, _ := strings.Cut(err.Error(), "is invalid: ")
			assert.Equal(t, tc.shows, shown)
		})
	}
}
