package connector

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	avnconnect "github.com/aiven/go-client-codegen/handler/kafkaconnect"
	avnservice "github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/plan"
	"github.com/aero-operator/aero/controllers/internal/secrettemplate"
	"github.com/aero-operator/aero/controllers/internal/status"
)

type config = map[string]string

func sink(keys config) *v1alpha1.KafkaConnector {
	return &v1alpha1.KafkaConnector{
		ObjectMeta: metav1.ObjectMeta{Name: "sink"},
		Spec:       v1alpha1.KafkaConnectorSpec{ConnectorClass: "x.Sink", UserConfig: keys},
	}
}

func TestAConfigHasTheValuesOfSecretsByTheirPosition(t *testing.T) {
	obj := sink(config{"b": `{{ fromSecret "db" "user" }}:{{ fromSecret "db" "password" }}`, "a": `{{ fromSecret "db" "password" }}`})
	secrets, keys := SecretsOf(obj)
	assert.Equal(t, []secrettemplate.Reference{{Secret: "db", Key: "password"}, {Secret: "db", Key: "user"}}, secrets)
	assert.Equal(t, []string{"a", "b"}, keys)
	sent, err := Config(obj, func(at int) (string, bool) { return []string{"tr0ub4dor", "joe"}[at], true })
	require.NoError(t, err)
	assert.Equal(t, config{"name": "sink", "connector.class": "x.Sink", "a": "tr0ub4dor", "b": "joe:tr0ub4dor"}, sent)
	_, err = Config(obj, func(int) (string, bool) { return "", false })
	assert.Equal(t, fault.Invalid, fault.Of(err).Class)
	assert.Equal(t, []string{"key"}, Credentials(sink(config{"ssl.password": "key", "topics": "orders"})))
}

func TestAllTemplatesOfAConfigShareABudgetWhereverTheyAreExecuted(t *testing.T) {
	const template = `{{ fromSecret "db" "%d" }}{{ $x := "12345678901234567890123456789012" }}%s`
	keys := config{}
	for i := range 300 {
		keys[fmt.Sprintf("k%03d", i)] = fmt.Sprintf(template, i, strings.Repeat(`{{ $x = print $x $x }}`, 13))
	}
	obj := sink(keys)
	all, _ := SecretsOf(obj)
	assert.Len(t, all, 4, "those whose templates the budget is enough for")
	_, err := Config(obj, func(int) (string, bool) { return "joe", true })
	assert.Equal(t, fault.Invalid, fault.Of(err).Class)
	message := fault.Of(err).Message
	assert.True(t, strings.HasPrefix(message, "spec.userConfig.k004: takes more than the templates of a config may together: line 1:"), message)
	assert.True(t, strings.HasSuffix(message, "more than 2097152 bytes. Call fewer functions in them, with shorter texts"), message)
	assert.Len(t, FormerSecrets(obj, config{}, &Remote{Config: keys}), 4)
}

func TestAConfigWithMoreKeysThanAreAllowedIsRefusedBeforeAnyIsExecuted(t *testing.T) {
	keys := config{}
	for i := range MostKeys {
		keys[fmt.Sprintf("k%d.password", i)] = fmt.Sprintf(`{{ fromSecret "db" "%d" }}`, i%10)
	}
	obj, secret := sink(keys), func(int) (string, bool) { return "joe", true }
	_, err := Config(obj, secret)
	require.NoError(t, err)
	keys["one-more"] = "x"
	_, err = Config(obj, secret)
	assert.Equal(t, fault.InvalidSpec("spec.userConfig", "has 1001 keys. Remove some: a connector may have 1000"), err)
	all, _ := SecretsOf(obj)
	assert.Empty(t, all)
	assert.Len(t, Credentials(obj), MostKeys, "its values are hidden nevertheless")
}

