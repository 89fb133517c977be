package localaiven_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"sync"
	"testing"

	aiven "github.com/aiven/go-client-codegen"
	"github.com/aiven/go-client-codegen/handler/kafkaschemaregistry"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

const schemaPath = kafkaPath + "/kafka/schema"

const (
	order     = `{"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}]}`
	orderNote = `{"type":"record","name":"Order","fields":[{"name":"id","type":"long"},{"name":"note","type":"string","default":""}]}`
	orderMust = `{"type":"record","name":"Order","fields":[{"name":"id","type":"long"},{"name":"must","type":"string"}]}`
)

// withRegistry starts a server with a service of Kafka whose Schema Registry is enabled.
func withRegistry(t *testing.T) *harness {
	t.Helper()
	h := runningKafka(t, localaiven.Options{})
	h.configureKafka(t, map[string]any{"schema_registry": true})
	return h
}

func (h *harness) postSchema(t *testing.T, subject string, in schemaIn) (int, error) {
	t.Helper()
	return h.client.ServiceSchemaRegistrySubjectVersionPost(t.Context(), proj, kafkaName, subject, &in)
}

type schemaIn = kafkaschemaregistry.ServiceSchemaRegistrySubjectVersionPostIn

func avro(schema string) schemaIn { return schemaIn{Schema: schema, SchemaType: "AVRO"} }

// posted returns the id of a schema that must be fine.
func (h *harness) posted(t *testing.T, subject string, in schemaIn) int {
	t.Helper()
	id, err := h.postSchema(t, subject, in)
	require.NoError(t, err)
	return id
}

func (h *harness) level(t *testing.T, subject, level string) {
	t.Helper()
	out, err := h.client.ServiceSchemaRegistrySubjectConfigPut(t.Context(), proj, kafkaName, subject,
		&kafkaschemaregistry.ServiceSchemaRegistrySubjectConfigPutIn{Compatibility: kafkaschemaregistry.CompatibilityType(level)})
	require.NoError(t, err)
	require.EqualValues(t, level, out)
}

func (h *harness) versions(t *testing.T, subject string) []int {
	t.Helper()
	out, err := h.client.ServiceSchemaRegistrySubjectVersionsGet(t.Context(), proj, kafkaName, subject)
	if aiven.IsNotFound(err) {
		return nil
	}
	require.NoError(t, err)
	return out
}

func (h *harness) dropSubject(t *testing.T, subject string, permanent bool) error {
	t.Helper()
	return h.client.ServiceSchemaRegistrySubjectDelete(t.Context(), proj, kafkaName, subject,
		kafkaschemaregistry.ServiceSchemaRegistrySubjectDeletePermanent(permanent))
}

func assertStatus(t *testing.T, err error, status int, message string) {
	t.Helper()
	var fail aiven.Error
	require.ErrorAs(t, err, &fail)
	assert.Equal(t, status, fail.Status)
	assert.Contains(t, fail.Message, message)
}

func TestIdsAreOfAllSubjectsAndVersionsOfOne(t *testing.T) {
	h := withRegistry(t)
	ctx := t.Context()
	first := h.posted(t, "orders", avro(order))
	assert.Equal(t, first, h.posted(t, "orders", avro(strings.ReplaceAll(order, " ", "\n"))), "the same but for spaces")
	second := h.posted(t, "orders", avro(orderNote))
	assert.Greater(t, second, first)
	assert.Equal(t, second, h.posted(t, "other", avro(orderNote)), "the same schema in another subject")
	assert.Equal(t, first, h.posted(t, "orders", avro(order)), "an older version stays what it is")
	assert.Equal(t, []int{1, 2}, h.versions(t, "orders"))
	assert.Equal(t, []int{1}, h.versions(t, "other"))
	got, err := h.client.ServiceSchemaRegistrySubjectVersionGet(ctx, proj, kafkaName, "orders", 1)
	require.NoError(t, err)
	assert.Equal(t, []any{first, "orders", 1}, []any{got.Id, got.Subject, got.Version})
	assert.JSONEq(t, order, got.Schema)
	_, body := h.send(t, get, schemaPath+"/subjects/orders/versions/latest", "x", "")
	assert.EqualValues(t, second, body["version"].(map[string]any)["id"])
	subjects, err := h.client.ServiceSchemaRegistrySubjects(ctx, proj, kafkaName)
	require.NoError(t, err)
	assert.Equal(t, []string{"orders", "other"}, subjects)
	assert.Equal(t, []string{proj + "/" + kafkaName + "/orders", proj + "/" + kafkaName + "/other"}, h.ofType("kafka_schema"))
}

