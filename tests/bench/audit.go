package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
)

// auditLog is what the API server writes down about every request.
type auditLog struct{ path string }

// auditEvent is what matters of a line of it.
type auditEvent struct {
	Verb      string
	UserAgent string
	ObjectRef struct{ Resource, Subresource, Name string }

	RequestReceivedTimestamp, StageTimestamp time.Time
}

// write is a write of the operator.
type write struct {
	sort   string // its verb and resource
	object string // name of the object that it is about
	event  bool
	at     time.Time // when it was done
	took   time.Duration
}

// writes are those of the operator, in order.
type writes []write

// mark is the place where the log ends now.
func (a *auditLog) mark() int64 {
	info, err := os.Stat(a.path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// since lists the operator's writes after a mark. The lease is how replicas agree on a leader, and shows nothing.
func (a *auditLog) since(mark int64) (found writes, err error) {
	found, _, err = a.read(mark)
	return found, err
}

// read is since, with the mark of what it didn't read yet: a line that isn't whole is left for later.
func (a *auditLog) read(mark int64) (found writes, next int64, err error) {
	file, err := os.Open(a.path)
	if err != nil {
		return nil, mark, fmt.Errorf("reading the audit log: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := file.Seek(mark, io.SeekStart); err != nil {
		return nil, mark, fmt.Errorf("reading the audit log: %w", err)
	}
	lines := bufio.NewReaderSize(file, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return found, mark, nil
		}
		if err != nil {
			return nil, mark, fmt.Errorf("reading the audit log: %w", err)
		}
		mark += int64(len(line))
		var e auditEvent
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, mark, fmt.Errorf("reading the audit log: %w", err)
		}
		if e.isWrite() {
			found = append(found, e.write())
		}
	}
}

func (e *auditEvent) isWrite() bool {
	verbs := []string{"create", "update", "patch", "delete", "deletecollection"}
	return strings.HasPrefix(e.UserAgent, "manager/") && slices.Contains(verbs, e.Verb) && e.ObjectRef.Resource != "leases"
}

// write is about the object of its name. A connection Secret has that name too, and an event has it before the last dot.
func (e *auditEvent) write() write {
	w := write{
		sort: e.Verb + " " + e.ObjectRef.Resource, object: e.ObjectRef.Name, event: e.ObjectRef.Resource == "events",
		at: e.StageTimestamp, took: e.StageTimestamp.Sub(e.RequestReceivedTimestamp),
	}
	if e.ObjectRef.Subresource != "" {
		w.sort += "/" + e.ObjectRef.Subresource
	}
	if dot := strings.LastIndex(w.object, "."); w.event && dot > 0 {
		w.object = w.object[:dot]
	}
	return w
}

// events counts those that are events.
func (w writes) events() int {
	n := 0
	for i := range w {
		if w[i].event {
			n++
		}
	}
	return n
}

// sorts counts writes by verb and resource.
func (w writes) sorts() map[string]int {
	by := map[string]int{}
	for i := range w {
		by[w[i].sort]++
	}
	return by
}

// between are the writes that were done in a time.
func (w writes) between(begin, end time.Time) writes {
	return slices.DeleteFunc(slices.Clone(w), func(one write) bool { return one.at.Before(begin) || one.at.After(end) })
}

// of are the writes of each object whose name begins so.
func (w writes) of(prefix string) map[string]writes {
	by := map[string]writes{}
	for i := range w {
		if strings.HasPrefix(w[i].object, prefix) {
			by[w[i].object] = append(by[w[i].object], w[i])
		}
	}
	return by
}

// durations are how long the API server took.
func (w writes) durations() []time.Duration {
	took := make([]time.Duration, len(w))
	for i := range w {
		took[i] = w[i].took
	}
	return took
}

// byFrequency lists counts, the highest first.
func byFrequency[N int | int64](counts map[string]N) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = fmt.Sprintf("%s %d", name, counts[name])
	}
	return strings.Join(parts, ", ")
}
