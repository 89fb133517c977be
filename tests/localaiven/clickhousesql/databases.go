package clickhousesql

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/aero-operator/aero/tests/localaiven/lifetime"
)

// The states of a database.
const (
	StateOK              = "ok"
	StatePendingCreation = "pending_creation"
	StatePendingRemoval  = "pending_removal"
)

var databaseStates = lifetime.States{Creating: StatePendingCreation, Ready: StateOK, Removing: StatePendingRemoval}

// database is one of the catalog's own.
type database struct {
	id, name string
	life     lifetime.Lifetime
}

func (d *database) state(now time.Time) string { return d.life.State(now, databaseStates) }

// present are the databases that aren't removed yet. The caller holds mu.
func (c *Catalog) present() []database {
	now := c.now()
	return slices.DeleteFunc(slices.Clone(c.databases), func(d database) bool { return d.state(now) == lifetime.Removed })
}

// index is that of a database that isn't removed yet; -1 is none. The caller holds mu.
func (c *Catalog) index(name string) int {
	now := c.now()
	return slices.IndexFunc(c.databases, func(d database) bool { return d.name == name && d.state(now) != lifetime.Removed })
}

// Databases lists the catalog's own in the order of their creation.
func (c *Catalog) Databases() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := []string{}
	for _, d := range c.present() {
		out = append(out, d.name)
	}
	return out
}

// DatabaseState is that of a database of the catalog's own; empty where there is none.
func (c *Catalog) DatabaseState(name string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := c.index(name); i >= 0 {
		return c.databases[i].state(c.now())
	}
	return lifetime.Removed
}

// SetDatabaseState sets the state that is shown of a database; false where there is none of this name.
func (c *Catalog) SetDatabaseState(name, state string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := c.index(name)
	if i < 0 {
		return false
	}
	c.databases[i].life.Force(state)
	c.remember()
	return true
}

// NextChange is when the next database is ready or gone; zero is never.
func (c *Catalog) NextChange() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	now, next := c.now(), time.Time{}
	for _, d := range c.databases {
		if until := d.life.Until(); now.Before(until) && (next.IsZero() || until.Before(next)) {
			next = until
		}
	}
	return next
}

// HasDatabase reports whether a session may begin in the database.
func (c *Catalog) HasDatabase(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.has(name)
}

// OwnDatabase reports whether the database is one that may be removed.
func (c *Catalog) OwnDatabase(name string) bool {
	return c.HasDatabase(name) && name != DefaultDatabase && !slices.Contains(builtin, name)
}

func (c *Catalog) has(name string) bool { return slices.Contains(builtin, name) || c.index(name) >= 0 }

// AddDatabase makes one; false when it exists, also while it is removed.
func (c *Catalog) AddDatabase(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.has(name) {
		return false
	}
	c.databases = append(c.present(), database{uuid.NewString(), name, lifetime.New(c.now().Add(c.timing.DatabaseTime))})
	c.remember()
	return true
}

// RemoveDatabase begins to remove one; what was granted on it stays granted. One that isn't there is fine.
func (c *Catalog) RemoveDatabase(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := c.index(name); i >= 0 {
		c.databases[i].life.Remove(c.now().Add(c.timing.DatabaseTime))
		c.remember()
	}
}
