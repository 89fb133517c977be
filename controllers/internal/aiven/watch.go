package aiven

import (
	"context"
	"fmt"
	"slices"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/tracing"
)

const (
	// ticks are the ticks of the watch in its shortest interval: a poll is late by one of them at most.
	ticks = 8
	// minTick is the shortest tick.
	minTick = 5 * time.Millisecond

	// share is the part of the time that Aiven has worked on a service after which the service is read again.
	share = 20
	// together is how many services are read in the shortest interval.
	together = 4
)

// watched is how the watch over one project is doing, for one client. The client's lock guards it.
type watched struct {
	last      time.Time // when the last poll began
	busy      bool
	lastError string // of the last poll, as it was logged
}

// Start polls for all clients until ctx ends, and notifies of what changed: all services of a project by one call, each
// service that Aiven is working on alone, and the lists of projects and organizations. Only what objects use is polled.
func (c *Clients) Start(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() { c.closing.Store(true) })()
	if c.options.WatchInterval <= 0 {
		<-ctx.Done()
		return nil
	}
	ticker := time.NewTicker(max(minTick, min(c.options.UnsettledInterval, c.options.WatchInterval)/ticks))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			guarded(func() { c.tick(ctx) })
		}
	}
}

// tick begins the polls that are due. With a token that Aiven has refused nothing is polled until a call of an object
// succeeds.
func (c *Clients) tick(ctx context.Context) {
	now := c.options.Now()
	for _, client := range c.all() {
		if client.doer.unauthorized.Load() {
			client.mu.Lock()
			client.unwatch()
			client.mu.Unlock()
			continue
		}
		for _, project := range client.dueProjects(now) {
			inBackground(func() { client.pollProject(ctx, project) })
		}
		client.dueServices(ctx, now)
		client.dueLists(ctx, now)
	}
}

// unwatch ends the watch over all projects until there is one again. Another client that polls one of them sets its metric again. The
// caller holds the lock.
func (c *Client) unwatch() {
	for project := range c.watched {
		lastProjectPoll.DeleteLabelValues(project)
	}
	c.watched = nil
}

// dueProjects lists the projects whose time has come, and marks them as being polled.
func (c *Client) dueProjects(now time.Time) []string {
	interval := c.stretched(c.clients.options.WatchInterval)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.watched == nil {
		c.watched = map[string]*watched{}
	}
	used := map[string]bool{}
	var projects []string
	for key, s := range c.services {
		if now.Sub(s.used) >= idleTTL || used[key.Project] {
			continue
		}
		used[key.Project] = true
		w, known := c.watched[key.Project]
		if !known {
			// What made the project known was a read. The next ones of several projects are spread.
			w = &watched{last: now.Add(-time.Duration(c.clients.options.Random() * float64(interval) / 2))}
			c.watched[key.Project] = w
		}
		if !w.busy && now.Sub(w.last) >= interval {
			w.last, w.busy = now, true
			projects = append(projects, key.Project)
		}
	}
	for project := range c.watched {
		if !used[project] {
			delete(c.watched, project)
			lastProjectPoll.DeleteLabelValues(project)
		}
	}
	return projects
}

// dueServices starts reads of the services that Aiven is working on, and of those that a write of ours may hide.
func (c *Client) dueServices(ctx context.Context, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, s := range c.services {
		waited := now.Sub(s.asked())
		due := !s.settled() && waited >= s.inflight.interval(c.unsettledInterval(s, now)) ||
			s.hides(now) && waited >= s.inflight.interval(c.stretched(c.clients.options.UnsettledInterval))
		if due && now.Sub(s.used) < idleTTL && !s.inflight.running(0) {
			c.pollService(ctx, key, s)
		}
	}
}

// pollService starts a read of one service, as a trace of its own. The caller holds the lock.
func (c *Client) pollService(ctx context.Context, key ServiceKey, s *snapshot) {
	ctx, span := tracing.Root(ctx, c.clients.options.Tracing, "pollService", keyProject.String(key.Project))
	read := c.startRead(ctx, key, s, false)
	if span != nil {
		inBackground(func() {
			_, err := read.wait(ctx)
			span.End(err)
		})
	}
}

