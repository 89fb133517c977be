package main

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
)

const (
	// perKind is how many databases there are in the service, and how many users.
	perKind = 100
	// objects are all, with the service.
	objects = 2*perKind + 1

	// window is how long the objects are watched at rest.
	window = time.Minute
	// scaledPoll makes each object look once in the window.
	scaledPoll = window
	// defaultPoll is what the operator has unless it is told otherwise.
	defaultPoll = 10 * time.Minute

	writers = 8 // at a time
)

// What is measured at rest.
const (
	measuredPerLook = "200 at rest: calls per look"
	measuredCalls   = "200 at rest: calls"
	measuredObject  = "200 at rest: per object"
	measuredProject = "200 at rest: per project"
	measuredMemory  = "200 at rest: memory"
	measuredCPU     = "200 at rest: CPU"
	measuredFleet   = "200 created: all ready"
	measuredCreates = "200 created: per object"
)

// fleet makes the objects, and measures a minute at rest.
func (w *world) fleet(ctx context.Context) error {
	if err := w.startOperator(ctx, "--poll-interval", scaledPoll.String()); err != nil {
		return err
	}
	service := &v1alpha1.PostgreSQL{}
	if err := w.read("postgresql", service); err != nil {
		return err
	}
	if err := w.create(ctx, service); err != nil {
		return err
	}
	if err := w.await(ctx, service, "ready", isReady); err != nil {
		return err
	}
	if err := w.populate(ctx); err != nil {
		return err
	}
	return w.rest(ctx)
}

// populate makes the databases and users, and waits until all are ready.
func (w *world) populate(ctx context.Context) error {
	begin := time.Now()
	var took time.Duration
	stats, err := w.calls(ctx, func(ctx context.Context) error {
		if err := w.createAll(ctx); err != nil {
			return err
		}
		err := until(ctx, "all objects to be ready", w.allReady)
		took = time.Since(begin)
		return err
	})
	if err != nil {
		return err
	}
	w.add(measuredFleet, took.Seconds(), "s", fmt.Sprintf("%d databases and %d users in one service, from the first creation on", perKind, perKind))
	w.add(measuredCreates, float64(stats.Total)/(2*perKind), "calls", byOperation(stats))
	return nil
}

func (w *world) createAll(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(writers)
	for i := range perKind {
		group.Go(func() error {
			user := &v1alpha1.ServiceUser{}
			if err := w.read("serviceuser", user); err != nil {
				return err
			}
			user.Name = fmt.Sprintf("user-%03d", i)
			user.Spec.ConnInfoSecretTarget.Name = user.Name
			return w.create(ctx, user)
		})
		group.Go(func() error { return w.createDatabase(ctx, fmt.Sprintf("database-%03d", i)) })
	}
	return group.Wait()
}

func (w *world) createDatabase(ctx context.Context, name string) error {
	database := &v1alpha1.Database{}
	if err := w.read("database", database); err != nil {
		return err
	}
	database.Name = name
	return w.create(ctx, database)
}

func (w *world) allReady(ctx context.Context) (bool, error) {
	var databases v1alpha1.DatabaseList
	var users v1alpha1.ServiceUserList
	for _, list := range []client.ObjectList{&databases, &users} {
		if err := w.kube.List(ctx, list, client.InNamespace(namespace)); err != nil {
			return false, fmt.Errorf("listing: %w", err)
		}
	}
	for i := range databases.Items {
		if !isReady(&databases.Items[i]) {
			return false, nil
		}
	}
	for i := range users.Items {
		if !isReady(&users.Items[i]) {
			return false, nil
		}
	}
	return len(databases.Items) == perKind && len(users.Items) == perKind, nil
}

// rest measures the minute. Calls are related to looks: which of them fall into the minute is chance, as each object
// spreads its looks by a tenth.
func (w *world) rest(ctx context.Context) error {
	before, err := w.vitals(ctx)
	if err != nil {
		return err
	}
	if err := w.admin.Reset(ctx); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(window):
	}
	stats, err := w.admin.Stats(ctx)
	if err != nil {
		return err
	}
	after, err := w.vitals(ctx)
	if err != nil {
		return err
	}
	looks := after.reconciles - before.reconciles
	if looks == 0 {
		return fmt.Errorf("no object was looked at in %s", window)
	}
	w.add(measuredCalls, float64(stats.Total), "calls", fmt.Sprintf(
		"in %s with --poll-interval %s, which is ten times as often as by default: %s", window, scaledPoll, byOperation(stats)))
	w.addRates(float64(stats.Total)/looks, looks)
	w.add(measuredMemory, after.memory/(1<<20), "MiB", "resident, of the operator, at the end of the minute")
	w.add(measuredCPU, after.cpu-before.cpu, "s", "of the operator, in the minute with its ten times as many looks")
	return nil
}

// addRates says what follows for the default interval. Looks that coincide share a call, and with a longer interval fewer
// do: there the truth is between these rates and those of a call for each look.
func (w *world) addRates(perLook, looks float64) {
	each := max(1, perLook) / defaultPoll.Minutes()
	rate := perLook / defaultPoll.Minutes()
	w.add(measuredPerLook, perLook, "calls", fmt.Sprintf("%.0f looks; those that coincide share a call", looks))
	w.add(measuredObject, rate, "calls/min", fmt.Sprintf("at the default --poll-interval %s; %.2f if no looks coincide", defaultPoll, each))
	w.add(measuredProject, rate*objects, "calls/min", fmt.Sprintf("the same for these %d objects; %.1f if no looks coincide", objects, each*objects))
}
