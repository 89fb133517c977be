package conformance_test

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
)

// secretOptions are the groups of options with secrets that the examples lack, by kind, and what these groups need besides. What can't be
// together is in several parts: an object with one of them is one of the lives of its kind. Endpoints have one for each type.
var secretOptions = map[string][]string{
	"Grafana": {`
userConfig:
  auth_azuread: {auth_url: "https://login.example.com", client_id: orders, client_secret: x, token_url: "https://login.example.com"}
  auth_generic_oauth: {api_url: "https://login.example.com", auth_url: "https://login.example.com", client_id: orders, client_secret: x, token_url: "https://login.example.com"}
  auth_github: {client_id: orders, client_secret: x}
  auth_gitlab: {allowed_groups: [orders], client_id: orders, client_secret: x}
  auth_google: {allowed_domains: [example.com], client_id: orders, client_secret: x}
  external_image_storage: {access_key: OURS, bucket_url: "https://bucket.example.com", provider: s3, secret_key: x}
  smtp_server: {from_address: orders@example.com, host: mail.example.com, port: 25}
`},
	"Kafka":        {"userConfig: {kafka_connect_secret_providers: " + secretProviders + "}"},
	"KafkaConnect": {"userConfig: {secret_providers: " + secretProviders + "}"},
	"MySQL":        {migrationOptions, migrationSource},
	"OpenSearch": {`
userConfig:
  azure_migration: {account: orders, base_path: orders, container: orders, indices: orders, snapshot_name: orders}
  gcs_migration: {base_path: orders, bucket: orders, credentials: x, indices: orders, snapshot_name: orders}
  s3_migration: {access_key: OURS, base_path: orders, bucket: orders, indices: orders, region: eu-west-1, secret_key: x, snapshot_name: orders}
  jwt: {enabled: true, signing_key: x}
  openid: {client_id: orders, client_secret: x, connect_url: "https://login.example.com", enabled: true}
`},
	"PostgreSQL": {migrationOptions, migrationSource},
	"ServiceIntegrationEndpoint": {
		"endpointType: " + endpointType, // the example
		`{endpointType: datadog, externalPostgresql: null, datadog: {datadog_api_key: x}}`,
		`{endpointType: external_aws_cloudwatch_logs, externalPostgresql: null, externalAWSCloudwatchLogs: {access_key: OURS, region: eu-west-1, secret_key: x}}`,
		`{endpointType: external_aws_cloudwatch_metrics, externalPostgresql: null, externalAWSCloudwatchMetrics: {access_key: OURS, namespace: orders, region: eu-west-1, secret_key: x}}`,
		`{endpointType: external_elasticsearch_logs, externalPostgresql: null, externalElasticsearchLogs: {index_prefix: orders, url: x}}`,
		`{endpointType: external_google_cloud_bigquery, externalPostgresql: null, externalGoogleCloudBigquery: {project_id: orders, service_account_credentials: x}}`,
		`{endpointType: external_google_cloud_logging, externalPostgresql: null, externalGoogleCloudLogging: {log_id: orders, project_id: orders, service_account_credentials: x}}`,
		`{endpointType: external_kafka, externalPostgresql: null, externalKafka: {bootstrap_servers: "kafka.example.com:9092", security_protocol: SASL_SSL, sasl_mechanism: PLAIN, sasl_plain_username: orders}}`,
		`{endpointType: external_opensearch_logs, externalPostgresql: null, externalOpensearchLogs: {index_prefix: orders, url: x}}`,
		`{endpointType: external_schema_registry, externalPostgresql: null, externalSchemaRegistry: {authentication: basic, basic_auth_username: orders, url: "https://registry.example.com"}}`,
		`{endpointType: jolokia, externalPostgresql: null, jolokia: {basic_auth_username: orders}}`,
		`{endpointType: prometheus, externalPostgresql: null, prometheus: {basic_auth_username: orders}}`,
		`{endpointType: rsyslog, externalPostgresql: null, rsyslog: {format: rfc5424, port: 514, server: logs.example.com, tls: true}}`,
	},
	"Valkey": {migrationOptions},
}

const (
	migrationOptions = "userConfig: {migration: {host: old-database.example.com, port: 5432}}"
	migrationSource  = "migrationSecretSource: {name: " + migrationSecret + "}"
	secretProviders  = `[
  {name: aws, aws: {access_key: OURS, auth_method: credentials, region: eu-west-1}},
  {name: azure, azure: {auth_method: credentials, client_id: orders, tenant_id: orders}},
  {name: vault, vault: {address: "https://vault.example.com", auth_method: token}}]`
)

func hasSecretOptions(k kind) bool { return len(secretOptions[k.name]) > 0 }

// lives is how many objects it takes to have all secret options of the kind.
func (k kind) lives() int { return max(1, len(secretOptions[k.name])) }

// specOf is the spec of an object.
func specOf(obj testenv.Object) reflect.Value { return reflect.ValueOf(obj).Elem().FieldByName("Spec") }

// addSecretOptions gives the object the groups of options of one of its lives.
func (s *testCase) addSecretOptions(life int) {
	s.T.Helper()
	if hasForeignSecret(s.kind) {
		foreignSecrets[s.kind.name].set(s.obj)
	}
	if hasSecretOptions(s.kind) {
		require.NoError(s.T, yaml.UnmarshalStrict([]byte(secretOptions[s.kind.name][life]), specOf(s.obj).Addr().Interface()))
	}
	if endpoint, isEndpoint := s.obj.(*v1alpha1.ServiceIntegrationEndpoint); isEndpoint {
		s.kind.path = endpoint.Spec.EndpointType + "/" + endpointName
		s.kind.change = func(*testenv.Env, testenv.Object) { s.markOptions() } // other credentials
	}
}

