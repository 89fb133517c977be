package localaiven

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// When is the side of the change on which a fault acts.
type When string

// The two sides.
const (
	BeforeApply When = "before-apply"
	AfterApply  When = "after-apply"
)

// Match selects calls. Empty fields match any call.
type Match struct {
	Method string `json:"method,omitempty"`
	// Path is a regular expression, searched in the path as it was sent, without the query.
	Path string `json:"path,omitempty"`
	// Operation is the public client's operation id.
	Operation string `json:"operation,omitempty"`
	// Changes selects calls that may change something: see the function of that name.
	Changes bool `json:"changes,omitempty"`
}

// Effect is what happens to a matching call.
type Effect struct {
	// Status answers instead of the handler, which isn't called then, unless Drop or Hold is after-apply.
	Status int `json:"status,omitempty"`
	// Body of that answer; empty is an error body in Aiven's shape.
	Body json.RawMessage `json:"body,omitempty"`
	// Echo lets the message of that answer repeat the request, its token and body, as some gateways do.
	Echo bool `json:"echo,omitempty"`
	// Header is added to the answer, also to the handler's.
	Header map[string]string `json:"header,omitempty"`
	// Delay comes before the change.
	Delay Duration `json:"delay,omitempty"`
	// Drop closes the connection without an answer.
	Drop When `json:"drop,omitempty"`
	// Cut ends the answer in the middle of its body, and closes the connection.
	Cut bool `json:"cut,omitempty"`
	// Hold keeps the call until it is released. A held call goes on even if its client is gone.
	Hold When `json:"hold,omitempty"`
}

// Fault is one rule. The first in the order they were added wins.
type Fault struct {
	Match  Match  `json:"match"`
	Effect Effect `json:"fault"`
	// Times is how many calls it hits; 0 is all until it is removed.
	Times int `json:"times"`
}

// FaultState is a Fault with what became of it. One that was used up stays in sight until it is removed.
type FaultState struct {
	ID string `json:"id"`
	Fault
	// Hits counts the calls it hit.
	Hits int `json:"hits"`
	// Held reports whether calls are held now, HeldCalls their number.
	Held      bool `json:"held"`
	HeldCalls int  `json:"held_calls"`
}

// Duration is a time.Duration written as in Go, such as "1.5s".
type Duration time.Duration

// MarshalText writes it as Go does.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText reads it as Go does.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	*d = Duration(v)
	return err
}

// fault is a Fault at work.
type fault struct {
	FaultState
	path    *regexp.Regexp
	release chan struct{} // closed, and replaced, to let held calls go on
}

type faults struct {
	active atomic.Int64 // calls read it first, without a lock
	mu     sync.Mutex
	last   int
	all    []*fault
}

func newFaults() *faults { return &faults{} }

func newFault(f Fault) (*fault, error) {
	path, err := regexp.Compile(f.Match.Path)
	if err != nil {
		return nil, fmt.Errorf("reading match.path: %w", err)
	}
	if f.Effect.Status != 0 && (f.Effect.Status < 200 || f.Effect.Status > 599) {
		return nil, fmt.Errorf("fault.status must be 200 to 599, not %d", f.Effect.Status)
	}
	for name, when := range map[string]When{"drop": f.Effect.Drop, "hold": f.Effect.Hold} {
		if !slices.Contains([]When{"", BeforeApply, AfterApply}, when) {
			return nil, fmt.Errorf("fault.%s must be %s or %s, not %q", name, BeforeApply, AfterApply, when)
		}
	}
	if f.Times < 0 {
		return nil, errors.New("times must not be negative")
	}
	return &fault{FaultState: FaultState{Fault: f}, path: path, release: make(chan struct{})}, nil
}

func (fs *faults) add(f *fault) string {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.last++
	f.ID = strconv.Itoa(fs.last)
	fs.all = append(fs.all, f)
	fs.active.Add(1)
	return f.ID
}

// match returns the fault for a call, and counts the hit; nil is none.
func (fs *faults) match(c *call) *fault {
	if fs.active.Load() == 0 {
		return nil
	}
	path := c.URL.EscapedPath()
	changes := Changes(c.Method, path, c.body)
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, f := range fs.all {
		m := f.Match
		switch {
		case f.Times > 0 && f.Hits >= f.Times:
		case m.Method != "" && m.Method != c.Method:
		case m.Operation != "" && m.Operation != c.operation:
		case m.Changes && !changes:
		case !f.path.MatchString(path):
		default:
			f.Hits++
			return f
		}
	}
	return nil
}

// hold returns when the fault is released or removed.
func (fs *faults) hold(f *fault) {
	fs.mu.Lock()
	removed := !slices.Contains(fs.all, f)
	released := f.release
	f.HeldCalls++
	fs.mu.Unlock()
	if !removed {
		<-released
	}
	fs.mu.Lock()
	f.HeldCalls--
	fs.mu.Unlock()
}

// letGo lets the calls that are held now go on, and returns their number.
func (fs *faults) letGo(id string) (int, bool) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, f := range fs.all {
		if f.ID == id {
			close(f.release)
			f.release = make(chan struct{})
			return f.HeldCalls, true
		}
	}
	return 0, false
}

// remove removes the fault of this id, or all with an empty one; held calls go on. It returns the number removed.
func (fs *faults) remove(id string) int {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	before := len(fs.all)
	fs.all = slices.DeleteFunc(fs.all, func(f *fault) bool {
		if id != "" && f.ID != id {
			return false
		}
		close(f.release)
		return true
	})
	fs.active.Store(int64(len(fs.all)))
	return before - len(fs.all)
}

func (fs *faults) states() []FaultState {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	out := make([]FaultState, 0, len(fs.all))
	for _, f := range fs.all {
		state := f.FaultState
		state.Held = state.HeldCalls > 0
		out = append(out, state)
	}
	return out
}
