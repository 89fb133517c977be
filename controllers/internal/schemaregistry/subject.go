// Package schemaregistry reads the subjects of a schema registry, and compares schemas.
//
//	subject.go  the versions of a subject
//	level.go    its level
//	misses.go   versions that needn't be read again
//	write.go    what changes them
//	schema.go   which texts are the same schema
package schemaregistry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	avnschema "github.com/aiven/go-client-codegen/handler/kafkaschemaregistry"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// Version is a version of a subject. Its contents never change.
type Version = avnschema.ServiceSchemaRegistrySubjectVersionGetOut

// IDs are the id of the schema of a version, and the number of the version; nil without one.
func IDs(v *Version) (id, number *int) {
	if v == nil {
		return nil, nil
	}
	return &v.Id, &v.Version
}

// Reference is a schema that another one refers to.
type Reference = avnschema.ReferenceIn

// Subject is a name in the registry of a service, with versions of a schema.
type Subject struct {
	Client                 *aiven.Client
	Project, Service, Name string
}

// Item is a subject in the list of the registry.
func Item(project, service, subject string) aiven.Item {
	list := aiven.ListKey{Project: project, Service: service, Operation: "ServiceSchemaRegistrySubjects"}
	return aiven.Item{List: list, Key: subject}
}

// IsEnabled reports whether a service has a registry.
func IsEnabled(service *aiven.Service) bool { return service.UserConfig["schema_registry"] == true }

// IsOff reports whether a service has no registry. An answer without options says nothing.
func IsOff(service *aiven.Service) bool { return service.UserConfig != nil && !IsEnabled(service) }

// Awaited is the message of the wait for the registry of a service; empty if it has one.
func Awaited(service *aiven.Service) string {
	if IsEnabled(service) {
		return ""
	}
	return SwitchOn(service.Project, service.Name)
}

// SwitchOn is what is waited for in a service without a registry.
func SwitchOn(project, service string) string {
	return "Waiting for the schema registry: set spec.userConfig.schema_registry of service " + project + "/" + service + " to true"
}

// Missing is what a reference of a field waits for: producers may register the version. Empty if it is there. A schema of its own
// subject waits for nothing: what it would register is no earlier version.
func (s Subject) Missing(ctx context.Context, number int, field string, own bool) (string, error) {
	found, err := s.GetListed(ctx, number)
	switch {
	case err != nil || found != nil:
		return "", err
	case own:
		return "", fault.InvalidSpec(field, fmt.Sprintf("version %d of %s, the subject of this object, doesn't exist, and a schema can't refer to itself. "+
			"Name another subject or an earlier version", number, s.Name))
	default:
		return fmt.Sprintf("Waiting for version %d of subject %s, named by %s. Register it, or correct the reference", number, s.Name, field), nil
	}
}

// Find returns the version that fits. Without one, other is the known version if it is still there, else the latest; it is
// nil if the subject has no versions. A subject that was deleted since the registry was listed is searched in a list that
// begins now. One that was registered within the lag is in that list, and has no versions yet: its write is pending.
func (s Subject) Find(ctx context.Context, known int, misses *Misses, fits func(*Version) bool) (fit, other *Version, err error) {
	item, reads := Item(s.Project, s.Service, s.Name), s.Client.BeginReads()
	fit, other, err = s.findListed(ctx, known, misses, fits)
	if fault.Is(err, fault.NotFound) {
		s.Client.InvalidateList(item.List)
		fit, other, err = s.findListed(ctx, known, misses, fits)
	}
	if fault.Is(err, fault.NotFound) && reads.ListWritePending(item.List, item.Key) {
		return nil, nil, nil
	}
	return fit, other, err
}

// listed reports whether the list of the registry has the subject.
func (s Subject) listed(ctx context.Context) (bool, error) {
	item := Item(s.Project, s.Service, s.Name)
	names, err := aiven.List(ctx, s.Client, item.List, aiven.ListSource[[]string]{
		Read: func(ctx context.Context) ([]string, error) {
			return s.Client.API().ServiceSchemaRegistrySubjects(ctx, s.Project, s.Service)
		},
		Items: aiven.IndexBy(func(name string) string { return name }), With: withWritten,
	}, item.Key)
	return slices.Contains(names, s.Name), err
}

