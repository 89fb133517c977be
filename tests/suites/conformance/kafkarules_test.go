package conformance_test

import (
	"testing"

	avnkafka "github.com/aiven/go-client-codegen/handler/kafka"
	avnregistry "github.com/aiven/go-client-codegen/handler/kafkaschemaregistry"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
)

// entryOf is the entry of a kind.
func entryOf(t *testing.T, name string) kind {
	t.Helper()
	for _, k := range allKinds {
		if k.name == name {
			return k
		}
	}
	require.Fail(t, "no kind is called "+name)
	return kind{}
}

// aclKinds are those whose resources have no names, and whose entries ServiceGet may leave out.
var aclKinds = []string{"KafkaACL", "KafkaNativeACL", "KafkaSchemaRegistryACL"}

func TestACLsThatAServiceIsReturnedWithoutAreListed(t *testing.T) {
	t.Parallel()
	for _, name := range aclKinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newCase(t, entryOf(t, name), testenv.Options{Aiven: localaiven.Options{Variants: localaiven.Variants{OmitACLs: true}}}, false)
			s.begin()
			s.Rest(2)
			assert.Equal(t, []string{s.kind.create}, s.Aiven.Writes(0))
			s.remove()
			s.Until(s.there, func() string { return "the ACL isn't created again" })
			s.Operator.Restart()
			s.Rest(2)
			assert.Equal(t, 1, count(s.Env, s.kind))
			s.Delete(s.obj)
			s.WaitGone(s.obj)
			assert.Zero(t, count(s.Env, s.kind))
		})
	}
}

func TestAnACLThatIsRemovedAtTheConsoleComesBackWithANewID(t *testing.T) {
	t.Parallel()
	for _, name := range aclKinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newCase(t, entryOf(t, name), testenv.Options{}, false)
			s.begin()
			before := idOf(s.obj)
			s.remove()
			s.Until(func() bool { s.Get(s.obj); return s.there() && idOf(s.obj) != before }, func() string { return "the id is still " + before })
			assert.NotEmpty(t, idOf(s.obj))
			assert.Equal(t, 1, count(s.Env, s.kind))
		})
	}
}

func TestAnACLThatReadsDoNotShowYetOutlivesNoDeletion(t *testing.T) {
	t.Parallel()
	for _, name := range aclKinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newCase(t, entryOf(t, name), lagging, false)
			s.Create(s.obj)
			s.Until(s.there, func() string { return "the ACL isn't created" })
			s.Delete(s.obj)
			s.WaitGone(s.obj)
			assert.Zero(t, count(s.Env, s.kind))
		})
	}
}

// idOf is the id of an ACL in its status.
func idOf(obj testenv.Object) string {
	switch acl := obj.(type) {
	case *v1alpha1.KafkaACL:
		return acl.Status.ID
	case *v1alpha1.KafkaNativeACL:
		return acl.Status.ID
	default:
		return obj.(*v1alpha1.KafkaSchemaRegistryACL).Status.ACLID
	}
}

func TestEveryACLOfTheSchemaRegistryThatIsLikeTheObjectGoesWithIt(t *testing.T) {
	t.Parallel()
	s := newCase(t, entryOf(t, "KafkaSchemaRegistryACL"), testenv.Options{}, false)
	for range 2 { // as aiven-operator may have left them
		_, err := s.Aiven.Console.ServiceSchemaRegistryAclAdd(t.Context(), s.Project, kafkaName, &avnregistry.ServiceSchemaRegistryAclAddIn{
			Permission: avnregistry.PermissionTypeSchemaRegistryRead, Resource: "Subject:" + topicName + "*", Username: userName,
		})
		require.NoError(t, err)
	}
	s.begin()
	assert.Empty(t, s.Aiven.Writes(0), "one is enough")
	s.Delete(s.obj)
	s.WaitGone(s.obj)
	assert.Zero(t, count(s.Env, s.kind))
}

// A registry that is on again has the ACLs that it had.
func TestAnACLOfARegistryThatIsSwitchedOffWaitsAndIsDeletedForSure(t *testing.T) {
	t.Parallel()
	s := newCase(t, entryOf(t, "KafkaSchemaRegistryACL"), testenv.Options{Config: testenv.OnlyWatches}, false)
	s.begin()
	setRegistry(s.Env, false)
	const remedy = "set spec.userConfig.schema_registry of service "
	s.Wait(s.obj, testenv.Condition("Ready", metav1.ConditionUnknown, "Progressing"), testenv.Saying("Ready", remedy))
	assert.True(t, s.there(), "it isn't deleted for that")
	setRegistry(s.Env, true)
	s.recovers()
	setRegistry(s.Env, false)
	off := localaiven.Effect{Status: 400, Body: []byte(`{"message": "Schema registry is not enabled"}`)}
	s.Aiven.Fail("ServiceSchemaRegistryAclDelete", off, 0)
	s.Delete(s.obj)
	s.Wait(s.obj, testenv.Condition("Ready", metav1.ConditionUnknown, "DeletionBlocked"), testenv.Saying("Ready", remedy))
	assert.True(t, s.there())
	s.Aiven.RemoveFaults()
	setRegistry(s.Env, true)
	s.WaitGone(s.obj)
	assert.Zero(t, count(s.Env, s.kind))
}

