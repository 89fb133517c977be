package schemaregistry

import (
	"fmt"
	"net/http"
	"slices"
)

// Drop deletes all versions of a subject. The first time is soft: they still can be read by id. With permanent, which
// needs the first, they and the subject's configuration are gone, unless another schema refers to them.
func (r *Registry) Drop(name string, permanent bool) ([]int, *Error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.remember()
	s := r.subjects[name]
	if s == nil || len(s.versions) == 0 {
		return nil, subjectNotFound(name)
	}
	live := s.live()
	switch {
	case !permanent && len(live) == 0:
		return nil, &Error{http.StatusNotFound, codeSubjectDeleted,
			fmt.Sprintf("Subject '%s' was soft deleted. Set permanent=true to delete permanently", name)}
	case permanent && len(live) > 0:
		return nil, &Error{http.StatusNotFound, codeSubjectNotDeleted,
			fmt.Sprintf("Subject '%s' was not deleted first before being permanently deleted", name)}
	case permanent:
		for _, v := range s.versions {
			if fail := r.unreferenced(name, v.number); fail != nil {
				return nil, fail
			}
		}
		delete(r.subjects, name)
		r.forget()
		return numbersOf(s.versions), nil
	}
	if fail := r.unreferenced(name, live[len(live)-1].number); fail != nil {
		return nil, fail
	}
	for _, v := range live {
		v.deleted = true
	}
	return numbersOf(live), nil
}

// DropVersion is Drop for one version.
func (r *Registry) DropVersion(name, which string, permanent bool) (int, *Error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.remember()
	v, fail := r.pick(name, which, true)
	switch {
	case fail != nil:
		return 0, fail
	case !permanent && v.deleted:
		return 0, &Error{http.StatusNotFound, codeVersionDeleted,
			fmt.Sprintf("Subject '%s' Version %d was soft deleted. Set permanent=true to delete permanently", name, v.number)}
	case permanent && !v.deleted:
		return 0, &Error{http.StatusNotFound, codeVersionNotDeleted,
			fmt.Sprintf("Subject '%s' Version %d was not deleted first before being permanently deleted", name, v.number)}
	}
	if fail := r.unreferenced(name, v.number); fail != nil {
		return 0, fail
	}
	if !permanent {
		v.deleted = true
		return v.number, nil
	}
	s := r.subjects[name]
	s.versions = slices.DeleteFunc(s.versions, func(other *Version) bool { return other == v })
	r.forget()
	return v.number, nil
}

// unreferenced reports whether no schema refers to a version, also none that was deleted softly.
func (r *Registry) unreferenced(name string, number int) *Error {
	for _, s := range r.subjects {
		for _, v := range s.versions {
			for _, ref := range v.references {
				if ref.Subject == name && ref.Version == number {
					return &Error{http.StatusUnprocessableEntity, codeReferenceExists, fmt.Sprintf(
						"One or more references exist to the schema of subject '%s' version %d", name, number)}
				}
			}
		}
	}
	return nil
}

// forget drops the ids of schemas that no subject has any longer.
func (r *Registry) forget() {
	used := map[*registered]bool{}
	for _, s := range r.subjects {
		for _, v := range s.versions {
			used[v.registered] = true
		}
	}
	for key, g := range r.ids {
		if !used[g] {
			delete(r.ids, key)
		}
	}
}

func numbersOf(versions []*Version) []int {
	out := []int{}
	for _, v := range versions {
		out = append(out, v.number)
	}
	return out
}
