package main

import (
	"context"
	"fmt"
	"time"

	"github.com/aero-operator/aero/tests/localaiven"
)

const (
	services  = 10
	newcomers = 50
	// full is the number of objects that the budgets are about.
	full = 10_000
)

// What is measured of very many objects.
const (
	measuredMassReady     = "very many: all ready"
	measuredMassCalls     = "very many: calls until all ready"
	measuredNewMedian     = "very many: a new object is ready, p50"
	measuredNewLate       = "very many: a new object is ready, p99"
	measuredMassAnon      = "very many: anonymous memory"
	measuredRestartCalls  = "very many: calls after a restart"
	measuredRestartWrites = "very many: Kubernetes writes after a restart"
)

// masses applies ten services full of databases and users.
func (w *world) masses(ctx context.Context) error {
	if err := w.restartAiven(ctx, "--latency", latency.String(), "--provision-time", provision.String()); err != nil {
		return err
	}
	if err := w.startPlane(ctx); err != nil { // without the objects whose services are gone with the former Aiven
		return err
	}
	crowd, err := w.gather()
	if err != nil {
		return err
	}
	if err := w.startOperator(ctx); err != nil {
		return err
	}
	if err := crowd.apply(ctx); err != nil {
		return err
	}
	w.curves.masses, w.curves.memory = crowd.curve, crowd.memory
	w.add(measuredMassReady, crowd.last().Sub(crowd.begin).Seconds(), "s", w.scaledNote(len(crowd.objects)))
	stats, err := w.settled(ctx)
	if err != nil {
		return err
	}
	w.add(measuredMassCalls, float64(stats.Total), "calls", byOperation(stats))
	if err := w.arrivals(ctx); err != nil {
		return err
	}
	now, err := w.operatorMemory()
	if err != nil {
		return err
	}
	w.add(measuredMassAnon, max(now.anon, highest(crowd.memory)), "MB", "RssAnon of the operator: the most that it had allocated")
	return w.restart(ctx, len(crowd.objects)+newcomers)
}

// gather reads as many objects as were asked for, the services first.
func (w *world) gather() (*crowd, error) {
	crowd := w.newCrowd("masses")
	for i := range services {
		if err := crowd.add("postgresql", serviceOf(i), ""); err != nil {
			return nil, err
		}
	}
	for i := range services {
		if err := crowd.addChildren(serviceOf(i), w.objects/services/2); err != nil {
			return nil, err
		}
	}
	return crowd, nil
}

func serviceOf(i int) string { return fmt.Sprintf("bench-%d", i) }

// scaledNote says how many there were, and whether the budgets are about more.
func (w *world) scaledNote(n int) string {
	note := fmt.Sprintf("%d objects, in %d services", n, services)
	if w.objects < full {
		note += fmt.Sprintf("; scaled down from %d, which --objects changes", full)
	}
	return note
}

// arrivals makes objects one after the other, beside those that are there.
func (w *world) arrivals(ctx context.Context) error {
	var took []time.Duration
	for i := range newcomers {
		one := w.newCrowd(fmt.Sprintf("new-%d", i))
		if err := one.add("serviceuser", fmt.Sprintf("new-user-%02d", i), serviceOf(i%services)); err != nil {
			return err
		}
		if err := one.apply(ctx); err != nil {
			return err
		}
		took = append(took, one.last().Sub(one.begin))
	}
	w.add(measuredNewMedian, percentile(took, 50).Seconds(), "s", fmt.Sprintf("%d users, one after the other", newcomers))
	w.add(measuredNewLate, percentile(took, 99).Seconds(), "s", "of the same")
	return nil
}

// restart counts what an operator that starts again does until it has reconciled every object.
func (w *world) restart(ctx context.Context, objects int) error {
	if err := w.operator.End(stopTime); err != nil {
		return err
	}
	if err := w.admin.Reset(ctx); err != nil {
		return err
	}
	mark := w.audit.mark()
	if err := w.startOperator(ctx); err != nil {
		return err
	}
	stats, err := w.reconciled(ctx, objects)
	if err != nil {
		return err
	}
	writes, err := w.audit.since(mark)
	if err != nil {
		return err
	}
	w.add(measuredRestartCalls, float64(stats.Total), "calls", byOperation(stats))
	w.add(measuredRestartWrites, float64(len(writes)), "writes", "events too, without leases: "+byFrequency(writes.sorts()))
	return nil
}

// reconciled waits until the operator has reconciled as many objects since it started, and has no more to ask Aiven.
func (w *world) reconciled(ctx context.Context, objects int) (localaiven.Stats, error) {
	if err := w.reconciledWithin(ctx, objects, waitTimeout); err != nil {
		return localaiven.Stats{}, err
	}
	return w.settled(ctx)
}

// reconciledWithin waits only for the former.
func (w *world) reconciledWithin(ctx context.Context, objects int, limit time.Duration) error {
	return untilWithin(ctx, limit, "the operator to reconcile every object", func(ctx context.Context) (bool, error) {
		v, err := w.vitals(ctx)
		return err == nil && v.reconciles >= float64(objects), nil
	})
}
