package kafka

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/ownership"
)

const (
	subjects      = "GET service/my-kafka/kafka/schema/subjects"
	versions      = subjects + "/orders/versions"
	register      = "POST service/my-kafka/kafka/schema/subjects/orders/versions"
	registered    = register + ` {"schema":"{\"a\": 1}"}`
	levelGet      = "GET service/my-kafka/kafka/schema/config/orders"
	levelPut      = "PUT service/my-kafka/kafka/schema/config/orders"
	subjectRemove = "DELETE service/my-kafka/kafka/schema/subjects/orders"
	processed     = "controllers.aiven.io/generation-was-processed"
)

// schema is an object of generation 3 with the schema of version 2, which is in the status.
func schema(changes ...func(*v1alpha1.KafkaSchema)) *v1alpha1.KafkaSchema {
	obj := &v1alpha1.KafkaSchema{ObjectMeta: metav1.ObjectMeta{Namespace: aiventest.Namespace, Name: "orders", Generation: 3}}
	obj.Spec.Project, obj.Spec.ServiceName, obj.Spec.SubjectName = aiventest.Project, "my-kafka", "orders"
	obj.Spec.Schema = `{"a": 1}`
	obj.Status.ID, obj.Status.Version = ptr.To(20), ptr.To(2)
	for _, change := range changes {
		change(obj)
	}
	return obj
}

func unknown(obj *v1alpha1.KafkaSchema) { obj.Status.ID, obj.Status.Version = nil, nil }
func proto(obj *v1alpha1.KafkaSchema) {
	obj.Spec.SchemaType, obj.Spec.Schema = "PROTOBUF", "message A {}"
}
func applied(obj *v1alpha1.KafkaSchema) { obj.Annotations = map[string]string{processed: "3"} }
func earlier(obj *v1alpha1.KafkaSchema) { obj.Annotations = map[string]string{processed: "2"} }
func full(obj *v1alpha1.KafkaSchema)    { obj.Spec.CompatibilityLevel = "FULL" }
func reported(obj *v1alpha1.KafkaSchema) {
	obj.Status.Drift = []v1alpha1.DriftEntry{{Path: "spec.schema"}}
}

// left is an object of aiven-operator, and hashed has the annotation by which that operator knows the schema.
func left(obj *v1alpha1.KafkaSchema) {
	applied(obj)
	unknown(obj)
	obj.Finalizers = []string{ownership.FinalizerName}
	obj.Status.Conditions = []metav1.Condition{{Type: condition.LegacyRunning, Status: metav1.ConditionTrue}}
}

func hashed(obj *v1alpha1.KafkaSchema) {
	metav1.SetMetaDataAnnotation(&obj.ObjectMeta, "controllers.aiven.io/kafka-schema-applied", "5feceb66")
}

func created(obj *v1alpha1.KafkaSchema) {
	obj.UID, obj.Finalizers = "1", []string{ownership.FinalizerName}
	obj.Status.Provenance = &v1alpha1.Provenance{Type: v1alpha1.ProvenanceCreated, UID: obj.UID}
}

func naming(obj *v1alpha1.KafkaSchema) {
	obj.Spec.SchemaType = "JSON"
	obj.Spec.References = []v1alpha1.KafkaSchemaReference{{Name: "c.json", Subject: "customers", Version: ptr.To(4)}}
}

func versionOf(number int, text string, fields aiventest.Object) aiventest.Answer {
	v := aiventest.Object{"id": number * 10, "version": number, "subject": "orders", "schema": text}
	for key, value := range fields {
		v[key] = value
	}
	return aiventest.OK(aiventest.Object{"version": v})
}

func numbers(all ...any) aiventest.Answer { return aiventest.OK(aiventest.Object{"versions": all}) }

func untyped(t *testing.T, obj *v1alpha1.KafkaSchema) *unstructured.Unstructured {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	require.NoError(t, err)
	return &unstructured.Unstructured{Object: content}
}

func schemaEnv(a *aiventest.Aiven) controllers.Env {
	return controllers.Env{Client: a.Client(), Memory: &sync.Map{}}
}

// registry has the subject with versions 1 to 3, of which the second has the schema.
func registry(t *testing.T) *aiventest.Aiven {
	a := aiventest.New(t)
	a.On(lookup, running(nil))
	a.On(subjects, aiventest.OK(aiventest.Object{"subjects": []any{"orders"}}))
	a.On(versions, aiventest.OK(aiventest.Object{"versions": []any{1, 2, 3}}))
	a.On(versions+"/1", versionOf(1, `{"a":0}`, nil))
	a.On(versions+"/2", versionOf(2, `{"a":1}`, nil))
	a.On(versions+"/3", versionOf(3, `{"a":2}`, nil))
	return a
}

