package kafka

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	kafkauserconfig "github.com/aero-operator/aero/api/v1alpha1/userconfig/service/kafka"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
)

const (
	lookup = "GET service/my-kafka"
	ca     = "GET kms/ca"
)

// running is the answer to a read of a Kafka service of three nodes, with some fields changed.
func running(changes aiventest.Object) aiventest.Answer {
	fields := aiventest.Object{
		"service_name": "my-kafka", "service_type": "kafka", "plan": "business-4",
		"user_config": aiventest.Object{"schema_registry": true},
		"service_uri": "kafka.test:9092", "service_uri_params": aiventest.Object{"host": "kafka.test", "port": "9092"},
		"connection_info": aiventest.Object{
			"kafka_access_cert": "cert", "kafka_access_key": "key", "kafka_rest_uri": "https://rest.test",
			"schema_registry_uri": "https://registry.test",
		},
		"components":  []any{component("kafka", "kafka.test", 9092, "certificate", "dynamic")},
		"node_states": nodes("running", "running", "running"),
		"acl":         []any{administrators},
	}
	maps.Copy(fields, changes)
	return aiventest.Service(fields)
}

func nodes(states ...string) []any {
	var all []any
	for _, state := range states {
		all = append(all, aiventest.Object{"name": "node", "state": state})
	}
	return all
}

func component(name, host string, port int, method, route string) any {
	return aiventest.Object{
		"component": name, "host": host, "port": port, "route": route, "usage": "primary", "kafka_authentication_method": method,
	}
}

func kafka() *v1alpha1.Kafka {
	obj := &v1alpha1.Kafka{ObjectMeta: metav1.ObjectMeta{Namespace: aiventest.Namespace, Name: "my-kafka"}}
	obj.Spec.Project, obj.Spec.Plan, obj.Spec.CloudName = aiventest.Project, "business-4", "google-europe-west1"
	obj.Spec.UserConfig = &kafkauserconfig.KafkaUserConfig{SchemaRegistry: ptr.To(true)}
	return obj
}

func TestServiceDetails(t *testing.T) {
	own := map[string]string{
		"HOST": "kafka.test", "PORT": "9092", "USERNAME": "avnadmin", "PASSWORD": "pass-word", "ACCESS_CERT": "cert",
		"ACCESS_KEY": "key", "CA_CERT": "the CA",
	}
	with := func(more map[string]string) map[string]string {
		all := maps.Clone(own)
		maps.Copy(all, map[string]string{"REST_URI": "https://rest.test", "SCHEMA_REGISTRY_URI": "https://registry.test"})
		maps.Copy(all, more)
		return all
	}
	for name, tc := range map[string]struct {
		changes          aiventest.Object
		prefixed, legacy map[string]string
		calls            []string
	}{
		"with certificates only": {prefixed: with(nil), legacy: own},
		"with everything": {
			changes: aiventest.Object{"components": []any{
				component("kafka", "kafka.test", 9092, "certificate", "dynamic"),
				component("kafka", "private.test", 9193, "sasl", "privatelink"),
				component("kafka", "kafka.test", 9093, "sasl", "dynamic"),
				component("schema_registry", "registry.test", 9094, "", "dynamic"),
				component("kafka_connect", "connect.test", 9095, "", "dynamic"),
				component("kafka_rest", "rest.test", 9096, "", "dynamic"),
			}},
			prefixed: with(map[string]string{
				"SASL_HOST": "kafka.test", "SASL_PORT": "9093", "SCHEMA_REGISTRY_HOST": "registry.test",
				"SCHEMA_REGISTRY_PORT": "9094", "CONNECT_HOST": "connect.test", "CONNECT_PORT": "9095", "REST_HOST": "rest.test",
				"REST_PORT": "9096",
			}),
			legacy: own,
		},
		"with its own user behind others": {
			changes: aiventest.Object{"users": []any{
				aiventest.Object{"username": "app", "type": "normal", "password": "app-password"},
				aiventest.Object{"username": "avnadmin", "type": "primary", "password": "pass-word"},
			}},
			prefixed: with(nil), legacy: own,
		},
		"with what little Aiven returns": {
			changes: aiventest.Object{
				"connection_info": nil, "components": []any{}, "users": []any{}, "service_uri_params": aiventest.Object{"host": "kafka.test"},
			},
			prefixed: map[string]string{"HOST": "kafka.test", "CA_CERT": "the CA"},
			legacy:   map[string]string{"HOST": "kafka.test", "CA_CERT": "the CA"},
		},
		"not without an address": {
			changes: aiventest.Object{"service_uri_params": aiventest.Object{"port": "9092"}}, calls: []string{lookup},
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, running(tc.changes))
			o, err := Service.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), kafka())
			require.NoError(t, err)
			assert.Empty(t, o.Diff)
			if tc.calls == nil {
				tc.calls = []string{lookup, ca}
			}
			assert.Equal(t, tc.calls, a.Calls(), "what is in sync is only read")
			assert.Equal(t, tc.prefixed, o.Details.Prefixed())
			assert.Equal(t, tc.legacy, o.Details.Legacy())
		})
	}
}

func TestServiceReferences(t *testing.T) {
	require.Len(t, Service.References, 1)
	assert.Equal(t, "ProjectVPC", Service.References[0].Name)
}

func TestServiceProtection(t *testing.T) {
	obj := kafka()
	assert.False(t, Service.Protected(obj))
	obj.Spec.TerminationProtection = ptr.To(true)
	assert.True(t, Service.Protected(obj))
}