// unsettledInterval is the time between two reads of a service that Aiven is working on. It grows with the time that this
// takes, so that a change of state is noticed a twentieth of that time late at most, and with the number of such services.
// With the defaults, a service that is built in 5, 10 or 20 minutes is read 75, 89 or 103 times. The caller holds the lock.
func (c *Client) unsettledInterval(s *snapshot, now time.Time) time.Duration {
	o := c.clients.options
	shortest := o.UnsettledInterval * time.Duration((c.unsettled(now)+together-1)/together)
	return c.stretched(min(max(shortest, now.Sub(s.moved)/share), o.WatchInterval))
}

// unsettled is the number of services that objects read and Aiven is working on, and at least 1.
func (c *Client) unsettled(now time.Time) int {
	n := 0
	for _, s := range c.services {
		if now.Sub(s.used) < idleTTL && !s.settled() {
			n++
		}
	}
	return max(n, 1)
}

// stretched is an interval between polls where Aiven allows few calls.
func (c *Client) stretched(interval time.Duration) time.Duration {
	return time.Duration(float64(interval) * c.PollFactor())
}

// pollProject reads all services of a project, and keeps those that objects read.
func (c *Client) pollProject(ctx context.Context, project string) {
	ctx, span := tracing.Root(ctx, c.clients.options.Tracing, "pollProject", keyProject.String(project))
	seq, began := c.clients.nextSeq(), c.clients.options.Now()
	found, err := recovered(func() (map[string]*Service, error) { return c.listServices(ctx, project, withSecrets) })
	span.End(err)
	c.pollFinished(ctx, project, err)
	if err != nil {
		return
	}
	for key, s := range c.inUse(project, began) {
		switch service, exists := found[key.Service]; {
		case exists && c.incomplete(s, service), !exists && cutOff(len(found)):
			c.fill(ctx, key, s)
		default:
			_ = c.store(key, s, reading{seq: seq, began: began, found: service})
		}
	}
}

// fill reads a service alone, unless a read of it is under way.
func (c *Client) fill(ctx context.Context, key ServiceKey, s *snapshot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !s.inflight.running(0) {
		c.pollService(ctx, key, s)
	}
}

// inUse are the snapshots of a project that objects read.
func (c *Client) inUse(project string, now time.Time) map[ServiceKey]*snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	used := map[ServiceKey]*snapshot{}
	for key, s := range c.services {
		if key.Project == project && now.Sub(s.used) < idleTTL {
			used[key] = s
		}
	}
	return used
}

// incomplete reports whether an item of the list leaves out what reading the service alone returned, or would return.
func (c *Client) incomplete(s *snapshot, listed *Service) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	had := s.service
	if had == nil {
		return listed.Users == nil
	}
	return slices.ContainsFunc(rows, func(r row) bool { return !r.lacks(had) && r.lacks(listed) })
}

func (c *Client) listServices(ctx context.Context, project string, query ...[2]string) (map[string]*Service, error) {
	ctx, cancel := context.WithTimeout(ctx, c.clients.options.Timeout)
	defer cancel()
	out, err := c.api.ServiceList(ctx, project, query...)
	if err != nil {
		if fault.Is(err, fault.NotFound) {
			err = ListKey{Project: project, Operation: "ServiceList"}.missing(err)
		}
		return nil, fmt.Errorf("listing services of project %s: %w", project, err)
	}
	if out == nil {
		return nil, wrongShape("ServiceList", "it holds no list")
	}
	found := make(map[string]*Service, len(out))
	for i := range out {
		service, err := From(project, &out[i])
		if err != nil {
			return nil, err
		}
		found[service.Name] = service
	}
	return found, nil
}

// pollFinished notes how a poll ended. An error is logged when it begins and when it changes: the objects that live in
// the project show it, too.
func (c *Client) pollFinished(ctx context.Context, project string, err error) {
	interval := c.stretched(c.clients.options.WatchInterval)
	c.mu.Lock()
	defer c.mu.Unlock()
	message := fault.Of(err).Message
	w, known := c.watched[project]
	if known {
		w.busy = false
		if fault.NotSent(err) { // the poll comes back at its turn
			w.last = c.clients.options.Now().Add(fault.Of(err).RetryAfter - interval)
		}
	}
	if ctx.Err() != nil || !known {
		return // the end of the operator, or of what it polls, and not of Aiven
	}
	countProjectPoll(project, err, c.clients.options.Now())
	if message == w.lastError {
		return
	}
	w.lastError = message
	logger := ctrl.Log.WithName("watch").WithValues("project", project)
	if err != nil {
		logger.Info("Could not list the services of the project: changes are found later", "error", message)
		return
	}
	logger.Info("The services of the project can be listed again")
}
