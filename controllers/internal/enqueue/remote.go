package enqueue

import (
	"context"
	"slices"
	"strings"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/aero-operator/aero/controllers/internal/aiven"
)

// RemoteIndex is the field index over what objects have to do with services and lists at Aiven.
const RemoteIndex = "aero.remote"

// What an object has to do with an entry of a service. The empty entry is the service itself.
const (
	manages = "is"
	reads   = "reads"
)

func entryValue(key aiven.ServiceKey, relation string, entry aiven.Entry) string {
	return key.String() + "/" + relation + "/" + string(entry)
}

// ServiceValues are the values of the RemoteIndex of an object that is a service.
func ServiceValues(services []aiven.ServiceKey) []string {
	values := make([]string, 0, len(services))
	for _, service := range services {
		values = append(values, entryValue(service, manages, ""))
	}
	return values
}

// EntryValues are the values of the RemoteIndex of an object that lives in some services: it manages one entry, if it
// isn't empty, and reads others and the services themselves.
func EntryValues(services []aiven.ServiceKey, own aiven.Entry, others []aiven.Entry) []string {
	var values []string
	for _, service := range services {
		values = append(values, entryValue(service, reads, ""))
		if own != "" {
			values = append(values, entryValue(service, manages, own))
		}
		for _, entry := range others {
			values = append(values, entryValue(service, reads, entry))
		}
	}
	return values
}

// ItemValues are the values of the RemoteIndex of an object that manages one item of a shared list, if its list isn't
// empty, and reads others.
func ItemValues(own aiven.Item, others []aiven.Item) []string {
	var values []string
	if own.List != (aiven.ListKey{}) {
		values = append(values, itemValue(own, manages))
	}
	for _, item := range others {
		values = append(values, itemValue(item, reads))
	}
	return values
}

func itemValue(item aiven.Item, relation string) string {
	return item.List.String() + "/" + relation + "/" + item.Key
}

// RemoteChanges enqueues the objects that a change at Aiven affects. A write of our own does not enqueue the object that
// it was made for.
func RemoteChanges(clients *aiven.Clients, lister Lister) source.Source {
	return source.Func(func(ctx context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		clients.OnChange(func(change aiven.Change) {
			for _, value := range affected(change) {
				for _, request := range lister.Requests(ctx, client.MatchingFields{RemoteIndex: value}) {
					queue.Add(request)
				}
			}
		})
		return nil
	})
}

// affected lists the values of the RemoteIndex that a change is about.
func affected(change aiven.Change) []string {
	var values []string
	for _, key := range change.Items {
		item := aiven.Item{List: change.List, Key: key}
		values = append(values, itemValue(item, reads))
		if !change.Known {
			values = append(values, itemValue(item, manages))
		}
	}
	if change.Key == (aiven.ServiceKey{}) {
		return values
	}
	entries := change.Entries
	if len(entries) == 0 {
		entries = []aiven.Entry{""}
	}
	if slices.ContainsFunc(entries, func(entry aiven.Entry) bool { return strings.HasPrefix(string(entry), string(aiven.AnyIntegration)) }) {
		values = append(values, entryValue(change.Key, reads, aiven.AnyIntegration))
	}
	for _, entry := range entries {
		values = append(values, entryValue(change.Key, reads, entry))
		if !change.Known {
			values = append(values, entryValue(change.Key, manages, entry))
		}
	}
	return values
}
