package clickhousesql

import (
	"slices"
	"sync"

	"github.com/google/uuid"

	"github.com/aero-operator/aero/tests/localaiven/lag"
)

// The databases that ClickHouse has by itself. A catalog's own begin with DefaultDatabase.
const (
	DefaultDatabase = "default"
	systemDatabase  = "system"
)

var builtin = []string{"INFORMATION_SCHEMA", "information_schema", systemDatabase}

// Catalog is what one service knows: users, roles, what they may do, and databases. It is safe for concurrent use.
type Catalog struct {
	mu sync.Mutex
	contents

	timing Timing
	past   lag.History[contents]
}

// account is a user or a role.
type account struct {
	id, name string
	privilegeSet
	roles map[*account]bool // those it has, and whether it may hand them on
}

func newAccount(name string) *account {
	return &account{uuid.NewString(), name, newPrivilegeSet(), map[*account]bool{}}
}

// User is a user with all that it has been granted itself.
type User struct {
	ID, Name   string
	Privileges []Privilege
	Roles      []RoleGrant
}

// Role is a role.
type Role struct{ ID, Name string }

// RoleGrant is a role that a user or role has.
type RoleGrant struct {
	Role
	AdminOption bool
}

// Session is who asks, and the database of names without one; empty is the default one.
type Session struct{ User, Database string }

// Result is the answer to a query. Values are strings, uint64s, and nil for NULL.
type Result struct {
	Columns []Column
	Rows    [][]any
}

// Column is one of a result, with ClickHouse's name of its type.
type Column struct{ Name, Type string }

// NewCatalog returns one with the default database, and a user who may do and grant everything.
func NewCatalog(admin string) *Catalog {
	first := newAccount(admin)
	everything := element{privileges: []*privilege{named("ALL")}, columns: [][]string{nil}}
	first.grant([]element{everything}, true)
	return &Catalog{contents: contents{users: []*account{first}, databases: []database{{id: uuid.NewString(), name: DefaultDatabase}}}}
}

func find(accounts []*account, name string) *account {
	if i := slices.IndexFunc(accounts, func(a *account) bool { return a.name == name }); i >= 0 {
		return accounts[i]
	}
	return nil
}

// Users lists them in the order of their creation.
func (c *Catalog) Users() []User {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]User, 0, len(c.users))
	for _, u := range c.users {
		out = append(out, u.user())
	}
	return out
}

func (a *account) user() User {
	out := User{ID: a.id, Name: a.name, Privileges: a.list()}
	for _, role := range a.granted() {
		out.Roles = append(out.Roles, RoleGrant{Role{role.id, role.name}, a.roles[role]})
	}
	return out
}

// granted are the roles that the account has itself, by name.
func (a *account) granted() []*account {
	out := make([]*account, 0, len(a.roles))
	for role := range a.roles {
		out = append(out, role)
	}
	slices.SortFunc(out, byName)
	return out
}

// Grantees are the users and roles that have been granted anything: user/bob, role/reader.
func (c *Catalog) Grantees() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for _, kind := range []struct {
		name string
		all  []*account
	}{{"user", c.users}, {"role", c.roles}} {
		for _, a := range kind.all {
			if len(a.have)+len(a.option)+len(a.roles) > 0 {
				out = append(out, kind.name+"/"+a.name)
			}
		}
	}
	return out
}

// AddUser makes one with these roles, by their ids. Roles that aren't there are left out: ask for them before. The second
// answer is false when the user exists.
func (c *Catalog) AddUser(name string, roles []string) (User, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if find(c.users, name) != nil {
		return User{}, false
	}
	u := newAccount(name)
	for _, role := range c.roles {
		if slices.Contains(roles, role.id) {
			u.roles[role] = false
		}
	}
	c.users = append(c.users, u)
	c.remember()
	return u.user(), true
}

// RemoveUser removes the one of this id, with its grants; one that isn't there is fine.
func (c *Catalog) RemoveUser(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.users = slices.DeleteFunc(c.users, func(u *account) bool { return u.id == id })
	c.remember()
}

// Roles lists them in the order of their creation.
func (c *Catalog) Roles() []Role {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]Role, 0, len(c.roles))
	for _, r := range c.roles {
		out = append(out, Role{r.id, r.name})
	}
	return out
}
