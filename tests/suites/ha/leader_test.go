package ha_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/install"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

const (
	// leaseDuration and retryPeriod are controller-runtime's defaults. client-go retries up to 2.2 periods later.
	leaseDuration = 15 * time.Second
	retryPeriod   = 2 * time.Second
	retryJitter   = 2.2
)

// crowd is how many objects of each kind there are: 200 or more. Kafka ACLs, integrations and VPCs have no names at Aiven, so
// nothing but the operator's care prevents a second one.
var crowd = []struct {
	example string
	count   int
	edit    func(obj testenv.Object, i int)
}{
	{"postgresql", 4, func(obj testenv.Object, i int) {
		obj.(*v1alpha1.PostgreSQL).Spec.ConnInfoSecretTarget.Name = numbered("postgresql", i)
	}},
	{"kafka", 2, func(obj testenv.Object, i int) {
		obj.(*v1alpha1.Kafka).Spec.ConnInfoSecretTarget.Name = numbered("kafka", i)
	}},
	{"project", 5, func(obj testenv.Object, i int) {
		obj.(*v1alpha1.Project).Spec.ConnInfoSecretTarget.Name = numbered("project", i)
	}},
	{"organizationproject", 5, func(obj testenv.Object, i int) {
		spec := &obj.(*v1alpha1.OrganizationProject).Spec
		spec.ProjectID, spec.ConnInfoSecretTarget.Name = numbered("organizationproject", i), numbered("organizationproject", i)
	}},
	{"projectvpc", 10, func(obj testenv.Object, i int) {
		spec := &obj.(*v1alpha1.ProjectVPC).Spec
		spec.NetworkCidr = fmt.Sprintf("10.%d.0.0/24", i)
	}},
	{"clickhouse", 1, func(obj testenv.Object, i int) {
		obj.(*v1alpha1.Clickhouse).Spec.ConnInfoSecretTarget.Name = numbered("clickhouse", i)
	}},
	{"mysql", 1, func(obj testenv.Object, i int) {
		obj.(*v1alpha1.MySQL).Spec.ConnInfoSecretTarget.Name = numbered("mysql", i)
	}},
	{"valkey", 1, func(obj testenv.Object, i int) {
		obj.(*v1alpha1.Valkey).Spec.ConnInfoSecretTarget.Name = numbered("valkey", i)
	}},
	{"opensearch", 1, func(obj testenv.Object, i int) {
		obj.(*v1alpha1.OpenSearch).Spec.ConnInfoSecretTarget.Name = numbered("opensearch", i)
	}},
	{"grafana", 1, func(obj testenv.Object, i int) {
		obj.(*v1alpha1.Grafana).Spec.ConnInfoSecretTarget.Name = numbered("grafana", i)
	}},
	{"flink", 1, func(obj testenv.Object, i int) {
		obj.(*v1alpha1.Flink).Spec.ConnInfoSecretTarget.Name = numbered("flink", i)
	}},
	{"kafkaconnect", 1, func(testenv.Object, int) {}},
	{"kafkaconnector", 2, func(obj testenv.Object, i int) {
		obj.(*v1alpha1.KafkaConnector).Spec.ServiceName = numbered("kafka", i%2)
	}},
	{"opensearchaclconfig", 1, func(obj testenv.Object, i int) {
		obj.(*v1alpha1.OpenSearchACLConfig).Spec.ServiceName = numbered("opensearch", i)
	}},
	{"clickhousegrant", 1, func(obj testenv.Object, i int) {
		spec := &obj.(*v1alpha1.ClickhouseGrant).Spec
		spec.ServiceName = numbered("clickhouse", i)
		spec.PrivilegeGrants[0].Grantees[0].User = numbered("clickhouseuser", i)
		spec.PrivilegeGrants[0].Database = numbered("clickhousedatabase", i)
	}},
	{"clickhousedatabase", 2, func(obj testenv.Object, _ int) {
		obj.(*v1alpha1.ClickhouseDatabase).Spec.ServiceName = numbered("clickhouse", 0)
	}},
	{"clickhouserole", 2, func(obj testenv.Object, i int) {
		spec := &obj.(*v1alpha1.ClickhouseRole).Spec
		spec.ServiceName, spec.Role = numbered("clickhouse", 0), numbered("clickhouserole", i)
	}},
	{"clickhouseuser", 2, func(obj testenv.Object, i int) {
		spec := &obj.(*v1alpha1.ClickhouseUser).Spec
		spec.ServiceName, spec.ConnInfoSecretTarget.Name = numbered("clickhouse", 0), numbered("clickhouseuser", i)
	}},
	{"database", 50, func(obj testenv.Object, i int) {
		obj.(*v1alpha1.Database).Spec.ServiceName = numbered("postgresql", i%4)
	}},
	{"serviceuser", 50, func(obj testenv.Object, i int) {
		spec := &obj.(*v1alpha1.ServiceUser).Spec
		spec.ServiceName, spec.ConnInfoSecretTarget.Name = numbered("postgresql", i%4), numbered("serviceuser", i)
	}},
	{"connectionpool", 20, func(obj testenv.Object, i int) {
		spec := &obj.(*v1alpha1.ConnectionPool).Spec
		spec.ServiceName, spec.ConnInfoSecretTarget.Name = numbered("postgresql", i%4), numbered("connectionpool", i)
		spec.DatabaseName, spec.Username = numbered("database", i), numbered("serviceuser", i)
	}},
	{"kafkatopic", 34, func(obj testenv.Object, i int) { obj.(*v1alpha1.KafkaTopic).Spec.ServiceName = numbered("kafka", i%2) }},
	{"kafkaacl", 12, func(obj testenv.Object, i int) {
		spec := &obj.(*v1alpha1.KafkaACL).Spec
		spec.ServiceName, spec.Topic = numbered("kafka", i%2), numbered("topic", i)
	}},
	{"kafkanativeacl", 6, func(obj testenv.Object, i int) {
		spec := &obj.(*v1alpha1.KafkaNativeACL).Spec
		spec.ServiceName, spec.ResourceName = numbered("kafka", i%2), numbered("topic", i)
	}},
	{"kafkaquota", 6, func(obj testenv.Object, i int) {
		spec := &obj.(*v1alpha1.KafkaQuota).Spec
		spec.ServiceName, spec.User = numbered("kafka", i%2), numbered("user", i)
	}},
	{"kafkaschemaregistryacl", 6, func(obj testenv.Object, i int) {
		spec := &obj.(*v1alpha1.KafkaSchemaRegistryACL).Spec
		spec.ServiceName, spec.Resource = numbered("kafka", i%2), "Subject:"+numbered("topic", i)
	}},
	{"kafkaschema", 20, func(obj testenv.Object, i int) {
		spec := &obj.(*v1alpha1.KafkaSchema).Spec
		spec.ServiceName, spec.SubjectName = numbered("kafka", i%2), numbered("subject", i)
	}},
	{"upgradepipelinestep", 4, func(obj testenv.Object, i int) {
		spec := &obj.(*v1alpha1.UpgradePipelineStep).Spec
		spec.DestinationProjectName = spec.SourceProjectName
		spec.SourceServiceName, spec.DestinationServiceName = numbered("postgresql", i), numbered("postgresql", (i+1)%4)
	}},
	{"serviceintegration", 8, func(obj testenv.Object, i int) {
		spec := &obj.(*v1alpha1.ServiceIntegration).Spec
		spec.SourceServiceName, spec.DestinationServiceName = numbered("postgresql", i%4), numbered("kafka", i/4)
	}},
	{"serviceintegrationendpoint", 8, func(obj testenv.Object, i int) {
		obj.(*v1alpha1.ServiceIntegrationEndpoint).Spec.EndpointName = numbered("endpoint", i)
	}},
}

