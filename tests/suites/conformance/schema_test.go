package conformance_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aiven/go-client-codegen/handler/kafkaschemaregistry"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

const postSchema = "ServiceSchemaRegistrySubjectVersionPost"

// withRegistry is a world with a Kafka service that has a schema registry.
func withRegistry(t *testing.T, o testenv.Options) *testenv.Env {
	t.Helper()
	o.Kinds = []string{"KafkaSchema", "Kafka"}
	e := testenv.New(t, o)
	makeService(e, inKafka)
	enableRegistry(e)
	return e
}

// message is a PROTOBUF schema with some fields, that refers to others.
func message(e *testenv.Env, name string, fields int, refs ...string) *v1alpha1.KafkaSchema {
	obj := e.Example("kafkaschema").(*v1alpha1.KafkaSchema)
	obj.Name, obj.Spec.SubjectName, obj.Spec.SchemaType = name, name, "PROTOBUF"
	obj.Spec.Schema = messageText(name, fields, refs...)
	for _, ref := range refs {
		obj.Spec.References = append(obj.Spec.References, v1alpha1.KafkaSchemaReference{
			Name: ref + ".proto", KafkaSchemaRef: &v1alpha1.KafkaSchemaRef{Name: ref},
		})
	}
	return obj
}

func messageText(name string, fields int, refs ...string) string {
	var text strings.Builder
	text.WriteString("syntax = \"proto3\"; // of " + name + "\n")
	for _, ref := range refs {
		fmt.Fprintf(&text, "import %q;\n", ref+".proto")
	}
	fmt.Fprintf(&text, "message %s {\n", name)
	for i := range fields {
		fmt.Fprintf(&text, "  string f%d = %d;\n", i, i+1)
	}
	return text.String() + "}\n"
}

// schemasAtAiven are the subjects of all registries, also those that were deleted softly.
func schemasAtAiven(e *testenv.Env) []string {
	var found []string
	for _, r := range e.Aiven.Resources() {
		if r.Type == "kafka_schema" {
			found = append(found, r.ID)
		}
	}
	return found
}

func schemaAtAiven(e *testenv.Env, subject string, version int) *kafkaschemaregistry.ServiceSchemaRegistrySubjectVersionGetOut {
	found, err := e.Aiven.Console.ServiceSchemaRegistrySubjectVersionGet(e.T.Context(), e.Project, kafkaName, subject, version)
	require.NoError(e.T, err)
	return found
}

// produce registers a schema as an application does.
func produce(e *testenv.Env, subject, schemaType, schema string) {
	_, err := e.Aiven.Console.ServiceSchemaRegistrySubjectVersionPost(e.T.Context(), e.Project, kafkaName, subject,
		&kafkaschemaregistry.ServiceSchemaRegistrySubjectVersionPostIn{Schema: schema, SchemaType: kafkaschemaregistry.SchemaType(schemaType)})
	require.NoError(e.T, err)
}

func TestASchemaStaysReadyWhenAProducerRegistersANewerVersion(t *testing.T) {
	t.Parallel()
	e := withRegistry(t, testenv.Options{})
	obj := message(e, "orders", 1)
	e.Create(obj)
	e.Wait(obj, testenv.Ready())
	produce(e, "orders", "PROTOBUF", messageText("orders", 2))
	e.Rest(3)
	e.Wait(obj, testenv.Ready())
	assert.Equal(t, 1, *obj.Status.Version)
	assert.Equal(t, []string{postSchema}, e.Aiven.Writes(0))
	e.Delete(obj)
	e.WaitGone(obj)
	assert.Empty(t, schemasAtAiven(e))
}

func TestAnIncompatibleSchemaIsPostedOnceAndTheOldVersionStays(t *testing.T) {
	t.Parallel()
	e := withRegistry(t, testenv.Options{Config: testenv.OnlyWatches})
	obj := e.Example("kafkaschema").(*v1alpha1.KafkaSchema)
	obj.Spec.CompatibilityLevel = "BACKWARD"
	e.Create(obj)
	e.Wait(obj, testenv.Ready())
	mark, good := e.Aiven.Mark(), obj.Spec.Schema
	e.Change(obj, func() { obj.Spec.Schema = strings.Replace(good, `"double", "default": 0.0`, `"string"`, 1) })
	e.Wait(obj, testenv.Condition("Ready", metav1.ConditionFalse, "InvalidSpec"), testenv.Condition("Stalled", metav1.ConditionTrue, "InvalidSpec"),
		testenv.Saying("Ready", "Aiven rejected spec.schema: Incompatible schema"), testenv.Saying("Ready", "or change spec.compatibilityLevel"))
	e.Rest(0)
	assert.Equal(t, []string{postSchema}, e.Aiven.Writes(mark))
	assert.Equal(t, []int{1}, versionsAtAiven(e, subjectName))
	assert.Equal(t, 1, *obj.Status.Version)
	warnedOnce(e, obj)

	e.Change(obj, func() { obj.Spec.CompatibilityLevel = "NONE" })
	e.Wait(obj, testenv.Ready())
	assert.Equal(t, []int{1, 2}, versionsAtAiven(e, subjectName))
	assert.Equal(t, []string{postSchema, "ServiceSchemaRegistrySubjectConfigPut", postSchema}, e.Aiven.Writes(mark))
	e.Change(obj, func() { obj.Spec.Schema = good })
	e.Wait(obj, testenv.Ready())
	assert.Equal(t, 1, *obj.Status.Version, "the version that has it already")
}

