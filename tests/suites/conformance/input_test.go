package conformance_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
)

// loose is an object as a person writes it, with fields that the Go type doesn't have.
func loose(e *testenv.Env, obj testenv.Object) *unstructured.Unstructured {
	gvk, err := apiutil.GVKForObject(obj, e.Client.Scheme())
	require.NoError(e.T, err)
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	require.NoError(e.T, err)
	out := &unstructured.Unstructured{Object: content}
	out.SetGroupVersionKind(gvk)
	unstructured.RemoveNestedField(out.Object, "status")
	return out
}

const sameService = "spec.destinationServiceName: Invalid value: must be another service than the source"

// What can't be right never reaches the operator, and the message names the field.
func TestQ12_TheAPIServerRefusesWhatCannotBeRight(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Idle: true})
	for says, c := range map[string]struct {
		example string
		path    []string
		value   any
		message string
	}{
		"an unknown field":                      {"database", []string{"spec", "colour"}, "mauve", `unknown field "spec.colour"`},
		"an unknown field among the options":    {"postgresql", []string{"spec", "userConfig", "colour"}, "mauve", `unknown field "spec.userConfig.colour"`},
		"a weekday that isn't one":              {"postgresql", []string{"spec", "maintenanceWindowDow"}, "someday", "spec.maintenanceWindowDow"},
		"a pool mode that isn't one":            {"connectionpool", []string{"spec", "poolMode"}, "eager", "spec.poolMode"},
		"a database name that is too long":      {"database", []string{"spec", "databaseName"}, strings.Repeat("x", 41), "spec.databaseName"},
		"a user name that is too long":          {"serviceuser", []string{"spec", "username"}, strings.Repeat("x", 65), "spec.username"},
		"a user name that a path would lose":    {"serviceuser", []string{"spec", "username"}, "..", "spec.username"},
		"a user name of one dot":                {"serviceuser", []string{"spec", "username"}, ".", "spec.username"},
		"a topic name that a path would lose":   {"kafkatopic", []string{"spec", "topicName"}, "..", "spec.topicName"},
		"a database of ClickHouse of dots":      {"clickhousedatabase", []string{"spec", "databaseName"}, "..", "spec.databaseName"},
		"a database name of ClickHouse's":       {"clickhousedatabase", []string{"spec", "databaseName"}, strings.Repeat("x", 64), "spec.databaseName"},
		"a role without a name":                 {"clickhouserole", []string{"spec", "role"}, "", "spec.role"},
		"a user of ClickHouse that is too long": {"clickhouseuser", []string{"spec", "username"}, strings.Repeat("x", 64), "spec.username"},
		"a password without a key":              {"clickhouseuser", []string{"spec", "connInfoSecretSource"}, map[string]any{"name": "x"}, "spec.connInfoSecretSource.passwordKey"},
		"a topic name of one dot":               {"kafkatopic", []string{"spec", "topicName"}, ".", "spec.topicName"},
		"a database name of dots":               {"database", []string{"spec", "databaseName"}, "..", "spec.databaseName"},
		"a project of dots":                     {"database", []string{"spec", "project"}, "..", "spec.project"},
		"a service name of dots":                {"database", []string{"spec", "serviceName"}, "..", "spec.serviceName"},
		"a service name with capitals":          {"serviceuser", []string{"spec", "serviceName"}, "My-PG", "spec.serviceName"},
		"a source that a path would lose":       {"postgresql", []string{"spec", "serviceIntegrations"}, []any{map[string]any{"integrationType": "read_replica", "sourceServiceName": ".."}}, "spec.serviceIntegrations[0].sourceServiceName"},
		"a source of one dot":                   {"kafka", []string{"spec", "serviceIntegrations"}, []any{map[string]any{"integrationType": "read_replica", "sourceServiceName": "."}}, "spec.serviceIntegrations[0].sourceServiceName"},
		"an operation that isn't one":           {"kafkanativeacl", []string{"spec", "operation"}, "Dance", "spec.operation"},
		"a type of pattern that isn't one":      {"kafkanativeacl", []string{"spec", "patternType"}, "literal", "spec.patternType"},
		"a principal that is too long":          {"kafkanativeacl", []string{"spec", "principal"}, "User:" + strings.Repeat("x", 252), "spec.principal"},
		"a permission that isn't one":           {"kafkaschemaregistryacl", []string{"spec", "permission"}, "read", "spec.permission"},
		"a limit below 0":                       {"kafkaquota", []string{"spec", "consumerByteRate"}, int64(-1), "spec.consumerByteRate"},
		"a limit above Kafka's":                 {"kafkaquota", []string{"spec", "producerByteRate"}, int64(1<<30 + 1), "spec.producerByteRate"},
		"more than all of the time":             {"kafkaquota", []string{"spec", "requestPercentage"}, 100.5, "spec.requestPercentage"},
		"a quota without a user":                {"kafkaquota", []string{"spec"}, map[string]any{"project": "p", "serviceName": "s", "consumerByteRate": int64(1)}, "At least one of user or clientId must be set"},
		"a quota without a limit":               {"kafkaquota", []string{"spec"}, map[string]any{"project": "p", "serviceName": "s", "user": "u"}, "At least one of consumerByteRate, producerByteRate or requestPercentage must be set"},
		"a quota of a user without a name":      {"kafkaquota", []string{"spec", "user"}, "", "spec.user"},
		"a disk size that isn't one":            {"postgresql", []string{"spec", "disk_space"}, "plenty", "spec.disk_space"},
		"a token reference without a key":       {"database", []string{"spec", "authSecretRef"}, map[string]any{"name": "x"}, "spec.authSecretRef.key"},
		"an option of a type that isn't its":    {"postgresql", []string{"spec", "userConfig", "pg", "jit"}, "maybe", "spec.userConfig.pg.jit"},
		"an option that is out of its bounds":   {"postgresql", []string{"spec", "userConfig", "pg", "max_wal_senders"}, int64(1), "max_wal_senders"},
		"a Secret target without a name":        {"serviceuser", []string{"spec", "connInfoSecretTarget"}, map[string]any{"prefix": "X_"}, "spec.connInfoSecretTarget.name"},
		"an unknown option of OpenSearch":       {"opensearch", []string{"spec", "userConfig", "opensearch", "colour"}, "mauve", `unknown field "spec.userConfig.opensearch.colour"`},
		"an eviction that Valkey doesn't know":  {"valkey", []string{"spec", "userConfig", "valkey_maxmemory_policy"}, "none", "spec.userConfig.valkey_maxmemory_policy"},
		"a filter of ClickHouse that is text":   {"clickhouse", []string{"spec", "userConfig", "ip_filter"}, "10.0.0.0/8", "spec.userConfig.ip_filter"},
		"two sources of a migration of MySQL":   {"mysql", []string{"spec"}, map[string]any{"project": "p", "plan": "startup-4", "migrationSecretSource": map[string]any{"name": "x"}, "userConfig": map[string]any{"migration": map[string]any{"host": "x", "port": int64(1)}}}, "spec.migrationSecretSource"},
		"a contact that is no address":          {"postgresql", []string{"spec", "technicalEmails"}, []any{map[string]any{"email": "me"}}, "spec.technicalEmails[0].email"},
		"a project with a blank in its name":    {"database", []string{"spec", "project"}, "my project", "spec.project"},
		"columns of no table":                   {"clickhousegrant", []string{"spec", "privilegeGrants"}, []any{map[string]any{"grantees": []any{map[string]any{"user": "app"}}, "privileges": []any{"SELECT"}, "database": "db", "columns": []any{"a"}}}, "`table` must be set if `columns` are set"},
		"a grant to a user and a role":          {"clickhousegrant", []string{"spec", "privilegeGrants"}, []any{map[string]any{"grantees": []any{map[string]any{"user": "app", "role": "team"}}, "privileges": []any{"SELECT"}, "database": "db"}}, "spec.privilegeGrants[0].grantees[0]: Invalid value: "},
		"a privilege that is SQL":               {"clickhousegrant", []string{"spec", "privilegeGrants"}, []any{map[string]any{"grantees": []any{map[string]any{"user": "app"}}, "privileges": []any{"SELECT ON *.* TO app; DROP ROLE x --"}, "database": "db"}}, "spec.privilegeGrants[0].privileges[0]: Invalid value: "},
		"a table of all databases":              {"clickhousegrant", []string{"spec", "privilegeGrants"}, []any{map[string]any{"grantees": []any{map[string]any{"user": "app"}}, "privileges": []any{"SELECT"}, "database": "*", "table": "a"}}, "spec.privilegeGrants[0].table: Invalid value: "},
		"a grant on information_schema":         {"clickhousegrant", []string{"spec", "privilegeGrants"}, []any{map[string]any{"grantees": []any{map[string]any{"user": "app"}}, "privileges": []any{"SELECT"}, "database": "information_schema"}}, "spec.privilegeGrants[0].database: Invalid value: "},
		"a grant to no user and no role":        {"clickhousegrant", []string{"spec", "roleGrants"}, []any{map[string]any{"grantees": []any{}, "roles": []any{"team"}}}, "spec.roleGrants[0].grantees"},
		"a rule's permission that isn't":        {"opensearchaclconfig", []string{"spec", "acls"}, []any{map[string]any{"username": "app", "rules": []any{map[string]any{"index": "*", "permission": "all"}}}}, "spec.acls[0].rules[0].permission"},
		"a user who is listed twice":            {"opensearchaclconfig", []string{"spec", "acls"}, []any{map[string]any{"username": "app", "rules": []any{}}, map[string]any{"username": "app", "rules": []any{}}}, "spec.acls[1]"},
		"a currency that isn't one":             {"project", []string{"spec", "billingCurrency"}, "XXX", "spec.billingCurrency"},
		"a country of three letters":            {"project", []string{"spec", "countryCode"}, "FIN", "spec.countryCode"},
		"a billing group that isn't an id":      {"project", []string{"spec", "billingGroupId"}, "mine", "spec.billingGroupId"},
		"a project id of dots":                  {"organizationproject", []string{"spec", "projectId"}, "..", "spec.projectId"},
		"a base port that is too low":           {"organizationproject", []string{"spec", "basePort"}, int64(9999), "spec.basePort"},
		"a base port that is too high":          {"organizationproject", []string{"spec", "basePort"}, int64(30001), "spec.basePort"},
		"an address twice":                      {"organizationproject", []string{"spec", "technicalEmails"}, []any{"a@example.com", "a@example.com"}, "Emails must be unique"},
		"a project of no organization":          {"organizationproject", []string{"spec", "organizationId"}, "", "spec.organizationId"},
		"a subject that a path would lose":      {"kafkaschema", []string{"spec", "subjectName"}, "..", "spec.subjectName"},
		"a subject without a name":              {"kafkaschema", []string{"spec", "subjectName"}, "", "spec.subjectName"},
		"a type of schemas that isn't one":      {"kafkaschema", []string{"spec", "schemaType"}, "XML", "spec.schemaType"},
		"a level that isn't one":                {"kafkaschema", []string{"spec", "compatibilityLevel"}, "SOME", "spec.compatibilityLevel"},
		"references of AVRO":                    {"kafkaschema", []string{"spec", "references"}, []any{map[string]any{"name": "x", "subject": "x", "version": int64(1)}}, "references are only supported for PROTOBUF and JSON"},
		"a reference to nothing":                {"kafkaschema", []string{"spec", "references"}, []any{map[string]any{"name": "x"}}, "set both subject and version, or set kafkaSchemaRef"},
		"a reference to two things":             {"kafkaschema", []string{"spec", "references"}, []any{map[string]any{"name": "x", "subject": "x", "version": int64(1), "kafkaSchemaRef": map[string]any{"name": "x"}}}, "set both subject and version, or set kafkaSchemaRef"},
		"a reference to a subject of dots":      {"kafkaschema", []string{"spec", "references"}, []any{map[string]any{"name": "x", "subject": "..", "version": int64(1)}}, "spec.references[0].subject"},
		"a schema that refers to itself":        {"kafkaschema", []string{"spec", "references"}, []any{map[string]any{"name": "x", "kafkaSchemaRef": map[string]any{"name": "orders-value"}}}, "spec.references must not refer to the object itself"},
		"a delay below zero":                    {"upgradepipelinestep", []string{"spec", "autoValidationDelayDays"}, int64(-1), "spec.autoValidationDelayDays"},
		"a step without an organization":        {"upgradepipelinestep", []string{"spec", "organizationId"}, "", "spec.organizationId"},
		"more than one integration at a start":  {"postgresql", []string{"spec", "serviceIntegrations"}, []any{map[string]any{"integrationType": "read_replica", "sourceServiceName": "a"}, map[string]any{"integrationType": "read_replica", "sourceServiceName": "b"}}, "spec.serviceIntegrations"},
		"two blocks of an integration":          {"serviceintegration", []string{"spec", "datadog"}, map[string]any{}, "spec.datadog"},
		"two blocks of an endpoint":             {"serviceintegrationendpoint", []string{"spec", "rsyslog"}, map[string]any{"server": "x", "port": int64(1), "tls": true, "format": "rfc3164"}, "spec.rsyslog"},
		"two destinations":                      {"serviceintegration", []string{"spec", "destinationEndpointId"}, "e", "destinationServiceName excludes destinationEndpointId"},
		"two sources":                           {"serviceintegration", []string{"spec", "sourceEndpointID"}, "e", "sourceServiceName and sourceEndpointID are mutually exclusive"},
		"an integration of a service to itself": {"serviceintegration", []string{"spec", "sourceServiceName"}, kafkaName, sameService},
		"itself, by the name of its project":    {"serviceintegration", []string{"spec"}, map[string]any{"project": "p", "integrationType": "logs", "sourceServiceName": "s", "destinationServiceName": "s", "sourceProjectName": "p"}, sameService},
		"itself, in one other project":          {"serviceintegration", []string{"spec"}, map[string]any{"project": "p", "integrationType": "logs", "sourceServiceName": "s", "destinationServiceName": "s", "sourceProjectName": "o", "destinationProjectName": "o"}, sameService},
		"a reference to another namespace":      {"serviceintegration", []string{"spec", "destinationEndpointRef"}, map[string]any{"name": "other/my-endpoint"}, "spec.destinationEndpointRef"},
		"a type of integration that isn't one":  {"serviceintegration", []string{"spec", "integrationType"}, "telepathy", "spec.integrationType"},
		"a type of endpoint that isn't one":     {"serviceintegrationendpoint", []string{"spec", "endpointType"}, "telepathy", "spec.endpointType"},
		"an endpoint with an empty name":        {"serviceintegrationendpoint", []string{"spec", "endpointName"}, "", "spec.endpointName"},
		"a replica of itself":                   {"postgresql", []string{"spec", "serviceIntegrations"}, []any{map[string]any{"integrationType": "read_replica", "sourceServiceName": serviceName}}, "spec.serviceIntegrations: Invalid value: a service can't be a replica of itself: remove the field"},
		"a copy of itself":                      {"project", []string{"spec", "copyFromProject"}, projectName, "spec.copyFromProject: Invalid value: a project can't be a copy of itself: remove the field"},
		"a connector of another name":           {"kafkaconnector", []string{"spec", "userConfig", "name"}, "another", "spec.userConfig: Invalid value: name must be the name of this object: remove it"},
		"a step of a service to itself":         {"upgradepipelinestep", []string{"spec"}, map[string]any{"organizationId": "o", "sourceProjectName": "p", "sourceServiceName": "pg", "destinationProjectName": "p", "destinationServiceName": "pg"}, sameService},
		"a source that is a path":               {"serviceintegration", []string{"spec", "sourceServiceName"}, "..", "spec.sourceServiceName"},
		"an unknown option of an integration":   {"serviceintegration", []string{"spec", "kafkaLogs", "colour"}, "mauve", `unknown field "spec.kafkaLogs.colour"`},
	} {
		t.Run(says, func(t *testing.T) {
			obj := loose(e, e.Example(c.example))
			require.NoError(t, unstructured.SetNestedField(obj.Object, c.value, c.path...))
			err := client.WithFieldValidation(e.Client, metav1.FieldValidationStrict).Create(t.Context(), obj)
			require.ErrorContains(t, err, c.message)
		})
	}
}

