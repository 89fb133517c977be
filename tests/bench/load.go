package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/aero-operator/aero/tests/localaiven"
)

const (
	// newcomerPause is between two new objects beside those of a family.
	newcomerPause = 200 * time.Millisecond
	// many are so many objects of a kind that new ones are added to them.
	many = 15
	// loadTimeout is how long an operator that starts again may take for the objects of a family.
	loadTimeout = 10 * time.Minute
)

// load applies a family, watches it at rest, and adds objects to it.
func (w *world) load(ctx context.Context, f *family) error {
	l := &loaded{world: w, family: f}
	if err := w.restartAiven(ctx, "--latency", latency.String(), "--provision-time", provision.String()); err != nil {
		return err
	}
	if err := w.startPlane(ctx); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{l.applyAll, l.rest, l.addSome, l.reportMemory} {
		if err := step(ctx); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}

// loaded is a family that is measured.
type loaded struct {
	*world
	family *family
	peak   float64 // the most that the operator had allocated, in MB
}

// crowdOf are the objects of each part from one index to another, which depend on its number.
func (l *loaded) crowdOf(label string, from, to func(part) int) (*crowd, error) {
	c := l.newCrowd(label)
	for _, p := range l.family.parts {
		for i := from(p); i < to(p); i++ {
			o, err := l.place(p.example, l.family.nameOf(p.example, i), l.family.serviceOf(p.example, i))
			if err != nil {
				return nil, err
			}
			if p.change != nil {
				p.change(l.family, o, i)
			}
			c.join(o)
		}
	}
	return c, nil
}

// applyAll applies all of them at once.
func (l *loaded) applyAll(ctx context.Context) error {
	c, err := l.crowdOf(l.family.name, func(part) int { return 0 }, func(p part) int { return p.objects })
	if err != nil {
		return err
	}
	if err := l.startOperator(ctx); err != nil {
		return err
	}
	mark := l.audit.mark()
	if err := c.apply(ctx); err != nil {
		return err
	}
	l.note(loadReady, c.last().Sub(c.begin).Seconds(), "s", fmt.Sprintf("%d objects", len(c.objects)))
	l.peak = highest(c.memory)
	written, err := l.writesUntilQuiet(ctx, mark)
	if err != nil {
		return err
	}
	if _, err := l.settled(ctx); err != nil {
		return err
	}
	journal, err := l.admin.Journal(ctx, 0)
	if err != nil {
		return err
	}
	l.noteCalls(journal, c.last())
	if _, compared := l.family.budgets[certificateCalls]; compared {
		if err := l.noteCertificates(ctx, journal); err != nil {
			return err
		}
	}
	l.noteWrites(written)
	seen, err := l.vitals(ctx)
	if err != nil {
		return err
	}
	l.note(crowdPickup, seen.pickups.quantile(50), "s", "half of all objects; at most, by a histogram")
	l.note(crowdPickupLate, seen.pickups.quantile(99), "s", "99 of 100 of them")
	return l.noteHeap(ctx)
}

// noteCalls compares the calls with what creations can't do without.
func (l *loaded) noteCalls(journal []localaiven.Entry, ready time.Time) {
	own, reads, sorts := 0, 0, map[string]int{}
	for _, p := range l.family.parts {
		own += p.objects * (p.writes + p.reads)
	}
	for _, entry := range journal {
		sorts[sortOf(entry)]++
		if isRead(entry) {
			reads++
		}
	}
	all := float64(len(journal))
	l.note(loadCalls, all, "calls", fmt.Sprintf("%d until the last one was ready; %d read; %s", callsUntil(journal, ready), reads, byFrequency(sorts)))
	l.note(extraCalls, (all-float64(own))/float64(own)*100, "%", fmt.Sprintf("more than the %d that creations can't do without", own))
}

// sortOf is the operation of a call. One operation runs all statements of ClickHouse: their first words are added.
func sortOf(entry localaiven.Entry) string {
	query := queryOf(entry)
	switch {
	case query == "":
		return entry.Operation
	case strings.HasPrefix(query, "SELECT "):
		_, table, _ := strings.Cut(query, " FROM ")
		return "SELECT " + table
	default:
		verb, _, _ := strings.Cut(query, " ")
		return verb
	}
}

func queryOf(entry localaiven.Entry) string {
	var body struct{ Query string }
	if entry.Operation != "ServiceClickHouseQuery" || json.Unmarshal(entry.Body, &body) != nil {
		return ""
	}
	return body.Query
}

// isRead reports whether a call changes nothing.
func isRead(entry localaiven.Entry) bool {
	return entry.Method == http.MethodGet || entry.Operation == "ServiceKafkaTopicListV2" || strings.HasPrefix(queryOf(entry), "SELECT ")
}

// noteWrites are the writes to Kubernetes for an object of each part.
func (l *loaded) noteWrites(written writes) {
	for _, p := range l.family.parts {
		most, note := mostWrites(written.of(l.family.prefixOf(p.example)))
		l.note(quantity(fmt.Sprintf("Kubernetes writes for one of %d, %s", p.objects, path.Base(p.example))), float64(most), "writes",
			"applied while its service is built, "+note)
	}
}

// noteWritesForNew are the writes to Kubernetes for an object that is added to each part.
func (l *loaded) noteWritesForNew(written writes) {
	for _, p := range l.family.parts {
		if p.grows() {
			most, note := mostWrites(written.of(l.family.prefixOf(p.example)))
			l.note(quantity("Kubernetes writes for a new "+path.Base(p.example)), float64(most), "writes", note)
		}
	}
}

// rest watches them for ten minutes, each of which takes a tenth of one.
func (l *loaded) rest(ctx context.Context) error {
	if err := l.startOperator(ctx, "--poll-interval", scaledPoll.String(), "--watch-interval", scaledWatch.String()); err != nil {
		return err
	}
	objects, services := l.family.counts()
	if err := l.reconciledWithin(ctx, objects, loadTimeout); err != nil {
		return err
	}
	// Of what no list shows, the operator reads some once after it starts, such as the levels of schemas, as its rate of calls allows.
	if err := pause(ctx, scaledPoll); err != nil {
		return err
	}
	if err := l.admin.Reset(ctx); err != nil {
		return err
	}
	mark := l.audit.mark()
	if err := pause(ctx, window); err != nil {
		return err
	}
	stats, err := l.admin.Stats(ctx)
	if err != nil {
		return err
	}
	written, err := l.audit.since(mark)
	if err != nil {
		return err
	}
	minutes := (scale * window).Minutes()
	l.note(restCalls, float64(stats.Total), "calls", fmt.Sprintf(
		"in %s with --poll-interval and --watch-interval a tenth of the defaults, as in ten minutes: %s", window, byOperation(stats)))
	polls := l.family.polls(stats.Calls)
	l.note(restExtra, float64(stats.Total-polls)/minutes/float64(services), "calls/min", fmt.Sprintf(
		"for each of %d services, without the %d calls of polls that are about one object", services, polls))
	l.note(restWrites, float64(len(written)), "writes", "in the same time, events too: "+byFrequency(written.sorts()))
	return nil
}

// addSome adds some objects to each part, one after the other, while the others are polled.
func (l *loaded) addSome(ctx context.Context) error {
	before, err := l.vitals(ctx)
	if err != nil {
		return err
	}
	parts := 0
	for _, p := range l.family.parts {
		if p.grows() {
			parts++
		}
	}
	c, err := l.crowdOf(l.family.name+"-new", func(p part) int { return p.objects }, func(p part) int {
		if p.grows() {
			return p.objects + max(1, newcomers/parts)
		}
		return p.objects
	})
	if err != nil {
		return err
	}
	c.pause = newcomerPause
	mark := l.audit.mark()
	if err := c.apply(ctx); err != nil {
		return err
	}
	after, err := l.vitals(ctx)
	if err != nil {
		return err
	}
	picked, took := after.pickups.minus(before.pickups), c.durations()
	l.note(pickup, picked.quantile(50), "s", fmt.Sprintf("%d objects, one each %s, beside those at rest; at most, by a histogram", len(c.objects), newcomerPause))
	l.note(pickupLate, picked.quantile(99), "s", "99 of 100 of them")
	l.note(newReady, percentile(took, 50).Seconds(), "s", "from its creation")
	l.note(newReadyLate, percentile(took, 99).Seconds(), "s", "of the same")
	written, err := l.writesUntilQuiet(ctx, mark)
	if err != nil {
		return err
	}
	l.noteWritesForNew(written)
	return nil
}

// grows reports whether objects are added to a part: there are many of its kind.
func (p *part) grows() bool { return !p.service && p.objects >= many }

func (l *loaded) reportMemory(context.Context) error {
	now, err := l.operatorMemory()
	if err != nil {
		return err
	}
	l.note(memoryAnon, max(now.anon, l.peak), "MB", "RssAnon of the operator: the most that it had allocated")
	return nil
}

// noteHeap notes what the operator keeps.
func (l *loaded) noteHeap(ctx context.Context) error {
	seen, err := l.vitals(ctx)
	objects, _ := l.family.counts()
	l.note(memoryHeap, seen.live/float64(objects)/1e3, "KB", fmt.Sprintf("of %.1f MB that the last garbage collection left, for each of %d objects", seen.live/1e6, objects))
	return err
}

func (l *loaded) note(m quantity, value float64, unit, note string) {
	l.add(l.family.named(m), value, unit, note)
}
