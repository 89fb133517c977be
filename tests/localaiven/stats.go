package localaiven

import (
	"maps"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Stats counts the calls since a time. Calls of the administration API are not among them.
type Stats struct {
	// Total counts every call, unknown routes included.
	Total int64 `json:"total"`
	// Calls are by operation id of the public client.
	Calls map[string]int64 `json:"calls"`
	// ByStatus are by HTTP status; a connection closed by a fault counts as "dropped".
	ByStatus map[string]int64 `json:"by_status"`
	// UnknownRoutes counts calls that no route knows; they got 501.
	UnknownRoutes int64 `json:"unknown_routes"`
	// Since is when counting began.
	Since time.Time `json:"since"`
}

// stats counts without a lock that calls would wait for: the counters of a period are found through one pointer.
type stats struct{ now atomic.Pointer[period] }

type period struct {
	since    time.Time
	unknown  atomic.Int64
	mu       sync.RWMutex
	calls    map[string]*atomic.Int64
	byStatus map[int]*atomic.Int64
}

func newStats(since time.Time) *stats {
	s := &stats{}
	s.reset(since)
	return s
}

func (s *stats) reset(since time.Time) {
	s.now.Store(&period{since: since, calls: map[string]*atomic.Int64{}, byStatus: map[int]*atomic.Int64{}})
}

func (s *stats) arrived(operation string) {
	p := s.now.Load()
	if operation == "" {
		p.unknown.Add(1)
		return
	}
	counter(p, p.calls, operation).Add(1)
}

// answered counts an answer; status 0 is none.
func (s *stats) answered(status int) {
	p := s.now.Load()
	counter(p, p.byStatus, status).Add(1)
}

func counter[K comparable](p *period, in map[K]*atomic.Int64, key K) *atomic.Int64 {
	p.mu.RLock()
	n, ok := in[key]
	p.mu.RUnlock()
	if ok {
		return n
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := in[key]; !ok {
		in[key] = &atomic.Int64{}
	}
	return in[key]
}

func (s *stats) read() Stats {
	p := s.now.Load()
	p.mu.RLock()
	defer p.mu.RUnlock()
	out := Stats{Calls: map[string]int64{}, ByStatus: map[string]int64{}, UnknownRoutes: p.unknown.Load(), Since: p.since}
	out.Total = out.UnknownRoutes
	for operation, n := range maps.All(p.calls) {
		out.Calls[operation] = n.Load()
		out.Total += out.Calls[operation]
	}
	for status, n := range maps.All(p.byStatus) {
		name := strconv.Itoa(status)
		if status == 0 {
			name = "dropped"
		}
		out.ByStatus[name] = n.Load()
	}
	return out
}
