package clickhousesql

import (
	"slices"
	"sync"
	"time"

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

	now  func() time.Time // nil without a lag
	past lag.History[contents]
}

type database struct{ id, name, state string }

// StateOK is the state of a database that can be used.
const StateOK = "ok"

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
	return &Catalog{contents: contents{users: []*account{first}, databases: []database{{uuid.NewString(), DefaultDatabase, StateOK}}}}
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

// Databases lists the catalog's own in the order of their creation.
func (c *Catalog) Databases() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]string, 0, len(c.databases))
	for _, d := range c.databases {
		out = append(out, d.name)
	}
	return out
}

// DatabaseState is that of a database of the catalog's own; empty where there is none.
func (c *Catalog) DatabaseState(name string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.IndexFunc(c.databases, func(d database) bool { return d.name == name }); i >= 0 {
		return c.databases[i].state
	}
	return ""
}

// SetDatabaseState sets the state that is shown of a database; false where there is none of this name.
func (c *Catalog) SetDatabaseState(name, state string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.databases, func(d database) bool { return d.name == name })
	if i < 0 {
		return false
	}
	c.databases[i].state = state
	c.remember()
	return true
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

func (c *Catalog) has(name string) bool {
	return slices.Contains(builtin, name) || slices.ContainsFunc(c.databases, func(d database) bool { return d.name == name })
}

// AddDatabase makes one; false when it exists.
func (c *Catalog) AddDatabase(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.has(name) {
		return false
	}
	c.databases = append(c.databases, database{uuid.NewString(), name, StateOK})
	c.remember()
	return true
}

// RemoveDatabase removes one; what was granted on it stays granted. One that isn't there is fine.
func (c *Catalog) RemoveDatabase(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.databases = slices.DeleteFunc(c.databases, func(d database) bool { return d.name == name })
	c.remember()
}
