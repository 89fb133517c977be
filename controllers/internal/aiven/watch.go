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
func (a *Client) due(now time.Time) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	restless := map[string]bool{}
	for key, s := range a.services {
		if now.Sub(s.used) < idleTTL {
			restless[key.Project] = restless[key.Project] || !s.settled()
		}
	}
	if a.watched == nil {
		a.watched = map[string]*watched{}
	}
	var projects []string
	for project, unsettled := range restless {
		interval := a.clients.options.WatchInterval
		w, known := a.watched[project]
		if !known {
			// What made the project known was a look. The next ones of several projects are spread.
			w = &watched{last: now.Add(-time.Duration(a.clients.options.Random() * float64(interval) / 2))}
			a.watched[project] = w
		}
		if unsettled {
			interval = a.clients.options.UnsettledInterval
		}
		if !w.busy && now.Sub(w.last) >= interval {
			w.last, w.busy = now, true
			projects = append(projects, project)
		}
	}
	for project := range a.watched {
		if _, used := restless[project]; !used {
			delete(a.watched, project)
			lastProjectPoll.DeleteLabelValues(project)
		}
	}
	return projects
}

// pollProject looks at all services of a project, and keeps what somebody uses.
func (a *Client) pollProject(ctx context.Context, project string) {
	ctx, span := tracing.Root(ctx, a.clients.options.Tracing, "survey", keyProject.String(project))
	order, began := a.clients.nextSeq(), a.clients.options.Now()
	found, err := a.listServices(ctx, project)
	a.pollFinished(ctx, project, span.End(err))
	if err != nil {
		return
	}
	for key, s := range a.inUse(project, began) {
		switch service, exists := found[key.Service]; {
		case exists && a.incomplete(s, service):
			a.mu.Lock()
			a.startRead(ctx, key, s, false)
			a.mu.Unlock()
		default:
			_ = a.store(key, s, reading{seq: order, began: began, found: service})
		}
	}
}

// inUse are the snapshots of a project that somebody reads.
func (a *Client) inUse(project string, now time.Time) map[ServiceKey]*snapshot {
	a.mu.Lock()
	defer a.mu.Unlock()
	used := map[ServiceKey]*snapshot{}
	for key, s := range a.services {
		if key.Project == project && now.Sub(s.used) < idleTTL {
			used[key] = s
		}
	}
	return used
}

// incomplete reports whether an item of the list leaves out what reading the service alone returned, or would return.
func (a *Client) incomplete(s *snapshot, listed *Service) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	had := s.service
	if had == nil {
		return listed.Users == nil
	}
	return slices.ContainsFunc(rows, func(r row) bool { return !r.lacks(had) && r.lacks(listed) })
}

func (a *Client) listServices(ctx context.Context, project string) (map[string]*Service, error) {
	ctx, cancel := context.WithTimeout(ctx, a.clients.options.Timeout)
	defer cancel()
	out, err := a.api.ServiceList(ctx, project, [2]string{"include_secrets", "true"})
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
func (a *Client) pollFinished(ctx context.Context, project string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	trouble := fault.Of(err).Message
	w, known := a.watched[project]
	if known {
		w.busy = false
	}
	if ctx.Err() != nil {
		return // the end of the operator, not of Aiven
	}
	countProjectPoll(project, err == nil, a.clients.options.Now())
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
