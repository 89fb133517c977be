package schemaregistry

import (
	"testing"

	avnschema "github.com/aiven/go-client-codegen/handler/kafkaschemaregistry"
	"github.com/stretchr/testify/assert"
)

const proto = "syntax = \"proto3\";\nmessage M { string a = 1; }\n"

func TestTextsOfOneSchemaAreTheSame(t *testing.T) {
	for name, tc := range map[string]struct {
		schemaType, a, b string
		same             bool
	}{
		"AVRO with sorted keys and no spaces":           {"AVRO", "{\"type\": \"record\",\n \"name\": \"x\"}", `{"name":"x","type":"record"}`, true},
		"AVRO with another default":                     {"AVRO", `{"default": 1}`, `{"default": 2}`, false},
		"AVRO with fields in another order":             {"AVRO", `[{"name":"a"},{"name":"b"}]`, `[{"name":"b"},{"name":"a"}]`, false},
		"AVRO with a number of many digits":             {"AVRO", `{"default": 9007199254740993}`, `{"default": 9007199254740992}`, false},
		"AVRO with a number in another spelling":        {"AVRO", `{"default": 1e9}`, `{"default":1000000000.0}`, true},
		"AVRO with a zero behind it":                    {"AVRO", `{"default": [0.10, -2E-3]}`, `{"default":[0.1,-0.002]}`, true},
		"AVRO with an integer as a double":              {"AVRO", `{"default": 1}`, `{"default":1.0}`, true},
		"AVRO with another fraction":                    {"AVRO", `{"default": 0.10}`, `{"default":0.11}`, false},
		"AVRO with a number that no double holds":       {"AVRO", `{"default": 1e400}`, `{"default":1e401}`, false},
		"AVRO with the same one":                        {"AVRO", `{"default": 1e400}`, `{"default":1e400}`, true},
		"AVRO with a number in quotes":                  {"AVRO", `{"default": 1.0}`, `{"default":"1.0"}`, false},
		"AVRO with null":                                {"AVRO", `{"default": null}`, `{"default":{}}`, false},
		"AVRO with null under another name":             {"AVRO", `{"default": null}`, `{"doc":null}`, false},
		"AVRO with fewer fields":                        {"AVRO", `[{"name":"a"}]`, `[{"name":"a"},{"name":"b"}]`, false},
		"AVRO of one word":                              {"AVRO", `"string"`, ` "string" `, true},
		"AVRO that isn't JSON":                          {"AVRO", `{`, `{`, false},
		"AVRO with text behind it":                      {"AVRO", `{} {}`, `{}`, false},
		"JSON with sorted keys":                         {"JSON", `{"b":1,"a":{}}`, `{"a": {}, "b": 1}`, true},
		"JSON with a limit in another spelling":         {"JSON", `{"multipleOf": 0.10, "maximum": 1e9}`, `{"maximum":1000000000.0,"multipleOf":0.1}`, true},
		"JSON with another property":                    {"JSON", `{"a":{}}`, `{"b":{}}`, false},
		"PROTOBUF with comments and other spaces":       {"PROTOBUF", proto, "// of ours\nsyntax=\"proto3\";\nmessage M {\n  string a=1; /* first */\n}", true},
		"PROTOBUF with another number":                  {"PROTOBUF", proto, "syntax=\"proto3\"; message M { string a = 2; }", false},
		"PROTOBUF with another string":                  {"PROTOBUF", `option a = "x y";`, `option a = "xy";`, false},
		"PROTOBUF with another string in single quotes": {"PROTOBUF", `option a = 'x y';`, `option a = 'xy';`, false},
		"PROTOBUF with names that spaces separate":      {"PROTOBUF", "message M { }", "messageM { }", false},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.same, same(tc.schemaType, tc.a, tc.b))
			assert.Equal(t, tc.same, same(tc.schemaType, tc.b, tc.a))
		})
	}
}

func TestDifferencesNameTheFields(t *testing.T) {
	ref := func(subject string, version int) Reference {
		return Reference{Name: subject + ".proto", Subject: subject, Version: version}
	}
	shown := func(refs ...Reference) *Version {
		v := &Version{Schema: proto, SchemaType: avnschema.SchemaTypeProtobuf}
		for _, r := range refs {
			v.References = append(v.References, avnschema.ReferenceOut(r))
		}
		return v
	}
	for name, tc := range map[string]struct {
		wanted Schema
		found  *Version
		given  bool
		fields []string
	}{
		"the same":     {Schema{"PROTOBUF", proto, nil}, shown(), false, nil},
		"another text": {Schema{"PROTOBUF", "message X {}", nil}, shown(), false, []string{"schema"}},
		"another text that the registry has given":         {Schema{"PROTOBUF", "message X {}", nil}, shown(), true, nil},
		"another text of AVRO that the registry has given": {Schema{"", `{"a":1}`, nil}, &Version{Schema: `{"a":2}`}, true, []string{"schema"}},
		"AVRO, which is shown without a type":              {Schema{"AVRO", `{}`, nil}, &Version{Schema: `{}`}, false, nil},
		"another type":                                     {Schema{"JSON", proto, nil}, shown(), false, []string{"schemaType", "schema"}},
		"the same references":                              {Schema{"PROTOBUF", proto, []Reference{ref("a", 1), ref("b", 2)}}, shown(ref("a", 1), ref("b", 2)), false, nil},
		"references in another order":                      {Schema{"PROTOBUF", proto, []Reference{ref("b", 2), ref("a", 1)}}, shown(ref("a", 1), ref("b", 2)), true, []string{"references"}},
		"a reference to another version":                   {Schema{"PROTOBUF", proto, []Reference{ref("a", 2)}}, shown(ref("a", 1)), true, []string{"references"}},
		"a reference that isn't wanted":                    {Schema{"PROTOBUF", proto, nil}, shown(ref("a", 1)), true, []string{"references"}},
		"no version":                                       {Schema{"PROTOBUF", proto, nil}, nil, false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var fields []string
			for _, d := range tc.wanted.Differences(tc.found, tc.given) {
				fields = append(fields, d.Field)
			}
			assert.Equal(t, tc.fields, fields)
		})
	}
}
