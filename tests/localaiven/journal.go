package localaiven

import (
	"encoding/json"
	"sync"
	"time"
)

// journalSize bounds the memory.
const journalSize = 100_000

// Entry is one call in the journal, written when it was answered.
type Entry struct {
	// Seq grows by one per entry, and never restarts.
	Seq int64 `json:"seq"`
	// Time is when the call arrived.
	Time   time.Time `json:"time"`
	Method string    `json:"method"`
	Path   string    `json:"path"`
	// Operation is the public client's operation id; empty for an unknown route.
	Operation string `json:"operation"`
	// Status is the HTTP status; 0 when a fault closed the connection.
	Status int `json:"status"`
	// Token is a short hash.
	Token string `json:"token,omitempty"`
	// Fault is the id of the fault that hit the call.
	Fault string `json:"fault,omitempty"`
	// Body is the request's, with secrets redacted.
	Body json.RawMessage `json:"body,omitempty"`
}

// journal is a ring: once it has size entries, the oldest fall out.
type journal struct {
	size int
	mu   sync.Mutex
	ring []Entry
	next int   // where the next entry goes once the ring is full
	seq  int64 // of the latest entry
}

func (j *journal) add(e Entry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.seq++
	e.Seq = j.seq
	if len(j.ring) < j.size {
		j.ring = append(j.ring, e)
		return
	}
	j.ring[j.next] = e
	j.next = (j.next + 1) % j.size
}

// after returns the entries with a higher number than seq, oldest first.
func (j *journal) after(seq int64) []Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	skip := len(j.ring) - int(min(max(j.seq-seq, 0), int64(len(j.ring))))
	out := make([]Entry, 0, len(j.ring)-skip)
	for i := skip; i < len(j.ring); i++ {
		out = append(out, j.ring[(j.next+i)%len(j.ring)])
	}
	return out
}

func (j *journal) reset() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ring, j.next = nil, 0
}
