package clickhouse

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	clickhouseuserconfig "github.com/aero-operator/aero/api/v1alpha1/userconfig/service/clickhouse"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
)

const serviceLookup = "GET service/my-clickhouse"

// runningService is the answer to a read of a ClickHouse service, with some fields changed.
func runningService(changes aiventest.Object) aiventest.Answer {
	fields := aiventest.Object{
		"service_name": "my-clickhouse", "service_type": "clickhouse", "plan": "startup-16",
		"user_config": aiventest.Object{"clickhouse_version": "25.8"},
		"service_uri": "clickhouse://avnadmin:pass-word@ch.test:1234/default?secure=true",
		"service_uri_params": aiventest.Object{
			"host": "ch.test", "port": "1234", "user": "avnadmin", "password": "pass-word", "dbname": "default",
		},
		"components": []any{
			aiventest.Object{"component": "clickhouse_https", "host": "https.test", "port": 1, "route": "dynamic", "usage": "primary"},
			aiventest.Object{"component": "clickhouse", "host": "component.test", "port": 2, "route": "dynamic", "usage": "primary"},
		},
		"connection_info": nil,
	}
	maps.Copy(fields, changes)
	return aiventest.Service(fields)
}

func clickHouse(options *clickhouseuserconfig.ClickhouseUserConfig) *v1alpha1.Clickhouse {
	obj := &v1alpha1.Clickhouse{ObjectMeta: metav1.ObjectMeta{Namespace: aiventest.Namespace, Name: "my-clickhouse"}}
	obj.Spec.Project, obj.Spec.Plan, obj.Spec.CloudName = aiventest.Project, "startup-16", "google-europe-west1"
	obj.Spec.UserConfig = options
	return obj
}

func observeService(t *testing.T, a *aiventest.Aiven, obj *v1alpha1.Clickhouse) controllers.Observation {
	o, err := Service.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), obj)
	require.NoError(t, err)
	return o
}

func TestServiceDetails(t *testing.T) {
	for name, tc := range map[string]struct {
		changes          aiventest.Object
		prefixed, legacy map[string]string
	}{
		"of the native protocol, whatever the components": {
			prefixed: map[string]string{"HOST": "ch.test", "PORT": "1234", "USER": "avnadmin", "PASSWORD": "pass-word"},
			legacy:   map[string]string{"HOST": "ch.test", "PORT": "1234", "USER": "avnadmin", "PASSWORD": "pass-word"},
		},
		"with what little Aiven returns": {
			changes:  aiventest.Object{"service_uri": nil, "service_uri_params": aiventest.Object{"host": "ch.test", "password": nil}},
			prefixed: map[string]string{"HOST": "ch.test"}, legacy: map[string]string{"HOST": "ch.test"},
		},
		"not without an address": {changes: aiventest.Object{"service_uri_params": aiventest.Object{"host": "", "port": "1234"}}},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(serviceLookup, runningService(tc.changes))
			o := observeService(t, a, clickHouse(nil))
			assert.Empty(t, o.Diff)
			assert.Equal(t, tc.prefixed, o.Details.Prefixed())
			assert.Equal(t, tc.legacy, o.Details.Legacy())
			assert.Equal(t, []string{serviceLookup}, a.Calls(), "what is in sync is only read")
		})
	}
}

func TestAForkedServiceIsInSync(t *testing.T) {
	a := aiventest.New(t)
	a.On(serviceLookup, runningService(aiventest.Object{"user_config": aiventest.Object{"service_to_fork_from": "main", "service_log": true}}))
	o := observeService(t, a, clickHouse(&clickhouseuserconfig.ClickhouseUserConfig{ServiceToForkFrom: ptr.To("main"), ServiceLog: ptr.To(true)}))
	assert.Empty(t, o.Diff)
	assert.Empty(t, o.WriteOnly)
	assert.Empty(t, o.Remote.Message)
}

func TestServiceProtectionAndReferences(t *testing.T) {
	obj := clickHouse(nil)
	assert.False(t, Service.Protected(obj))
	obj.Spec.TerminationProtection = ptr.To(true)
	assert.True(t, Service.Protected(obj))
	sent := map[string]bool{}
	for _, declaration := range Service.References {
		sent[declaration.Name] = declaration.WriteOnly
	}
	assert.Equal(t, map[string]bool{"ProjectVPC": false}, sent)
}
