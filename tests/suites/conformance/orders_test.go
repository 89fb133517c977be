package conformance_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/sampling"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// pair is an object and what it needs, which may be several: in the order in which these need each other, if they do. All are examples,
// which prepare makes fit for each other.
type pair struct {
	needed  []string
	needs   string
	kinds   []string
	prepare func(e *testenv.Env, needed []testenv.Object, needs testenv.Object)
	// guarded is set where what is needed stays until the other one is gone, and its message names what holds it.
	guarded func(needs testenv.Object) string
	// asksAiven is set where only Aiven's refusal shows what is missing.
	asksAiven bool
}

// pairs are one of each way in which objects need each other, as the orders differ by that and not by what is needed: a reference that
// holds back the deletion of its target (an endpoint, a schema), a reference that Aiven itself holds (a network), an entry of the
// service that is waited for (a user and a database of a pool), an item of a list that is (a user, a database and a role of a grant, and
// a role that is granted), the service itself, a part of it that may be off, the two services that an object connects (an integration,
// a step of an upgrade), the source of a service (a replica), and a chain (a service, its integration, and what that lets run).
// Everything of one service, in one command, is in wholeset_test.go.
var pairs = map[string]pair{
	"an endpoint and an integration": {
		needed: []string{"serviceintegrationendpoint"}, needs: "serviceintegration", kinds: []string{"ServiceIntegration", "ServiceIntegrationEndpoint"},
		prepare: func(e *testenv.Env, needed []testenv.Object, needs testenv.Object) {
			e.Aiven.Service(e.Project, serviceName)
			endpoint, spec := needed[0].(*v1alpha1.ServiceIntegrationEndpoint), &needs.(*v1alpha1.ServiceIntegration).Spec
			endpoint.Spec.EndpointType, endpoint.Spec.ExternalPostgresql = "jolokia", nil
			spec.IntegrationType, spec.KafkaLogs, spec.DestinationServiceName = "jolokia", nil, ""
			spec.DestinationEndpointRef = &v1alpha1.EndpointReference{Name: endpoint.Name}
		},
		guarded: func(needs testenv.Object) string {
			return "ServiceIntegration " + needs.GetNamespace() + "/" + needs.GetName()
		},
	},
	"a schema and one that refers to it": {
		needed: []string{"kafkaschema"}, needs: "kafkaschema", kinds: []string{"KafkaSchema"},
		prepare: func(e *testenv.Env, needed []testenv.Object, needs testenv.Object) {
			makeService(e, inKafka)
			enableRegistry(e)
			message(e, "base", 1).DeepCopyInto(needed[0].(*v1alpha1.KafkaSchema))
			message(e, "derived", 1, "base").DeepCopyInto(needs.(*v1alpha1.KafkaSchema))
		},
		guarded: func(needs testenv.Object) string {
			return "KafkaSchema " + needs.GetNamespace() + "/" + needs.GetName()
		},
	},
	"a network and a service in it": {
		needed: []string{"projectvpc"}, needs: "valkey", kinds: []string{"ProjectVPC", "Valkey"},
		prepare: func(_ *testenv.Env, needed []testenv.Object, needs testenv.Object) {
			needs.(*v1alpha1.Valkey).Spec.ProjectVPCRef = &v1alpha1.ResourceReference{Name: needed[0].GetName()}
		},
		guarded: func(needs testenv.Object) string { return "The VPC has services in it: " + needs.GetName() },
	},
	"a user and a pool": {
		needed: []string{"serviceuser"}, needs: "connectionpool", kinds: []string{"ServiceUser", "ConnectionPool"},
		prepare: func(e *testenv.Env, _ []testenv.Object, _ testenv.Object) {
			e.Aiven.Service(e.Project, serviceName)
			makeDatabase(e)
		},
	},
	"a database and a pool": {
		needed: []string{"database"}, needs: "connectionpool", kinds: []string{"Database", "ConnectionPool"},
		prepare: func(e *testenv.Env, _ []testenv.Object, _ testenv.Object) {
			e.Aiven.Service(e.Project, serviceName)
			makeUser(e)
		},
	},
	"a user of ClickHouse and a grant": {
		needed: []string{"clickhouseuser"}, needs: "clickhousegrant", kinds: []string{"ClickhouseUser", "ClickhouseGrant"},
		prepare: func(e *testenv.Env, _ []testenv.Object, needs testenv.Object) {
			makeService(e, inClickhouse)
			needs.(*v1alpha1.ClickhouseGrant).Spec.PrivilegeGrants[0].Database = "default"
		},
	},
	"a database of ClickHouse and a grant": {
		needed: []string{"clickhousedatabase"}, needs: "clickhousegrant", kinds: []string{"ClickhouseDatabase", "ClickhouseGrant", "ClickhouseRole"},
		prepare: func(e *testenv.Env, _ []testenv.Object, needs testenv.Object) {
			makeService(e, inClickhouse)
			role := e.Example("clickhouserole")
			e.Create(role)
			e.Wait(role, testenv.Ready())
			needs.(*v1alpha1.ClickhouseGrant).Spec.PrivilegeGrants[0].Grantees = []v1alpha1.ClickhouseGrantee{{Role: role.GetName()}}
		},
	},
	"a service and what is in it": {
		needed: []string{"kafka"}, needs: "kafkatopic", kinds: []string{"Kafka", "KafkaTopic"}, prepare: func(*testenv.Env, []testenv.Object, testenv.Object) {},
	},
	"a service with connectors and a connector": {
		needed: []string{"kafka"}, needs: "kafkaconnector", kinds: []string{"Kafka", "KafkaConnector"},
		prepare: func(_ *testenv.Env, needed []testenv.Object, _ testenv.Object) {
			needed[0].(*v1alpha1.Kafka).Spec.UserConfig.KafkaConnect = new(true)
		},
	},
	"a role and a grant to it": {
		needed: []string{"clickhouserole"}, needs: "clickhousegrant", kinds: []string{"ClickhouseRole", "ClickhouseGrant"},
		prepare: func(e *testenv.Env, needed []testenv.Object, needs testenv.Object) {
			makeService(e, inClickhouse)
			privilege := &needs.(*v1alpha1.ClickhouseGrant).Spec.PrivilegeGrants[0]
			privilege.Database, privilege.Grantees = "default", []v1alpha1.ClickhouseGrantee{{Role: needed[0].GetName()}}
		},
	},
	"a role and a grant of it": {
		needed: []string{"clickhouserole"}, needs: "clickhousegrant", kinds: []string{"ClickhouseRole", "ClickhouseGrant"},
		prepare: func(e *testenv.Env, needed []testenv.Object, needs testenv.Object) {
			makeService(e, inClickhouse)
			makeGrantee(e)
			spec := &needs.(*v1alpha1.ClickhouseGrant).Spec
			spec.RoleGrants = []v1alpha1.ClickhouseRoleGrant{
				{Roles: []string{needed[0].GetName()}, Grantees: []v1alpha1.ClickhouseGrantee{{User: clickhouseUser}}},
			}
			spec.PrivilegeGrants = nil
		},
	},
	"two services and an integration of them": {
		needed: []string{"postgresql", "kafka"}, needs: "serviceintegration", kinds: []string{"PostgreSQL", "Kafka", "ServiceIntegration"},
		prepare: func(*testenv.Env, []testenv.Object, testenv.Object) {},
	},
	"two services and a step of an upgrade": {
		needed: []string{"postgresql", "postgresql"}, needs: "upgradepipelinestep", kinds: []string{"PostgreSQL", "UpgradePipelineStep"},
		asksAiven: true,
		prepare: func(e *testenv.Env, needed []testenv.Object, needs testenv.Object) {
			second, step := renamed(needed[1], "second"), needs.(*v1alpha1.UpgradePipelineStep)
			step.Spec.DestinationProjectName, step.Spec.DestinationServiceName = e.Project, second.GetName()
		},
	},
	"a service and a replica of it": {
		needed: []string{"postgresql"}, needs: "postgresql", kinds: []string{"PostgreSQL"},
		prepare: func(e *testenv.Env, needed []testenv.Object, needs testenv.Object) {
			replicaOf(needed[0].GetName())(e, renamed(needs, "replica"))
		},
	},
	"a service that runs connectors of another one, its integration, and a connector": {
		needed: []string{"kafkaconnect", "serviceintegration"}, needs: "kafkaconnector",
		kinds: []string{"KafkaConnect", "ServiceIntegration", "KafkaConnector"},
		prepare: func(e *testenv.Env, needed []testenv.Object, needs testenv.Object) {
			makeService(e, inKafka)
			spec := &needed[1].(*v1alpha1.ServiceIntegration).Spec
			spec.IntegrationType, spec.KafkaLogs = "kafka_connect", nil
			spec.SourceServiceName, spec.DestinationServiceName = kafkaName, needed[0].GetName()
			needs.(*v1alpha1.KafkaConnector).Spec.ServiceName = needed[0].GetName()
		},
	},
}

