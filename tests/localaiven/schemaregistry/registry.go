// Package schemaregistry is a Schema Registry as Karapace is one: subjects with versions of AVRO, JSON and PROTOBUF schemas, ids
// for all of them, references, compatibility, and deletion in two steps. It has the registry's own endpoint, which serializers
// use; Aiven's API leads to the same state.
package schemaregistry

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	client "github.com/aiven/go-client-codegen/handler/kafkaschemaregistry"

	"github.com/aero-operator/aero/tests/localaiven/lag"
)

// Registry is the Schema Registry of a service. It guards itself, as the API and the registry's own endpoint share it.
type Registry struct {
	mu     sync.RWMutex
	lastID int
	ids    map[string]*registered // by what the schema means
	contents

	now  func() time.Time
	past lag.History[contents]
}

// subject is a name with versions of a schema. One without versions has been configured only.
type subject struct {
	level    string // empty is the registry's
	versions []*Version
}

// Version is gone for new data once it is deleted, but can still be read by those who have its id.
type Version struct {
	number  int
	deleted bool
	*registered
}

// registered is a schema with its id, which is the same in all subjects.
type registered struct {
	id       int
	language string
	parsedSchema
	references []reference
}

// New returns a registry without subjects. behind is how far Lagging is.
func New(now func() time.Time, behind time.Duration) *Registry {
	return &Registry{
		now: now, past: lag.History[contents]{Lag: behind}, ids: map[string]*registered{},
		contents: contents{map[string]*subject{}, string(client.CompatibilityTypeBackward)},
	}
}

func subjectNotFound(name string) *Error {
	return &Error{http.StatusNotFound, codeSubjectNotFound, fmt.Sprintf("Subject '%s' not found.", name)}
}

func versionNotFound(which string) *Error {
	return &Error{http.StatusNotFound, codeVersionNotFound, fmt.Sprintf("Version %s not found.", which)}
}

// live are the versions that aren't deleted.
func (s *subject) live() []*Version {
	if s == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(s.versions), func(v *Version) bool { return v.deleted })
}

// pick returns the version of a number, or the last that isn't deleted for "latest" and -1. One that is deleted is found
// where that is asked for.
func (r *Registry) pick(name, which string, deleted bool) (*Version, *Error) {
	s := r.subjects[name]
	versions := s.live()
	if deleted && s != nil {
		versions = s.versions
	}
	if len(versions) == 0 {
		return nil, subjectNotFound(name)
	}
	if which == "latest" || which == "-1" {
		return versions[len(versions)-1], nil
	}
	number, err := strconv.Atoi(which)
	if err != nil || number < 1 || number > math.MaxInt32 {
		return nil, &Error{http.StatusUnprocessableEntity, codeInvalidVersion, fmt.Sprintf("The specified version '%s' is not a valid "+
			"version id. Allowed values are between [1, 2^31-1] and the string \"latest\"", which)}
	}
	for _, v := range versions {
		if v.number == number {
			return v, nil
		}
	}
	return nil, versionNotFound(which)
}

// Get is pick for one that isn't deleted.
func (r *Registry) Get(name, which string) (Version, *Error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	v, fail := r.pick(name, which, false)
	if fail != nil {
		return Version{}, fail
	}
	return *v, nil
}

// Names are the subjects with versions, in order.
func (r *Registry) Names() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	out := []string{}
	for _, name := range slices.Sorted(maps.Keys(r.subjects)) {
		if len(r.subjects[name].live()) > 0 {
			out = append(out, name)
		}
	}
	return out
}

// Existing are the subjects with versions, also those that were deleted softly.
func (r *Registry) Existing() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	names := slices.Sorted(maps.Keys(r.subjects))
	return slices.DeleteFunc(names, func(name string) bool { return len(r.subjects[name].versions) == 0 })
}

// Numbers are those of the versions of a subject.
func (r *Registry) Numbers(name string) ([]int, *Error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	out := []int{}
	for _, v := range r.subjects[name].live() {
		out = append(out, v.number)
	}
	if len(out) == 0 {
		return nil, subjectNotFound(name)
	}
	return out, nil
}

// subjectVersion is where a schema is.
type subjectVersion struct {
	Subject string `json:"subject"`
	Version int    `json:"version"`
}

// byID returns the schema, and the versions that have it, also those that were deleted softly.
func (r *Registry) byID(id int) (*registered, []subjectVersion, *Error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var found *registered
	var in []subjectVersion
	for _, name := range slices.Sorted(maps.Keys(r.subjects)) {
		for _, v := range r.subjects[name].versions {
			if v.id == id {
				found, in = v.registered, append(in, subjectVersion{name, v.number})
			}
		}
	}
	if found == nil {
		return nil, nil, schemaNotFound()
	}
	return found, in, nil
}

func schemaNotFound() *Error {
	return &Error{http.StatusNotFound, codeSchemaNotFound, "Schema not found"}
}

// ID is that of the schema, which is the same in all subjects.
func (v Version) ID() int { return v.id }

// Post registers a schema as the next version of a subject. One that is there already stays as it is.
func (r *Registry) Post(name string, in Request) (Version, *Error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.remember()
	next, fail := r.parse(in)
	if fail != nil {
		return Version{}, fail
	}
	s := r.subjects[name]
	live := s.live()
	for _, v := range live {
		if v.same(next) {
			return *v, nil
		}
	}
	level := r.levelOf(name)
	if reasons := incompatible(level, next, live); len(reasons) > 0 {
		return Version{}, &Error{http.StatusConflict, http.StatusConflict, fmt.Sprintf(
			"Incompatible schema, compatibility_mode=%s. Incompatibilities: %s", level, strings.Join(reasons, ", "))}
	}
	if s == nil {
		s = &subject{}
		r.subjects[name] = s
	}
	v := &Version{number: 1, registered: r.identify(next)}
	if n := len(s.versions); n > 0 {
		v.number = s.versions[n-1].number + 1
	}
	s.versions = append(s.versions, v)
	return *v, nil
}

// identify gives the schema an id, that of the same schema if there is one.
func (r *Registry) identify(next *registered) *registered {
	key := next.identity()
	if known := r.ids[key]; known != nil {
		return known
	}
	r.lastID++
	next.id = r.lastID
	r.ids[key] = next
	return next
}

// identity is the same for schemas that mean the same.
func (g *registered) identity() string { return fmt.Sprint(g.language, g.references, g.key()) }

func (g *registered) same(other *registered) bool { return g.identity() == other.identity() }

// lookup finds the version of a subject that has this schema.
func (r *Registry) lookup(name string, in Request) (Version, *Error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	live := r.subjects[name].live()
	if len(live) == 0 {
		return Version{}, subjectNotFound(name)
	}
	wanted, fail := r.parse(in)
	if fail != nil {
		return Version{}, fail
	}
	for _, v := range live {
		if v.same(wanted) {
			return *v, nil
		}
	}
	return Version{}, schemaNotFound()
}
