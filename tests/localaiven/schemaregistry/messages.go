package schemaregistry

import (
	"fmt"

	client "github.com/aiven/go-client-codegen/handler/kafkaschemaregistry"
)

// Body is how answers show a version of a subject. AVRO has no schemaType, as it is the default.
type Body struct {
	ID         int         `json:"id"`
	References []reference `json:"references,omitempty"`
	Schema     string      `json:"schema"`
	SchemaType string      `json:"schemaType,omitempty"`
	Subject    string      `json:"subject"`
	Version    int         `json:"version"`
}

// Body is the version for an answer.
func (v Version) Body(subject string) Body {
	return Body{v.id, v.references, v.text(), v.shownType(), subject, v.number}
}

func (g *registered) shownType() string {
	if g.language == string(client.SchemaTypeAvro) {
		return ""
	}
	return g.language
}

// reference lets a schema use one of another subject, by the name that its text has for it.
type reference = client.ReferenceIn

// Request is a schema that is to be registered, checked or looked up. No language is AVRO.
type Request struct {
	Schema     string      `json:"schema"`
	SchemaType string      `json:"schemaType"`
	References []reference `json:"references"`
}

// Error is what the Schema Registry itself answers. The first three digits of its code often are its status.
type Error struct {
	Status, Code int
	Message      string
}

func (e *Error) Error() string { return fmt.Sprintf("%d: %s", e.Code, e.Message) }

// The codes of errors, as clients of registries know them.
const (
	codeSubjectNotFound   = 40401
	codeVersionNotFound   = 40402
	codeSchemaNotFound    = 40403
	codeSubjectDeleted    = 40404
	codeSubjectNotDeleted = 40405
	codeVersionDeleted    = 40406
	codeVersionNotDeleted = 40407
	codeNoLevel           = 40408
	codeInvalidSchema     = 42201
	codeInvalidVersion    = 42202
	codeInvalidLevel      = 42203
	codeReferenceExists   = 42206
	codeInvalidReference  = 44301
)
