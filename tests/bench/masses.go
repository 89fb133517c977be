package main

import (
	"context"
	"fmt"
	"time"
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
	if err := w.startOperator(ctx); err != nil {
		return err
	}
	crowd := w.newCrowd("masses")
	for i := range services {
		if err := crowd.add("postgresql", serviceOf(i), ""); err != nil {
			return err
		}
	}
	for i := range services {
		if err := crowd.addChildren(serviceOf(i), w.objects/services/2); err != nil {
			return err
		}
	}
	if err := crowd.apply(ctx, massBudget); err != nil {
		return err
	}
	note := fmt.Sprintf("%d objects in %d services", len(crowd.objects), services)
	if w.objects < full {
		note += fmt.Sprintf("; scaled down from %d, --objects changes that", full)
	}
	w.add(measuredMassReady, crowd.last().Sub(crowd.begin).Seconds(), "s", note)
	if err := w.arrivals(ctx); err != nil {
		return err
	}
	_, anon, err := w.operatorMemory()
	if err != nil {
		return err
	}
	w.add(measuredMassAnon, anon, "MB", "RssAnon of the operator")
	w.curves.memory = append(w.curves.memory, point{float64(len(crowd.objects)), anon})
	w.curves.masses = crowd.curve
	return w.restart(ctx)
}

func serviceOf(i int) string { return fmt.Sprintf("bench-%d", i) }

// arrivals makes objects one after the other, beside those that are there.
func (w *world) arrivals(ctx context.Context) error {
	var took []time.Duration
	for i := range newcomers {
		one := w.newCrowd(fmt.Sprintf("new-%d", i))
		if err := one.add("serviceuser", fmt.Sprintf("new-user-%02d", i), serviceOf(i%services)); err != nil {
			return err
		}
		if err := one.apply(ctx, patience); err != nil {
			return err
		}
		took = append(took, one.last().Sub(one.begin))
	}
	w.add(measuredNewMedian, percentile(took, 50).Seconds(), "s", fmt.Sprintf("%d users, one after the other", newcomers))
	w.add(measuredNewLate, percentile(took, 99).Seconds(), "s", "")
	return nil
}

// restart counts what an operator that starts anew does until it has looked at every object.
func (w *world) restart(ctx context.Context) error {
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
	all := float64(w.objects + newcomers + services)
	err := until(ctx, "the operator to look at every object", func(ctx context.Context) (bool, error) {
		v, err := w.vitals(ctx)
		return err == nil && v.reconciles >= all, nil
	})
	if err != nil {
		return err
	}
	stats, err := w.settled(ctx)
	if err != nil {
		return err
	}
	writes, err := w.audit.since(mark)
	if err != nil {
		return err
	}
	w.add(measuredRestartCalls, float64(stats.Total), "calls", byOperation(stats))
	w.add(measuredRestartWrites, float64(writes.changes), "writes", "without leases and events")
	return nil
}
