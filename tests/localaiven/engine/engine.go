// Package engine defines what a real database behind a local Aiven service must do.
package engine

import (
	"context"
	"time"

	"github.com/aero-operator/aero/tests/localaiven/clickhousesql"
	"github.com/aero-operator/aero/tests/localaiven/pki"
)

// Spec is the service to run.
type Spec struct {
	// Project and Service are the names of the service in the API.
	Project, Service string
	// Type is Aiven's service_type, such as "pg".
	Type string
	// Version is the one of user_config; empty means the one the machine has.
	Version string
	// Admin is the service's first user, avnadmin.
	Admin Credential
	// CA signs the server's certificate; clients verify it with the project's CA. It also signs those of Kafka's users, whose
	// common names are the users'.
	CA *pki.Authority
	// DataDir is private to this service. Instance.Close removes it.
	DataDir string
	// Source is the running instance, of the same engine, that a read replica of PostgreSQL follows; nil for none, and
	// for other types, which have no replication. A replica has the users and databases of its source, refuses changes,
	// and serves on without it.
	Source Instance
	// Fork is what a service of PostgreSQL begins with; nil for one that begins empty, and for other types. It has the
	// users and databases of the other, whose passwords they keep but for Admin's.
	Fork *Fork
}

// Fork is the data of a running instance of the same engine, as it was at a time.
type Fork struct {
	Of Instance
	At time.Time // the zero value is now
}

// Credential is a user, its password, and what it may do. Users.Set with an empty Password leaves that of an existing user.
type Credential struct {
	Username, Password string
	Access             Access
	// Certificate lets the user in, in PEM, and no other one but Former does; empty for any that names the user. Kafka only.
	Certificate string
	// Former is the user's certificate before Certificate, which lets the user in, too, until its own end; empty for none.
	Former string
}

// Access is what a user may do, as far as the API says so for its type of service; the others ignore it.
type Access struct {
	// Replication lets a user of PostgreSQL replicate.
	Replication bool
	// Keys and Channels are patterns of what a user of Valkey may touch.
	Keys, Channels []string
	// Categories and then Commands add to what a user of Valkey may do, as in +@read, and take away, as in -@write or
	// -get. It begins with nothing.
	Categories, Commands []string
}

// Endpoint is where clients connect to.
type Endpoint struct {
	Host string
	Port int
}

// Topic is one topic of a Kafka service.
type Topic struct {
	Name string
	// Partitions only grow.
	Partitions int
	// Replication is at most the number of nodes of the plan. An engine may have fewer.
	Replication int
	// Config has Kafka's own names and forms, such as retention.ms: "60000". It has what was set, without defaults.
	Config map[string]string
}

// ACL allows something to users of a Kafka service. What no ACL allows is refused.
type ACL struct {
	// Username and Topic are patterns: * is any number of characters, ? is one.
	Username, Topic string
	// Permission is admin, read, readwrite or write.
	Permission string
}

// Logins are the ways in which users of a Kafka service may log in.
type Logins struct{ Certificates, Passwords bool }

// NativeACL allows or denies something to users of a Kafka service, in the terms of Kafka. What is denied isn't allowed by
// any other, of either kind.
type NativeACL struct {
	// Principal is such as User:alice, and Host an address; * is any.
	Principal, Host string
	// Operation and Resource are those of Aiven's API, such as AlterConfigs and TransactionalId.
	Operation, Resource string
	// Name is the resource's, * is any; or what its name begins with, if Prefixed.
	Name     string
	Prefixed bool
	Deny     bool
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

// Instance is one running service. All methods are idempotent and safe for concurrent use. That of a Kafka service is a
// Kafka, too, and that of a ClickHouse service a ClickHouse.
type Instance interface {
	// Endpoint is where the service itself listens. For Kafka, clients present certificates there.
	Endpoint() Endpoint
	// Users are the roles of the service.
	Users() Users
	// Databases are the logical databases of the service; nil for a type that has none.
	Databases() Databases
	// Pools are the connection pools in front of the service; nil for a type that has none.
	Pools() Pools
	Life
}

// Life is how an Instance stops, goes on and ends.
type Life interface {
	// Stop ends the processes and all that listens, and keeps the data. No caller may Set or Remove anything until Resume.
	Stop(ctx context.Context) error
	// Resume lets a stopped instance go on with all that it had, maybe at other endpoints, except for its pools, which have
	// to be Set again. Once ctx is done it gives up. After an error it is stopped as before.
	Resume(ctx context.Context) error
	// Close stops the processes and removes the data directory. It is the end: nothing resumes after it.
	Close(ctx context.Context) error
}

// Replica is what an Instance that was started with a Source has besides.
type Replica interface {
	// Promote lets it go on by itself, with what it has from its source, and take changes. A stopped one does so once it
	// resumes.
	Promote(ctx context.Context) error
}

// Migrator is what an Instance that can copy the databases of a server elsewhere has besides.
type Migrator interface {
	// SourceDatabases are the names of the databases there, but for those of the server itself.
	SourceDatabases(ctx context.Context, source Source) ([]string, error)
	// CopyDatabase copies what is in a database there into the one of the same name here, which exists: all of it or nothing.
	CopyDatabase(ctx context.Context, source Source, name string) error
}

// Source is how to log in at a server elsewhere.
type Source struct {
	Host               string
	Port               int
	Username, Password string
	// Database is the one of the first connection.
	Database string
	// TLS is set where connections have to be encrypted. Otherwise they are if the server can.
	TLS bool
}

// Users creates and removes the roles of an instance.
type Users interface {
	// Set creates the user, or gives an existing one this password and this access, at once.
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
	// Set creates or changes the pool, and returns where it listens.
	Set(ctx context.Context, pool Pool) (Endpoint, error)
	// Remove stops the pool; one that doesn't exist is fine.
	Remove(ctx context.Context, name string) error
}

// Kafka is what the Instance of a Kafka service has besides.
type Kafka interface {
	// SASL is where clients log in with passwords.
	SASL() Endpoint
	// SetLogins changes how clients may log in. Those who are in otherwise are hung up on. A new instance has both ways.
	SetLogins(ctx context.Context, logins Logins) error
	// Topics are the topics of the service.
	Topics() Topics
	// SetACLs replaces all ACLs by these. A new instance has none.
	SetACLs(ctx context.Context, acls []ACL) error
	// SetNativeACLs replaces all Kafka-native ACLs by these. A new instance has none.
	SetNativeACLs(ctx context.Context, acls []NativeACL) error
}

// ClickHouse is what the Instance of a ClickHouse service has besides.
type ClickHouse interface {
	// SetCatalog sets what answers the queries of clients. Before that, no client can log in.
	SetCatalog(catalog *clickhousesql.Catalog)
}

// Topics creates and removes the topics of an instance.
type Topics interface {
	// Set creates the topic, or gives an existing one these partitions and this config. Config that isn't named goes back
	// to its default. A name or a value that the engine doesn't know may be ignored.
	Set(ctx context.Context, topic Topic) error
	// Remove drops the topic with its messages; one that doesn't exist is fine.
	Remove(ctx context.Context, name string) error
}
