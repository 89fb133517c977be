package schemaregistry

import (
	"crypto/sha256"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aero-operator/aero/controllers/internal/aiven"
)

const (
	// missesAge is for how long a version that doesn't fit isn't read again. Versions never change, but a subject may be deleted
	// for good, and begin again at 1.
	missesAge = time.Hour
	// searchAge is how old the numbers of versions may be that a search goes on with.
	searchAge = 5 * time.Minute
)

// Misses remember which versions of a subject don't fit a schema. So a search that had no turn for a call goes on where it was,
// and the next one reads what is new. A nil Misses remembers nothing.
type Misses struct {
	memory  *sync.Map
	subject missesKey
	wanted  [sha256.Size]byte
}

// missesKey is where the misses of a subject are in the memory of a kind.
type missesKey struct{ item aiven.Item }

// missed is what is known of one schema.
type missed struct {
	wanted     [sha256.Size]byte
	since      time.Time
	numbers    sync.Map // of versions that don't fit
	unfinished atomic.Pointer[search]
}

// search is one that had no turn for a call.
type search struct {
	began   time.Time
	known   int   // which was read, and didn't fit
	numbers []int // of the versions; nil if they aren't known yet
}

func (s *search) versions() []int {
	if s == nil {
		return nil
	}
	return s.numbers
}

// MissesIn are the Misses in the memory of a kind.
func MissesIn(memory *sync.Map, subject aiven.Item, wanted Schema) *Misses {
	text, _ := json.Marshal(wanted) // texts and numbers only
	return &Misses{memory: memory, subject: missesKey{subject}, wanted: sha256.Sum256(text)}
}

// known is nil if nothing is.
func (m *Misses) known() *missed {
	if m == nil {
		return nil
	}
	kept, _ := m.memory.Load(m.subject)
	if known, _ := kept.(*missed); known != nil && known.wanted == m.wanted && time.Since(known.since) < missesAge {
		return known
	}
	return nil
}

// begun is what is known, from now on.
func (m *Misses) begun() *missed {
	known := m.known()
	if known == nil {
		known = &missed{wanted: m.wanted, since: time.Now()}
		m.memory.Store(m.subject, known)
	}
	return known
}

func (m *Misses) has(number int) bool {
	known := m.known()
	if known == nil {
		return false
	}
	_, there := known.numbers.Load(number)
	return there
}

func (m *Misses) add(number int) {
	if m != nil {
		m.begun().numbers.Store(number, true)
	}
}

// unfinished is the search to go on with, after the same version was read; nil if there is none.
func (m *Misses) unfinished(known int) *search {
	all := m.known()
	if all == nil {
		return nil
	}
	if s := all.unfinished.Load(); s != nil && s.known == known && time.Since(s.began) < searchAge {
		return s
	}
	return nil
}

// end ends a search, unless it goes on later.
func (m *Misses) end(s search, goesOn bool) {
	switch before := m.unfinished(s.known); {
	case m == nil:
	case !goesOn:
		m.begun().unfinished.Store(nil)
	case before.versions() == nil:
		s.began = time.Now()
		m.begun().unfinished.Store(&s)
	}
}
