package aiven

import (
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Entry names what changes on its own in a service. The empty Entry is the service itself, with all that is in no entry.
type Entry string

// The prefixes of entries, one for each row of the table.
const (
	userEntries        = "user/"
	databaseEntries    = "database/"
	poolEntries        = "pool/"
	topicEntries       = "topic/"
	aclEntries         = "acl/"
	nativeACLEntries   = "native_acl/"
	schemaACLEntries   = "schema_acl/"
	integrationEntries = "integration/"
)

// rows is the table of the lists in a service whose entries change on their own.
var rows = []row{
	byKey(userEntries, func(s *Service) *map[string]*User { return &s.Users }),
	databases(byKey(databaseEntries, func(s *Service) *map[string]bool { return &s.Databases })),
	byKey(poolEntries, func(s *Service) *map[string]*Pool { return &s.Pools }),
	byKey(topicEntries, func(s *Service) *map[string]*Topic { return &s.Topics }),
	byRule(aclEntries, func(s *Service) *[]ACL { return &s.ACLs }, func(a ACL) (string, string) {
		return joined(string(a.Permission), a.Username, a.Topic), deref(a.Id)
	}),
	byRule(nativeACLEntries, func(s *Service) *[]KafkaACL { return &s.KafkaACLs }, func(a KafkaACL) (string, string) {
		return joined(string(a.ResourceType), string(a.PatternType), a.ResourceName, a.Principal, a.Host,
			string(a.Operation), string(a.PermissionType)), a.Id
	}),
	byRule(schemaACLEntries, func(s *Service) *[]SchemaRegistryACL { return &s.SchemaRegistryACLs },
		func(a SchemaRegistryACL) (string, string) {
			return joined(string(a.Permission), a.Username, a.Resource), deref(a.Id)
		}),
	byRule(integrationEntries, func(s *Service) *[]Integration { return &s.Integrations }, func(i Integration) (string, string) {
		source := IntegrationEnd{i.SourceProject, i.SourceService, deref(i.SourceEndpointId)}
		dest := IntegrationEnd{i.DestProject, deref(i.DestService), deref(i.DestEndpointId)}
		return integrationKey(string(i.IntegrationType), source, dest), i.ServiceIntegrationId
	}),
}

// UserEntry is a user of a service.
func UserEntry(name string) Entry { return Entry(userEntries + name) }

// DatabaseEntry is a logical database.
func DatabaseEntry(name string) Entry { return Entry(databaseEntries + name) }

// PoolEntry is a connection pool of PgBouncer.
func PoolEntry(name string) Entry { return Entry(poolEntries + name) }

// TopicEntry is a topic of Kafka.
func TopicEntry(name string) Entry { return Entry(topicEntries + name) }

// ACLEntry is an Aiven ACL for Kafka, by what makes it unique.
func ACLEntry(permission, user, topic string) Entry {
	return Entry(aclEntries + joined(permission, user, topic))
}

// NativeACLEntry is a Kafka-native ACL, by all its fields but the id. Several ids may have the same fields.
func NativeACLEntry(acl KafkaACL) Entry {
	return Entry(nativeACLEntries + joined(string(acl.ResourceType), string(acl.PatternType), acl.ResourceName, acl.Principal,
		acl.Host, string(acl.Operation), string(acl.PermissionType)))
}

// SchemaACLEntry is an ACL of the schema registry, by what makes it unique.
func SchemaACLEntry(permission, user, resource string) Entry {
	return Entry(schemaACLEntries + joined(permission, user, resource))
}

// IntegrationEnd is one of the two ends of an integration: a service, or an endpoint.
type IntegrationEnd struct {
	Project, Service string
	// EndpointID is empty for a service.
	EndpointID string
}

// IntegrationEntry is an integration. It has no name, and its id is made by Aiven, so its type and both ends identify it.
func IntegrationEntry(integrationType string, source, dest IntegrationEnd) Entry {
	return Entry(integrationEntries + integrationKey(integrationType, source, dest))
}

// AnyIntegration is read by what needs some integration of a service, whatever its other end is.
const AnyIntegration = Entry(integrationEntries)

func integrationKey(integrationType string, source, dest IntegrationEnd) string {
	return joined(integrationType, source.key(), dest.key())
}

// key leaves out the project of an endpoint: its id is unique, and not every answer names the project.
func (e IntegrationEnd) key() string {
	if e.EndpointID != "" {
		return "endpoint=" + e.EndpointID
	}
	return joined(e.Project, e.Service)
}

// joined is unambiguous: no field can look like two.
func joined(fields ...string) string {
	escaped := make([]string, len(fields))
	for i, field := range fields {
		escaped[i] = url.PathEscape(field)
	}
	return strings.Join(escaped, "/")
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// rowOf returns the row of an entry and the key in it. It reports false for the service itself.
func rowOf(entry Entry) (row, string, bool) {
	for _, r := range rows {
		if key, ok := strings.CutPrefix(string(entry), r.prefix); ok {
			return r, key, true
		}
	}
	return row{}, "", false
}

// WriteResult is what Aiven returned for a write. The zero value is a refusal, or a write whose end isn't known.
type WriteResult struct {
	// MayHaveApplied is true for an accepted write, too. See the function of that name.
	MayHaveApplied bool
	// Deleted is for an entry of which nothing is left, and for a service whose deletion Aiven has accepted.
	Deleted bool
	// Entry is the entry as Aiven returned it: a pointer to User, Pool, Topic, ACL, KafkaACL, SchemaRegistryACL or
	// Integration, or to the name of a database. Anything else is ignored, and so the entry is read again.
	Entry any
	// Service is the whole service, for a write to the service itself.
	Service *Service
}

// covers reports whether the result holds what became of an entry.
func (w WriteResult) covers(entry Entry) bool {
	r, _, ok := rowOf(entry)
	if !ok {
		return w.Service != nil
	}
	return w.Deleted || w.Service != nil || r.accepts(w.Entry)
}

// with is the service as it is after a write. It shares with s what the write was not about: readers may hold s.
func (s *Service) with(entry Entry, result WriteResult) *Service {
	after := *s
	r, key, ok := rowOf(entry)
	switch {
	case !ok:
	case result.Deleted:
		r.drop(&after, key)
	case r.accepts(result.Entry):
		if r.lacks(s) {
			after.partial = append(slices.Clone(s.partial), r.prefix)
		}
		r.set(&after, key, result.Entry)
	}
	return &after
}

// at is what an entry holds; the zero value of its type if there is none. It isn't for the empty Entry.
func (s *Service) at(entry Entry) any {
	r, key, ok := rowOf(entry)
	if !ok {
		return nil
	}
	return r.get(s, key)
}

// changed lists the entries in which two states of a service differ; the empty Entry is the rest of it.
func changed(before, after *Service) []Entry {
	var entries []Entry
	if !reflect.DeepEqual(before.rest(), after.rest()) {
		entries = append(entries, "")
	}
	for _, r := range rows {
		entries = append(entries, r.changed(before, after)...)
	}
	return entries
}

// rest is what is in no entry, without what moves by itself.
func (s *Service) rest() *Service {
	rest := *s
	for _, r := range rows {
		r.clear(&rest)
	}
	rest.UpdateTime, rest.Notices, rest.partial = time.Time{}, Notices{}, nil
	rest.NodeStates = make([]NodeState, 0, len(s.NodeStates))
	for _, node := range s.NodeStates {
		node.ProgressUpdates = nil
		rest.NodeStates = append(rest.NodeStates, node)
	}
	return &rest
}
