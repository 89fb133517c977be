package conformance_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/config"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// realWaits keeps the times after which a wait is reported: the deletion of a test takes less.
func realWaits(c *config.Config) { c.QuietWait, c.ProgressDeadline = 30*time.Second, 30*time.Minute }

func isService(obj testenv.Object) bool {
	_, service := obj.(interface {
		GetServiceStatus() *v1alpha1.ServiceStatus
	})
	return service
}

func kafkaSet(e *testenv.Env) []testenv.Object {
	kafka := e.Example("kafka").(*v1alpha1.Kafka)
	kafka.Spec.UserConfig.KafkaConnect, kafka.Spec.UserConfig.SchemaRegistry = new(true), new(true)
	set := []testenv.Object{kafka, message(e, "customer", 1), message(e, "order", 1, "customer"), message(e, "invoice", 1, "order", "customer")}
	for _, example := range []string{"kafkatopic", "kafkaconnector", "serviceuser", "kafkaacl", "kafkanativeacl", "kafkaquota", "kafkaschemaregistryacl"} {
		set = append(set, e.Example(example))
	}
	for _, obj := range set {
		if user, ok := obj.(*v1alpha1.ServiceUser); ok {
			user.Spec.ServiceName = kafkaName
		}
	}
	return set
}

func clickhouseSet(e *testenv.Env) []testenv.Object {
	user, role := e.Example("clickhousegrant").(*v1alpha1.ClickhouseGrant), e.Example("clickhousegrant").(*v1alpha1.ClickhouseGrant)
	role.Name, role.Spec.PrivilegeGrants[0].Grantees = "of-role", []v1alpha1.ClickhouseGrantee{{Role: clickhouseRole}}
	role.Spec.RoleGrants = []v1alpha1.ClickhouseRoleGrant{{
		Grantees: []v1alpha1.ClickhouseGrantee{{User: clickhouseUser}}, Roles: []string{clickhouseRole},
	}}
	set := []testenv.Object{user, role}
	for _, example := range []string{"clickhouse", "clickhousedatabase", "clickhouserole", "clickhouseuser"} {
		set = append(set, e.Example(example))
	}
	return set
}

func TestAnOrdinaryDeletionOfAWholeSetWarnsOfNothing(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		set   func(e *testenv.Env) []testenv.Object
		kinds []string
	}{
		"Kafka": {set: kafkaSet, kinds: []string{
			"Kafka", "KafkaTopic", "KafkaSchema", "KafkaConnector", "ServiceUser", "KafkaACL", "KafkaNativeACL", "KafkaQuota", "KafkaSchemaRegistryACL",
		}},
		"ClickHouse": {set: clickhouseSet, kinds: []string{"Clickhouse", "ClickhouseDatabase", "ClickhouseRole", "ClickhouseUser", "ClickhouseGrant"}},
	} {
		for _, stays := range []bool{false, true} {
			says := name
			if stays {
				says += ", without its service"
			}
			t.Run(says, func(t *testing.T) {
				t.Parallel()
				e := testenv.New(t, testenv.Options{Kinds: tc.kinds, Config: realWaits})
				set := tc.set(e)
				for _, obj := range shuffled(t, set, "applied") {
					e.Create(obj)
				}
				for _, obj := range set {
					e.Wait(obj, testenv.Ready())
				}
				begun := metav1.NewMicroTime(time.Now())
				going := set
				if stays {
					going = slices.DeleteFunc(slices.Clone(set), isService)
				}
				for _, obj := range shuffled(t, going, "deleted") {
					e.Delete(obj)
				}
				for _, obj := range going {
					e.WaitGone(obj)
				}
				for _, obj := range set {
					for _, event := range e.Events(obj) {
						assert.False(t, event.Type == corev1.EventTypeWarning && begun.Before(&event.EventTime), "%T: %s %s", obj, event.Reason, event.Note)
					}
				}
			})
		}
	}
}
