package kinds

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/yaml"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/policy"
	"github.com/aero-operator/aero/controllers/kinds/account"
	"github.com/aero-operator/aero/controllers/kinds/clickhouse"
	"github.com/aero-operator/aero/controllers/kinds/flink"
	"github.com/aero-operator/aero/controllers/kinds/grafana"
	"github.com/aero-operator/aero/controllers/kinds/kafka"
	"github.com/aero-operator/aero/controllers/kinds/mysql"
	"github.com/aero-operator/aero/controllers/kinds/opensearch"
	"github.com/aero-operator/aero/controllers/kinds/postgres"
	"github.com/aero-operator/aero/controllers/kinds/shared"
	"github.com/aero-operator/aero/controllers/kinds/valkey"
)

var update = flag.Bool("update", false, "write the golden files")

type fields = aiventest.Object

// publishes is how the connection Secret of a kind is rendered from what Aiven returns.
type publishes struct {
	render func(t *testing.T, answers fields) []byte
	// answers of Aiven by the name of the case, each by its route.
	answers map[string]fields
}

// secretOf renders the Secret that an object would publish.
func secretOf[T controllers.Object](kind controllers.Kind[T], obj T) func(*testing.T, fields) []byte {
	return func(t *testing.T, answers fields) []byte {
		a := aiventest.New(t)
		for route, body := range answers {
			a.On(route, aiventest.OK(body))
		}
		obj := obj.DeepCopyObject().(T)
		obj.SetNamespace(aiventest.Namespace)
		obj.SetUID("11111111-1111-4111-8111-111111111111")
		o, err := kind.New(controllers.Env{Client: a.Client(), Memory: &sync.Map{}}).Observe(t.Context(), obj)
		require.NoError(t, err)
		require.False(t, o.Details.Empty(), "there is something to publish")
		scheme := runtime.NewScheme()
		require.NoError(t, v1alpha1.AddToScheme(scheme))
		gvk, err := apiutil.GVKForObject(obj, scheme)
		require.NoError(t, err)
		target, _ := connection.TargetOf(obj, gvk.Kind, policy.Defaults{})
		raw, err := yaml.Marshal(connection.Render(connection.OwnerOf(obj, gvk), target, o.Details))
		require.NoError(t, err)
		return raw
	}
}

// ofService is a kind that is a service, with all that Aiven returns for one, and with the least that leads to a Secret.
func ofService[T controllers.Object](kind controllers.Kind[T], obj T, all fields) publishes {
	obj.SetName("my-service")
	route := "GET service/my-service"
	least := fields{}
	maps.Copy(least, all)
	for _, key := range []string{"service_uri", "connection_info"} {
		least[key] = nil
	}
	least["service_uri_params"], least["components"], least["users"] = fields{"host": "least.test"}, []any{}, []any{}
	return publishes{secretOf(kind, obj), map[string]fields{
		"all":   {route: fields{"service": service(all)}},
		"least": {route: fields{"service": service(least)}},
	}}
}

func service(changes fields) fields {
	all := aiventest.ServiceFields(fields{"service_name": "my-service", "databases": nil, "connection_pools": nil})
	maps.Copy(all, changes)
	return all
}

func endpoint(component, host string, port int, more fields) any {
	all := fields{"component": component, "host": host, "port": port, "route": "dynamic", "usage": "primary"}
	maps.Copy(all, more)
	return all
}

func params(host, port string, more fields) fields {
	all := fields{"host": host, "port": port, "user": "avnadmin", "password": "pass-word"}
	maps.Copy(all, more)
	return all
}

var kafkaService = fields{
	"service_type": "kafka", "service_uri": "kafka.test:9092", "service_uri_params": fields{"host": "kafka.test", "port": "9092"},
	"connection_info": fields{
		"kafka_access_cert": "cert", "kafka_access_key": "key", "kafka_rest_uri": "https://avnadmin:pass-word@rest.test:9096",
		"schema_registry_uri": "https://avnadmin:pass-word@registry.test:9094",
	},
	"components": []any{
		endpoint("kafka", "kafka.test", 9092, fields{"kafka_authentication_method": "certificate"}),
		endpoint("kafka", "private.test", 9193, fields{"kafka_authentication_method": "sasl", "route": "privatelink"}),
		endpoint("kafka", "kafka.test", 9093, fields{"kafka_authentication_method": "sasl"}),
		endpoint("schema_registry", "registry.test", 9094, nil),
		endpoint("kafka_connect", "connect.test", 9095, nil),
		endpoint("kafka_rest", "rest.test", 9096, nil),
	},
}

