package aiven

import (
	"maps"
	"reflect"
	"strings"
	"time"
)

// Entry names what changes on its own in a service. The empty Part is the service itself, with all that is in no part.
type Entry string

// The kinds of parts, before their names.
const (
	userEntries     = "user/"
	databaseEntries = "database/"
	poolEntries     = "pool/"
	topicEntries    = "topic/"
	aclEntries      = "acl/"
)

// UserEntry is a user of a service.
func UserEntry(name string) Entry { return Entry(userEntries + name) }

// DatabaseEntry is a logical database.
func DatabaseEntry(name string) Entry { return Entry(databaseEntries + name) }

// PoolEntry is a connection pool of PgBouncer.
func PoolEntry(name string) Entry { return Entry(poolEntries + name) }

// TopicEntry is a topic of Kafka.
func TopicEntry(name string) Entry { return Entry(topicEntries + name) }

// ACLEntry is a rule of Aiven's own kind for Kafka, by what makes it unique.
func ACLEntry(permission, user, topic string) Entry {
	return Entry(aclEntries + permission + "/" + user + "/" + topic)
}

// WriteResult is what Aiven told when something was written. The zero value says that it refused, or that it was asked nothing.
type WriteResult struct {
	MayHaveApplied bool // or perhaps so: see Accepted
	Deleted        bool
	User           *User
	Database       bool
	ACLs           []ACL    // all of the service
	Service        *Service // the whole of it
}

// covers says whether the answer holds anything about a part.
func (a WriteResult) covers(part Entry) bool {
	return a.Deleted && part != "" || a.User != nil || a.Database || a.ACLs != nil || a.Service != nil
}

// with is the service as it is after a write. It shares with s what the write was not about: readers may hold s.
func (s *Service) with(part Entry, told WriteResult) *Service {
	after := *s
	kind, name, _ := strings.Cut(string(part), "/")
	switch {
	case told.User != nil:
		user := *told.User
		after.Users = set(s.Users, name, &user)
	case told.Database:
		after.Databases = set(s.Databases, name, true)
	case told.ACLs != nil:
		after.ACLs = told.ACLs
	case told.Deleted:
		after.drop(kind+"/", name)
	}
	return &after
}

func (s *Service) drop(kind, name string) {
	switch kind {
	case userEntries:
		s.Users = without(s.Users, name)
	case databaseEntries:
		s.Databases = without(s.Databases, name)
	case poolEntries:
		s.Pools = without(s.Pools, name)
	case topicEntries:
		s.Topics = without(s.Topics, name)
	case aclEntries:
		var rest []ACL
		for _, acl := range s.ACLs {
			if ACLEntry(string(acl.Permission), acl.Username, acl.Topic) != Entry(aclEntries+name) {
				rest = append(rest, acl)
			}
		}
		s.ACLs = rest
	}
}

func set[V any](m map[string]V, name string, value V) map[string]V {
	out := maps.Clone(m)
	if out == nil {
		out = map[string]V{}
	}
	out[name] = value
	return out
}

func without[V any](m map[string]V, name string) map[string]V {
	out := maps.Clone(m)
	delete(out, name)
	return out
}

// at is what a part holds; the zero value of its type if there is none. It isn't for the empty Part.
func (s *Service) at(part Entry) any {
	kind, name, _ := strings.Cut(string(part), "/")
	switch kind + "/" {
	case userEntries:
		return s.Users[name]
	case databaseEntries:
		return s.Databases[name]
	case poolEntries:
		return s.Pools[name]
	case topicEntries:
		return s.Topics[name]
	default:
		return rules(s.ACLs)[name]
	}
}

// changed lists the parts in which two states of a service differ; the empty Part stands for the rest of it.
func changed(before, after *Service) []Entry {
	var parts []Entry
	if !reflect.DeepEqual(before.rest(), after.rest()) {
		parts = append(parts, "")
	}
	parts = appendChanged(parts, userEntries, before.Users, after.Users)
	parts = appendChanged(parts, databaseEntries, before.Databases, after.Databases)
	parts = appendChanged(parts, poolEntries, before.Pools, after.Pools)
	parts = appendChanged(parts, topicEntries, before.Topics, after.Topics)
	return appendChanged(parts, aclEntries, rules(before.ACLs), rules(after.ACLs))
}

// rest is what is in no part, without what moves by itself.
func (s *Service) rest() *Service {
	rest := *s
	rest.Users, rest.Databases, rest.Pools, rest.Topics, rest.ACLs = nil, nil, nil, nil, nil
	rest.Metadata, rest.UpdateTime = nil, time.Time{}
	rest.NodeStates = make([]NodeState, 0, len(s.NodeStates))
	for _, node := range s.NodeStates {
		node.ProgressUpdates = nil
		rest.NodeStates = append(rest.NodeStates, node)
	}
	return &rest
}

func rules(acls []ACL) map[string]ACL {
	out := make(map[string]ACL, len(acls))
	for _, acl := range acls {
		out[strings.TrimPrefix(string(ACLEntry(string(acl.Permission), acl.Username, acl.Topic)), aclEntries)] = acl
	}
	return out
}

// appendChanged compares what is the same pointer in both at no cost: a write leaves all but one element as they were.
func appendChanged[V comparable](parts []Entry, kind string, before, after map[string]V) []Entry {
	for name, value := range after {
		if old, there := before[name]; !there || old != value && !reflect.DeepEqual(old, value) {
			parts = append(parts, Entry(kind+name))
		}
	}
	for name := range before {
		if _, there := after[name]; !there {
			parts = append(parts, Entry(kind+name))
		}
	}
	return parts
}
