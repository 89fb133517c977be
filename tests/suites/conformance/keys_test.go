package conformance_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	kafkaconfig "github.com/aero-operator/aero/api/v1alpha1/userconfig/service/kafka"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// keysPage has a row of keys for each kind with a Secret. The pages of the kinds repeat it.
const keysPage = "../../../docs/user/connection-secrets.md"

var (
	keysRow  = regexp.MustCompile("(?m)^\\| `(\\w+)` \\| `\\w+_` \\| (.*?) \\| (.*?) \\|$")
	keyNamed = regexp.MustCompile("`([A-Z_]+)`")
)

// keysOfKafka are those that the Secrets of a Kafka and of a user in it have without any option.
var keysOfKafka = []string{"HOST", "PORT", "USERNAME", "PASSWORD", "ACCESS_CERT", "ACCESS_KEY", "CA_CERT"}

// keysNamed are the keys in a cell. Options of a service are in lower case.
func keysNamed(cell string) (keys []string) {
	for _, found := range keyNamed.FindAllStringSubmatch(cell, -1) {
		keys = append(keys, found[1])
	}
	return keys
}

// K07: the page has the keys that the Secrets of a kind may have, and no others.
func TestThePageOfConnectionSecretsHasTheKeysOfEveryKind(t *testing.T) {
	page, err := os.ReadFile(keysPage)
	require.NoError(t, err)
	withPrefix, legacy := map[string][]string{}, map[string][]string{}
	for _, row := range keysRow.FindAllStringSubmatch(string(page), -1) {
		withPrefix[row[1]], legacy[row[1]] = keysNamed(row[2]), keysNamed(row[3])
	}
	for _, k := range allKinds {
		assert.ElementsMatch(t, slices.Concat(k.keys, k.optional), withPrefix[k.name], "keys of %s with the prefix", k.name)
		assert.ElementsMatch(t, k.legacy, legacy[k.name], "keys of %s without a prefix", k.name)
	}
}

// K07: as the page has it, a key of a Kafka is there with its option, and that of a user is empty without.
func TestAnOptionOfKafkaAddsItsKeys(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"Kafka", "ServiceUser"}})
	service, user := e.Example("kafka").(*v1alpha1.Kafka), e.Example("serviceuser").(*v1alpha1.ServiceUser)
	service.Spec.UserConfig, user.Spec.ServiceName = nil, kafkaName
	e.Create(service)
	e.Create(user)
	e.Wait(user, testenv.Ready())
	ofService := append(slices.Clone(keysOfKafka), "REST_URI", "SCHEMA_REGISTRY_URI")
	ofUser := slices.Clone(keysOfKafka)
	userSecret := e.Secret(user.Spec.ConnInfoSecretTarget.Name)
	for _, key := range []string{"SASL_HOST", "SASL_PORT", "SCHEMA_REGISTRY_HOST", "SCHEMA_REGISTRY_PORT"} {
		assert.Contains(t, userSecret.Data, "ORDERS_"+key, "it is there, and empty")
	}

	config := &kafkaconfig.KafkaUserConfig{}
	for _, step := range []struct {
		adds    string
		forUser bool
		enable  func()
	}{
		{"SASL", true, func() {
			config.KafkaAuthenticationMethods = &kafkaconfig.KafkaAuthenticationMethods{Sasl: new(true)}
		}},
		{"SCHEMA_REGISTRY", true, func() { config.SchemaRegistry = new(true) }},
		{"CONNECT", false, func() { config.KafkaConnect = new(true) }},
		{"REST", false, func() { config.KafkaRest = new(true) }},
	} {
		hasKeys(e, service.Spec.ConnInfoSecretTarget.Name, "KAFKA_", ofService)
		hasKeys(e, user.Spec.ConnInfoSecretTarget.Name, "ORDERS_", ofUser)
		step.enable()
		e.Change(service, func() { service.Spec.UserConfig = config.DeepCopy() })
		ofService = append(ofService, step.adds+"_HOST", step.adds+"_PORT")
		if step.forUser {
			ofUser = append(ofUser, step.adds+"_HOST", step.adds+"_PORT")
		}
	}
	hasKeys(e, service.Spec.ConnInfoSecretTarget.Name, "KAFKA_", ofService)
	hasKeys(e, user.Spec.ConnInfoSecretTarget.Name, "ORDERS_", ofUser)
}

// hasKeys waits until a Secret has values for these keys with the prefix, and for no others.
func hasKeys(e *testenv.Env, name, prefix string, want []string) {
	e.T.Helper()
	want = prefixed(prefix, slices.Sorted(slices.Values(want)))
	var filled []string
	e.Until(func() bool {
		filled = nil
		if secret := e.Secret(name); secret != nil {
			maps.DeleteFunc(secret.Data, func(key string, value []byte) bool { return len(value) == 0 || !strings.HasPrefix(key, prefix) })
			filled = slices.Sorted(maps.Keys(secret.Data))
		}
		return slices.Equal(want, filled)
	}, func() string { return fmt.Sprintf("the Secret %s has values for %v instead of %v", name, filled, want) })
}