func (s Subject) findListed(ctx context.Context, known int, misses *Misses, fits func(*Version) bool) (fit, other *Version, err error) {
	if listed, err := s.listed(ctx); err != nil || !listed {
		return nil, nil, err
	}
	if known > 0 && misses.unfinished(known) == nil {
		if other, err = s.Get(ctx, known); err != nil || other != nil && fits(other) {
			return other, nil, err
		}
	}
	return s.searchOn(ctx, known, other, misses, fits)
}

// withWritten is a list with the subjects that were written, and without those that don't exist.
func withWritten(names []string, written map[string]any) ([]string, bool) {
	after := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, is := written[name]
		return is
	})
	for name, item := range written {
		if item != nil {
			after = append(after, name)
		}
	}
	return after, true
}

// searchOn begins a search, or goes on with one that had no turn. read is the known version, if it was read just now.
func (s Subject) searchOn(
	ctx context.Context, known int, read *Version, misses *Misses, fits func(*Version) bool,
) (fit, other *Version, err error) {
	before := misses.unfinished(known)
	numbers := before.versions()
	defer func() { misses.end(search{known: known, numbers: numbers}, fault.NotSent(err)) }()
	if numbers == nil {
		if numbers, err = s.numbers(ctx); err != nil {
			return nil, read, err
		}
	}
	fit, latest, err := s.search(ctx, numbers, misses, fits, known)
	if err != nil || fit != nil || read != nil {
		return fit, cmp.Or(read, latest), err
	}
	if before != nil && known > 0 {
		other, err = s.Get(ctx, known)
	}
	if err == nil && other == nil {
		other, err = s.latest(ctx, numbers, misses, latest)
	}
	return nil, other, err
}

// latest is the latest of all versions, if it isn't the latest that was read.
func (s Subject) latest(ctx context.Context, numbers []int, misses *Misses, read *Version) (*Version, error) {
	last := len(numbers) - 1
	if last < 0 || !misses.has(numbers[last]) || read != nil && read.Version == numbers[last] {
		return read, nil
	}
	return s.Get(ctx, numbers[last])
}

// Registered returns the version with the id of a schema that was just registered; nil if the registry doesn't show it. The
// version after the latest known one is read first, the first one where none is known: a new subject needs no other call.
func (s Subject) Registered(ctx context.Context, id int, latest *Version) *Version {
	next := 1
	if latest != nil {
		next += latest.Version
	}
	if found, err := s.Get(ctx, next); err == nil && found != nil && found.Id == id {
		return found
	}
	numbers, err := s.numbers(ctx)
	if err != nil {
		return nil
	}
	found, _, err := s.search(ctx, numbers, nil, func(v *Version) bool { return v.Id == id }, next)
	if err != nil {
		return nil
	}
	return found
}

// numbers are those of all versions.
func (s Subject) numbers(ctx context.Context) ([]int, error) {
	numbers, err := s.Client.API().ServiceSchemaRegistrySubjectVersionsGet(ctx, s.Project, s.Service, s.Name)
	if err == nil && numbers == nil {
		err = errors.New("unclear answer: Aiven has returned no list of versions")
	}
	slices.Sort(numbers)
	return numbers, err
}

// search returns the latest version that fits, and the latest that it has read. What was tried, and what is known not to fit, it
// doesn't read.
func (s Subject) search(
	ctx context.Context, numbers []int, misses *Misses, fits func(*Version) bool, tried int,
) (fit, latest *Version, err error) {
	for _, number := range slices.Backward(numbers) {
		if number == tried || misses.has(number) {
			continue
		}
		found, err := s.Get(ctx, number)
		if err != nil || found != nil && fits(found) {
			return found, latest, err
		}
		if found != nil {
			misses.add(number)
		}
		latest = cmp.Or(latest, found)
	}
	return nil, latest, nil
}

// Get returns nil for a version that doesn't exist, or was deleted.
func (s Subject) Get(ctx context.Context, number int) (*Version, error) {
	found, err := s.Client.API().ServiceSchemaRegistrySubjectVersionGet(ctx, s.Project, s.Service, s.Name, number)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil, nil
	case err == nil && found.Version != number:
		return nil, errors.New("unclear answer: Aiven has returned another version, or none")
	}
	return found, err
}

// GetListed is Get without a call for a subject that isn't listed. A change of the list enqueues those that read it.
func (s Subject) GetListed(ctx context.Context, number int) (*Version, error) {
	if listed, err := s.listed(ctx); err != nil || !listed {
		return nil, err
	}
	return s.Get(ctx, number)
}
