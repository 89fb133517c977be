package schemaregistry

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	client "github.com/aiven/go-client-codegen/handler/kafkaschemaregistry"
)

// parsedSchema is a schema in one of the languages that a registry knows.
type parsedSchema interface {
	// text is what the registry answers with.
	text() string
	// key is the same for texts that mean the same.
	key() string
	// reads lists why this schema can't read data written with another one of the same language; nothing if it can.
	reads(writer parsedSchema) []string
}

// schemaLanguages parse a text. The texts of what it refers to go by the names it has for them.
var schemaLanguages = map[string]func(text string, references map[string]string) (parsedSchema, error){
	string(client.SchemaTypeAvro): parseAvro, string(client.SchemaTypeJson): parseJSONSchema, string(client.SchemaTypeProtobuf): parseProtobuf,
}

// levelOf is the compatibility level of a subject. The caller holds mu.
func (r *Registry) levelOf(name string) string {
	if s := r.subjects[name]; s != nil && s.level != "" {
		return s.level
	}
	return r.level
}

// Configured is the level of a subject; one that has none of its own has the registry's where the caller wants that. An
// empty name is the registry itself.
func (r *Registry) Configured(name string, fallback bool) (string, *Error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if s := r.subjects[name]; name != "" && !fallback && (s == nil || s.level == "") {
		return "", &Error{http.StatusNotFound, codeNoLevel, fmt.Sprintf(
			"Subject '%s' does not have subject-level compatibility configured", name)}
	}
	return r.levelOf(name), nil
}

// Configure sets the level of a subject, which needs no versions yet, or that of the registry.
func (r *Registry) Configure(name, level string) *Error {
	if !slices.Contains(client.CompatibilityTypeChoices(), level) {
		return &Error{http.StatusUnprocessableEntity, codeInvalidLevel, fmt.Sprintf(
			"Invalid compatibility level '%s'. Valid values are %s", level, strings.Join(client.CompatibilityTypeChoices(), ", "))}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.remember()
	if name == "" {
		r.level = level
		return nil
	}
	if r.subjects[name] == nil {
		r.subjects[name] = &subject{}
	}
	r.subjects[name].level = level
	return nil
}

// unconfigure takes the level of a subject away, and returns it.
func (r *Registry) unconfigure(name string) (string, *Error) {
	level, fail := r.Configured(name, false)
	if fail != nil {
		return "", fail
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.remember()
	if s := r.subjects[name]; s != nil {
		s.level = ""
		if len(s.versions) == 0 {
			delete(r.subjects, name)
		}
	}
	return level, nil
}

// Compatibility is whether a schema can follow a version, and why not.
type Compatibility struct {
	IsCompatible bool     `json:"is_compatible"`
	Messages     []string `json:"messages,omitempty"`
}

// Compare reports whether a schema can follow a version of a subject.
func (r *Registry) Compare(name, which string, in Request) (Compatibility, *Error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	v, fail := r.pick(name, which, false)
	if fail != nil {
		return Compatibility{}, fail
	}
	next, fail := r.parse(in)
	if fail != nil {
		return Compatibility{}, fail
	}
	reasons := incompatible(r.levelOf(name), next, []*Version{v})
	return Compatibility{len(reasons) == 0, reasons}, nil
}

// incompatible lists why a schema can't follow these versions, the latest of which comes last: BACKWARD is that it reads
// what they wrote, FORWARD that they read what it writes, FULL both. A transitive level asks all of them.
func incompatible(level string, next *registered, versions []*Version) []string {
	if len(versions) == 0 || level == string(client.CompatibilityTypeNone) {
		return nil
	}
	way, transitive := strings.CutSuffix(level, "_TRANSITIVE")
	if !transitive {
		versions = versions[len(versions)-1:]
	}
	var reasons []string
	for _, v := range versions {
		if v.language != next.language {
			return []string{fmt.Sprintf("version %d is of type %s, not %s", v.number, v.language, next.language)}
		}
		if way != string(client.CompatibilityTypeForward) {
			reasons = append(reasons, next.reads(v.parsedSchema)...)
		}
		if way != string(client.CompatibilityTypeBackward) {
			reasons = append(reasons, v.reads(next.parsedSchema)...)
		}
	}
	return reasons
}
