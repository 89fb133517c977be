package aiven

import (
	"maps"
	"reflect"
	"slices"
)

// row is how the snapshot works with one list of a service. A nil list isn't in the answer, which says nothing about what
// exists.
type row struct {
	prefix  string
	get     func(s *Service, key string) any
	accepts func(value any) bool
	set     func(s *Service, key string, value any) // value is accepted
	drop    func(s *Service, key string)
	clear   func(s *Service)
	lacks   func(s *Service) bool // the list isn't in the answer
	changed func(before, after *Service) []Entry
}

// byKey is the row of a list that is indexed by the key of its entries.
func byKey[V comparable](prefix string, list func(*Service) *map[string]V) row {
	return row{
		prefix:  prefix,
		get:     func(s *Service, key string) any { return (*list(s))[key] },
		accepts: func(value any) bool { v, ok := value.(V); var none V; return ok && v != none },
		set: func(s *Service, key string, value any) {
			index := maps.Clone(*list(s))
			if index == nil {
				index = map[string]V{}
			}
			index[key] = value.(V)
			*list(s) = index
		},
		drop: func(s *Service, key string) {
			index := maps.Clone(*list(s))
			delete(index, key)
			*list(s) = index
		},
		clear: func(s *Service) { *list(s) = nil },
		lacks: func(s *Service) bool { return *list(s) == nil },
		changed: func(before, after *Service) []Entry {
			return differences(prefix, *list(before), *list(after))
		},
	}
}

// databases is the row of a list that has names only.
func databases(r row) row {
	set := r.set
	r.accepts = func(value any) bool { name, ok := value.(*string); return ok && name != nil }
	r.set = func(s *Service, key string, _ any) { set(s, key, true) }
	return r
}

// byRule is the row of a list of rules, which Aiven gives ids. identify returns the key and the id of a rule. Several
// rules may have one key.
func byRule[V any](prefix string, list func(*Service) *[]V, identify func(V) (key, id string)) row {
	index := func(s *Service) map[string][]V {
		if *list(s) == nil {
			return nil
		}
		out := make(map[string][]V, len(*list(s)))
		for _, rule := range *list(s) {
			key, _ := identify(rule)
			out[key] = append(out[key], rule)
		}
		return out
	}
	without := func(rules []V, matches func(key, id string) bool) []V {
		return slices.DeleteFunc(slices.Clone(rules), func(rule V) bool { return matches(identify(rule)) })
	}
	return row{
		prefix:  prefix,
		get:     func(s *Service, key string) any { return index(s)[key] },
		accepts: func(value any) bool { rule, ok := value.(*V); return ok && rule != nil },
		set: func(s *Service, key string, value any) {
			rule := *value.(*V)
			_, newID := identify(rule)
			others := without(*list(s), func(k, id string) bool { return k == key && id == newID })
			*list(s) = slices.Concat(others, []V{rule})
		},
		drop: func(s *Service, key string) {
			*list(s) = without(*list(s), func(k, _ string) bool { return k == key })
		},
		clear: func(s *Service) { *list(s) = nil },
		lacks: func(s *Service) bool { return *list(s) == nil },
		changed: func(before, after *Service) []Entry {
			return differences(prefix, index(before), index(after))
		},
	}
}

// differences lists the entries that two states of one list don't share. What is the same pointer in both costs nothing:
// a write leaves all entries but one as they were.
func differences[V any](prefix string, before, after map[string]V) []Entry {
	if after == nil {
		return nil
	}
	var entries []Entry
	for key, value := range after {
		if old, there := before[key]; !there || !same(old, value) {
			entries = append(entries, Entry(prefix+key))
		}
	}
	for key := range before {
		if _, there := after[key]; !there {
			entries = append(entries, Entry(prefix+key))
		}
	}
	return entries
}

// same compares pointers first: DeepEqual on an interface allocates.
func same[V any](a, b V) bool {
	va, vb := any(a), any(b)
	if t := reflect.TypeOf(va); t != nil && t.Comparable() && va == vb {
		return true
	}
	return reflect.DeepEqual(va, vb)
}
