package localaiven_test

import (
	"testing"

	"github.com/aiven/go-client-codegen/handler/kafkaschemaregistry"
	"github.com/stretchr/testify/assert"
)

// A schema that follows another must read what that wrote: the level is BACKWARD.
func TestWhatReadsOlderSchemas(t *testing.T) {
	proto := func(body string) string { return `syntax = "proto3"; package shop; ` + body }
	object := func(body string) string { return `{"type":"object","additionalProperties":false,` + body + `}` }
	for name, c := range map[string]struct{ language, was, is, refused string }{
		"avro: a wider number":                    {"AVRO", `"int"`, `"long"`, ""},
		"avro: a narrower number":                 {"AVRO", `"long"`, `"int"`, "long"},
		"avro: one more choice":                   {"AVRO", `["null","int"]`, `["null","int","string"]`, ""},
		"avro: one choice less":                   {"AVRO", `["null","int","string"]`, `["null","int"]`, "string"},
		"protobuf: the same but for comments":     {"PROTOBUF", proto(`message M {int32 a = 1;}`), proto("// one\nmessage M {\nint32 a = 1;\n}"), ""},
		"protobuf: a new field":                   {"PROTOBUF", proto(`message M {int32 a = 1;}`), proto(`message M {int32 a = 1; string b = 2;}`), ""},
		"protobuf: a field less":                  {"PROTOBUF", proto(`message M {int32 a = 1; string b = 2;}`), proto(`message M {int32 a = 1;}`), ""},
		"protobuf: another name of a field":       {"PROTOBUF", proto(`message M {int32 a = 1;}`), proto(`message M {int32 b = 1;}`), ""},
		"protobuf: a wider number":                {"PROTOBUF", proto(`message M {int32 a = 1;}`), proto(`message M {int64 a = 1;}`), ""},
		"protobuf: text as bytes":                 {"PROTOBUF", proto(`message M {string a = 1;}`), proto(`message M {bytes a = 1;}`), ""},
		"protobuf: a number as text":              {"PROTOBUF", proto(`message M {int32 a = 1;}`), proto(`message M {string a = 1;}`), "string instead of int32"},
		"protobuf: another way to write it":       {"PROTOBUF", proto(`message M {int32 a = 1;}`), proto(`message M {sint32 a = 1;}`), "sint32 instead of int32"},
		"protobuf: a list":                        {"PROTOBUF", proto(`message M {int32 a = 1;}`), proto(`message M {repeated int32 a = 1;}`), "repeated"},
		"protobuf: values of a map":               {"PROTOBUF", proto(`message M {map<string, int32> a = 1;}`), proto(`message M {map<string, string> a = 1;}`), "string instead of int32"},
		"protobuf: a map less":                    {"PROTOBUF", proto(`message M {map<string, int32> a = 1;}`), proto(`message M {}`), ""},
		"protobuf: another message":               {"PROTOBUF", proto(`message A {} message B {} message M {A a = 1;}`), proto(`message A {} message B {} message M {B a = 1;}`), "shop.B instead of shop.A"},
		"protobuf: a message less":                {"PROTOBUF", proto(`message M {} message N {}`), proto(`message M {}`), "shop.N is missing"},
		"protobuf: an inner message less":         {"PROTOBUF", proto(`message M {message N {}}`), proto(`message M {}`), "shop.M.N is missing"},
		"protobuf: another package":               {"PROTOBUF", proto(`message M {}`), `syntax = "proto3"; package store; message M {}`, "shop.M is missing"},
		"protobuf: one of a choice less":          {"PROTOBUF", proto(`message M {oneof x {int32 a = 1; int32 b = 2;}}`), proto(`message M {oneof x {int32 a = 1;}}`), "oneof"},
		"protobuf: an optional field less":        {"PROTOBUF", proto(`message M {optional int32 a = 1;}`), proto(`message M {}`), ""},
		"protobuf: a required field":              {"PROTOBUF", `syntax = "proto2"; message M {}`, `syntax = "proto2"; message M {required int32 a = 1;}`, "M.a is required"},
		"json: the same but for spaces":           {"JSON", `{"type":"string"}`, `{ "type" : "string" }`, ""},
		"json: one type more":                     {"JSON", `{"type":"string"}`, `{"type":["string","null"]}`, ""},
		"json: one type less":                     {"JSON", `{"type":["string","null"]}`, `{"type":"string"}`, "not null"},
		"json: any number":                        {"JSON", `{"type":"integer"}`, `{"type":"number"}`, ""},
		"json: whole numbers only":                {"JSON", `{"type":"number"}`, `{"type":"integer"}`, "not number"},
		"json: a type at all":                     {"JSON", `{}`, `{"type":"integer"}`, "must be"},
		"json: a new property of a closed object": {"JSON", object(`"properties":{}`), object(`"properties":{"a":{"type":"string"}}`), ""},
		"json: a new property of an open object":  {"JSON", `{"type":"object"}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, "properties/a"},
		"json: a property less, closed":           {"JSON", object(`"properties":{"a":{"type":"string"}}`), object(`"properties":{}`), "properties/a"},
		"json: a closed object":                   {"JSON", `{"type":"object"}`, object(`"properties":{}`), "additionalProperties"},
		"json: a required property":               {"JSON", object(`"properties":{"a":{}}`), object(`"properties":{"a":{}},"required":["a"]`), "must have a"},
		"json: a property no longer required":     {"JSON", object(`"properties":{"a":{}},"required":["a"]`), object(`"properties":{"a":{}}`), ""},
		"json: one value more":                    {"JSON", `{"enum":["a"]}`, `{"enum":["a","b"]}`, ""},
		"json: one value less":                    {"JSON", `{"enum":["a","b"]}`, `{"enum":["a"]}`, `must not be "b"`},
		"json: values at all":                     {"JSON", `{"type":"string"}`, `{"type":"string","const":"a"}`, "one of a list"},
		"json: a higher maximum":                  {"JSON", `{"maximum":3}`, `{"maximum":4}`, ""},
		"json: a lower maximum":                   {"JSON", `{"maximum":3}`, `{"maximum":2.5}`, "stricter maximum"},
		"json: a longer text":                     {"JSON", `{"minLength":3}`, `{"minLength":4}`, "stricter minLength"},
		"json: a pattern":                         {"JSON", `{}`, `{"pattern":"a"}`, "another pattern"},
		"json: items":                             {"JSON", `{"items":{"type":"string"}}`, `{"items":{"type":"integer"}}`, "#/items"},
		"json: behind a reference": {
			"JSON", `{"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string"}}}`,
			`{"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"integer"}}}`, "#/properties/a must be",
		},
		"json: a schema that is itself":       {"JSON", `{"$ref":"#"}`, `{ "$ref":"#", "type":"string"}`, ""},
		"json: a schema that contains itself": {"JSON", `{"properties":{"a":{"$ref":"#"}},"maximum":1}`, `{"properties":{"a":{"$ref":"#"}},"maximum":2}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := withRegistry(t)
			of := func(schema string) schemaIn {
				return schemaIn{Schema: schema, SchemaType: kafkaschemaregistry.SchemaType(c.language)}
			}
			h.posted(t, "s", of(c.was))
			_, err := h.postSchema(t, "s", of(c.is))
			if c.refused == "" {
				assert.NoError(t, err)
				return
			}
			assertStatus(t, err, 409, c.refused)
		})
	}
}