// renamed gives a service of an example another name, so that it exists beside the one of the example.
func renamed(obj testenv.Object, name string) testenv.Object {
	obj.SetName(name)
	obj.(interface{ GetSecretFields() *v1alpha1.SecretFields }).GetSecretFields().ConnInfoSecretTarget.Name = name + "-connection"
	return obj
}

// In whatever order objects are applied and deleted: each is made once, nothing is left, and what is needed stays as long. Each order of
// deletion is tried with each of application, but for more than two objects: then the commit draws which one is tried with which.
func TestWhatNeedsAnotherObjectIsAppliedAndDeletedInEveryOrder(t *testing.T) {
	t.Parallel()
	for says, p := range pairs {
		orders := permutations(len(p.needed) + 1)
		offset := sampling.Choice(sampling.Commit, len(orders), says)
		for i, applied := range orders {
			for j, deleted := range orders {
				if len(p.needed) > 1 && j != (i+offset)%len(orders) && !*sampling.Whole {
					continue
				}
				t.Run(fmt.Sprintf("%s, applied %v, deleted %v", says, applied, deleted), func(t *testing.T) {
					t.Parallel()
					p.live(testenv.New(t, testenv.Options{Kinds: p.kinds}), applied, deleted)
				})
			}
		}
	}
}

