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
	familyObjects = 2*perKind + 1
	familyService = "bench-family"

	project = "my-project" // of the examples

	latency   = 30 * time.Millisecond
	provision = 8 * time.Second

	// The ten minutes at rest are scaled: everything happens this many times as often.
	scale        = 10
	window       = 10 * time.Minute / scale
	scaledPoll   = 10 * time.Minute / scale
	scaledWatch  = time.Minute / scale
	familyBudget = 2 * time.Minute
)

// What is measured of one service with its databases and users.
const (
	measuredFamilyCalls  = "301 objects: calls until all ready"
	measuredFamilyLag    = "301 objects: ready after the service"
	measuredFamilyPeak   = "301 objects: peak memory"
	measuredFamilyAnon   = "301 objects: anonymous memory"
	measuredSteadyCalls  = "301 at rest: calls"
	measuredSteadyWrites = "301 at rest: Kubernetes writes"
	measuredSteadyEvents = "301 at rest: events"
	measuredRepair       = "301 at rest: user deleted at the console"
)

// family applies one service with its databases and users, all at once.
func (w *world) family(ctx context.Context) error {
	if err := w.restartAiven(ctx, "--latency", latency.String(), "--provision-time", provision.String()); err != nil {
		return err
	}
	if err := w.startOperator(ctx); err != nil {
		return err
	}
	crowd := w.newCrowd("family")
	if err := crowd.add("postgresql", familyService, ""); err != nil {
		return err
	}
	if err := crowd.addChildren(familyService, perKind); err != nil {
		return err
	}
	if err := w.admin.Reset(ctx); err != nil {
		return err
	}
	written := w.audit.mark()
	if err := crowd.apply(ctx, familyBudget); err != nil {
		return err
	}
	stats, err := w.settled(ctx)
	if err != nil {
		return err
	}
	w.add(measuredFamilyCalls, float64(stats.Total), "calls", byOperation(stats))
	if err := w.familyLag(ctx, crowd, written); err != nil {
		return err
	}
	return w.familyMemory()
}

// familyLag relates the last Ready to when it became possible.
func (w *world) familyLag(ctx context.Context, c *crowd, written int) error {
	journal, err := w.admin.Journal(ctx, 0)
	if err != nil {
		return err
	}
	runs, noticed := whenRunning(journal)
	possible := runs
	if noticed.After(possible) {
		possible = noticed
	}
	if c.end.After(possible) {
		possible = c.end
	}
	writes, err := w.audit.since(written)
	if err != nil {
		return err
	}
	last := c.last()
	w.add(measuredFamilyLag, last.Sub(possible).Seconds(), "s", fmt.Sprintf(
		"the service was seen to run %.1f s after it did; %.0f writes to Kubernetes a second in %.1f s",
		noticed.Sub(runs).Seconds(), float64(writes.changes)/last.Sub(c.begin).Seconds(), last.Sub(c.begin).Seconds()))
	w.curves.ready = c.curve
	w.curves.calls = callCurve(journal, c.begin)
	return nil
}

// whenRunning tells when the service began to run, and when the operator was first told so.
func whenRunning(journal []localaiven.Entry) (runs, noticed time.Time) {
	for _, entry := range journal {
		switch {
		case entry.Operation == "ServiceCreate" && entry.Status == http.StatusOK:
			runs = entry.Time.Add(provision)
		case runs.IsZero() || !noticed.IsZero() || entry.Time.Before(runs):
		case entry.Operation == "ServiceGet", entry.Operation == "ServiceList":
			noticed = entry.Time
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

func (w *world) familyMemory() error {
	peak, anon, err := w.operatorMemory()
	if err != nil {
		return err
	}
	w.add(measuredFamilyPeak, peak, "MB", "VmHWM of the operator, which counts its program and shared pages")
	w.add(measuredFamilyAnon, anon, "MB", "RssAnon of the operator: what it has allocated")
	w.curves.memory = append(w.curves.memory, point{familyObjects, anon})
	return nil
}

// steady watches the same objects at rest, and then deletes one thing at the console.
func (w *world) steady(ctx context.Context) error {
	err := w.startOperator(ctx, "--poll-interval", scaledPoll.String(), "--watch-interval", scaledWatch.String())
	if err != nil {
		return err
	}
	if _, err := w.settled(ctx); err != nil {
		return err
	}
	if err := w.admin.Reset(ctx); err != nil {
		return err
	}
	mark := w.audit.mark()
	if err := pause(ctx, window); err != nil {
		return err
	}
	stats, err := w.admin.Stats(ctx)
	if err != nil {
		return err
	}
	writes, err := w.audit.since(mark)
	if err != nil {
		return err
	}
	w.add(measuredSteadyCalls, float64(stats.Total), "calls", fmt.Sprintf(
		"in %s with all intervals a tenth of the default, as in ten minutes: %s", window, byOperation(stats)))
	w.add(measuredSteadyWrites, float64(writes.changes), "writes", "in the same time, from the audit log, without leases and events")
	w.add(measuredSteadyEvents, float64(writes.events), "events", "in the same time")
	return w.repair(ctx)
}

// repair measures how long it takes until what was deleted at the console is there again.
func (w *world) repair(ctx context.Context) error {
	user := familyService + "-user-0000"
	path := fmt.Sprintf("%s/v1/project/%s/service/%s/user/%s", w.admin.URL, project, familyService, user)
	request, err := http.NewRequestWithContext(ctx, http.MethodDelete, path, nil)
	if err != nil {
		return fmt.Errorf("making a request: %w", err)
	}
	request.Header.Set("Authorization", "aivenv1 token-of-the-console")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("deleting a user at the console: %w", err)
	}
	if err := response.Body.Close(); err != nil || response.StatusCode != http.StatusOK {
		return fmt.Errorf("deleting a user at the console: status %d, %v", response.StatusCode, err)
	}
	begin := time.Now()
	err = until(ctx, "the user to be made again", func(ctx context.Context) (bool, error) {
		resources, err := w.admin.Resources(ctx)
		for _, r := range resources {
			if r.Type == "user" && r.ID == project+"/"+familyService+"/"+user {
				return true, nil
			}
		}
		return false, err
	})
	w.add(measuredRepair, time.Since(begin).Seconds(), "s", "until it was there again, with --watch-interval "+scaledWatch.String())
	return err
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}