func TestAnACLThatAivenMadeWithTheServiceOutlivesItsObject(t *testing.T) {
	t.Parallel()
	s := newCase(t, entryOf(t, "KafkaSchemaRegistryACL"), testenv.Options{}, false)
	acl := s.obj.(*v1alpha1.KafkaSchemaRegistryACL)
	acl.Spec.Permission, acl.Spec.Resource, acl.Spec.Username = "schema_registry_write", "Config:", "avnadmin"
	s.begin()
	s.Delete(s.obj)
	s.WaitGone(s.obj)
	assert.Empty(t, s.Aiven.Writes(0))
	assert.True(t, s.Aiven.Has("schema_registry_acl", s.Project+"/"+kafkaName+"/avnadmin/Config:/schema_registry_write#default-sr-admin-config"))
}

func TestALimitThatLeavesTheSpecOfAQuotaIsLiftedAtAiven(t *testing.T) {
	t.Parallel()
	for name, merges := range map[string]bool{"where a request replaces the quota": false, "where it keeps what it leaves out": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newCase(t, entryOf(t, "KafkaQuota"), testenv.Options{Aiven: localaiven.Options{Variants: localaiven.Variants{MergeQuotas: merges}}}, false)
			s.begin()
			spec := &s.obj.(*v1alpha1.KafkaQuota).Spec
			s.Change(s.obj, func() { spec.ProducerByteRate, *spec.ConsumerByteRate = nil, 0 })
			s.Wait(s.obj, testenv.Ready())
			limits := quotaAtAiven(s.Env)
			assert.Nil(t, limits.ProducerByteRate)
			assert.Equal(t, []float64{0, 25}, []float64{*limits.ConsumerByteRate, *limits.RequestPercentage}, "0 is a limit")
			mark := s.Aiven.Mark()
			s.Rest(2)
			assert.Empty(t, s.Aiven.Writes(mark))
		})
	}
}

func TestQuotasOfAUserAndOfOneClientOfTheUserAreTwo(t *testing.T) {
	t.Parallel()
	s := newCase(t, entryOf(t, "KafkaQuota"), testenv.Options{}, false)
	client := s.obj.DeepCopyObject().(*v1alpha1.KafkaQuota)
	client.Name, client.Spec.ClientID, client.Spec.ConsumerByteRate = "orders-app-billing", "billing", new(int64(1000))
	s.Create(client)
	s.begin()
	s.Wait(client, testenv.Ready())
	assert.EqualValues(t, 1048576, *quotaAtAiven(s.Env).ConsumerByteRate)
	s.Delete(client)
	s.WaitGone(client)
	assert.EqualValues(t, 1048576, *quotaAtAiven(s.Env).ConsumerByteRate, "the quota of the user stays")
	left, err := s.Aiven.Console.ServiceKafkaQuotaList(t.Context(), s.Project, kafkaName)
	require.NoError(t, err)
	assert.Len(t, left, 1)
}

// Quotas aren't enforced: the broker in the process knows none.
func TestABrokerDoesWhatItsNativeACLsAllow(t *testing.T) {
	t.Parallel()
	e := withBrokers(t)
	service, topic, user := kafkaWith(e, true), e.Example("kafkatopic"), e.Example("serviceuser").(*v1alpha1.ServiceUser)
	user.Spec.ServiceName = kafkaName
	write := e.Example("kafkanativeacl").(*v1alpha1.KafkaNativeACL)
	write.Spec.Operation = string(avnkafka.OperationTypeWrite)
	for _, obj := range []testenv.Object{service, topic, user, write} {
		e.Create(obj)
	}
	for _, obj := range []testenv.Object{service, topic, user, write} {
		e.Wait(obj, testenv.Ready())
	}
	client := open(t, keysOf(t, e, user.Spec.ConnInfoSecretTarget.Name, "ORDERS_").WithPassword)
	require.NoError(t, client.Produce(within(t), topicName, "an order"))

	denial := write.DeepCopy()
	denial.ObjectMeta.Name, denial.ObjectMeta.ResourceVersion, denial.ObjectMeta.UID = "denial", "", ""
	denial.Finalizers, denial.Annotations, denial.Spec.PermissionType = nil, nil, "DENY"
	e.Create(denial)
	e.Wait(denial, testenv.Ready())
	require.ErrorIs(t, client.Produce(within(t), topicName, "x"), kerr.TopicAuthorizationFailed, "a denial wins")
	e.Delete(denial)
	e.WaitGone(denial)
	require.NoError(t, client.Produce(within(t), topicName, "another order"))
	e.Delete(write)
	e.WaitGone(write)
	require.ErrorIs(t, client.Produce(within(t), topicName, "x"), kerr.TopicAuthorizationFailed)
}

// An edit may ask for the ACL of another object. The ACL from before is the object's own, and would outlive all that users see.
func TestReviewH3_TheACLOfAnEarlierSpecGoesWithItsObject(t *testing.T) {
	t.Parallel()
	s := newCase(t, entryOf(t, "KafkaACL"), testenv.Options{}, false)
	s.begin()
	before, second := s.ofAll(), s.Example(s.kind.example).(*v1alpha1.KafkaACL)
	second.SetName("second")
	second.Spec.Permission = "read"
	s.Create(second)
	s.Wait(second, testenv.Ready())
	assert.Len(t, s.ofAll(), len(before)+1)
	s.Change(second, func() { second.Spec.Permission = s.obj.(*v1alpha1.KafkaACL).Spec.Permission })
	s.Wait(second, testenv.Condition("Ready", metav1.ConditionFalse, "Conflict"))
	mark := s.Aiven.Mark()
	s.Delete(second)
	s.WaitGone(second)
	assert.Equal(t, []string{"ServiceKafkaAclDelete"}, s.Aiven.Writes(mark))
	assert.Equal(t, before, s.ofAll(), "that of the first object isn't the second one's to delete")
}