func TestWhatDiffersIsNamedWithoutValuesOfSecrets(t *testing.T) {
	obj := sink(config{"topics": "orders", "password": `{{ fromSecret "db" "password" }}`})
	wanted := config{"name": "sink", "connector.class": "x.Sink", "topics": "orders", "password": "new"}
	has := func(key, value string) config {
		found := maps.Clone(wanted)
		found[key] = value
		return found
	}
	for name, tc := range map[string]struct {
		found     Remote
		diff      plan.Diff
		writeOnly []string
		former    []string
	}{
		"nothing": {Remote{Config: wanted}, nil, nil, nil},
		"a class": {
			Remote{Partial: true, Config: config{"connector.class": "x.Y"}},
			plan.Diff{{Path: "spec.connectorClass", Wanted: "x.Sink", Found: "x.Y"}},
			[]string{"spec.userConfig.password", "spec.userConfig.topics"}, []string{""},
		},
		"a Secret": {
			Remote{Config: has("password", "old")},
			plan.Diff{{Path: "spec.userConfig.password", Wanted: "(secret)", Found: "(secret)"}}, nil, []string{"old"},
		},
		"a hidden value": {
			Remote{Config: has("password", "[HIDDEN]")}, nil, []string{"spec.userConfig.password"}, []string{"[HIDDEN]"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.diff.Entries(), Diff(obj, wanted, &tc.found).Entries())
			assert.Equal(t, tc.writeOnly, WriteOnly(obj, &tc.found))
			assert.Equal(t, tc.former, FormerSecrets(obj, wanted, &tc.found))
		})
	}
}

func TestKafkaConnectIsThereOnlyWithAKafka(t *testing.T) {
	connect := func(dest string, active bool) aiven.Integration {
		return aiven.Integration{IntegrationType: avnservice.IntegrationTypeKafkaConnect, DestProject: "p", DestService: ptr.To(dest), Active: active}
	}
	bound := func(all ...aiven.Integration) aiven.Service {
		return aiven.Service{Type: "kafka_connect", Integrations: append([]aiven.Integration{}, all...)}
	}
	for name, tc := range map[string]struct {
		service    aiven.Service
		waits, off bool
	}{
		"a Kafka with it":                     {aiven.Service{Type: "kafka", UserConfig: map[string]any{"kafka_connect": true}}, false, false},
		"a Kafka without it":                  {aiven.Service{Type: "kafka", UserConfig: map[string]any{}}, true, false},
		"a Kafka whose options aren't known":  {aiven.Service{Type: "kafka"}, false, false},
		"integrations that aren't known":      {aiven.Service{Type: "kafka_connect"}, false, false},
		"no integration":                      {bound(), true, true},
		"an integration of another service":   {bound(connect("other", true)), true, true},
		"an integration that isn't active":    {bound(connect("s", false)), true, false},
		"an active integration, among others": {bound(connect("other", true), connect("s", true)), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			tc.service.Project, tc.service.Name = "p", "s"
			waits, off := Pending(&tc.service)
			assert.Equal(t, tc.waits, waits != "", waits)
			assert.Equal(t, tc.off, off)
		})
	}
}

func TestTheConnectorOfAnObjectIsInTheListOrCouldNotBeLoaded(t *testing.T) {
	all := &avnconnect.ServiceKafkaConnectListOut{
		Connectors: []avnconnect.ConnectorOut{
			{Name: "other"}, {Name: "sink", Config: config{"name": "sink"}, Plugin: avnconnect.PluginOut{Version: "1.2"}},
		},
		FailedConnectors: []avnconnect.FailedConnectorOut{{Name: "broken", Error: "no plugin"}},
	}
	assert.Equal(t, &Remote{Config: config{"name": "sink"}, Plugin: &v1alpha1.KafkaConnectorPluginStatus{Version: "1.2"}}, Choose(sink(nil), all))
	broken := sink(nil)
	broken.Name = "broken"
	found := Choose(broken, all)
	assert.Equal(t, &Remote{Config: config{"name": "broken", "connector.class": ""}, Partial: true, State: "FAILED", Error: "no plugin"}, found)
	assert.Contains(t, State(found).Failure, "can't load the connector: no plugin")
	broken.Name = "none"
	assert.Nil(t, Choose(broken, all))
	assert.Len(t, ByName(all), 3)
	assert.Nil(t, ByName(&avnconnect.ServiceKafkaConnectListOut{}), "no list isn't an empty one")
}

func TestTasksThatFailAreMembersWithTheirErrorAndNoSecret(t *testing.T) {
	obj := sink(nil)
	found := &Remote{State: "RUNNING", Tasks: Tasks{
		{Id: 0, State: "RUNNING"}, {Id: 1, State: "FAILED", Trace: "access denied for tr0ub4dor\n\tat x"},
	}}
	secrets := &fault.Secrets{}
	secrets.Add("tr0ub4dor")
	Record(obj, found, secrets)
	assert.Equal(t, "Failed tasks: 1\naccess denied for ***\n\tat x", obj.Status.TasksStatus.StackTrace)
	assert.Equal(t, &status.Members{Total: 2, Failed: 1, Message: "access denied for ***", Reason: "AuthFailed"}, State(found).Members)
	Record(obj, nil, secrets)
	assert.Equal(t, v1alpha1.KafkaConnectorStatus{}, obj.Status)
}
