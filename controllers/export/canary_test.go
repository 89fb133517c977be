package export

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/kinds"
)

// planted is a project with a service of each type, which has a random secret wherever Aiven has one, and all credentials of connectors.
func planted(r *rand.Rand, a *aiventest.Aiven) {
	var services []aiventest.Object
	all := map[string]controllers.Object{
		"clickhouse": &v1alpha1.Clickhouse{}, "flink": &v1alpha1.Flink{}, "grafana": &v1alpha1.Grafana{}, "kafka": &v1alpha1.Kafka{},
		"kafka_connect": &v1alpha1.KafkaConnect{}, "mysql": &v1alpha1.MySQL{}, "opensearch": &v1alpha1.OpenSearch{}, "pg": &v1alpha1.PostgreSQL{},
		"valkey": &v1alpha1.Valkey{},
	}
	for _, of := range slices.Sorted(maps.Keys(all)) { // a seed has one state
		services = append(services, plantedService(r, of, all[of]))
	}
	kafka := services[slices.IndexFunc(services, func(s aiventest.Object) bool { return s["service_type"] == "kafka" })]
	options := kafka["user_config"].(aiventest.Object)
	options["kafka_connect"], options["schema_registry"] = true, false
	c := clickhouseState{databases: []string{"db"}, users: []string{"app"}, roles: []string{"team"}}
	c.script(a)
	a.On("GET service/my-search/opensearch/acl", aiventest.OK(aiventest.Object{"opensearch_acl_config": aiventest.Object{"enabled": false, "acls": []any{}}}))
	endpointState(r, a)
	vpcState(r, a)
	stepState(r, a)
	organizationProjectState(r, a)
	inProject(a, services...)
	a.On("GET service/my-kafka/quota", aiventest.OK(aiventest.Object{"quotas": []any{}}))
	config := randomConnector(r)
	for _, key := range slices.Sorted(maps.Keys(credentials)) {
		config[key] = fmt.Sprintf(credentials[key], randomSecret(r))
	}
	scriptConnector(a, "my-kafka", "sink", config)
}

// serviceNamed are names of services that the states use.
var serviceNamed = map[string]string{"clickhouse": "my-ch", "kafka": "my-kafka", "opensearch": "my-search"}

func plantedService(r *rand.Rand, of string, kind controllers.Object) aiventest.Object {
	name, has := serviceNamed[of]
	if !has {
		name = strings.ReplaceAll(of, "_", "-")
	}
	password, key, admin := randomSecret(r)+`/"<`, "-----BEGIN PRIVATE KEY-----\n"+randomSecret(r)+"\n-----END PRIVATE KEY-----\n", randomSecret(r)
	uri := "db://avnadmin:" + url.QueryEscape(admin) + "@db.test:5432/defaultdb"
	return aiventest.Object{
		"service_name": name, "service_type": of, "user_config": randomOptions(r, kind), "service_uri": uri,
		"service_uri_params": aiventest.Object{"host": "db.test", "port": "5432", "user": "avnadmin", "password": admin},
		"users": []any{
			aiventest.Object{"username": "avnadmin", "type": "primary", "password": admin, "access_key": key},
			aiventest.Object{"username": "app", "type": "normal", "password": password, "access_key": key, "access_cert": canary + "certificate"},
		},
		"connection_info":  aiventest.Object{"kafka_access_key": key, "schema_registry_uri": "https://avnadmin:" + admin + "@registry.test"},
		"connection_pools": []any{aiventest.Object{"pool_name": "pool", "database": "defaultdb", "pool_mode": "session", "pool_size": 1, "connection_uri": uri}},
		"databases":        []any{"defaultdb", "orders"},
		// Users paste them where they don't belong.
		"tags": aiventest.Object{"of": pick(r, of, password, "see "+key, uri)},
	}
}

func TestNoSecretOfAivenIsExported(t *testing.T) {
	exported := map[string]bool{}
	for seed := range uint64(20) {
		r, a := rand.New(rand.NewPCG(seed, 8)), aiventest.New(t)
		planted(r, a)
		result, err := export(t.Context(), a.Client(), Options{Project: aiventest.Project, Verify: true, IncludeDefaults: r.IntN(2) == 0})
		require.NoError(t, err)
		assert.Empty(t, result.Unread, "seed %d", seed)
		for _, m := range result.Manifests {
			exported[m.Kind] = true
			assert.NotContains(t, string(m.YAML), canary, "seed %d: %s %s", seed, m.Kind, m.Name)
		}
		for _, note := range slices.Concat(result.Left, result.Unread, result.Differences, result.Uncompared) {
			assert.NotContains(t, note.String(), canary, "seed %d", seed)
		}
	}
	exported["Project"] = exported["OrganizationProject"] // which the project is exported as
	for _, kind := range kinds.All() {
		obj := kind.GetObject()
		_, publishes := obj.(interface{ GetSecretFields() *v1alpha1.SecretFields })
		if publishes || !reflect.ValueOf(kind).FieldByName("Secrets").IsNil() {
			name := reflect.TypeOf(obj).Elem().Name()
			assert.True(t, exported[name], "no %s was exported, which may have secrets: plant one", name)
		}
	}
}

func TestASecretIsPlantedInEachTypeThatMayHoldOne(t *testing.T) {
	for name, of := range trees() {
		holds := false
		for seed := range uint64(20) {
			made := reflect.New(of)
			random(rand.New(rand.NewPCG(seed, 8)), made.Elem(), false)
			holds = holds || strings.Contains(fmt.Sprint(reported(t, made.Interface())), canary)
		}
		assert.Equal(t, declaresSecret(of), holds, name)
	}
}

// declaresSecret reports whether an option of a tree is declared secret.
func declaresSecret(of reflect.Type) bool {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct {
		return false
	}
	for i := range of.NumField() {
		if of.Field(i).Tag.Get("sensitive") == "true" || declaresSecret(of.Field(i).Type) {
			return true
		}
	}
	return false
}
