package schemaregistry

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	client "github.com/aiven/go-client-codegen/handler/kafkaschemaregistry"
)

// parse checks a schema and what it refers to.
func (r *Registry) parse(in Request) (*registered, *Error) {
	language := cmp.Or(in.SchemaType, string(client.SchemaTypeAvro))
	parse, known := schemaLanguages[language]
	if !known {
		return nil, &Error{http.StatusUnprocessableEntity, http.StatusUnprocessableEntity,
			fmt.Sprintf("Invalid schemaType '%s': must be one of %v", language, client.SchemaTypeChoices())}
	}
	if len(in.References) > 0 && language == string(client.SchemaTypeAvro) {
		return nil, &Error{http.StatusUnprocessableEntity, codeInvalidReference, "Schema references are not supported for 'AVRO' schema type"}
	}
	if strings.TrimSpace(in.Schema) == "" {
		return nil, &Error{http.StatusUnprocessableEntity, codeInvalidSchema, "Invalid schema: must not be empty"}
	}
	texts := map[string]string{}
	if fail := r.resolve(in.References, texts); fail != nil {
		return nil, fail
	}
	parsed, err := parse(in.Schema, texts)
	if err != nil {
		return nil, &Error{http.StatusUnprocessableEntity, codeInvalidSchema, fmt.Sprintf("Invalid %s schema. Error: %v", language, err)}
	}
	return &registered{language: language, parsedSchema: parsed, references: in.References}, nil
}

// resolve adds the texts of what references mean, by name, and of what those refer to.
func (r *Registry) resolve(references []reference, into map[string]string) *Error {
	for _, ref := range references {
		v, fail := r.pick(ref.Subject, strconv.Itoa(ref.Version), false)
		if fail != nil || ref.Name == "" {
			return &Error{http.StatusUnprocessableEntity, codeInvalidReference, fmt.Sprintf(
				"Invalid reference '%s': there is no subject '%s' with version %d", ref.Name, ref.Subject, ref.Version)}
		}
		into[ref.Name] = v.text()
		if fail := r.resolve(v.references, into); fail != nil {
			return fail
		}
	}
	return nil
}
