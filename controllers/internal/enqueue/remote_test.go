package enqueue

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/controllers/internal/aiven"
)

func TestI06_AChangeAtAivenEnqueuesWhatDependsOnIt(t *testing.T) {
	key := aiven.ServiceKey{Project: "prj", Service: "pg"}
	user := EntryValues([]aiven.ServiceKey{key}, aiven.UserEntry("joe"), []aiven.Entry{aiven.DatabaseEntry("orders")})
	connector := EntryValues([]aiven.ServiceKey{key}, "", []aiven.Entry{aiven.AnyIntegration})
	integration := aiven.IntegrationEntry("kafka_connect", aiven.IntegrationEnd{Project: "prj", Service: "kafka"}, aiven.IntegrationEnd{Project: "prj", Service: "pg"})
	service := ServiceValues([]aiven.ServiceKey{key})
	of := func(entry aiven.Entry) aiven.Change { return aiven.Change{Key: key, Entries: []aiven.Entry{entry}} }
	ours := func(change aiven.Change) aiven.Change {
		change.Known = true
		return change
	}
	for name, tc := range map[string]struct {
		change                   aiven.Change
		user, service, connector bool
	}{
		"the service":                           {aiven.Change{Key: key}, true, true, true},
		"the service, by its own read or write": {ours(aiven.Change{Key: key}), true, false, true},
		"the user":                              {of(aiven.UserEntry("joe")), true, false, false},
		"another user":                          {of(aiven.UserEntry("jane")), false, false, false},
		"an entry that the user reads":          {of(aiven.DatabaseEntry("orders")), true, false, false},
		"an entry that it reads, written by us": {ours(of(aiven.DatabaseEntry("orders"))), true, false, false},
		"the user, written by us":               {ours(of(aiven.UserEntry("joe"))), false, false, false},
		"another service":                       {aiven.Change{Key: aiven.ServiceKey{Project: "prj", Service: "other"}}, false, false, false},
		"an integration":                        {of(integration), false, false, true},
		"an integration that we made":           {ours(of(integration)), false, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			enqueued := func(index []string) bool {
				return slices.ContainsFunc(affected(tc.change), func(value string) bool { return slices.Contains(index, value) })
			}
			assert.Equal(t, tc.user, enqueued(user))
			assert.Equal(t, tc.service, enqueued(service))
			assert.Equal(t, tc.connector, enqueued(connector))
		})
	}
}

func TestAChangeOfASharedListEnqueuesWhatDependsOnItsItems(t *testing.T) {
	list := aiven.ListKey{Organization: "org1", Operation: "UpgradePipelineStepList"}
	item := func(key string) aiven.Item { return aiven.Item{List: list, Key: key} }
	step := ItemValues(item("a"), []aiven.Item{item("b")})
	for name, tc := range map[string]struct {
		change aiven.Change
		want   bool
	}{
		"its own item":                     {aiven.Change{List: list, Items: []string{"x", "a"}}, true},
		"its own item, written by us":      {aiven.Change{List: list, Items: []string{"a"}, Known: true}, false},
		"an item that it reads":            {aiven.Change{List: list, Items: []string{"b"}}, true},
		"an item that it reads, by us":     {aiven.Change{List: list, Items: []string{"b"}, Known: true}, true},
		"another item":                     {aiven.Change{List: list, Items: []string{"x"}}, false},
		"the same key in another list":     {aiven.Change{List: aiven.ListKey{Organization: "org2", Operation: list.Operation}, Items: []string{"a"}}, false},
		"a service, which it doesn't read": {aiven.Change{Key: aiven.ServiceKey{Project: "prj", Service: "pg"}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			enqueued := slices.ContainsFunc(affected(tc.change), func(value string) bool { return slices.Contains(step, value) })
			assert.Equal(t, tc.want, enqueued)
		})
	}
	assert.Empty(t, ItemValues(aiven.Item{}, nil), "an object that has nothing to do with a list")
}
