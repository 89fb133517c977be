// Package clickhouseapi is how Aiven's API shows the catalog of a service of ClickHouse.
package clickhouseapi

import (
	"fmt"
	"regexp"

	"github.com/aero-operator/aero/tests/localaiven/clickhousesql"
)

// Database is one of the list of databases.
type Database struct {
	Engine   string `json:"engine"`
	Name     string `json:"name"`
	Required bool   `json:"required"`
	State    string `json:"state"`
}

// Databases are those of the catalog's own.
func Databases(catalog *clickhousesql.Catalog) []Database {
	out := []Database{}
	for _, name := range catalog.Databases() {
		out = append(out, Database{"Replicated", name, name == clickhousesql.DefaultDatabase, catalog.DatabaseState(name)})
	}
	return out
}

var databaseName = regexp.MustCompile(`^[_A-Za-z0-9][-_A-Za-z0-9]{0,62}$`)

// CheckDatabase reports what is wrong with the name of a new database.
func CheckDatabase(name string) error {
	if databaseName.MatchString(name) {
		return nil
	}
	return fmt.Errorf("Invalid database '%s': must consist of letters, digits, underscores and dashes, "+
		"not start with a dash, and be at most 63 characters long", name)
}

// User is one of the list of users. Its password is in the answer to its creation only.
type User struct {
	Name       string      `json:"name"`
	Password   *string     `json:"password,omitempty"`
	Privileges []Privilege `json:"privileges"`
	Required   bool        `json:"required"`
	Roles      []Role      `json:"roles"`
	UUID       string      `json:"uuid"`
}

// Privilege is one that a user was granted itself.
type Privilege struct {
	AccessType      string `json:"access_type"`
	Column          string `json:"column"`
	Database        string `json:"database"`
	GrantOption     bool   `json:"grant_option"`
	IsPartialRevoke bool   `json:"is_partial_revoke"`
	Table           string `json:"table"`
}

// Role is one that a user has.
type Role struct {
	IsDefault       bool   `json:"is_default"`
	Name            string `json:"name"`
	UUID            string `json:"uuid"`
	WithAdminOption bool   `json:"with_admin_option"`
}

// NewUser is a user as it is shown, without a password. The admin is required.
func NewUser(u clickhousesql.User, admin string) User {
	out := User{Name: u.Name, Privileges: []Privilege{}, Required: u.Name == admin, Roles: []Role{}, UUID: u.ID}
	for _, p := range u.Privileges {
		out.Privileges = append(out.Privileges, Privilege{p.AccessType, p.Column, p.Database, p.GrantOption, p.PartialRevoke, p.Table})
	}
	for _, r := range u.Roles {
		out.Roles = append(out.Roles, Role{true, r.Name, r.ID, r.AdminOption})
	}
	return out
}

// Users are all of the catalog.
func Users(catalog *clickhousesql.Catalog, admin string) []User {
	out := []User{}
	for _, u := range catalog.Users() {
		out = append(out, NewUser(u, admin))
	}
	return out
}

// Rows is the answer to a query.
type Rows struct {
	Data    [][]any  `json:"data"`
	Meta    []Column `json:"meta"`
	Summary Summary  `json:"summary"`
}

// Column is one of the answer's.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// Summary is what a query took.
type Summary struct {
	ElapsedNs    int `json:"elapsed_ns"`
	ReadBytes    int `json:"read_bytes"`
	ReadRows     int `json:"read_rows"`
	ResultBytes  int `json:"result_bytes"`
	ResultRows   int `json:"result_rows"`
	WrittenBytes int `json:"written_bytes"`
	WrittenRows  int `json:"written_rows"`
}

// Answer is the answer to a query with this result.
func Answer(result clickhousesql.Result) Rows {
	out := Rows{Data: append([][]any{}, result.Rows...), Meta: []Column{}}
	for _, column := range result.Columns {
		out.Meta = append(out.Meta, Column(column))
	}
	out.Summary.ReadRows, out.Summary.ResultRows = len(result.Rows), len(result.Rows)
	return out
}
