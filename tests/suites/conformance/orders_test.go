package conformance_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/sampling"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// pair is an object and what it needs. Both are examples, which prepare makes fit for each other.
type pair struct {
	needed, needs string
	kinds         []string
	prepare       func(e *testenv.Env, needed, needs testenv.Object)
	// guarded is set where the needed object stays until the other one is gone, and its message names what holds it.
	guarded func(needs testenv.Object) string
}

// pairs are one of each way in which objects need each other, as the orders differ by that and not by what is needed: a reference that
// holds back the deletion of its target (an endpoint, a schema), a reference that Aiven itself holds (a network), an entry of the
// service that is waited for (a user and a database of a pool), an item of a list that is (a user and a database of a grant), the
// service itself, and a part of it that may be off. Everything of one service, in one command, is in wholeset_test.go.
var pairs = map[string]pair{
	"an endpoint and an integration": {
		needed: "serviceintegrationendpoint", needs: "serviceintegration", kinds: []string{"ServiceIntegration", "ServiceIntegrationEndpoint"},
		prepare: func(e *testenv.Env, needed, needs testenv.Object) {
			e.Aiven.Service(e.Project, serviceName)
			endpoint, spec := needed.(*v1alpha1.ServiceIntegrationEndpoint), &needs.(*v1alpha1.ServiceIntegration).Spec
			endpoint.Spec.EndpointType, endpoint.Spec.ExternalPostgresql = "jolokia", nil
			spec.IntegrationType, spec.KafkaLogs, spec.DestinationServiceName = "jolokia", nil, ""
			spec.DestinationEndpointRef = &v1alpha1.EndpointReference{Name: endpoint.Name}
		},
		guarded: func(needs testenv.Object) string {
			return "ServiceIntegration " + needs.GetNamespace() + "/" + needs.GetName()
		},
	},
	"a schema and one that refers to it": {
		needed: "kafkaschema", needs: "kafkaschema", kinds: []string{"KafkaSchema"},
		prepare: func(e *testenv.Env, needed, needs testenv.Object) {
			makeService(e, inKafka)
			enableRegistry(e)
			message(e, "base", 1).DeepCopyInto(needed.(*v1alpha1.KafkaSchema))
			message(e, "derived", 1, "base").DeepCopyInto(needs.(*v1alpha1.KafkaSchema))
		},
		guarded: func(needs testenv.Object) string {
			return "KafkaSchema " + needs.GetNamespace() + "/" + needs.GetName()
		},
	},
	"a network and a service in it": {
		needed: "projectvpc", needs: "valkey", kinds: []string{"ProjectVPC", "Valkey"},
		prepare: func(_ *testenv.Env, needed, needs testenv.Object) {
			needs.(*v1alpha1.Valkey).Spec.ProjectVPCRef = &v1alpha1.ResourceReference{Name: needed.GetName()}
		},
		guarded: func(needs testenv.Object) string { return "The VPC has services in it: " + needs.GetName() },
	},
	"a user and a pool": {
		needed: "serviceuser", needs: "connectionpool", kinds: []string{"ServiceUser", "ConnectionPool"},
		prepare: func(e *testenv.Env, _, _ testenv.Object) { e.Aiven.Service(e.Project, serviceName); makeDatabase(e) },
	},
	"a database and a pool": {
		needed: "database", needs: "connectionpool", kinds: []string{"Database", "ConnectionPool"},
		prepare: func(e *testenv.Env, _, _ testenv.Object) { e.Aiven.Service(e.Project, serviceName); makeUser(e) },
	},
	"a user of ClickHouse and a grant": {
		needed: "clickhouseuser", needs: "clickhousegrant", kinds: []string{"ClickhouseUser", "ClickhouseGrant"},
		prepare: func(e *testenv.Env, _, needs testenv.Object) {
			makeService(e, inClickhouse)
			needs.(*v1alpha1.ClickhouseGrant).Spec.PrivilegeGrants[0].Database = "default"
		},
	},
	"a database of ClickHouse and a grant": {
		needed: "clickhousedatabase", needs: "clickhousegrant", kinds: []string{"ClickhouseDatabase", "ClickhouseGrant", "ClickhouseRole"},
		prepare: func(e *testenv.Env, _, needs testenv.Object) {
			makeService(e, inClickhouse)
			role := e.Example("clickhouserole")
			e.Create(role)
			e.Wait(role, testenv.Ready())
			needs.(*v1alpha1.ClickhouseGrant).Spec.PrivilegeGrants[0].Grantees = []v1alpha1.ClickhouseGrantee{{Role: role.GetName()}}
		},
	},
	"a service and what is in it": {
		needed: "kafka", needs: "kafkatopic", kinds: []string{"Kafka", "KafkaTopic"}, prepare: func(*testenv.Env, testenv.Object, testenv.Object) {},
	},
	"a service with connectors and a connector": {
		needed: "kafka", needs: "kafkaconnector", kinds: []string{"Kafka", "KafkaConnector"},
		prepare: func(_ *testenv.Env, needed, _ testenv.Object) {
			needed.(*v1alpha1.Kafka).Spec.UserConfig.KafkaConnect = new(true)
		},
	},
}

// In whatever order two objects are applied and deleted: each is made once, nothing is left, and what is needed stays as long.
func TestWhatNeedsAnotherObjectIsAppliedAndDeletedInEveryOrder(t *testing.T) {
	for says, p := range pairs {
		for order, swap := range map[string][2]bool{
			"in the order of need": {false, false}, "applied the wrong way round": {true, false},
			"deleted the wrong way round": {false, true}, "both the wrong way round": {true, true},
		} {
			t.Run(says+", "+order, func(t *testing.T) {
				t.Parallel()
				p.live(testenv.New(t, testenv.Options{Kinds: p.kinds}), swap[0], swap[1])
			})
		}
	}
}

func (p pair) live(e *testenv.Env, needsFirst, neededGoesFirst bool) {
	needed, needs := e.Example(p.needed), e.Example(p.needs)
	p.prepare(e, needed, needs)
	before, mark := len(e.Aiven.Resources()), e.Aiven.Mark()
	if needsFirst {
		e.Create(needs)
		e.Wait(needs, testenv.Condition("Ready", metav1.ConditionUnknown, "Progressing"))
		assert.Empty(e.T, e.Aiven.Writes(mark), "it waits for what it needs")
		e.Create(needed)
	} else {
		e.Create(needed)
		e.Create(needs)
	}
	e.Wait(needed, testenv.Ready())
	e.Wait(needs, testenv.Ready())
	assert.Len(e.T, e.Aiven.Writes(mark), 2, "each is made once")
	if neededGoesFirst {
		mark = e.Aiven.Mark()
		e.Delete(needed)
		if p.guarded != nil {
			e.Wait(needed, testenv.Condition("Ready", metav1.ConditionUnknown, "DeletionBlocked"), testenv.Saying("Ready", p.guarded(needs)))
			assert.Empty(e.T, e.Aiven.Writes(mark), "what is in use stays")
		}
		e.Delete(needs)
	} else {
		e.Delete(needs)
		e.Delete(needed)
	}
	e.WaitGone(needs)
	e.WaitGone(needed)
	e.Until(func() bool { return len(e.Aiven.Resources()) <= before }, func() string { return "something is left at Aiven" })
}

// shuffled are the objects in an order of the commit's.
func shuffled(all []testenv.Object, parts ...string) []testenv.Object {
	random := sampling.Random(parts...)
	out := make([]testenv.Object, 0, len(all))
	for _, i := range random.Perm(len(all)) {
		out = append(out, all[i])
	}
	return out
}