func (s *testCase) markOptions() {
	markFields(specOf(s.obj), "spec", func(string) string { return s.marker() })
}

// markSecrets puts a marker into every secret field of the object in one of its lives, and into every Secret that it may name, whatever Aiven
// answers.
func (s *testCase) markSecrets(life int) {
	s.T.Helper()
	s.addSecretOptions(life)
	s.markOptions()
	switch obj := s.obj.(type) {
	case *v1alpha1.ServiceUser:
		s.SetSecret(sourceSecret, map[string]string{sourceKey: s.marker()})
		obj.Spec.ConnInfoSecretSource = &v1alpha1.ConnInfoSecretSource{Name: sourceSecret, PasswordKey: sourceKey}
	case *v1alpha1.ClickhouseUser:
		s.SetSecret(sourceSecret, map[string]string{sourceKey: s.marker()})
		obj.Spec.ConnInfoSecretSource = &v1alpha1.ConnInfoSecretSource{Name: sourceSecret, PasswordKey: sourceKey}
	case *v1alpha1.KafkaConnector:
		s.SetSecret("orders-api", map[string]string{"token": s.marker()})
		obj.Spec.UserConfig["http.headers.authorization"] = `{{ fromSecret "orders-api" "token" }}`
		obj.Spec.UserConfig["http.authorization.type"] = "static"
	}
	if migratingKinds[s.kind.name] != "" {
		s.SetSecret(migrationSecret, map[string]string{"host": s.marker(), "port": "5432", "username": s.marker(), "password": s.marker()})
	}
	token := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: testenv.TokenSecret}}
	s.Annotate(token, corev1.LastAppliedConfigAnnotation, `{"stringData": {"token": "`+s.Token+`"}}`)
}

// markFields sets the secret options of the groups that a value has to what mark returns for their paths.
func markFields(value reflect.Value, path string, mark func(path string) string) {
	switch value.Kind() {
	case reflect.Pointer:
		if !value.IsNil() {
			markFields(value.Elem(), path, mark)
		}
	case reflect.Slice:
		for i := range value.Len() {
			markFields(value.Index(i), path, mark)
		}
	case reflect.Struct:
		for i := range value.NumField() {
			field, of := value.Field(i), value.Type().Field(i)
			at := fieldPath(path, of)
			switch {
			case !isSecretOption(of):
				markFields(field, at, mark)
			case field.Kind() == reflect.String:
				field.SetString(mark(at))
			case field.Type() == reflect.TypeFor[*string]():
				field.Set(reflect.ValueOf(new(mark(at))))
			}
		}
	}
}

func isSecretOption(field reflect.StructField) bool { return field.Tag.Get("sensitive") == "true" }

func fieldPath(path string, field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	if name == "" { // inline
		return path
	}
	return path + "." + name
}

// secretPaths are the paths of the secret options that objects with a spec of this type may have. The API server keeps nothing of a value
// whose type has no fields.
func secretPaths(of reflect.Type, path string) (paths []string) {
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return secretPaths(of.Elem(), path)
	case reflect.Struct:
		for field := range of.Fields() {
			at := fieldPath(path, field)
			switch {
			case !isSecretOption(field):
				paths = append(paths, secretPaths(field.Type, at)...)
			case field.Type.Kind() != reflect.Struct || field.Type.NumField() > 0:
				paths = append(paths, at)
			}
		}
	}
	return paths
}

// endpointSecret is a secret option that the endpoint at Aiven has by its type.
func endpointSecret(e *testenv.Env) string {
	group := strings.ReplaceAll(string(endpointAtAiven(e).EndpointType), "_", "")
	for _, path := range secretPaths(reflect.TypeFor[v1alpha1.ServiceIntegrationEndpointSpec](), "spec") {
		if parts := strings.Split(path, "."); strings.EqualFold(parts[1], group) {
			return parts[2]
		}
	}
	require.FailNow(e.T, "no secret option", group)
	return ""
}

func TestEverySecretOptionIsMarkedInALife(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Idle: true})
	for _, k := range allKinds {
		t.Run(k.name, func(t *testing.T) {
			marked := map[string]bool{}
			for life := range k.lives() {
				s := &testCase{Env: e, kind: k, obj: e.Example(k.example)}
				s.addSecretOptions(life)
				markFields(specOf(s.obj), "spec", func(path string) string { marked[path] = true; return "marked" })
			}
			all := secretPaths(specOf(e.Example(k.example)).Type(), "spec")
			assert.ElementsMatch(t, all, slices.Collect(maps.Keys(marked)), "add what %s lacks to secretOptions", k.name)
		})
	}
}

// hidesSecretOptions has the object refused with its options in the answer, then accepted, in each of its lives.
func (s *testCase) hidesSecretOptions() {
	for life := range s.kind.lives() {
		s.obj = s.Example(s.kind.example)
		s.markSecrets(life)
		s.Aiven.FailWrites(s.kind.create, localaiven.Effect{Status: http.StatusBadRequest, Echo: true}, 1)
		s.Create(s.obj)
		s.Wait(s.obj, testenv.Condition("Ready", metav1.ConditionFalse, "InvalidSpec"))
		s.Annotate(s.obj, requested, strconv.Itoa(life))
		s.Wait(s.obj, testenv.Ready(), testenv.Phase(s.kind.phase))
		assert.True(s.T, s.there())
		s.Delete(s.obj)
		s.WaitGone(s.obj)
	}
}
