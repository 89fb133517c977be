package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/aero-operator/aero/tests/localaiven"
)

// How often the states of services are checked, and how often a wait is logged.
const (
	pollInterval = time.Second
	logInterval  = 10 * time.Second
)

// progress logs the states of services: when one changes, and at intervals while a service is in transition.
type progress struct {
	log   *slog.Logger
	known map[string]waited
}

// waited is a service in a state.
type waited struct {
	state         string
	since, logged time.Time
}

// follow logs until ctx is done.
func (p *progress) follow(ctx context.Context, services func() []localaiven.ServiceState) {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			p.record(now, services())
		}
	}
}

func (p *progress) record(now time.Time, services []localaiven.ServiceState) {
	known := map[string]waited{}
	for _, s := range services {
		name := s.Project + "/" + s.Name
		w, seen := p.known[name]
		elapsed := now.Sub(w.since).Round(time.Second)
		switch {
		case !seen:
			w = waited{s.State, now, now}
			p.log.Info(s.State, "service", name, "type", s.Type)
		case w.state != s.State:
			p.log.Info(s.State, "service", name, "type", s.Type, "after", elapsed)
			w = waited{s.State, now, now}
		case moving(s.State) && now.Sub(w.logged) >= logInterval:
			p.log.Info("Still "+s.State, "service", name, "type", s.Type, "elapsed", elapsed)
			w.logged = now
		}
		known[name] = w
	}
	for name := range p.known {
		if _, there := known[name]; !there {
			p.log.Info("Deleted", "service", name)
		}
	}
	p.known = known
}

// moving reports whether a service in this state is in transition.
func moving(state string) bool { return state != "RUNNING" && state != "POWEROFF" }
