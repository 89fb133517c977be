package schemaregistry

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/hamba/avro/v2"
)

// avroSchema is compared by the rules of Avro's schema resolution.
type avroSchema struct {
	source string
	schema avro.Schema
}

func parseAvro(text string, _ map[string]string) (parsedSchema, error) {
	source, err := compact(text)
	if err != nil {
		return nil, err
	}
	// A cache of its own, else names would be those of other schemas.
	schema, err := avro.ParseWithCache(source, "", &avro.SchemaCache{})
	if err != nil {
		return nil, err
	}
	return avroSchema{source, schema}, nil
}

// compact is JSON without spaces that mean nothing.
func compact(text string) (string, error) {
	var out bytes.Buffer
	if err := json.Compact(&out, []byte(text)); err != nil {
		return "", fmt.Errorf("not JSON: %w", err)
	}
	return out.String(), nil
}

func (a avroSchema) text() string { return a.source }
func (a avroSchema) key() string  { return a.source }

func (a avroSchema) reads(writer parsedSchema) []string {
	other, ok := writer.(avroSchema)
	if !ok {
		return []string{"types of schemas differ"}
	}
	if err := avro.NewSchemaCompatibility().Compatible(a.schema, other.schema); err != nil {
		return []string{err.Error()}
	}
	return nil
}
