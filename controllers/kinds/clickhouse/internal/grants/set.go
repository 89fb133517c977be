package grants

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// Grantee is a user or a role that something is granted to.
type Grantee struct {
	Role bool
	Name string
}

// String is the key of a grantee: user/app.
func (g Grantee) String() string {
	if g.Role {
		return "role/" + g.Name
	}
	return "user/" + g.Name
}

// Privilege is one privilege on one scope for one user or role.
type Privilege struct {
	Grantee
	Access string // in upper case
	Scope
	Option bool // to grant it on
}

// Membership is one role for one user or role.
type Membership struct {
	Grantee
	Granted string
	Option  bool // to grant it on
}

// Set is what a spec or a status asks for. Paths are where in the spec.
type Set struct {
	Privileges  map[Privilege]string
	Memberships map[Membership]string
}

// NewSet is empty.
func NewSet() Set { return Set{map[Privilege]string{}, map[Membership]string{}} }

// AddCommon adds what a spec asks for and a status says was granted: one of the two alone proves nothing.
func (s Set) AddCommon(spec v1alpha1.ClickhouseGrants, granted *v1alpha1.ClickhouseGrants) {
	if granted == nil {
		return
	}
	asked, _ := Of(spec)
	have := Granted(*granted)
	for p, path := range asked.Privileges {
		plain, withOption := p, p
		plain.Option, withOption.Option = false, true
		if _, there := have.Privileges[withOption]; there {
			s.Privileges[p] = path
		} else if _, there = have.Privileges[plain]; there {
			s.Privileges[plain] = path
		}
	}
	for m, path := range asked.Memberships {
		if have.wants(m.Grantee, m.Granted) {
			_, option := have.Memberships[Membership{m.Grantee, m.Granted, true}]
			m.Option = m.Option && option
			s.Memberships[m] = path
		}
	}
}

// Add adds what another set asks for.
func (s Set) Add(other Set) {
	maps.Copy(s.Privileges, other.Privileges)
	maps.Copy(s.Memberships, other.Memberships)
}

// includes reports whether the set has all that another one asks for.
func (s Set) includes(other Set) bool {
	for p := range other.Privileges {
		if _, there := s.Privileges[p]; !there {
			return false
		}
	}
	for m := range other.Memberships {
		if _, there := s.Memberships[m]; !there {
			return false
		}
	}
	return true
}

// Empty reports whether nothing is asked for.
func (s Set) Empty() bool { return len(s.Privileges)+len(s.Memberships) == 0 }

// Grantees are the users and roles that get something.
func (s Set) Grantees() []Grantee {
	all := map[string]Grantee{}
	for p := range s.Privileges {
		all[p.Grantee.String()] = p.Grantee
	}
	for m := range s.Memberships {
		all[m.Grantee.String()] = m.Grantee
	}
	grantees := make([]Grantee, 0, len(all))
	for _, key := range slices.Sorted(maps.Keys(all)) {
		grantees = append(grantees, all[key])
	}
	return grantees
}

// Databases are those that something is granted on.
func (s Set) Databases() []string {
	databases := map[string]bool{}
	for p := range s.Privileges {
		if p.Database != "" {
			databases[p.Database] = true
		}
	}
	return slices.Sorted(maps.Keys(databases))
}

// allDatabases is what a spec calls all of them.
const allDatabases = "*"

