package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/aero-operator/aero/tests/localaiven"
)

const (
	// The ten minutes at rest are scaled: everything happens this many times as often.
	scale       = 10
	window      = 10 * time.Minute / scale
	scaledPoll  = 10 * time.Minute / scale
	scaledWatch = time.Minute / scale

	repairs = 4
)

// What is measured of the same objects at rest.
const (
	measuredSteadyCalls       = "301 at rest: calls"
	measuredSteadyConnections = "301 at rest: connections to Aiven"
	measuredSteadyWrites      = "301 at rest: Kubernetes writes"
	measuredSteadyEvents      = "301 at rest: events"
	measuredRepair            = "301 at rest: user deleted at the console"
)

// steady watches the same objects at rest, and then deletes one thing at the console.
func (w *world) steady(ctx context.Context) error {
	err := w.startOperator(ctx, "--poll-interval", scaledPoll.String(), "--watch-interval", scaledWatch.String())
	if err != nil {
		return err
	}
	if _, err := w.reconciled(ctx, familyObjects); err != nil {
		return err
	}
	if err := w.admin.Reset(ctx); err != nil {
		return err
	}
	mark, opened := w.audit.mark(), w.wire.connections()
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
		"in %s with --poll-interval and --watch-interval a tenth of the defaults, as in ten minutes: %s", window, byOperation(stats)))
	w.add(measuredSteadyConnections, float64(w.wire.connections()-opened), "connections", "new ones in the same time")
	w.add(measuredSteadyWrites, float64(len(writes)-writes.events()), "writes", "in the same time, from the audit log, without leases and events")
	w.add(measuredSteadyEvents, float64(writes.events()), "events", "in the same time")
	return w.repair(ctx)
}

// repair measures how long it takes at most until what was deleted at the console is there again. What is made
// again was found by a poll of the watch, so the next deletion comes right after one, and those that follow come later.
func (w *world) repair(ctx context.Context) error {
	var took []time.Duration
	for i := range repairs {
		user := fmt.Sprintf("%s-user-%04d", familyService, i)
		if err := w.deleteAtConsole(ctx, user); err != nil {
			return err
		}
		begin := time.Now()
		err := until(ctx, "the user to be made again", func(ctx context.Context) (bool, error) {
			resources, err := w.admin.Resources(ctx)
			return err == nil && slices.ContainsFunc(resources, func(r localaiven.Resource) bool {
				return r.Type == "user" && r.ID == project+"/"+familyService+"/"+user
			}), err
		})
		if err != nil {
			return err
		}
		took = append(took, time.Since(begin))
		if err := pause(ctx, scaledWatch*time.Duration(i)/repairs); err != nil {
			return err
		}
	}
	w.add(measuredRepair, slices.Max(took).Seconds(), "s", fmt.Sprintf(
		"the longest of %d until it was there again, with --watch-interval %s", repairs, scaledWatch))
	return nil
}

// deleteAtConsole deletes a user without the operator's knowledge.
func (w *world) deleteAtConsole(ctx context.Context, user string) error {
	url := fmt.Sprintf("%s/v1/project/%s/service/%s/user/%s", w.admin.URL, project, familyService, user)
	request, err := http.NewRequestWithContext(ctx, http.MethodDelete, url, nil)
	if err != nil {
		return fmt.Errorf("making a request: %w", err)
	}
	request.Header.Set("Authorization", "aivenv1 token-of-the-console")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("deleting a user at the console: %w", err)
	}
	if err := response.Body.Close(); err != nil {
		return fmt.Errorf("deleting a user at the console: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("deleting a user at the console: status %d", response.StatusCode)
	}
	return nil
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}