func TestTheAPIServerRefusesToChangeWhatCannotChange(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Idle: true})
	for says, c := range map[string]struct {
		example string
		path    []string
		value   any
	}{
		"the project of a service":          {"postgresql", []string{"spec", "project"}, "another"},
		"the service of a database":         {"database", []string{"spec", "serviceName"}, "another"},
		"the collation of a database":       {"database", []string{"spec", "lcCollate"}, "C"},
		"a database name that wasn't given": {"database", []string{"spec", "databaseName"}, "given_late"},
		"the user of a pool":                {"connectionpool", []string{"spec", "username"}, "another"},
		"the database of a pool":            {"connectionpool", []string{"spec", "databaseName"}, "another"},
		"a user name that wasn't given":     {"serviceuser", []string{"spec", "username"}, "given_late"},
		"the subject of a schema":           {"kafkaschema", []string{"spec", "subjectName"}, "another"},
		"the type of a schema":              {"kafkaschema", []string{"spec", "schemaType"}, "JSON"},
		"whether a schema has a type":       {"kafkaschema", []string{"spec", "schemaType"}, nil},
		"the source of a step":              {"upgradepipelinestep", []string{"spec", "sourceServiceName"}, "another"},
		"the organization of a step":        {"upgradepipelinestep", []string{"spec", "organizationId"}, "another"},
		"a ClickHouse database given late":  {"clickhousedatabase", []string{"spec", "databaseName"}, "given_late"},
		"a ClickHouse user given late":      {"clickhouseuser", []string{"spec", "username"}, "given_late"},
		"a role":                            {"clickhouserole", []string{"spec", "role"}, "another"},
		"the service of a role":             {"clickhouserole", []string{"spec", "serviceName"}, "another"},
		"the name of a Secret":              {"serviceuser", []string{"spec", "connInfoSecretTarget", "name"}, "another"},
		"whether there is a Secret at all":  {"connectionpool", []string{"spec", "connInfoSecretTargetDisabled"}, true},
		"H08: a phase that isn't one":       {"database", []string{"status", "phase"}, "Splendid"},
	} {
		t.Run(says, func(t *testing.T) {
			live := e.Example(c.example)
			live.SetName("t" + strings.ToLower(strings.NewReplacer(" ", "-", "'", "", ":", "").Replace(says)))
			e.Create(live)
			obj := loose(e, live)
			require.NoError(t, unstructured.SetNestedField(obj.Object, c.value, c.path...))
			if c.value == nil {
				unstructured.RemoveNestedField(obj.Object, c.path...)
			}
			update := func() error { return e.Client.Update(t.Context(), obj) }
			if c.path[0] == "status" {
				update = func() error { return e.Client.Status().Update(t.Context(), obj) }
			}
			err := update()
			require.ErrorContains(t, err, c.path[0])
			last := c.path[len(c.path)-1]
			assert.Contains(t, err.Error(), last)
		})
	}
}

