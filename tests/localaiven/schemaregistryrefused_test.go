package localaiven_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRefusedSchemas(t *testing.T) {
	h := withRegistry(t)
	h.posted(t, "orders", avro(order))
	body := func(schema, language string) string {
		out, err := json.Marshal(map[string]any{"schema": schema, "schemaType": language})
		require.NoError(t, err)
		return string(out)
	}
	versions := schemaPath + "/subjects/new/versions"
	for name, c := range map[string]badCall{
		"an AVRO schema that isn't JSON":      {post, versions, body("record", "AVRO"), 422, "Invalid AVRO schema"},
		"an AVRO schema of an unknown type":   {post, versions, body(`{"type":"circle"}`, "AVRO"), 422, "circle"},
		"a record without a name":             {post, versions, body(`{"type":"record","fields":[]}`, ""), 422, "Invalid AVRO schema"},
		"a JSON schema that isn't JSON":       {post, versions, body("{", "JSON"), 422, "Invalid JSON schema"},
		"a JSON schema with a wrong type":     {post, versions, body(`{"type":"circle"}`, "JSON"), 422, "/type"},
		"a JSON schema that refers to a file": {post, versions, body(`{"$ref":"file:///etc/hostname"}`, "JSON"), 422, "no reference"},
		"a PROTOBUF schema that isn't one":    {post, versions, body("message {", "PROTOBUF"), 422, "Invalid PROTOBUF schema"},
		"two fields of one number":            {post, versions, body(`syntax="proto3"; message M {int32 a=1; int32 b=1;}`, "PROTOBUF"), 422, "field"},
		"an import of nothing":                {post, versions, body(`syntax="proto3"; import "x.proto";`, "PROTOBUF"), 422, "x.proto"},
		"no schema":                           {post, versions, body(" ", "JSON"), 422, "must not be empty"},
		"an unknown type":                     {post, versions, body("{}", "XML"), 400, "XML"},
		"references of AVRO":                  {post, versions, `{"schema":"{}","references":[{"name":"x","subject":"orders","version":1}]}`, 422, "not supported"},
		"an unknown key":                      {post, versions, `{"colour":1}`, 400, "colour"},
		"another type than before":            {post, schemaPath + "/subjects/orders/versions", body("{}", "JSON"), 409, "of type AVRO"},
		"an unknown level":                    {put, schemaPath + "/config/orders", `{"compatibility":"SOME"}`, 400, "SOME"},
		"an unknown level of all":             {put, schemaPath + "/config", `{"compatibility":"SOME"}`, 400, "SOME"},
		"versions of an unknown subject":      {get, versions, "", 404, "'new' not found"},
		"an unknown version":                  {get, schemaPath + "/subjects/orders/versions/2", "", 404, "Version 2 not found"},
		"a version that can't be":             {get, schemaPath + "/subjects/orders/versions/0", "", 422, "latest"},
		"deleting an unknown subject":         {del, schemaPath + "/subjects/new", "", 404, "'new' not found"},
		"a check against an unknown subject":  {post, schemaPath + "/compatibility/subjects/new/versions/1", body(order, ""), 404, "not found"},
		"a check of what isn't a schema":      {post, schemaPath + "/compatibility/subjects/orders/versions/1", body("{", ""), 422, "Invalid AVRO"},
		"a check of an unknown type":          {post, schemaPath + "/compatibility/subjects/orders/versions/1", body("{", "XML"), 400, "XML"},
		"an unknown service":                  {get, servicesPath + "/nope/kafka/schema/subjects", "", 404, "Service nope does not exist"},
		"a field of an unknown message":       {post, versions, body(`syntax="proto3"; message M {Nope a=1;}`, "PROTOBUF"), 422, "Nope"},
	} {
		t.Run(name, func(t *testing.T) { assertRefused(t, h, "x", c) })
	}
	assert.Len(t, h.ofType("kafka_schema"), 1)
}