func TestTenSchemasWithReferencesAreAppliedAndDeletedInAnyOrder(t *testing.T) {
	t.Parallel()
	e := withRegistry(t, testenv.Options{})
	all := make([]testenv.Object, 0, 10)
	for i := range 10 {
		var refs []string
		for at := max(0, i-3); at < i; at++ {
			refs = append(refs, fmt.Sprintf("s%d", at))
		}
		all = append(all, message(e, fmt.Sprintf("s%d", i), 1, refs...))
	}
	for _, obj := range shuffled(t, all, "applied") {
		e.Create(obj)
	}
	for _, obj := range all {
		e.Wait(obj, testenv.Ready())
	}
	refs := schemaAtAiven(e, "s9", 1).References
	require.Len(t, refs, 3)
	assert.Equal(t, kafkaschemaregistry.ReferenceOut{Name: "s6.proto", Subject: "s6", Version: 1}, refs[0], "in the order of the spec")
	assert.Len(t, e.Aiven.Writes(0), 10, "each is registered once")
	for _, obj := range shuffled(t, all, "deleted") {
		e.Delete(obj)
	}
	for _, obj := range all {
		e.WaitGone(obj)
	}
	assert.Empty(t, schemasAtAiven(e))
}

func TestASchemaThatIsReferredToIsDeletedAfterItsReferrer(t *testing.T) {
	t.Parallel()
	e := withRegistry(t, testenv.Options{})
	customer, order := message(e, "customer", 1), message(e, "order", 1, "customer")
	e.Create(order)
	e.Wait(order, testenv.Condition("KafkaSchemaReady", metav1.ConditionFalse, "NotFound"))
	e.Create(customer)
	e.Wait(order, testenv.Ready(), testenv.Condition("KafkaSchemaReady", metav1.ConditionTrue, "Ready"))
	mark := e.Aiven.Mark()
	e.Delete(customer)
	e.Wait(customer, testenv.Condition("Ready", metav1.ConditionUnknown, "DeletionBlocked"), testenv.Saying("Ready", "KafkaSchema "+e.Namespace+"/order"))
	assert.Empty(t, e.Aiven.Writes(mark))
	assert.Equal(t, []int{1}, versionsAtAiven(e, "customer"), "the referrer's schema still resolves")
	e.Wait(order, testenv.Ready(), testenv.Condition("KafkaSchemaReady", metav1.ConditionTrue, "Ready"), testenv.Saying("KafkaSchemaReady", "isn't deleted before this object"))
	late := message(e, "late", 1, "customer")
	e.Create(late)
	e.Wait(late, testenv.Saying("Ready", "is being deleted"), testenv.Condition("KafkaSchemaReady", metav1.ConditionFalse, "Deleting"))
	e.Delete(late)
	e.WaitGone(late)
	e.Rest(2)
	e.CatchUp()
	used := false
	for _, seen := range e.History(order) {
		ready := meta.IsStatusConditionTrue(seen.GetCommonStatus().Conditions, "Ready")
		assert.False(t, used && !ready, "nothing that it uses was taken from it")
		used = used || ready
	}
	e.Delete(order)
	e.WaitGone(order)
	e.WaitGone(customer)
	assert.Empty(t, schemasAtAiven(e))
}

func TestASubjectThatIsDeletedAtTheConsoleComesBackAndItsReferrersFollow(t *testing.T) {
	t.Parallel()
	e := withRegistry(t, testenv.Options{})
	customer, order := message(e, "customer", 1), message(e, "order", 1, "customer")
	e.Create(customer)
	e.Create(order)
	e.Wait(order, testenv.Ready())
	e.Get(customer)
	id := *customer.Status.ID
	produce(e, "customer", "PROTOBUF", messageText("customer", 2)) // only a subject whose latest version is referred to stays
	require.NoError(t, e.Aiven.Console.ServiceSchemaRegistrySubjectDelete(t.Context(), e.Project, kafkaName, "customer"))
	e.Until(func() bool {
		e.Get(order)
		return order.Status.Version != nil && *order.Status.Version == 2
	}, func() string { return "the referrer doesn't follow" })
	e.Wait(order, testenv.Ready())
	e.Wait(customer, testenv.Ready())
	assert.Equal(t, []int{id, 3}, []int{*customer.Status.ID, *customer.Status.Version})
	assert.Equal(t, 3, schemaAtAiven(e, "order", 2).References[0].Version)
}

