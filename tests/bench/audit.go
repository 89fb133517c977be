package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// auditLog is what the API server writes down about every request.
type auditLog struct{ path string }

// auditEvent is what matters of a line of it.
type auditEvent struct {
	Verb      string
	UserAgent string
	ObjectRef struct{ Resource, Subresource string }
}

// tally counts what the operator has written.
type tally struct{ changes, events int }

// mark is the place where the log ends now.
func (a *auditLog) mark() int {
	info, err := os.Stat(a.path)
	if err != nil {
		return 0
	}
	return int(info.Size())
}

// since counts the operator's writes after a mark. The lease is how replicas agree on a leader, and tells nothing.
func (a *auditLog) since(mark int) (t tally, err error) {
	file, err := os.Open(a.path)
	if err != nil {
		return t, fmt.Errorf("reading the audit log: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := file.Seek(int64(mark), 0); err != nil {
		return t, fmt.Errorf("reading the audit log: %w", err)
	}
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
	if e.ObjectRef.Resource == "events" {
		t.events++
	} else {
		t.changes++
	}
}
