package schemaregistry

import (
	"context"
	"fmt"
	"maps"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// protobufSchema is one file of Protocol Buffers. It is compared by what is on the wire: messages by their full names,
// their fields by number, with type, repetition and requirement. Values of enums and reserved numbers aren't compared.
type protobufSchema struct {
	source, identity string
	file             protoreflect.FileDescriptor
}

// protobufFile is the name of the file; no reference is likely to have the same.
const protobufFile = ".schema.proto"

func parseProtobuf(text string, references map[string]string) (parsedSchema, error) {
	files := maps.Clone(references)
	files[protobufFile] = text
	compiler := protocompile.Compiler{Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{
		Accessor: protocompile.SourceAccessorFromMap(files),
	})}
	compiled, err := compiler.Compile(context.Background(), protobufFile)
	if err != nil {
		return nil, err
	}
	file := compiled[0]
	identity, err := proto.MarshalOptions{Deterministic: true}.Marshal(protodesc.ToFileDescriptorProto(file))
	if err != nil {
		return nil, fmt.Errorf("encoding its descriptor: %w", err)
	}
	return protobufSchema{text, string(identity), file}, nil
}

func (p protobufSchema) text() string { return p.source }
func (p protobufSchema) key() string  { return p.identity }

func (p protobufSchema) reads(writer parsedSchema) []string {
	other, ok := writer.(protobufSchema)
	if !ok {
		return []string{"types of schemas differ"}
	}
	return readMessages(p.file.Messages(), other.file.Messages())
}

func readMessages(reader, writer protoreflect.MessageDescriptors) []string {
	var reasons []string
	for i := range writer.Len() {
		was := writer.Get(i)
		if was.IsMapEntry() { // compared with its field
			continue
		}
		is := reader.ByName(was.Name())
		if is == nil || is.FullName() != was.FullName() {
			reasons = append(reasons, fmt.Sprintf("message %s is missing", was.FullName()))
			continue
		}
		reasons = append(reasons, readFields(is, was)...)
		reasons = append(reasons, readMessages(is.Messages(), was.Messages())...)
	}
	return reasons
}

func readFields(reader, writer protoreflect.MessageDescriptor) []string {
	var reasons []string
	for i := range writer.Fields().Len() {
		was := writer.Fields().Get(i)
		is := reader.Fields().ByNumber(was.Number())
		switch {
		case is != nil:
			reasons = append(reasons, readField(is, was)...)
		case was.ContainingOneof() != nil && !was.ContainingOneof().IsSynthetic():
			reasons = append(reasons, fmt.Sprintf("field %s of a oneof is missing", was.FullName()))
		}
	}
	for i := range reader.Fields().Len() {
		is := reader.Fields().Get(i)
		was := writer.Fields().ByNumber(is.Number())
		if is.Cardinality() == protoreflect.Required && (was == nil || was.Cardinality() != protoreflect.Required) {
			reasons = append(reasons, fmt.Sprintf("field %s is required", is.FullName()))
		}
	}
	return reasons
}

func readField(is, was protoreflect.FieldDescriptor) []string {
	at := fmt.Sprintf("field %s with number %d", was.FullName(), was.Number())
	switch {
	case is.IsMap() != was.IsMap() || is.IsList() != was.IsList():
		return []string{at + " is repeated or not"}
	case is.IsMap():
		return append(readField(is.MapKey(), was.MapKey()), readField(is.MapValue(), was.MapValue())...)
	case wire(is.Kind()) != wire(was.Kind()):
		return []string{fmt.Sprintf("%s has type %s instead of %s", at, is.Kind(), was.Kind())}
	case is.Message() != nil && is.Message().FullName() != was.Message().FullName():
		return []string{fmt.Sprintf("%s is message %s instead of %s", at, is.Message().FullName(), was.Message().FullName())}
	}
	return nil
}

// wire is the same for types that read each other's values.
func wire(kind protoreflect.Kind) protoreflect.Kind {
	switch kind {
	case protoreflect.Int32Kind, protoreflect.Uint32Kind, protoreflect.Int64Kind, protoreflect.Uint64Kind, protoreflect.BoolKind,
		protoreflect.EnumKind:
		return protoreflect.Int64Kind
	case protoreflect.Sint32Kind, protoreflect.Sint64Kind:
		return protoreflect.Sint64Kind
	case protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.Fixed32Kind
	case protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.Fixed64Kind
	case protoreflect.StringKind, protoreflect.BytesKind:
		return protoreflect.BytesKind
	default:
		return kind
	}
}