func TestSchemaObserve(t *testing.T) {
	protobuf := aiventest.Object{"schemaType": "PROTOBUF"}
	for name, tc := range map[string]struct {
		obj     *v1alpha1.KafkaSchema
		service aiventest.Object
		answers map[string]aiventest.Answer
		exists  bool
		diff    []string
		waits   string
		version *int
		calls   int // after the first one, of the service
	}{
		"in sync, although a producer has registered a newer version": {obj: schema(), exists: true, version: ptr.To(2), calls: 2},
		"in sync without a status":                                    {obj: schema(unknown), exists: true, version: ptr.To(2), calls: 4},
		"another schema in the spec": {
			obj:    schema(func(s *v1alpha1.KafkaSchema) { s.Spec.Schema = `{"a": 5}` }),
			exists: true, diff: []string{"spec.schema"}, version: ptr.To(2), calls: 5,
		},
		"a schema that an older version has": {obj: schema(func(s *v1alpha1.KafkaSchema) { s.Spec.Schema = `{"a": 0}` }), exists: true, version: ptr.To(1), calls: 5},
		"no subject": {
			obj: schema(), answers: map[string]aiventest.Answer{subjects: aiventest.OK(aiventest.Object{"subjects": []any{}})}, calls: 1,
		},
		"a version that was deleted leaves no status of another": {
			obj: schema(applied), answers: map[string]aiventest.Answer{versions + "/2": aiventest.Refused(404, "Version 2 not found.")},
			exists: true, diff: []string{"spec.schema"}, calls: 5,
		},
		"PROTOBUF in other words, which the registry has given for this generation": {
			obj: schema(proto, applied), answers: map[string]aiventest.Answer{versions + "/2": versionOf(2, "syntax = \"proto2\"; message A {}", protobuf)},
			exists: true, version: ptr.To(2), calls: 2,
		},
		"PROTOBUF in other words, given for an earlier generation": {
			obj: schema(proto, earlier), answers: map[string]aiventest.Answer{versions + "/2": versionOf(2, "message B {}", protobuf)},
			exists: true, diff: []string{"spec.schema"}, version: ptr.To(2), calls: 5,
		},
		"PROTOBUF in other words, which is reported as drift": {
			obj: schema(proto, applied, reported), answers: map[string]aiventest.Answer{versions + "/2": versionOf(2, "message B {}", protobuf)},
			exists: true, diff: []string{"spec.schema"}, version: ptr.To(2), calls: 5,
		},
		"PROTOBUF of another id, registered after all was deleted": {
			obj: schema(proto, applied), answers: map[string]aiventest.Answer{versions + "/2": versionOf(2, "message B {}", aiventest.Object{"id": 77, "schemaType": "PROTOBUF"})},
			exists: true, diff: []string{"spec.schema"}, version: ptr.To(2), calls: 5,
		},
		"PROTOBUF in other words, the only version of an object of aiven-operator": {
			obj: schema(proto, left, hashed), answers: map[string]aiventest.Answer{versions: numbers(1), versions + "/1": versionOf(1, "message B {}", protobuf)},
			exists: true, version: ptr.To(1), calls: 3,
		},
		"PROTOBUF in other words, one of several versions of an object of aiven-operator": {
			obj: schema(proto, left, hashed), answers: map[string]aiventest.Answer{
				versions: numbers(1, 2), versions + "/1": versionOf(1, "message B {}", protobuf), versions + "/2": versionOf(2, "message C {}", protobuf),
			},
			exists: true, diff: []string{"spec.schema"}, calls: 4,
		},
		"PROTOBUF in other words, the only version, which aiven-operator didn't register": {
			obj: schema(proto, left), answers: map[string]aiventest.Answer{versions: numbers(1), versions + "/1": versionOf(1, "message B {}", protobuf)},
			exists: true, diff: []string{"spec.schema"}, calls: 3,
		},
		"PROTOBUF in other words, the only version, by annotations that were copied": {
			obj: schema(proto, unknown, applied, hashed), answers: map[string]aiventest.Answer{versions: numbers(1), versions + "/1": versionOf(1, "message B {}", protobuf)},
			exists: true, diff: []string{"spec.schema"}, calls: 3,
		},
		"PROTOBUF in other words, the only version, by an annotation of an object that aero has created": {
			obj: schema(proto, unknown, applied, hashed, created), answers: map[string]aiventest.Answer{versions: numbers(1), versions + "/1": versionOf(1, "message B {}", protobuf)},
			exists: true, diff: []string{"spec.schema"}, calls: 3,
		},
		"AVRO is compared whatever was applied": {
			obj: schema(applied, func(s *v1alpha1.KafkaSchema) { s.Spec.Schema = `{"a": 5}` }), exists: true, diff: []string{"spec.schema"}, version: ptr.To(2), calls: 5,
		},
		"the level of the spec": {
			obj: schema(full), answers: map[string]aiventest.Answer{levelGet: aiventest.OK(aiventest.Object{"compatibilityLevel": "FULL"})},
			exists: true, version: ptr.To(2), calls: 3,
		},
		"another level": {
			obj: schema(full), answers: map[string]aiventest.Answer{levelGet: aiventest.OK(aiventest.Object{"compatibilityLevel": "NONE"})},
			exists: true, diff: []string{levelPath}, version: ptr.To(2), calls: 3,
		},
		"no level of its own": {
			obj: schema(full), answers: map[string]aiventest.Answer{levelGet: aiventest.Refused(404, "no subject-level compatibility")},
			exists: true, diff: []string{levelPath}, version: ptr.To(2), calls: 3,
		},
		"a registry that is off": {obj: schema(), service: aiventest.Object{"user_config": aiventest.Object{}}, waits: "spec.userConfig.schema_registry of service demo/my-kafka", version: ptr.To(2)},
		"a reference to a version that isn't there, of a new subject": {
			obj: schema(naming, unknown), answers: map[string]aiventest.Answer{
				subjects: aiventest.OK(aiventest.Object{"subjects": []any{"customers"}}), subjects + "/customers/versions/4": aiventest.Refused(404, "Version 4 not found."),
			},
			waits: "version 4 of subject customers, named by spec.references", calls: 3, // the list twice: nothing is cached here
		},
		"a reference to a subject that isn't listed, which isn't read": {
			obj: schema(naming, unknown), answers: map[string]aiventest.Answer{subjects: aiventest.OK(aiventest.Object{"subjects": []any{}})},
			waits: "version 4 of subject customers, named by spec.references", calls: 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := registry(t)
			a.On(lookup, running(tc.service))
			for route, answer := range tc.answers {
				a.On(route, answer)
			}
			o, err := Schema.New(schemaEnv(a)).Observe(t.Context(), tc.obj)
			require.NoError(t, err)
			assert.Equal(t, tc.exists, o.Remote.Exists)
			assert.Equal(t, append([]string{}, tc.diff...), o.Diff.Paths())
			assert.Equal(t, tc.version, tc.obj.Status.Version)
			assert.Equal(t, tc.version == nil, tc.obj.Status.ID == nil)
			assert.Len(t, a.Calls(), tc.calls+1)
			if tc.waits != "" {
				assert.Contains(t, o.WaitFor, tc.waits)
			}
		})
	}
}

