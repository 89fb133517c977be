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
	ObjectRef struct{ Resource, Subresource string }

	RequestReceivedTimestamp, StageTimestamp time.Time
}

// tally counts what the operator has written.
type tally struct {
	changes, events int
	by              map[string]int // changes by verb and resource
	took            []time.Duration
}

// mark is the place where the log ends now.
func (a *auditLog) mark() int64 {
	info, err := os.Stat(a.path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// since counts the operator's writes after a mark. The lease is how replicas agree on a leader, and isn't counted.
func (a *auditLog) since(mark int64) (t tally, err error) {
	file, err := os.Open(a.path)
	if err != nil {
		return t, fmt.Errorf("reading the audit log: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := file.Seek(mark, io.SeekStart); err != nil {
		return t, fmt.Errorf("reading the audit log: %w", err)
	}
	t.by = map[string]int{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var e auditEvent
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return t, fmt.Errorf("reading the audit log: %w", err)
		}
		t.count(&e)
	}
	return t, lines.Err()
}

func (t *tally) count(e *auditEvent) {
	writes := []string{"create", "update", "patch", "delete", "deletecollection"}
	if !strings.HasPrefix(e.UserAgent, "manager/") || !slices.Contains(writes, e.Verb) || e.ObjectRef.Resource == "leases" {
		return
	}
	t.took = append(t.took, e.StageTimestamp.Sub(e.RequestReceivedTimestamp))
	if e.ObjectRef.Resource == "events" {
		t.events++
		return
	}
	t.changes++
	what := e.Verb + " " + e.ObjectRef.Resource
	if e.ObjectRef.Subresource != "" {
		what += "/" + e.ObjectRef.Subresource
	}
	t.by[what]++
}

// total is what the API server had to write.
func (t *tally) total() int { return t.changes + t.events }

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
