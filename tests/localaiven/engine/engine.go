// Package engine defines what a real database behind a local Aiven service must do.
package engine

import (
	"context"

	"github.com/aero-operator/aero/tests/localaiven/pki"
)

// Spec says which service to run.
type Spec struct {
	// Project and Service are the names of the service in the API.
	Project, Service string
	// Type is Aiven's service_type, such as "pg".
	Type string
	// Version is the one of user_config; empty means the one the machine has.
	Version string
	// Admin is the service's first user, avnadmin.
	Admin Credential
	// CA signs the server's certificate; clients verify it with the project's CA.
	CA *pki.Authority
	// DataDir is private to this service. Instance.Close removes it.
	DataDir string
}

// Credential is the name of a user and its password.
type Credential struct{ Username, Password string }

// Endpoint is where clients connect to.
type Endpoint struct {
	Host string
	Port int
}

// Pool is one connection pool. An empty Username means the connecting user's own, with no Password then.
type Pool struct {
	Name, Database, Username, Password string
	// Mode is session, transaction or statement.
	Mode string
	// Size is the number of server connections.
	Size int
}

// Engine starts instances of one service type.
type Engine interface {
	// Type is the service_type it runs, such as "pg".
	Type() string
	// Available is nil, or why this machine can't run it, naming what to install.
	Available() error
	// Start runs a service until its Close. Once ctx is done it gives up and leaves nothing behind.
	Start(ctx context.Context, spec Spec) (Instance, error)
}

// Instance is one running service. All methods are idempotent and safe for concurrent use.
type Instance interface {
	// Endpoint is where the service itself listens.
	Endpoint() Endpoint
	// Users are the roles of the service.
	Users() Users
	// Databases are the logical databases of the service.
	Databases() Databases
	// Pools are the connection pools in front of the service.
	Pools() Pools
	// Close stops the processes and removes the data directory.
	Close(ctx context.Context) error
}

// Users creates and removes the roles of an instance.
type Users interface {
	// Set creates the user, or gives an existing one this password.
	Set(ctx context.Context, user Credential) error
	// Remove drops the user; one that doesn't exist is fine.
	Remove(ctx context.Context, name string) error
}

// Databases creates and removes the databases of an instance.
type Databases interface {
	// Set creates the database with these locales; empty ones mean the instance's.
	Set(ctx context.Context, name, collate, ctype string) error
	// Remove drops the database; one that doesn't exist is fine.
	Remove(ctx context.Context, name string) error
}

// Pools creates and removes the connection pools of an instance.
type Pools interface {
	// Set creates or changes the pool, and says where it listens.
	Set(ctx context.Context, pool Pool) (Endpoint, error)
	// Remove stops the pool; one that doesn't exist is fine.
	Remove(ctx context.Context, name string) error
}