func TestCompatibilityLevels(t *testing.T) {
	h := withRegistry(t)
	ctx := t.Context()
	config := func(subject string, query ...[2]string) (kafkaschemaregistry.CompatibilityType, error) {
		return h.client.ServiceSchemaRegistrySubjectConfigGet(ctx, proj, kafkaName, subject, query...)
	}
	_, err := config("orders")
	assert.True(t, aiven.IsNotFound(err), "none of its own")
	level, err := config("orders", kafkaschemaregistry.ServiceSchemaRegistrySubjectConfigGetGlobalDefaultFallback(true))
	require.NoError(t, err)
	assert.EqualValues(t, "BACKWARD", level)
	h.level(t, "orders", "FULL")
	level, err = config("orders")
	require.NoError(t, err)
	assert.EqualValues(t, "FULL", level)
	assert.Empty(t, h.versions(t, "orders"), "a subject that is only configured has none")
	assert.Empty(t, h.ofType("kafka_schema"))

	global, err := h.client.ServiceSchemaRegistryGlobalConfigGet(ctx, proj, kafkaName)
	require.NoError(t, err)
	assert.EqualValues(t, "BACKWARD", global)
	_, err = h.client.ServiceSchemaRegistryGlobalConfigPut(ctx, proj, kafkaName, &kafkaschemaregistry.ServiceSchemaRegistryGlobalConfigPutIn{Compatibility: "NONE"})
	require.NoError(t, err)
	h.posted(t, "free", avro(order))
	h.posted(t, "free", avro(orderMust))
	h.posted(t, "orders", avro(order))
	_, err = h.postSchema(t, "orders", avro(orderMust))
	assertStatus(t, err, 409, "compatibility_mode=FULL")
	assert.Equal(t, []int{1}, h.versions(t, "orders"), "a refused one leaves nothing")
}

func TestLevelsDecideWhatMayFollow(t *testing.T) {
	// Who must have a note reads what has one, but not the first schema, whose data has none.
	const noteMust = `{"type":"record","name":"Order","fields":[{"name":"id","type":"long"},{"name":"note","type":"string"}]}`
	for level, c := range map[string]struct {
		adds, demands, removes bool // a field with a default, one without one, and a removed one that had none
		transitive             bool // a field with a default loses it in the next version
	}{
		"BACKWARD":            {adds: true, demands: false, removes: true, transitive: true},
		"BACKWARD_TRANSITIVE": {adds: true, demands: false, removes: true, transitive: false},
		"FORWARD":             {adds: true, demands: true, removes: false, transitive: true},
		"FORWARD_TRANSITIVE":  {adds: true, demands: true, removes: false, transitive: true},
		"FULL":                {adds: true, demands: false, removes: false, transitive: true},
		"FULL_TRANSITIVE":     {adds: true, demands: false, removes: false, transitive: false},
		"NONE":                {adds: true, demands: true, removes: true, transitive: true},
	} {
		t.Run(level, func(t *testing.T) {
			h := withRegistry(t)
			follows := func(subject string, schemas ...string) bool {
				h.level(t, subject, level)
				for _, schema := range schemas[:len(schemas)-1] {
					h.posted(t, subject, avro(schema))
				}
				_, err := h.postSchema(t, subject, avro(schemas[len(schemas)-1]))
				if err != nil {
					assertStatus(t, err, 409, "compatibility_mode="+level)
				}
				return err == nil
			}
			assert.Equal(t, c.adds, follows("adds", order, orderNote))
			assert.Equal(t, c.demands, follows("demands", order, orderMust))
			assert.Equal(t, c.removes, follows("removes", orderMust, order))
			assert.Equal(t, c.transitive, follows("transitive", order, orderNote, noteMust))
		})
	}
}

