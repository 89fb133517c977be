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

// Lag makes Lagging be behind by a time. It is called before anything else.
func (c *Catalog) Lag(now func() time.Time, behind time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now, c.past.Lag = now, behind
	c.past.Remember(time.Time{}, c.clone)
}

// remember notes what the catalog holds from now on. The caller holds mu.
func (c *Catalog) remember() {
	if c.now != nil {
		c.past.Remember(c.now(), c.clone)
	}
}

// Lagging is the catalog as readers that lag behind see it. What is changed in it is lost.
func (c *Catalog) Lagging() *Catalog {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now != nil {
		if was, known := c.past.At(c.now().Add(-c.past.Lag)); known {
			return &Catalog{contents: was.clone()}
		}
	}
	return &Catalog{contents: c.clone()}
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
