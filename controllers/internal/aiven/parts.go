package aiven

import (
	"maps"
	"reflect"
	"strings"
	"time"
)

// Part names what changes on its own in a service. The empty Part is the service itself, with all that is in no part.
type Part string

// The kinds of parts, before their names.
const (
	userParts     = "user/"
	databaseParts = "database/"
	poolParts     = "pool/"
	topicParts    = "topic/"
	aclParts      = "acl/"
)

// UserPart is a user of a service.
func UserPart(name string) Part { return Part(userParts + name) }

// DatabasePart is a logical database.
func DatabasePart(name string) Part { return Part(databaseParts + name) }

// PoolPart is a connection pool of PgBouncer.
func PoolPart(name string) Part { return Part(poolParts + name) }

// TopicPart is a topic of Kafka.
func TopicPart(name string) Part { return Part(topicParts + name) }

// ACLPart is a rule of Aiven's own kind for Kafka, by what makes it unique.
func ACLPart(permission, user, topic string) Part {
	return Part(aclParts + permission + "/" + user + "/" + topic)
}

// Answer is what Aiven told when something was written. The zero value says that it refused, or that it was asked nothing.
type Answer struct {
	Accepted bool // or perhaps so: see Accepted
	Gone     bool
	User     *User
	Database bool
	ACLs     []ACL    // all of the service
	Service  *Service // the whole of it
}

// tells says whether the answer holds anything about a part.
func (a Answer) tells(part Part) bool {
	return a.Gone && part != "" || a.User != nil || a.Database || a.ACLs != nil || a.Service != nil
}

// with is the service as it is after a write. It shares with s what the write was not about: readers may hold s.
func (s *Service) with(part Part, told Answer) *Service {
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
	case told.Gone:
		after.drop(kind+"/", name)
	}
	return &after
}

func (s *Service) drop(kind, name string) {
	switch kind {
	case userParts:
		s.Users = without(s.Users, name)
	case databaseParts:
		s.Databases = without(s.Databases, name)
	case poolParts:
		s.Pools = without(s.Pools, name)
	case topicParts:
		s.Topics = without(s.Topics, name)
	case aclParts:
		var rest []ACL
		for _, acl := range s.ACLs {
			if ACLPart(string(acl.Permission), acl.Username, acl.Topic) != Part(aclParts+name) {
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
func (s *Service) at(part Part) any {
	kind, name, _ := strings.Cut(string(part), "/")
	switch kind + "/" {
	case userParts:
		return s.Users[name]
	case databaseParts:
		return s.Databases[name]
	case poolParts:
		return s.Pools[name]
	case topicParts:
		return s.Topics[name]
	default:
		return rules(s.ACLs)[name]
	}
}

// changed lists the parts in which two states of a service differ; the empty Part stands for the rest of it.
func changed(before, after *Service) []Part {
	var parts []Part
	if !reflect.DeepEqual(before.rest(), after.rest()) {
		parts = append(parts, "")
	}
	parts = appendChanged(parts, userParts, before.Users, after.Users)
	parts = appendChanged(parts, databaseParts, before.Databases, after.Databases)
	parts = appendChanged(parts, poolParts, before.Pools, after.Pools)
	parts = appendChanged(parts, topicParts, before.Topics, after.Topics)
	return appendChanged(parts, aclParts, rules(before.ACLs), rules(after.ACLs))
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
		out[strings.TrimPrefix(string(ACLPart(string(acl.Permission), acl.Username, acl.Topic)), aclParts)] = acl
	}
	return out
}

// appendChanged compares what is the same pointer in both at no cost: a write leaves all but one element as they were.
func appendChanged[V comparable](parts []Part, kind string, before, after map[string]V) []Part {
	for name, value := range after {
		if old, there := before[name]; !there || old != value && !reflect.DeepEqual(old, value) {
			parts = append(parts, Part(kind+name))
		}
	}
	for name := range before {
		if _, there := after[name]; !there {
			parts = append(parts, Part(kind+name))
		}
	}
	return parts
}