// privilege is what one may be: words, and columns in parentheses.
var privilege = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9 ]*?)\s*(?:\(([^()]*)\))?$`)

// Of lists what a spec asks for, with the first thing that can't be right, which is left out.
func Of(g v1alpha1.ClickhouseGrants) (Set, error) { return read(g, most) }

// Granted lists what a status has, without what can't be right.
func Granted(g v1alpha1.ClickhouseGrants) Set {
	all, _ := read(g, mostGranted)
	return all
}

func read(g v1alpha1.ClickhouseGrants, limit int) (Set, error) {
	r := reader{Set: NewSet(), left: limit}
	for i, grant := range g.PrivilegeGrants {
		r.privileges(fmt.Sprintf("spec.privilegeGrants[%d]", i), grant)
	}
	for i, grant := range g.RoleGrants {
		r.memberships(fmt.Sprintf("spec.roleGrants[%d]", i), grant)
	}
	return r.Set, r.err
}

// reader collects a Set.
type reader struct {
	Set
	err  error
	left int // how many more there may be
}

func (r *reader) refuse(path, problem string) {
	if r.err == nil {
		r.err = fault.InvalidSpec(path, problem)
	}
}

func (r *reader) privileges(path string, grant v1alpha1.ClickhousePrivilegeGrant) {
	on, ok := r.scope(path, grant)
	if at := slices.Index(grant.Columns, ""); at >= 0 {
		r.refuse(fmt.Sprintf("%s.columns[%d]", path, at), "must not be empty. Name a column, or remove it")
		return
	}
	if !ok {
		return
	}
	grantees := r.grantees(path, grant.Grantees)
	for i, text := range grant.Privileges {
		access, columns, ok := r.access(fmt.Sprintf("%s.privileges[%d]", path, i), text, grant)
		if !ok || !r.spend(path, len(grantees), len(columns)) {
			continue
		}
		for _, to := range grantees {
			for _, column := range columns {
				on.Column = column
				p := Privilege{to, access, on, grant.WithGrantOption != nil && *grant.WithGrantOption}
				r.Privileges[p] = path
			}
		}
	}
}

// scope refuses the databases that Aiven lets no user change.
func (r *reader) scope(path string, grant v1alpha1.ClickhousePrivilegeGrant) (Scope, bool) {
	on := Scope{Database: grant.Database, Table: grant.Table}
	if on.Table == "*" {
		on.Table = ""
	}
	switch {
	case on.Database == "":
		r.refuse(path+".database", "must not be empty. Use * for all databases")
	case strings.EqualFold(on.Database, "information_schema"):
		r.refuse(path+".database", "privileges on "+on.Database+" can't be granted: choose another database")
	case on.Database == allDatabases && on.Table != "":
		r.refuse(path+".table", "can't be set together with database *: name the database")
	case on.Database == allDatabases:
		return Scope{}, true
	default:
		return on, true
	}
	return Scope{}, false
}

// reserved are the users that Aiven itself works with.
func reserved(name string) bool {
	return slices.Contains([]string{aiven.PrimaryUser, "aiven", "aiven_monitoring"}, name)
}

func (r *reader) grantees(path string, all []v1alpha1.ClickhouseGrantee) []Grantee {
	var grantees []Grantee
	for i, g := range all {
		at := fmt.Sprintf("%s.grantees[%d]", path, i)
		if g.User != "" && g.Role != "" { // a status that has both means the user
			r.refuse(at, "has both a user and a role. Remove one of them")
		}
		switch {
		case reserved(g.User):
			r.refuse(at+".user", "grants of "+g.User+" can't be changed: choose another user")
		case g.User != "":
			grantees = append(grantees, Grantee{Name: g.User})
		case g.Role != "":
			grantees = append(grantees, Grantee{Role: true, Name: g.Role})
		default:
			r.refuse(at, "must have a user or a role")
		}
	}
	return grantees
}

// access is the privilege and its columns. One without columns is on one: all of them, which is empty.
func (r *reader) access(path, text string, grant v1alpha1.ClickhousePrivilegeGrant) (string, []string, bool) {
	parts := privilege.FindStringSubmatch(strings.TrimSpace(text))
	if parts == nil {
		r.refuse(path, fmt.Sprintf("%q is no privilege: use words, such as ALTER UPDATE, and name columns in columns", text))
		return "", nil, false
	}
	columns, named := slices.Clone(grant.Columns), strings.TrimSpace(parts[2]) != ""
	if named {
		columns = strings.Split(parts[2], ",")
	}
	for i, column := range columns {
		if named {
			column = unquoted(strings.TrimSpace(column))
			columns[i] = column
		}
		if column == "" || named && strings.ContainsAny(column, "`\"'\\") {
			r.refuse(path, fmt.Sprintf("%q names a column that can't be read: name it in columns", text))
			return "", nil, false
		}
	}
	switch {
	case named && len(grant.Columns) > 0:
		r.refuse(path, "names columns itself: remove them, or remove columns")
	case len(columns) > 0 && (grant.Table == "" || grant.Table == "*"):
		r.refuse(path, "has columns of no table: set table")
	case len(columns) == 0:
		columns = []string{""}
		fallthrough
	default:
		return strings.ToUpper(strings.Join(strings.Fields(parts[1]), " ")), columns, true
	}
	return "", nil, false
}

// unquoted takes away a pair of quotation marks that a name is in.
func unquoted(name string) string {
	if n := len(name); n > 1 && name[0] == name[n-1] && (name[0] == '`' || name[0] == '"') {
		return name[1 : n-1]
	}
	return name
}
