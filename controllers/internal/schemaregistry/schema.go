package schemaregistry

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/scanner"

	avnschema "github.com/aiven/go-client-codegen/handler/kafkaschemaregistry"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
)

// Schema is a schema as an object asks for it.
type Schema struct {
	Type, Text string
	References []Reference // in an order that counts
}

// Difference is a field in which a version differs from a schema.
type Difference struct {
	Field         string // of the object's spec
	Wanted, Found any
}

// Differences compares the schema with a version. Only the registry knows whether two texts of PROTOBUF are the same: that of a
// version which it gave for the schema, by an id, isn't compared. From no version nothing differs.
func (s Schema) Differences(v *Version, given bool) []Difference {
	if v == nil {
		return nil
	}
	var all []Difference
	wanted, found := typeOf(s.Type), typeOf(string(v.SchemaType))
	if wanted != found {
		all = append(all, Difference{"schemaType", wanted, found})
	}
	if trusted := given && wanted == string(avnschema.SchemaTypeProtobuf); !trusted && !same(wanted, s.Text, v.Schema) {
		all = append(all, Difference{"schema", s.Text, v.Schema})
	}
	var have []Reference
	for _, ref := range v.References {
		have = append(have, Reference(ref))
	}
	if !slices.Equal(s.References, have) {
		all = append(all, Difference{"references", s.References, have})
	}
	return all
}

// Left returns the latest version if it is the one that aiven-operator has registered for this schema, perhaps in other words, and nil if
// that isn't known. applied is whether that operator has applied the spec of the object, as a status proves: users can write the annotation.
// Without a version in the status, only the first one of a subject that has no other is known: any of several may be a producer's.
func (s Schema) Left(obj *v1alpha1.KafkaSchema, latest *Version, applied bool) *Version {
	_, marked := obj.GetAnnotations()[annotation.SchemaApplied]
	if !marked || !applied || obj.Status.Version != nil || latest == nil || latest.Version != 1 || len(s.Differences(latest, true)) > 0 {
		return nil
	}
	return latest
}

// typeOf is the type of a schema: AVRO where none is named.
func typeOf(name string) string { return cmp.Or(name, string(avnschema.SchemaTypeAvro)) }

// same reports whether two texts are one schema. The registry shows AVRO and JSON with spaces, an order of keys and fractions of
// its own, and PROTOBUF without comments. It may change more of PROTOBUF than that: texts that differ may be the same all the same.
func same(schemaType, a, b string) bool {
	if schemaType == string(avnschema.SchemaTypeProtobuf) {
		return slices.Equal(tokens(a), tokens(b))
	}
	parsedA, errA := parseJSON(a)
	parsedB, errB := parseJSON(b)
	return errA == nil && errB == nil && sameJSON(parsedA, parsedB)
}

func sameJSON(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, sameJSON)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, sameJSON)
	case json.Number:
		b, ok := b.(json.Number)
		return ok && (a == b || sameDouble(a.String(), b.String()))
	}
	return a == b
}

// sameDouble reports whether two texts are one number, and one of them is no integer: the registry writes those in a way of its own.
func sameDouble(a, b string) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return strings.ContainsAny(a+b, ".eE") && errX == nil && errY == nil && x == y
}

// parseJSON keeps numbers as they are written: a default may have more digits than a float64 holds.
func parseJSON(text string) (parsed any, err error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&parsed); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text behind the schema")
	}
	return parsed, nil
}

// tokens are the words and signs of a PROTOBUF schema, whose comments and strings are those of Go.
func tokens(text string) []string {
	var all []string
	var s scanner.Scanner
	s.Init(strings.NewReader(text))
	s.Error = func(*scanner.Scanner, string) {} // a string in single quotes is no character of Go
	for token := s.Scan(); token != scanner.EOF; token = s.Scan() {
		all = append(all, s.TokenText())
	}
	return all
}