func TestCompatibilityCheck(t *testing.T) {
	h := withRegistry(t)
	h.posted(t, "orders", avro(order))
	check := func(schema string) *kafkaschemaregistry.ServiceSchemaRegistryCompatibilityOut {
		out, err := h.client.ServiceSchemaRegistryCompatibility(t.Context(), proj, kafkaName, "orders", 1,
			&kafkaschemaregistry.ServiceSchemaRegistryCompatibilityIn{Schema: schema})
		require.NoError(t, err)
		return out
	}
	assert.True(t, check(orderNote).IsCompatible)
	refused := check(orderMust)
	assert.False(t, refused.IsCompatible)
	assert.NotEmpty(t, refused.Messages)
	assert.Equal(t, []int{1}, h.versions(t, "orders"), "a check registers nothing")
}

func TestTheSchemaRegistryMustBeThere(t *testing.T) {
	h := runningKafka(t, localaiven.Options{})
	call := badCall{get, schemaPath + "/subjects", "", 400, "user_config.schema_registry"}
	assertRefused(t, h, "x", call)
	h.configureKafka(t, map[string]any{"schema_registry": true})
	h.posted(t, "orders", avro(order))
	h.configureKafka(t, map[string]any{"schema_registry": false})
	assertRefused(t, h, "x", call)
	h.configureKafka(t, map[string]any{"schema_registry": true})
	assert.Equal(t, []int{1}, h.versions(t, "orders"), "what was registered stays")
	_, err := h.client.ServiceUpdate(t.Context(), proj, kafkaName, &service.ServiceUpdateIn{Powered: ptr(false)})
	require.NoError(t, err)
	call.status, call.message = 409, "powered off"
	assertRefused(t, h, "x", call)
}

func TestManyWritersOfOneSubject(t *testing.T) {
	h := withRegistry(t)
	var all sync.WaitGroup
	for range 8 {
		for _, schema := range []string{order, orderNote} {
			all.Go(func() {
				_, err := h.postSchema(t, "orders", avro(schema))
				assert.NoError(t, err)
			})
		}
	}
	all.Wait()
	assert.Equal(t, []int{1, 2}, h.versions(t, "orders"))
}

func TestAnswersAboutSchemasHaveTheShapeOfThePublicClient(t *testing.T) {
	h := withRegistry(t)
	h.posted(t, "orders", avro(order))
	schema, err := json.Marshal(map[string]string{"schema": orderMust})
	require.NoError(t, err)
	for name, c := range map[string]struct {
		method, path, body string
		shape              any
	}{
		"ServiceSchemaRegistrySubjects":           {get, "/subjects", "", struct{ Subjects []string }{}},
		"ServiceSchemaRegistrySubjectVersionsGet": {get, "/subjects/orders/versions", "", struct{ Versions []int }{}},
		"ServiceSchemaRegistrySubjectVersionGet": {get, "/subjects/orders/versions/1", "", struct {
			Version kafkaschemaregistry.ServiceSchemaRegistrySubjectVersionGetOut
		}{}},
		"ServiceSchemaRegistrySubjectVersionPost": {post, "/subjects/other/versions", string(schema), struct{ ID int }{}},
		"ServiceSchemaRegistryCompatibility": {
			post, "/compatibility/subjects/orders/versions/1", string(schema), kafkaschemaregistry.ServiceSchemaRegistryCompatibilityOut{},
		},
		"ServiceSchemaRegistrySubjectConfigPut": {put, "/config/orders", `{"compatibility":"NONE"}`, struct{ Compatibility string }{}},
		"ServiceSchemaRegistryGlobalConfigPut":  {put, "/config", `{"compatibility":"NONE"}`, struct{ Compatibility string }{}},
		"ServiceSchemaRegistryGlobalConfigGet": {get, "/config", "", struct {
			Level string `json:"compatibilityLevel"`
		}{}},
		"ServiceSchemaRegistrySubjectConfigGet": {get, "/config/orders?global_default_fallback=true", "", struct {
			Level string `json:"compatibilityLevel"`
		}{}},
	} {
		t.Run(name, func(t *testing.T) {
			status, body := h.send(t, c.method, schemaPath+c.path, "x", c.body)
			require.Equal(t, 200, status, body)
			assert.Empty(t, deviations(name, body, reflect.TypeOf(c.shape)))
		})
	}
}
