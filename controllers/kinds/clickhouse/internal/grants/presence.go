package grants

// Needs are the names that actions depend on, by the lists that they are in.
type Needs struct {
	Users, Roles, Databases []string
	From                    []string // users that something is revoked from
}

func (n *Needs) add(action Action) {
	if action.Revoke && !action.Role {
		n.From = append(n.From, action.Name)
	}
	// The name of a grantee must not be in both lists.
	n.Users, n.Roles = append(n.Users, action.Name), append(n.Roles, action.Name)
	if action.Granted != "" {
		n.Roles = append(n.Roles, action.Granted)
	}
	if action.Database != "" && !action.Revoke {
		n.Databases = append(n.Databases, action.Database)
	}
}

// Presence is which of some names are there.
type Presence struct{ Users, Roles, Databases map[string]bool }

// grantee reports whether the user or role of an action is there, and whether a role or user of its name is.
func (p Presence) grantee(action Action) (exists, twin bool) {
	if action.Role {
		return p.Roles[action.Name], p.Users[action.Name]
	}
	return p.Users[action.Name], p.Roles[action.Name]
}

// lacks names what an action has to wait for. A REVOKE waits if ClickHouse would take another of the name: what is gone has lost
// its grants, or will be shown.
func (p Presence) lacks(action Action) []string {
	var missing []string
	exists, twin := p.grantee(action)
	if !exists && (twin || !action.Revoke) {
		kind := "user "
		if action.Role {
			kind = "role "
		}
		missing = append(missing, kind+action.Name)
	}
	if action.Revoke {
		return missing
	}
	if action.Granted != "" && !p.Roles[action.Granted] {
		missing = append(missing, "role "+action.Granted)
	}
	if action.Database != "" && !p.Databases[action.Database] {
		missing = append(missing, "database "+action.Database)
	}
	return missing
}