// permutations are all orders of the numbers below n.
func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for _, shorter := range permutations(n - 1) {
		for at := range n {
			all = append(all, slices.Insert(slices.Clone(shorter), at, n-1))
		}
	}
	return all
}

// live applies and deletes the objects in some orders. The last of them is the one that needs the others.
func (p pair) live(e *testenv.Env, applied, deleted []int) {
	all := make([]testenv.Object, 0, len(applied))
	for _, example := range slices.Concat(p.needed, []string{p.needs}) {
		all = append(all, e.Example(example))
	}
	p.prepare(e, all[:len(p.needed)], all[len(p.needed)])
	before, mark := len(e.Aiven.Resources()), e.Aiven.Mark()
	for made, i := range applied {
		e.Create(all[i])
		if i == len(p.needed) && made < i {
			e.Wait(all[i], testenv.NotReady("Progressing", "ReferenceNotFound")) // which comes next, and may come at once
			assert.LessOrEqual(e.T, len(p.writes(e, mark)), made, "it waits for what it needs")
		}
	}
	for _, obj := range all {
		e.Wait(obj, testenv.Ready())
	}
	assert.Len(e.T, p.writes(e, mark), len(all), "each is made once")
	p.delete(e, all, deleted)
	for _, obj := range all {
		e.WaitGone(obj)
	}
	e.Until(func() bool { return len(e.Aiven.Resources()) <= before }, func() string { return "something is left at Aiven" })
}

// writes are those since a mark, but for refused ones of an object that can't do without them.
func (p pair) writes(e *testenv.Env, since testenv.Mark) []string {
	writes := []string{}
	for _, call := range e.Aiven.Calls(since) {
		if testenv.IsWrite(call) && (call.Status < http.StatusBadRequest || !p.asksAiven) {
			writes = append(writes, call.Operation)
		}
	}
	return writes
}

// delete deletes the objects in an order, and what is needed stays while it is guarded.
func (p pair) delete(e *testenv.Env, all []testenv.Object, order []int) {
	mark, needs, isUsed := e.Aiven.Mark(), all[len(p.needed)], true
	for _, i := range order {
		e.Delete(all[i])
		isUsed = isUsed && all[i] != needs
		if isUsed && p.guarded != nil {
			e.Wait(all[i], testenv.Condition("Ready", metav1.ConditionUnknown, "DeletionBlocked"), testenv.Saying("Ready", p.guarded(needs)))
			assert.Empty(e.T, e.Aiven.Writes(mark), "what is in use stays")
		}
	}
}

// shuffled are the objects in an order of the commit's, which the log of a test that fails shows.
func shuffled(t *testing.T, all []testenv.Object, what string) []testenv.Object {
	t.Helper()
	random := sampling.Random(t.Name(), what)
	out, names := make([]testenv.Object, 0, len(all)), make([]string, 0, len(all))
	for _, i := range random.Perm(len(all)) {
		out, names = append(out, all[i]), append(names, fmt.Sprintf("%T %s", all[i], all[i].GetName()))
	}
	t.Logf("with SAMPLE=%s, %s: %s", sampling.Commit, what, strings.Join(names, ", "))
	return out
}