func TestSchemasThatReferToEachOtherInACircleAreNamedAndCanBeMended(t *testing.T) {
	t.Parallel()
	e := withRegistry(t, testenv.Options{Config: testenv.OnlyWatches})
	a, b, c := message(e, "a", 1, "b"), message(e, "b", 1, "c"), message(e, "c", 1)
	for _, obj := range []*v1alpha1.KafkaSchema{a, b, c} {
		e.Create(obj)
	}
	e.Wait(a, testenv.Ready())
	mark := e.Aiven.Mark()
	good := c.DeepCopy()
	e.Change(c, func() { c.Spec = message(e, "c", 1, "a").Spec })
	chain := strings.ReplaceAll("ns/c -> ns/a -> ns/b -> ns/c", "ns/", e.Namespace+"/")
	e.Wait(c, testenv.Condition("Ready", metav1.ConditionFalse, "InvalidSpec"), testenv.Saying("Ready", "spec.references: the references go in a circle: "+chain))
	for _, obj := range []*v1alpha1.KafkaSchema{a, b} {
		e.Wait(obj, testenv.Condition("Ready", metav1.ConditionFalse, "InvalidSpec"))
		warnedOnce(e, obj)
	}
	assert.Empty(t, e.Aiven.Writes(mark))
	e.Change(c, func() { c.Spec = good.Spec })
	for _, obj := range []*v1alpha1.KafkaSchema{a, b, c} {
		e.Wait(obj, testenv.Ready())
	}
	assert.Empty(t, e.Aiven.Writes(mark), "nothing has changed at the registry")

	e.Change(c, func() { c.Spec = message(e, "c", 1, "a").Spec })
	e.Wait(c, testenv.Condition("Ready", metav1.ConditionFalse, "InvalidSpec"))
	for _, obj := range []*v1alpha1.KafkaSchema{a, b, c} {
		e.Delete(obj)
	}
	for _, obj := range []*v1alpha1.KafkaSchema{a, b, c} {
		e.WaitGone(obj)
	}
	assert.Empty(t, schemasAtAiven(e))
}

func TestASchemaWaitsForTheRegistryAndForTheSubjectsThatItNames(t *testing.T) {
	t.Parallel()
	e := withRegistry(t, testenv.Options{Config: testenv.OnlyWatches})
	setRegistry(e, false)
	obj, version := message(e, "order", 1), 1
	obj.Spec.References = []v1alpha1.KafkaSchemaReference{{Name: "customer.proto", Subject: "customer", Version: &version}}
	e.Create(obj)
	e.Wait(obj, testenv.Condition("Ready", metav1.ConditionUnknown, "Progressing"), testenv.Saying("Ready", "set spec.userConfig.schema_registry of service"))
	setRegistry(e, true)
	e.Wait(obj, testenv.Condition("Ready", metav1.ConditionUnknown, "Progressing"), testenv.Saying("Ready", "version 1 of subject customer, named by spec.references"))
	assert.Empty(t, obj.Finalizers, "it owns nothing yet")
	other := message(e, "customer", 1)
	e.Create(other)
	e.Wait(obj, testenv.Ready())

	setRegistry(e, false)
	e.Wait(obj, testenv.Condition("Ready", metav1.ConditionUnknown, "Progressing"))
	e.Delete(obj)
	e.Delete(other)
	e.Wait(obj, testenv.Condition("Ready", metav1.ConditionUnknown, "DeletionBlocked"), testenv.Saying("Ready", "set spec.userConfig.schema_registry of service"))
	setRegistry(e, true)
	e.WaitGone(obj)
	e.WaitGone(other)
	assert.Empty(t, schemasAtAiven(e))
}

func TestASchemaRefersToNoneOfAnotherService(t *testing.T) {
	t.Parallel()
	e := withRegistry(t, testenv.Options{})
	far, obj := message(e, "far", 1), message(e, "obj", 1, "far")
	far.Spec.ServiceName = "other-kafka"
	other := *inKafka
	other.name = far.Spec.ServiceName
	makeService(e, &other)
	setRegistryOf(e, other.name, true)
	e.Create(far)
	e.Wait(far, testenv.Ready())
	mark := e.Aiven.Mark()
	e.Create(obj)
	e.Wait(obj, isInvalid("spec.references: KafkaSchema far is in service "+e.Project+"/other-kafka. Refer to one in the service of this object")...)
	e.Rest(2)
	assert.Empty(t, e.Aiven.Writes(mark))
}