var appUser = fields{
	"username": "app", "type": "normal", "password": "app-password", "access_cert": "cert", "access_key": "key",
}

// publishing are the kinds that publish, by name.
func publishing() map[string]publishes {
	user := &v1alpha1.ServiceUser{}
	user.Name, user.Spec.Project, user.Spec.ServiceName = "app", aiventest.Project, "my-service"
	pool := &v1alpha1.ConnectionPool{}
	pool.Name, pool.Spec.Project, pool.Spec.ServiceName, pool.Spec.DatabaseName = "my-pool", aiventest.Project, "my-service", "orders"
	clickhouseUser := &v1alpha1.ClickhouseUser{}
	clickhouseUser.Name, clickhouseUser.Spec.Project, clickhouseUser.Spec.ServiceName = "avnadmin", aiventest.Project, "my-service"
	project, organizationProject := &v1alpha1.Project{}, &v1alpha1.OrganizationProject{}
	project.Name, organizationProject.Name = aiventest.Project, "my-project"
	organizationProject.Spec.ProjectID, organizationProject.Spec.OrganizationID = aiventest.Project, "org1"
	of := func(fields fields) fields { return withUsers(fields, appUser) }
	return map[string]publishes{
		"Clickhouse": ofService(clickhouse.Service, in(&v1alpha1.Clickhouse{}), fields{
			"service_type": "clickhouse", "service_uri": "clickhouse://avnadmin:pass-word@ch.test:1234/default?secure=true",
			"service_uri_params": params("ch.test", "1234", fields{"dbname": "default"}),
		}),
		"Flink": ofService(flink.Service, in(&v1alpha1.Flink{}), fields{
			"service_type": "flink", "service_uri": "https://avnadmin:pass-word@f.test:443",
			"service_uri_params": params("f.test", "443", nil),
			"connection_info":    fields{"flink": []any{"f.test:443", "f-2.test:443"}},
		}),
		"Grafana": ofService(grafana.Service, in(&v1alpha1.Grafana{}), fields{
			"service_type": "grafana", "service_uri": "https://g.test:443", "service_uri_params": params("g.test", "443", nil),
			"connection_info": fields{"grafana": []any{"https://g.test:443", "https://g-2.test:443"}},
		}),
		"Kafka": ofService(kafka.Service, in(&v1alpha1.Kafka{}), kafkaService),
		"MySQL": ofService(mysql.Service, in(&v1alpha1.MySQL{}), fields{
			"service_type": "mysql", "service_uri": "mysql://avnadmin:pass-word@mysql.test:1234/defaultdb?ssl-mode=REQUIRED",
			"service_uri_params": params("mysql.test", "1234", fields{"dbname": "defaultdb", "ssl-mode": "REQUIRED"}),
			"connection_info":    fields{"mysql_replica_uri": "mysql://avnadmin:pass-word@replica.test:1235/defaultdb"},
		}),
		"OpenSearch": ofService(opensearch.Service, in(&v1alpha1.OpenSearch{}), fields{
			"service_type": "opensearch", "service_uri": "https://avnadmin:pass-word@os.test:1234",
			"service_uri_params": params("os.test", "1234", nil),
		}),
		"PostgreSQL": ofService(postgres.Service, in(&v1alpha1.PostgreSQL{}), nil),
		"Valkey": ofService(valkey.Service, in(&v1alpha1.Valkey{}), fields{
			"service_type": "valkey", "service_uri": "rediss://avnadmin:pass-word@valkey.test:1234",
			"service_uri_params": params("valkey.test", "1234", fields{"ssl": "required"}),
		}),
		"ServiceUser": {secretOf(shared.User, user), map[string]fields{
			"all":   {"GET service/my-service": of(kafkaService)},
			"least": {"GET service/my-service": withUsers(nil, fields{"username": "app", "type": "normal", "password": "app-password"})},
			"kafka": {"GET service/my-service": of(fields{"service_type": "kafka", "components": kafkaService["components"].([]any)[:1]})},
		}},
		"ConnectionPool": {secretOf(postgres.Pool, pool), map[string]fields{
			"all":   {"GET service/my-service": poolAt("postgres://app:app-password@pool.test:6432/my-pool?sslmode=verify-full", "app")},
			"least": {"GET service/my-service": poolAt("postgres://pool.test/my-pool", nil)},
		}},
		"ClickhouseUser": {secretOf(clickhouse.User, clickhouseUser), map[string]fields{
			"all":   clickhouseUserAt(params("ch.test", "1234", nil)),
			"least": clickhouseUserAt(fields{"host": "ch.test", "password": "pass-word"}),
		}},
		"Project": {secretOf(account.Project, project), map[string]fields{"all": {
			"GET /v1/project": fields{"projects": []any{fields{
				"project_name": aiventest.Project, "account_id": "a1", "default_cloud": "google-europe-west1",
			}}},
		}}},
		"OrganizationProject": {secretOf(account.OrganizationProject, organizationProject), map[string]fields{"all": {
			"GET /v1/organization/org1": fields{"organization_id": "org1", "account_id": "a1"},
			"GET /v1/organization/org1/projects": fields{"projects": []any{fields{
				"project_id": aiventest.Project, "parent_id": "a1", "account_id": "a1", "tags": fields{}, "tech_emails": []any{},
			}}, "total_project_count": 1},
		}}},
	}
}

