package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
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
	measuredUserWrites        = "301 objects: Kubernetes writes for a ServiceUser"
	measuredDatabaseWrites    = "301 objects: Kubernetes writes for a Database"
	measuredBare              = "301 objects: a bare client, as many writes"
	measuredBareRatio         = "301 objects: ready after the service, by the bare client"
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
	if err := w.warm(ctx); err != nil {
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
	written, err := w.writesUntilQuiet(ctx, mark)
	if err != nil {
		return err
	}
	w.add(measuredFamilyCalls, float64(stats.Total), "calls", byOperation(stats))
	w.add(measuredFamilyConnections, float64(w.wire.connections()), "connections", "all that the operator opened")
	possible, err := w.familyTimes(ctx, crowd)
	if err != nil {
		return err
	}
	w.familyWrites(crowd, written)
	if err := w.familyMemory(crowd); err != nil {
		return err
	}
	return w.bare(ctx, written.between(possible, crowd.last()), crowd.last().Sub(possible))
}

// familyTimes relates the last Ready to when it became possible, which it returns.
func (w *world) familyTimes(ctx context.Context, c *crowd) (possible time.Time, err error) {
	journal, err := w.admin.Journal(ctx, 0)
	if err != nil {
		return possible, err
	}
	runs, noticed := whenRunning(journal)
	if noticed.IsZero() {
		return possible, fmt.Errorf("the service %s was not read after it was built", familyService)
	}
	possible = noticed
	if c.end.After(possible) {
		possible = c.end
	}
	w.add(measuredFamilyLag, c.last().Sub(possible).Seconds(), "s", fmt.Sprintf(
		"from the later of applied (%.1f s) and seen to run (%.1f s) to the last Ready (%.1f s)",
		c.end.Sub(c.begin).Seconds(), noticed.Sub(c.begin).Seconds(), c.last().Sub(c.begin).Seconds()))
	w.add(measuredFamilyNoticed, noticed.Sub(runs).Seconds(), "s", "from when it ran to the first answer that showed it")
	w.curves.ready, w.curves.calls = c.curve, callCurve(journal, c.begin)
	return possible, nil
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

// writesUntilQuiet waits until the operator writes nothing any longer: events come after all else, and slowly.
func (w *world) writesUntilQuiet(ctx context.Context, mark int64) (found writes, err error) {
	since := time.Now()
	err = until(ctx, "the operator's writes to end", func(context.Context) (bool, error) {
		more, next, err := w.audit.read(mark)
		if mark = next; len(more) > 0 {
			found, since = append(found, more...), time.Now()
		}
		return time.Since(since) >= 2*quiet, err
	})
	if err == nil && len(found) == 0 {
		err = errors.New("the audit log has no write of the operator, so it can't prove that there are none at rest")
	}
	return found, err
}

// familyWrites are the writes of the API server meanwhile: where it is busy, every client waits for it.
func (w *world) familyWrites(c *crowd, written writes) {
	w.add(measuredFamilyWrites, float64(len(written)), "writes", byFrequency(written.sorts()))
	busy := written.between(c.begin, c.last())
	w.add(measuredFamilyWriteRate, float64(len(busy))/c.last().Sub(c.begin).Seconds(), "writes/s", fmt.Sprintf(
		"until the last Ready; the API server took %d ms for the median one, %d ms for one in twenty",
		percentile(busy.durations(), 50).Milliseconds(), percentile(busy.durations(), 95).Milliseconds()))
	for name, prefix := range map[string]string{measuredDatabaseWrites: familyService + "-db-", measuredUserWrites: familyService + "-user-"} {
		most, note := mostWrites(written.of(prefix))
		w.add(name, float64(most), "writes", "applied while its service is built, "+note)
	}
}

// mostWrites is how many writes no more than one object in twenty exceeds, and the sorts of an object that took as many.
func mostWrites(objects map[string]writes) (most int, note string) {
	names := slices.SortedFunc(maps.Keys(objects), func(a, b string) int { return len(objects[a]) - len(objects[b]) })
	if len(names) == 0 {
		return 0, "no object was written"
	}
	usual := objects[names[(len(names)*95-1)/100]]
	return len(usual), fmt.Sprintf("until its last event: 19 of 20 take no more; the most is %d; %s",
		len(objects[names[len(names)-1]]), byFrequency(usual.sorts()))
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