// E04, E14, X25: one request, one message, no storm; a new spec is tried at once.
func TestAPlanThatDoesNotExistIsRefusedOnceAndCanBeCorrected(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"PostgreSQL"}, Config: testenv.OnlyWatches})
	obj := e.Example("postgresql").(*v1alpha1.PostgreSQL)
	obj.Spec.Plan = "startup-5"
	e.Create(obj)
	e.Wait(obj, testenv.Condition("Ready", metav1.ConditionFalse, "InvalidSpec"),
		testenv.Saying("Ready", "Aiven rejected spec.plan: Invalid plan 'startup-5' for service type 'pg'. List the plans with: "),
		testenv.Condition("ConfigValid", metav1.ConditionFalse, "InvalidSpec"), testenv.Phase(v1alpha1.PhaseFailed))
	assert.Equal(t, []string{"ServiceCreate"}, e.Aiven.Writes(0))
	e.Change(obj, func() { obj.Spec.Plan = "startup-4" })
	e.Wait(obj, testenv.Ready(), testenv.Phase(v1alpha1.PhaseRunning))
	assert.Equal(t, []string{"ServiceCreate", "ServiceCreate"}, e.Aiven.Writes(0))
}

// E04, X08: the last good generation goes on.
func TestX08_ABadChangeOfARunningServiceLeavesItRunning(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"PostgreSQL"}, Config: testenv.OnlyWatches})
	obj := e.Example("postgresql").(*v1alpha1.PostgreSQL)
	e.Create(obj)
	e.Wait(obj, testenv.Ready())
	e.Change(obj, func() { obj.Spec.Plan = "startup-5" })
	e.Wait(obj, testenv.Condition("Ready", metav1.ConditionFalse, "InvalidSpec"), testenv.Phase(v1alpha1.PhaseFailed),
		testenv.Saying("Ready", "stays in place"))
	assert.Equal(t, "true", obj.GetAnnotations()[running])
	assert.Equal(t, "1", obj.GetAnnotations()[processed])
	assert.Equal(t, "startup-4", mainService(e).Plan)
	e.Change(obj, func() { obj.Spec.Plan = "startup-4" })
	e.Wait(obj, testenv.Ready(), testenv.Phase(v1alpha1.PhaseRunning))
}

func TestAProjectThatDoesNotExistIsNamed(t *testing.T) {
	t.Parallel()
	for _, k := range allKinds {
		if isProject(k) {
			continue // it is created
		}
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			e := testenv.New(t, testenv.Options{Kinds: k.needs(), Aiven: localaiven.Options{Projects: []string{"the-only-one"}}})
			obj := e.Example(k.example)
			e.Create(obj)
			e.Wait(obj, testenv.Saying("Ready", e.Project))
			assert.NotEqual(t, metav1.ConditionTrue, testenv.Find(obj, "Ready").Status)
			e.Delete(obj)
			e.WaitGone(obj) // Aiven has refused what was tried
		})
	}
}

func prefixed(prefix string, keys []string) []string {
	out := make([]string, 0, len(keys))
	for _, key := range keys {
		out = append(out, prefix+key)
	}
	return out
}
