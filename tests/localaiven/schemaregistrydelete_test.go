package localaiven_test

import (
	"testing"

	aiven "github.com/aiven/go-client-codegen"
	"github.com/aiven/go-client-codegen/handler/kafkaschemaregistry"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSubjectsAreDeletedTwice(t *testing.T) {
	h := withRegistry(t)
	id := h.posted(t, "orders", avro(order))
	h.level(t, "orders", "NONE")
	h.posted(t, "orders", avro(orderMust))
	assertStatus(t, h.dropSubject(t, "orders", true), 404, "was not deleted first")
	require.NoError(t, h.dropSubject(t, "orders", false))
	assert.Empty(t, h.versions(t, "orders"))
	assert.Len(t, h.ofType("kafka_schema"), 1, "it still is there for who has the id")
	assertStatus(t, h.dropSubject(t, "orders", false), 404, "permanent=true")
	assert.Equal(t, id, h.posted(t, "orders", avro(order)))
	assert.Equal(t, []int{3}, h.versions(t, "orders"), "numbers go on")

	require.NoError(t, h.dropSubject(t, "orders", false))
	require.NoError(t, h.dropSubject(t, "orders", true))
	assert.Empty(t, h.ofType("kafka_schema"))
	assertStatus(t, h.dropSubject(t, "orders", true), 404, "not found")
	assert.Greater(t, h.posted(t, "orders", avro(order)), id, "a new id, as the old one is gone")
	assert.Equal(t, []int{1}, h.versions(t, "orders"), "and versions from 1")
	_, err := h.client.ServiceSchemaRegistrySubjectConfigGet(t.Context(), proj, kafkaName, "orders")
	assert.True(t, aiven.IsNotFound(err), "its level is gone, too")
}

func TestVersionsAreDeletedTwice(t *testing.T) {
	h := withRegistry(t)
	h.posted(t, "orders", avro(order))
	h.posted(t, "orders", avro(orderNote))
	drop := func(version int, permanent bool) error {
		return h.client.ServiceSchemaRegistrySubjectVersionDelete(t.Context(), proj, kafkaName, "orders", version,
			kafkaschemaregistry.ServiceSchemaRegistrySubjectVersionDeletePermanent(permanent))
	}
	assertStatus(t, drop(2, true), 404, "was not deleted first")
	require.NoError(t, drop(2, false))
	assertStatus(t, drop(2, false), 404, "permanent=true")
	assert.Equal(t, []int{1}, h.versions(t, "orders"))
	require.NoError(t, drop(2, true))
	assertStatus(t, drop(2, true), 404, "Version 2 not found")
	assertStatus(t, drop(7, false), 404, "Version 7 not found")
}

func TestReferences(t *testing.T) {
	h := withRegistry(t)
	for language, c := range map[string]struct{ referent, next, referrer, name string }{
		"PROTOBUF": {
			`syntax = "proto3"; package shop; message Customer { string name = 1; }`,
			`syntax = "proto3"; package shop; message Customer { string name = 1; string mail = 2; }`,
			`syntax = "proto3"; package shop; import "customer.proto"; message Order { Customer of = 1; }`, "customer.proto",
		},
		"JSON": {
			`{"type":"object","properties":{"name":{"type":"string"}}}`, `{"type":"object","properties":{"mail":{"type":"string"}}}`,
			`{"type":"object","properties":{"of":{"$ref":"customer.json"}}}`, "customer.json",
		},
	} {
		t.Run(language, func(t *testing.T) {
			of := kafkaschemaregistry.SchemaType(language)
			customer, orders := language+"-customer", language+"-orders"
			with := func(version int) schemaIn {
				return schemaIn{Schema: c.referrer, SchemaType: of, References: &[]kafkaschemaregistry.ReferenceIn{{Name: c.name, Subject: customer, Version: version}}}
			}
			_, err := h.postSchema(t, orders, with(1))
			assertStatus(t, err, 422, customer)
			h.posted(t, customer, schemaIn{Schema: c.referent, SchemaType: of})
			_, err = h.postSchema(t, orders, schemaIn{Schema: c.referrer, SchemaType: of})
			assertStatus(t, err, 422, c.name)
			_, err = h.postSchema(t, orders, with(2))
			assertStatus(t, err, 422, customer)
			id := h.posted(t, orders, with(1))
			assert.Equal(t, id, h.posted(t, orders, with(1)))
			got, err := h.client.ServiceSchemaRegistrySubjectVersionGet(t.Context(), proj, kafkaName, orders, 1)
			require.NoError(t, err)
			assert.EqualValues(t, language, got.SchemaType)
			assert.Equal(t, []kafkaschemaregistry.ReferenceOut{{Name: c.name, Subject: customer, Version: 1}}, got.References)

			assertStatus(t, h.dropSubject(t, customer, false), 422, "references exist")
			assertStatus(t, h.client.ServiceSchemaRegistrySubjectVersionDelete(t.Context(), proj, kafkaName, customer, 1), 422, "references exist")
			h.level(t, customer, "NONE")
			h.posted(t, customer, schemaIn{Schema: c.next, SchemaType: of})
			require.NoError(t, h.dropSubject(t, customer, false), "its latest version isn't referenced")
			assertStatus(t, h.dropSubject(t, customer, true), 422, "references exist")
			require.NoError(t, h.dropSubject(t, orders, false))
			assertStatus(t, h.dropSubject(t, customer, true), 422, "references exist")
			require.NoError(t, h.dropSubject(t, orders, true))
			require.NoError(t, h.dropSubject(t, customer, true))
		})
	}
	assert.Empty(t, h.ofType("kafka_schema"))
}
