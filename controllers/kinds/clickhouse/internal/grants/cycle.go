package grants

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

// cycles finds the grants of roles to each other that lead back to where they begin. Roles of one group have all roles of it.
type cycles struct {
	next         map[string][]string // the roles that each role is granted
	visit, group map[string]int      // 0 is not yet
	path         []string
	groups       int
}

// CheckCycles refuses what would let a role have itself. found are the roles that users and roles have, by the text of each; of
// these, what is going to be revoked for the object doesn't count. ClickHouse itself accepts such grants.
func (w Wishes) CheckCycles(found map[string]map[string]bool) error {
	c := &cycles{next: map[string][]string{}, visit: map[string]int{}, group: map[string]int{}}
	wanted := sortedMemberships(w.Wanted.Memberships)
	wanted = slices.DeleteFunc(wanted, func(m Membership) bool { return !m.Role })
	if len(wanted) == 0 {
		return nil
	}
	for _, m := range wanted {
		c.next[m.Name] = append(c.next[m.Name], m.Granted)
	}
	for key, roles := range found {
		if name, role := strings.CutPrefix(key, Grantee{Role: true}.String()); role {
			for granted := range roles {
				if !w.revokes(Grantee{Role: true, Name: name}, granted) {
					c.next[name] = append(c.next[name], granted)
				}
			}
		}
	}
	for _, m := range wanted {
		c.search(m.Name)
		if c.group[m.Name] == c.group[m.Granted] {
			return fault.InvalidSpec(w.Wanted.Memberships[m], fmt.Sprintf("role %s can't be granted to role %s, which is granted to %s. "+
				"Remove one of the grants, from this object or from what made it", m.Granted, m.Name,
				strings.Join(c.back(m), ", which is granted to ")))
		}
	}
	return nil
}

// revokes reports whether a role was granted for the object, and no object wants that any longer.
func (w Wishes) revokes(from Grantee, role string) bool {
	return w.Granted.wants(from, role) && !w.Wanted.wants(from, role) && !w.Others.wants(from, role)
}

// search puts a role, and all that it leads to, into groups: Tarjan's algorithm.
func (c *cycles) search(role string) (lowest int) {
	if c.visit[role] != 0 {
		return c.visit[role]
	}
	c.path = append(c.path, role)
	c.visit[role] = len(c.visit) + 1
	own := c.visit[role]
	lowest = own
	for _, granted := range c.next[role] {
		if below := c.search(granted); c.group[granted] == 0 {
			lowest = min(lowest, below)
		}
	}
	if lowest < own {
		return lowest
	}
	c.groups++
	for last := ""; last != role; {
		last, c.path = c.path[len(c.path)-1], c.path[:len(c.path)-1]
		c.group[last] = c.groups
	}
	return lowest
}

// back is the shortest way by which the granted role has the one that it is granted to, the other way round.
func (c *cycles) back(m Membership) []string {
	from := map[string]string{m.Granted: ""}
	for queue := []string{m.Granted}; len(queue) > 0; queue = queue[1:] {
		for _, granted := range c.next[queue[0]] {
			if _, seen := from[granted]; !seen {
				from[granted] = queue[0]
				queue = append(queue, granted)
			}
		}
	}
	var way []string
	for role := from[m.Name]; role != ""; role = from[role] {
		way = append(way, role)
	}
	if last := len(way) - 1; last > 3 {
		way = append(way[:2:2], "...", way[last]) // a message has to be short
	}
	return way
}