// in is a service in the project of the tests.
func in[T interface {
	GetBaseServiceFields() *v1alpha1.BaseServiceFields
}](obj T) T {
	spec := obj.GetBaseServiceFields()
	spec.Project, spec.Plan, spec.CloudName = aiventest.Project, "startup-4", "google-europe-west1"
	return obj
}

func withUsers(changes fields, users ...any) fields {
	all := service(changes)
	all["users"] = append(append([]any{}, all["users"].([]any)...), users...)
	return fields{"service": all}
}

func poolAt(uri string, user any) fields {
	all := withUsers(fields{"databases": []any{"orders"}, "connection_pools": []any{fields{
		"pool_name": "my-pool", "database": "orders", "pool_mode": "transaction", "pool_size": 20, "username": user, "connection_uri": uri,
	}}}, appUser)
	return all
}

func clickhouseUserAt(uriParams fields) fields {
	return fields{
		"GET service/my-service": fields{"service": service(fields{"service_type": "clickhouse", "service_uri_params": uriParams})},
		"GET service/my-service/clickhouse/user": fields{"users": []any{fields{
			"name": "avnadmin", "uuid": "id-of-avnadmin", "required": true, "roles": []any{}, "privileges": []any{},
		}}},
	}
}

// What applications mount mustn't change by a byte: neither by a change of how it is made, nor from release to release.
func TestConnectionSecretsAreByteForByteTheSame(t *testing.T) {
	for kind, published := range publishing() {
		for name, answers := range published.answers {
			t.Run(kind+"/"+name, func(t *testing.T) {
				got := published.render(t, answers)
				file := filepath.Join("testdata", "secrets", strings.ToLower(kind)+"-"+name+".yaml")
				if *update {
					require.NoError(t, os.WriteFile(file, got, 0o644))
				}
				want, err := os.ReadFile(file)
				require.NoError(t, err)
				assert.Equal(t, string(want), string(got))
			})
		}
	}
}

func TestTheSecretOfEveryPublishingKindIsPinned(t *testing.T) {
	scheme := runtime.NewScheme()
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	pinned := publishing()
	for _, kind := range All() {
		if !connection.Publishes(kind.GetObject()) {
			continue
		}
		gvk, err := apiutil.GVKForObject(kind.GetObject(), scheme)
		require.NoError(t, err)
		assert.Contains(t, pinned, gvk.Kind, "%s publishes a Secret: add what Aiven answers to publishing, and run this package's tests with -update", gvk.Kind)
		delete(pinned, gvk.Kind)
	}
	assert.Empty(t, slices.Collect(maps.Keys(pinned)), "these kinds publish no Secret")
}
