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

// watched is how the watch over one project is doing, for one account. The account's lock guards it.
type watched struct {
	last      time.Time // when the last look began
	busy      bool
	lastError string // of the last look, as it was logged
}

// Start watches the projects of all accounts until ctx ends: it looks at all services of a project at once, and tells
// what changed.
func (d *Clients) Start(ctx context.Context) error {
	if d.options.WatchInterval <= 0 {
		<-ctx.Done()
		return nil
	}
	ticker := time.NewTicker(min(d.options.UnsettledInterval, d.options.WatchInterval) / 2)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			d.tick(ctx)
		}
	}
}

// tick begins the looks that are due.
func (d *Clients) tick(ctx context.Context) {
	now := d.options.Now()
	for _, account := range d.all() {
		for _, project := range account.due(now) {
			inBackground(func() { account.pollProject(ctx, project) })
		}
		account.dueLists(ctx, now)
	}
}

// due lists the projects whose time has come, and marks them as being looked at.
func (c *Client) due(now time.Time) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	restless := map[string]bool{}
	for key, s := range c.services {
		if now.Sub(s.used) < idleTTL {
			restless[key.Project] = restless[key.Project] || !s.settled()
		}
	}
	if c.watched == nil {
		c.watched = map[string]*watched{}
	}
	var projects []string
	for project, unsettled := range restless {
		interval := c.clients.options.WatchInterval
		w, known := c.watched[project]
		if !known {
			// What made the project known was a look. The next ones of several projects are spread.
			w = &watched{last: now.Add(-time.Duration(c.clients.options.Random() * float64(interval) / 2))}
			c.watched[project] = w
		}
		if unsettled {
			interval = c.clients.options.UnsettledInterval
		}
		if !w.busy && now.Sub(w.last) >= interval {
			w.last, w.busy = now, true
			projects = append(projects, project)
		}
	}
	for project := range c.watched {
		if _, used := restless[project]; !used {
			delete(c.watched, project)
			lastProjectPoll.DeleteLabelValues(project)
		}
	}
	return projects
}

// pollProject looks at all services of a project, and keeps what somebody uses.
func (c *Client) pollProject(ctx context.Context, project string) {
	ctx, span := tracing.Root(ctx, c.clients.options.Tracing, "survey", keyProject.String(project))
	order, began := c.clients.nextSeq(), c.clients.options.Now()
	found, err := c.listServices(ctx, project)
	c.pollFinished(ctx, project, span.End(err))
	if err != nil {
		return
	}
	for key, s := range c.inUse(project, began) {
		switch service, exists := found[key.Service]; {
		case exists && c.incomplete(s, service):
			c.mu.Lock()
			c.startRead(ctx, key, s, false)
			c.mu.Unlock()
		default:
			_ = c.store(key, s, reading{seq: order, began: began, found: service})
		}
	}
}

// inUse are the snapshots of a project that somebody reads.
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

func (c *Client) listServices(ctx context.Context, project string) (map[string]*Service, error) {
	ctx, cancel := context.WithTimeout(ctx, c.clients.options.Timeout)
	defer cancel()
	out, err := c.api.ServiceList(ctx, project, [2]string{"include_secrets", "true"})
	if err != nil {
		return nil, fmt.Errorf("listing services of project %s: %w", project, err)
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

// pollFinished notes how a look ended. Trouble is logged when it begins and when it changes: the objects that live in the
// project tell it too.
func (c *Client) pollFinished(ctx context.Context, project string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	trouble := fault.Of(err).Message
	w, known := c.watched[project]
	if known {
		w.busy = false
	}
	if ctx.Err() != nil {
		return // the end of the operator, not of Aiven
	}
	countProjectPoll(project, err == nil, c.clients.options.Now())
	if !known || trouble == w.lastError {
		return
	}
	w.lastError = trouble
	logger := ctrl.Log.WithName("watch").WithValues("project", project)
	if err != nil {
		logger.Info("The services of the project can't be looked at, so changes are found later", "error", trouble)
		return
	}
	logger.Info("The services of the project can be looked at again")
}
