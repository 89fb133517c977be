package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/aero-operator/aero/tests/localaiven"
)

const (
	// perKind is how many databases there are in the service, and how many users.
	perKind       = 150
	familyService = "bench-family"
	familyObjects = 2*perKind + 1

	project = "my-project" // of the examples

	latency   = 30 * time.Millisecond
	provision = 8 * time.Second
)

// What is measured of one service with its databases and users.
const (
	measuredFamilyCalls       = "301 objects: calls until all ready"
	measuredFamilyConnections = "301 objects: connections to Aiven"
	measuredFamilyLag         = "301 objects: ready after the service"
	measuredFamilyNoticed     = "301 objects: service seen to run"
	measuredFamilyWrites      = "301 objects: Kubernetes writes"
	measuredFamilyWriteRate   = "301 objects: Kubernetes writes a second"
	measuredFamilyPeak        = "301 objects: peak memory"
	measuredFamilyAnon        = "301 objects: anonymous memory"
)

// family applies one service with its databases and users, all at once.
func (w *world) family(ctx context.Context) error {
	if err := w.restartAiven(ctx, "--latency", latency.String(), "--provision-time", provision.String()); err != nil {
		return err
	}
	crowd := w.newCrowd("family")
	if err := crowd.add("postgresql", familyService, ""); err != nil {
		return err
	}
	if err := crowd.addChildren(familyService, perKind); err != nil {
		return err
	}
	if err := w.startOperator(ctx); err != nil {
		return err
	}
	mark := w.audit.mark()
	if err := crowd.apply(ctx); err != nil {
		return err
	}
	stats, err := w.settled(ctx)
	if err != nil {
		return err
	}
	w.add(measuredFamilyCalls, float64(stats.Total), "calls", byOperation(stats))
	w.add(measuredFamilyConnections, float64(w.wire.connections()), "connections", "all that the operator opened")
	if err := w.familyTimes(ctx, crowd); err != nil {
		return err
	}
	if err := w.familyWrites(crowd, mark); err != nil {
		return err
	}
	return w.familyMemory(crowd)
}

// familyTimes relates the last Ready to when it became possible.
func (w *world) familyTimes(ctx context.Context, c *crowd) error {
	journal, err := w.admin.Journal(ctx, 0)
	if err != nil {
		return err
	}
	runs, noticed := whenRunning(journal)
	if noticed.IsZero() {
		return fmt.Errorf("the service %s was not read after it was built", familyService)
	}
	possible := noticed
	if c.end.After(possible) {
		possible = c.end
	}
	w.add(measuredFamilyLag, c.last().Sub(possible).Seconds(), "s", fmt.Sprintf(
		"from the later of applied (%.1f s) and seen to run (%.1f s) to the last Ready (%.1f s)",
		c.end.Sub(c.begin).Seconds(), noticed.Sub(c.begin).Seconds(), c.last().Sub(c.begin).Seconds()))
	w.add(measuredFamilyNoticed, noticed.Sub(runs).Seconds(), "s", "from when it ran to the first answer that showed it")
	w.curves.ready, w.curves.calls = c.curve, callCurve(journal, c.begin)
	return nil
}

// whenRunning returns when the service began to run, and when Aiven first answered so. The local Aiven waits for its latency
// and then decides what to answer.
func whenRunning(journal []localaiven.Entry) (runs, noticed time.Time) {
	for _, entry := range journal {
		answered := entry.Time.Add(latency)
		switch {
		case entry.Operation == "ServiceCreate" && entry.Status == http.StatusOK:
			runs = answered.Add(provision)
		case runs.IsZero() || !noticed.IsZero() || answered.Before(runs):
		case entry.Operation == "ServiceGet", entry.Operation == "ServiceList":
			noticed = answered
		}
	}
	return runs, noticed
}

func callCurve(journal []localaiven.Entry, begin time.Time) []point {
	var curve []point
	for i, entry := range journal {
		curve = append(curve, point{entry.Time.Sub(begin).Seconds(), float64(i + 1)})
	}
	return curve
}

// familyWrites are the writes of the API server meanwhile: where it is busy, every client waits for it.
func (w *world) familyWrites(c *crowd, mark int64) error {
	writes, err := w.audit.since(mark)
	if err != nil {
		return err
	}
	if writes.changes == 0 {
		return fmt.Errorf("the audit log has no write of the operator, so it can't prove that there are none at rest")
	}
	w.add(measuredFamilyWrites, float64(writes.total()), "writes", fmt.Sprintf("events %d, %s", writes.events, byFrequency(writes.by)))
	w.add(measuredFamilyWriteRate, float64(writes.total())/c.last().Sub(c.begin).Seconds(), "writes/s", fmt.Sprintf(
		"the API server took %d ms for the median one, %d ms for one in twenty",
		percentile(writes.took, 50).Milliseconds(), percentile(writes.took, 95).Milliseconds()))
	return nil
}

func (w *world) familyMemory(c *crowd) error {
	now, err := w.operatorMemory()
	if err != nil {
		return err
	}
	w.add(measuredFamilyPeak, now.peak, "MB", "VmHWM of the operator, which counts its program and shared pages")
	w.add(measuredFamilyAnon, max(now.anon, highest(c.memory)), "MB", "RssAnon of the operator: the most that it had allocated")
	return nil
}
