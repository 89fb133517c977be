package controllers

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
)

func TestI06_AChangeAtAivenConcernsThoseThatDependOnIt(t *testing.T) {
	key := aiven.ServiceKey{Project: "prj", Service: "pg"}
	users := Kind[*v1alpha1.ServiceUser]{
		Object: newUser(),
		Parts: func(obj *v1alpha1.ServiceUser) []aiven.Entry {
			return []aiven.Entry{aiven.UserEntry(obj.Name), aiven.DatabaseEntry("orders")}
		},
	}
	pg := &v1alpha1.PostgreSQL{ObjectMeta: named("pg")}
	pg.Spec.Project = "prj"
	service := Kind[*v1alpha1.PostgreSQL]{Object: pg}
	cases := map[string]struct {
		change      aiven.Change
		user, whole bool
	}{
		"the service": {aiven.Change{Key: key}, true, true},
		"the service, as its own look or write has told": {aiven.Change{Key: key, Known: true}, true, false},
		"the user":    {aiven.Change{Key: key, Entries: []aiven.Entry{aiven.UserEntry("joe")}}, true, false},
		"another one": {aiven.Change{Key: key, Entries: []aiven.Entry{aiven.UserEntry("jane")}}, false, false},
		"something that the user reads": {
			aiven.Change{Key: key, Entries: []aiven.Entry{aiven.DatabaseEntry("orders")}}, true, false,
		},
		"something that it reads, written by us": {
			aiven.Change{Key: key, Entries: []aiven.Entry{aiven.DatabaseEntry("orders")}, Known: true}, true, false,
		},
		"the user, written by us": {
			aiven.Change{Key: key, Entries: []aiven.Entry{aiven.UserEntry("joe")}, Known: true}, false, false,
		},
		"another service": {aiven.Change{Key: aiven.ServiceKey{Project: "prj", Service: "other"}}, false, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			woken := func(index []string) bool {
				return slices.ContainsFunc(affected(tc.change), func(value string) bool { return slices.Contains(index, value) })
			}
			assert.Equal(t, tc.user, woken(users.entryIndex(newUser())))
			assert.Equal(t, tc.whole, woken(service.entryIndex(pg)))
		})
	}
}
