// Package lifetime has the life of resources that take time to be created and to be removed.
package lifetime

import "time"

// States are the names of the states.
type States struct{ Creating, Ready, Removing string }

// Removed is the state of what is there no more.
const Removed = ""

// Lifetime is that of one resource.
type Lifetime struct {
	until    time.Time // when it is ready, or removed
	removing bool
	forced   string
}

// New is the life of a resource that is ready at a time.
func New(ready time.Time) Lifetime { return Lifetime{until: ready} }

// State is the one at a time.
func (l *Lifetime) State(now time.Time, names States) string {
	switch changing := now.Before(l.until); {
	case l.forced != "":
		return l.forced
	case l.removing && changing:
		return names.Removing
	case l.removing:
		return Removed
	case changing:
		return names.Creating
	}
	return names.Ready
}

// Force sets the state, until the resource is removed.
func (l *Lifetime) Force(state string) { l.forced = state }

// Remove begins the removal, which ends at a time. It reports whether it hadn't begun before.
func (l *Lifetime) Remove(end time.Time) bool {
	l.forced = ""
	if l.removing {
		return false
	}
	l.removing, l.until = true, end
	return true
}

// Until is when the resource is ready, or removed.
func (l *Lifetime) Until() time.Time { return l.until }