func TestSchemaWrites(t *testing.T) {
	made := aiventest.OK(aiventest.Object{"id": 20})
	found := []string{versions + "/1", versions, versions + "/3", versions + "/2"}
	later := []string{versions + "/3", versions, versions + "/2"}
	for name, tc := range map[string]struct {
		obj     *v1alpha1.KafkaSchema
		diff    []string // empty creates
		post    aiventest.Answer
		put     aiventest.Answer
		calls   []string
		class   fault.Class
		partial bool
	}{
		"create":              {obj: schema(unknown), post: made, calls: append([]string{registered}, found...)},
		"create with a level": {obj: schema(unknown, full), post: made, put: aiventest.OK(nil), calls: append([]string{levelPut + ` {"compatibility":"FULL"}`, registered}, found...)},
		"update":              {obj: schema(full), diff: []string{"spec.schema"}, post: made, calls: append([]string{registered}, later...)},
		"update with a level": {
			obj: schema(full), diff: []string{"spec.schema", levelPath}, post: made, put: aiventest.OK(nil),
			calls: append([]string{levelPut + ` {"compatibility":"FULL"}`, registered}, later...),
		},
		"incompatible": {obj: schema(), diff: []string{"spec.schema"}, post: aiventest.Refused(409, "Incompatible schema, no"), calls: []string{registered}, class: fault.Rejected},
		"incompatible behind a level": {
			obj: schema(full), diff: []string{"spec.schema", levelPath}, post: aiventest.Refused(409, "Incompatible schema, no"), put: aiventest.OK(nil),
			calls: []string{levelPut + ` {"compatibility":"FULL"}`, registered}, class: fault.Rejected, partial: true,
		},
		"a level that is refused": {
			obj: schema(full), diff: []string{"spec.schema", levelPath}, put: aiventest.Refused(403, "no"),
			calls: []string{levelPut + ` {"compatibility":"FULL"}`}, class: fault.Forbidden,
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := registry(t)
			a.On(register, tc.post)
			a.On(levelPut, tc.put)
			c := Schema.New(schemaEnv(a))
			_, _ = c.Observe(t.Context(), schema(unknown))
			a.Calls()
			var o controllers.Observation
			var err error
			if len(tc.diff) == 0 {
				o, err = c.Create(t.Context(), tc.obj)
			} else {
				for _, path := range tc.diff {
					o.Diff.Add(path, "", "")
				}
				o, err = c.Update(t.Context(), tc.obj, o)
			}
			assert.Equal(t, tc.calls, a.Calls())
			if tc.class != "" {
				assert.Equal(t, tc.class, fault.Of(err).Class)
				assert.Equal(t, tc.partial, fault.Partial(err))
				return
			}
			require.NoError(t, err)
			assert.True(t, o.Remote.Active)
			assert.Empty(t, o.Diff)
			assert.Equal(t, []int{20, 2}, []int{*tc.obj.Status.ID, *tc.obj.Status.Version}, "an older version that has the schema stays")
		})
	}
}
