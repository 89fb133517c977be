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
}

// moment is what the catalog held from some time on.
type moment struct {
	since time.Time
	contents
}

// Lag makes Lagging be behind by a time. It is called before anything else.
func (c *Catalog) Lag(now func() time.Time, lag time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now, c.lag = now, lag
	c.remember()
}

// remember notes what the catalog holds from now on, and forgets what no reader sees any longer. The caller holds mu.
func (c *Catalog) remember() {
	if c.lag == 0 {
		return
	}
	now := c.now()
	if seen := c.momentAt(now.Add(-c.lag)); seen > 0 {
		c.past = slices.Delete(c.past, 0, seen)
	}
	c.past = append(c.past, moment{now, c.clone()})
}

// momentAt is the index of the moment that a time belongs to; -1 is before all.
func (c *Catalog) momentAt(at time.Time) int {
	later := slices.IndexFunc(c.past, func(m moment) bool { return m.since.After(at) })
	if later < 0 {
		later = len(c.past)
	}
	return later - 1
}

// Lagging is the catalog as readers that lag behind see it. What is changed in it is lost.
func (c *Catalog) Lagging() *Catalog {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.past) == 0 {
		return &Catalog{contents: c.clone()}
	}
	return &Catalog{contents: c.past[max(0, c.momentAt(c.now().Add(-c.lag)))].clone()}
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
	out := contents{all(c.users), all(c.roles), slices.Clone(c.databases)}
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
