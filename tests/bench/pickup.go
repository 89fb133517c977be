package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
)

const (
	// newcomers is how many databases are created beside those that are there.
	newcomers = 20

	newcomerLabel = "aero-bench"

	measuredPickupMedian = "20 more: first status, median"
)

// arrival is what a watcher has seen of one object, and when.
type arrival struct{ created, status, ready time.Time }

// arrivals are by the name of the object.
type arrivals map[string]*arrival

// pickup measures how soon the operator notices objects. As with kubectl apply, one is created right after the other.
func (w *world) pickup(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	watcher, err := w.kube.Watch(ctx, &v1alpha1.DatabaseList{},
		client.InNamespace(namespace), client.MatchingLabels{newcomerLabel: "new"})
	if err != nil {
		return fmt.Errorf("watching databases: %w", err)
	}
	defer watcher.Stop()
	created := make(chan error, 1)
	go func() { created <- w.arrive(ctx) }()
	seen := arrivals{}
	for !seen.complete() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %d new databases to be ready: %w", newcomers, context.Cause(ctx))
		case err := <-created:
			if err != nil {
				return err
			}
			created = nil
		case event, open := <-watcher.ResultChan():
			if !open {
				return errors.New("the watch of databases ended early")
			}
			if err := seen.note(event, time.Now()); err != nil {
				return err
			}
		}
	}
	w.tell(seen)
	return nil
}

func (w *world) arrive(ctx context.Context) error {
	for i := range newcomers {
		database := &v1alpha1.Database{}
		if err := w.read("database", database); err != nil {
			return err
		}
		database.Name = fmt.Sprintf("new-%02d", i)
		database.Labels = map[string]string{newcomerLabel: "new"}
		if err := w.create(ctx, database); err != nil {
			return err
		}
	}
	return nil
}

// note keeps the first time of each thing.
func (a arrivals) note(event watch.Event, now time.Time) error {
	database, ok := event.Object.(*v1alpha1.Database)
	if !ok {
		return fmt.Errorf("watching databases: got %s %T", event.Type, event.Object)
	}
	seen, known := a[database.Name]
	if !known {
		seen = &arrival{created: now}
		a[database.Name] = seen
	}
	if seen.status.IsZero() && database.Status.ObservedGeneration >= 1 {
		seen.status = now
	}
	if seen.ready.IsZero() && isReady(database) {
		seen.ready = now
	}
	return nil
}

func (a arrivals) complete() bool {
	for _, seen := range a {
		if seen.ready.IsZero() {
			return false
		}
	}
	return len(a) == newcomers
}

// tell adds how long it took from creation, as a watcher saw it.
func (w *world) tell(seen arrivals) {
	var status, ready []time.Duration
	for _, one := range seen {
		status = append(status, one.status.Sub(one.created))
		ready = append(ready, one.ready.Sub(one.created))
	}
	w.add(measuredPickupMedian, percentile(status, 50).Seconds(), "s", "from the creation as a watcher sees it, beside 200 objects")
	w.add("20 more: first status, p95", percentile(status, 95).Seconds(), "s", "")
	w.add("20 more: first status, max", percentile(status, 100).Seconds(), "s", "")
	w.add("20 more: ready, median", percentile(ready, 50).Seconds(), "s", "")
	w.add("20 more: ready, p95", percentile(ready, 95).Seconds(), "s", "")
	w.add("20 more: ready, max", percentile(ready, 100).Seconds(), "s", "")
}
