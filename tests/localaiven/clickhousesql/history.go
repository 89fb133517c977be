package clickhousesql

import (
	"maps"
	"slices"
	"time"
)

// contents are what statements and calls change.
type contents struct {
	users     []*account
	roles     []*account
	databases []database
	tables    []table
}

// Timing is what takes time in a catalog. The zero value is nothing.
type Timing struct {
	Now func() time.Time // nil is no time at all
	// Lag is how far Lagging is behind.
	Lag time.Duration
	// DatabaseTime is how long databases are created, and removed.
	DatabaseTime time.Duration
}

// Follow makes the catalog follow a timing. It is called before anything else.
func (c *Catalog) Follow(t Timing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timing, c.past.Lag = t, t.Lag
	c.past.Remember(time.Time{}, c.clone)
}

func (c *Catalog) now() time.Time {
	if c.timing.Now == nil {
		return time.Time{}
	}
	return c.timing.Now()
}

// remember notes what the catalog holds from now on. The caller holds mu.
func (c *Catalog) remember() { c.past.Remember(c.now(), c.clone) }

// Lagging is the catalog as readers that lag behind see it. What is changed in it is lost.
func (c *Catalog) Lagging() *Catalog {
	c.mu.Lock()
	defer c.mu.Unlock()
	was, known := c.past.At(c.now().Add(-c.past.Lag))
	if !known {
		was = c.contents
	}
	return &Catalog{contents: was.clone(), timing: c.timing}
}

func (c *contents) clone() contents {
	copies := map[*account]*account{}
	all := func(accounts []*account) []*account {
		var out []*account
		for _, a := range accounts {
			copies[a] = &account{a.id, a.name, privilegeSet{maps.Clone(a.have), maps.Clone(a.option)}, map[*account]bool{}}
			out = append(out, copies[a])
		}
		return out
	}
	out := contents{all(c.users), all(c.roles), slices.Clone(c.databases), slices.Clone(c.tables)}
	for old, own := range copies {
		for role, admin := range old.roles {
			own.roles[copies[role]] = admin
		}
	}
	return out
}

// Reads reports whether a query changes nothing.
func Reads(query string) bool {
	statement, err := Parse(query)
	return err == nil && reads(statement)
}

func reads(statement Statement) bool {
	switch statement.(type) {
	case *selection, showCreateRole, showGrants:
		return true
	}
	return false
}