func numbered(name string, i int) string { return fmt.Sprintf("%s-%d", name, i) }

// gather makes the objects, which aren't in the cluster yet.
func gather(e *testenv.Env) []testenv.Object {
	var all []testenv.Object
	var examples, kinds []string
	for _, kind := range testenv.KindNames() {
		kinds = append(kinds, strings.ToLower(kind))
	}
	for _, part := range crowd {
		examples = append(examples, part.example)
		for i := range part.count {
			obj := e.Example(part.example)
			obj.SetName(numbered(part.example, i))
			part.edit(obj, i)
			all = append(all, obj)
		}
	}
	require.ElementsMatch(e.T, kinds, examples, "add the new kind to crowd")
	return all
}

func TestALeaderThatIsKilledAmongCreationsIsReplacedWithoutADuplicate(t *testing.T) {
	e := testenv.New(t, testenv.Options{Outside: true})
	r := install.Prepare(e)
	r.Install(nil)
	leader := r.Leader()
	nobodys := e.Aiven.Resources()

	all := gather(e)
	require.GreaterOrEqual(t, len(all), 200)
	var writes atomic.Int32
	died := make(chan struct{})
	e.Aiven.OnWrite(func(*http.Request) {
		if writes.Add(1) == int32(len(all)/2) {
			assert.NoError(t, r.Node.Kill(r.Helm.Namespace, leader))
			close(died)
		}
	})
	for _, obj := range all {
		e.Create(obj)
	}
	<-died
	last := leaseOf(r)
	for _, obj := range all {
		e.Wait(obj, testenv.Ready())
	}
	e.Aiven.OnWrite(nil)
	checkTakeover(t, last, leaseOf(r))
	assert.Len(t, e.Aiven.Resources(), len(nobodys)+len(all)+builtin(e), "what there is at Aiven must be what was asked for, once")

	for _, obj := range all {
		e.Delete(obj)
	}
	for _, obj := range all {
		e.WaitGone(obj)
	}
	assert.ElementsMatch(t, nobodys, e.Aiven.Resources(), "nothing may be left behind")
}

// builtin is how much comes with services by itself.
func builtin(e *testenv.Env) int {
	n := 0
	for _, resource := range e.Aiven.Resources() {
		if resource.Builtin {
			n++
		}
	}
	return n
}

func leaseOf(r *install.Release) coordinationv1.LeaseSpec {
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: r.Helm.Namespace, Name: "aero.aiven.io"}}
	r.Get(lease)
	return lease.Spec
}

// checkTakeover compares the lease with its own promise: the other replica may see a renewal one retry late, waits for the duration of
// the lease from then on, and acquires it one retry later at most.
func checkTakeover(t *testing.T, last, taken coordinationv1.LeaseSpec) {
	t.Helper()
	assert.NotEqual(t, *last.HolderIdentity, *taken.HolderIdentity, "the other replica must have taken the lease over")
	took := taken.AcquireTime.Sub(last.RenewTime.Time)
	t.Logf("the lease was taken over %.1fs after it was renewed for the last time", took.Seconds())
	assert.GreaterOrEqual(t, took, leaseDuration, "no replica may acquire a lease that is valid")
	assert.LessOrEqual(t, took, leaseDuration+time.Duration(2*retryJitter*float64(retryPeriod)))
}
