package conformance_test

import (
	"github.com/aiven/go-client-codegen/handler/kafkaschemaregistry"
	"github.com/aiven/go-client-codegen/handler/project"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

func makeProject(e *testenv.Env, name string) {
	_, err := e.Aiven.Console.ProjectCreate(e.T.Context(), &project.ProjectCreateIn{Project: name}) //nolint:staticcheck // as the kind
	require.NoError(e.T, err)
}

// notFound wants a reference that leads nowhere, or not to the key.
func notFound(condition, reason string, parts ...string) []testenv.Want {
	wants := []testenv.Want{testenv.Condition(condition, metav1.ConditionFalse, reason)}
	for _, part := range parts {
		wants = append(wants, testenv.Saying("Ready", part))
	}
	return wants
}

// replace deletes an object that another one refers to, and creates the replacement of that name. Between the two a
// reference leads nowhere, which is a failure of its own.
func replace(e *testenv.Env, by, refers testenv.Object) {
	e.T.Helper()
	former := by.DeepCopyObject().(testenv.Object)
	e.Delete(former)
	e.WaitGone(former)
	e.Wait(refers, testenv.Saying("Ready", by.GetName()+", named by spec."), testenv.Saying("Ready", "doesn't exist"))
	e.Create(by)
}

var brokenInputs = map[string]brokenInput{
	"the Secret of a template is missing": {
		kinds: []string{"KafkaConnector"},
		object: func(e *testenv.Env) testenv.Object {
			makeService(e, inKafka)
			enableConnect(e)
			return withToken(e)
		},
		shows: notFound("SecretSourceReady", "NotFound", "spec.userConfig", "orders-api"),
		mend:  func(e *testenv.Env) { setToken(e, "the-token-of-orders") },
	},
	"the Secret of a template lacks the key": {
		kinds: []string{"KafkaConnector"},
		object: func(e *testenv.Env) testenv.Object {
			makeService(e, inKafka)
			enableConnect(e)
			e.SetSecret("orders-api", map[string]string{"other": "a-value-under-another-key"})
			return withToken(e)
		},
		shows: notFound("SecretSourceReady", "KeyMissing", "spec.userConfig", `"token"`),
		mend:  func(e *testenv.Env) { setToken(e, "the-token-of-orders") },
	},
	"the password of a user of ClickHouse is missing": {
		kinds: []string{"ClickhouseUser"},
		object: func(e *testenv.Env) testenv.Object {
			makeService(e, inClickhouse)
			user := e.Example("clickhouseuser").(*v1alpha1.ClickhouseUser)
			user.Spec.ConnInfoSecretSource = &v1alpha1.ConnInfoSecretSource{Name: sourceSecret, PasswordKey: sourceKey}
			return user
		},
		shows: notFound("SecretSourceReady", "NotFound", "spec.connInfoSecretSource", sourceSecret),
		mend:  func(e *testenv.Env) { e.SetSecret(sourceSecret, map[string]string{sourceKey: declaredPassword}) },
	},
	"the password of a user is too short": {
		kinds: []string{"ServiceUser"},
		object: func(e *testenv.Env) testenv.Object {
			makeService(e, inPostgres)
			e.SetSecret(sourceSecret, map[string]string{sourceKey: "short"})
			user := e.Example("serviceuser").(*v1alpha1.ServiceUser)
			user.Spec.ConnInfoSecretSource = &v1alpha1.ConnInfoSecretSource{Name: sourceSecret, PasswordKey: sourceKey}
			return user
		},
		shows: isInvalid("spec.connInfoSecretSource", "Change it in the Secret"),
		mend:  func(e *testenv.Env) { e.SetSecret(sourceSecret, map[string]string{sourceKey: declaredPassword}) },
	},
	"a schema refers to one of another service": {
		kinds: []string{"KafkaSchema", "Kafka"},
		object: func(e *testenv.Env) testenv.Object {
			other := *inKafka
			other.name = "other-kafka"
			for _, p := range []*parent{inKafka, &other} {
				makeService(e, p)
				setRegistryOf(e, p.name, true)
			}
			far := message(e, "far", 1)
			far.Spec.ServiceName = other.name
			e.Create(far)
			e.Wait(far, testenv.Ready())
			return message(e, "near", 1, "far")
		},
		shows:       isInvalid("spec.references: KafkaSchema far is in service ", "Refer to one in the service of this object"),
		replacement: func(e *testenv.Env) testenv.Object { return message(e, "far", 1) },
		writes:      []string{postSchema},
	},
	"a schema that the level of its subject refuses": {
		kinds: []string{"KafkaSchema", "Kafka"},
		object: func(e *testenv.Env) testenv.Object {
			makeService(e, inKafka)
			enableRegistry(e)
			produce(e, subjectName, "AVRO", `{"type": "record", "namespace": "shop", "name": "Order", "fields": [{"name": "id", "type": "int"}]}`)
			schema := e.Example("kafkaschema")
			schema.SetAnnotations(map[string]string{adoptionPolicy: "AdoptOrCreate", deletionPolicy: "Delete"})
			return schema
		},
		shows:  isInvalid("Aiven rejected spec.schema: Incompatible schema", "spec.compatibilityLevel"),
		writes: []string{postSchema},
		mend: func(e *testenv.Env) {
			_, err := e.Aiven.Console.ServiceSchemaRegistrySubjectConfigPut(e.T.Context(), e.Project, kafkaName, subjectName,
				&kafkaschemaregistry.ServiceSchemaRegistrySubjectConfigPutIn{Compatibility: kafkaschemaregistry.CompatibilityTypeNone})
			require.NoError(e.T, err)
		},
	},
	"a role is granted to one that another object grants to it": {
		kinds: []string{"ClickhouseGrant"},
		object: func(e *testenv.Env) testenv.Object {
			makeService(e, inClickhouse)
			first, second := otherGrant(e), e.Example("clickhousegrant")
			roleGrants([2]string{"low", "middle"}, [2]string{"middle", "high"})(e, first)
			roleGrants([2]string{"high", "low"})(e, second)
			e.Create(first)
			e.Wait(first, testenv.Ready())
			return second
		},
		shows:  isInvalid("spec.roleGrants[0]: role high can't be granted to role low, which is granted to middle, which is granted to high. Remove one of"),
		writes: []string{anAnswer, anAnswer},
		mend: func(e *testenv.Env) {
			first := otherGrant(e)
			e.Delete(first)
			e.WaitGone(first)
		},
	},
	"an integration of an endpoint in another project": {
		kinds: []string{"ServiceIntegration", "ServiceIntegrationEndpoint"},
		object: func(e *testenv.Env) testenv.Object {
			makeService(e, inPostgres)
			makeProject(e, e.Project+"-2")
			endpoint := jolokia(e)
			endpoint.Spec.Project = e.Project + "-2"
			e.Create(endpoint)
			e.Wait(endpoint, testenv.Ready())
			integration := e.Example("serviceintegration").(*v1alpha1.ServiceIntegration)
			integration.Spec.IntegrationType, integration.Spec.KafkaLogs, integration.Spec.DestinationServiceName = "jolokia", nil, ""
			integration.Spec.DestinationEndpointRef = &v1alpha1.EndpointReference{Name: endpoint.Name}
			return integration
		},
		shows:       isInvalid("spec.destinationEndpointRef", "Recreate the object with an endpoint of its project"),
		writes:      []string{"ServiceIntegrationEndpointCreate"},
		replacement: func(e *testenv.Env) testenv.Object { return jolokia(e) },
	},
	"an integration with a service of another type": {
		kinds: []string{"ServiceIntegration"},
		object: func(e *testenv.Env) testenv.Object {
			makeService(e, inPostgres)
			makeService(e, &parent{name: kafkaName, serviceType: "valkey", plan: "startup-4"})
			return e.Example("serviceintegration")
		},
		shows:  isInvalid("Aiven rejected", "is of type valkey"),
		writes: []string{"ServiceIntegrationCreate"},
		mend: func(e *testenv.Env) {
			require.NoError(e.T, e.Aiven.Console.ServiceDelete(e.T.Context(), e.Project, kafkaName))
			makeService(e, inKafka)
		},
	},
	"a network of another project": {
		kinds: []string{"Valkey", "ProjectVPC"},
		object: func(e *testenv.Env) testenv.Object {
			makeProject(e, e.Project)
			makeProject(e, e.Project+"-2")
			network := e.Example("projectvpc").(*v1alpha1.ProjectVPC)
			network.Spec.Project = e.Project + "-2"
			e.Create(network)
			e.Wait(network, testenv.Ready())
			service := e.Example("valkey").(*v1alpha1.Valkey)
			service.Spec.ProjectVPCRef = &v1alpha1.ResourceReference{Name: network.Name}
			return service
		},
		shows:       isInvalid("spec.projectVPCRef", "isn't in project"),
		writes:      []string{"VpcCreate"},
		replacement: func(e *testenv.Env) testenv.Object { return e.Example("projectvpc") },
	},
	"a name of a Secret that another object has": {
		kinds: []string{"ServiceUser"},
		object: func(e *testenv.Env) testenv.Object {
			makeService(e, inPostgres)
			user := e.Example("serviceuser").(*v1alpha1.ServiceUser)
			user.Spec.ConnInfoSecretTarget = v1alpha1.ConnInfoSecretTarget{Name: "theirs"}
			e.SetSecret("theirs", map[string]string{"key": "a-value-of-theirs"})
			return user
		},
		shows:  []testenv.Want{testenv.Condition("Ready", metav1.ConditionFalse, "ConnInfoSecretConflict"), testenv.Saying("Ready", "theirs")},
		writes: []string{"ServiceUserCreate"},
		mend: func(e *testenv.Env) {
			e.Delete(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: e.Namespace, Name: "theirs"}})
		},
	},
}

// otherGrant is another object than that of the example.
func otherGrant(e *testenv.Env) testenv.Object {
	grant := e.Example("clickhousegrant")
	grant.SetName("first")
	return grant
}

// jolokia is an endpoint without options.
func jolokia(e *testenv.Env) *v1alpha1.ServiceIntegrationEndpoint {
	endpoint := e.Example("serviceintegrationendpoint").(*v1alpha1.ServiceIntegrationEndpoint)
	endpoint.Spec.EndpointType, endpoint.Spec.ExternalPostgresql = "jolokia", nil
	return endpoint
}
