package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"

	"github.com/jackc/pgx/v5"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/daemon"
	"github.com/aero-operator/aero/tests/process"
)

// defaultDatabase is the database that every service begins with.
const defaultDatabase = "defaultdb"

var errClosed = errors.New("the cluster is closed")

// cluster is one running service.
type cluster struct {
	engine  *Engine
	account daemon.Account
	// dir is the data directory, with files in it.
	dir   string
	files layout
	// owner is the role that databases belong to, and the objects of removed roles.
	owner    string
	server   *process.Program
	endpoint engine.Endpoint
	pools    *pools

	// changes serializes statements that change roles or databases: PostgreSQL
	// refuses some of them when they meet.
	changes sync.Mutex
	closed  bool
}

var _ engine.Instance = (*cluster)(nil)

func (c *cluster) Endpoint() engine.Endpoint   { return c.endpoint }
func (c *cluster) Users() engine.Users         { return users{c} }
func (c *cluster) Databases() engine.Databases { return databases{c} }
func (c *cluster) Pools() engine.Pools         { return c.pools }

// Close stops the server and its pools, if ctx is done without any patience,
// and removes the data directory.
func (c *cluster) Close(ctx context.Context) error {
	c.pools.close(ctx)
	c.changes.Lock()
	defer c.changes.Unlock()
	c.closed = true
	if c.server != nil {
		c.server.Stop(ctx, syscall.SIGINT, syscall.SIGQUIT)
	}
	err := os.RemoveAll(c.dir)
	if c.files.socket != "" {
		err = errors.Join(err, os.RemoveAll(c.files.socket))
	}
	if err != nil {
		return fmt.Errorf("removing the data directory: %w", err)
	}
	return nil
}

// connect opens a connection as superuser through the private socket.
func (c *cluster) connect(ctx context.Context, database string) (*pgx.Conn, error) {
	config, err := pgx.ParseConfig("host=localhost sslmode=disable")
	if err != nil {
		return nil, fmt.Errorf("reading the environment of PostgreSQL clients: %w", err)
	}
	// Set here rather than above, since names can hold anything; and PG* variables must not matter.
	config.Host, config.Port = c.files.socket, uint16(c.endpoint.Port)
	config.User, config.Database, config.Password = superuser, database, ""
	config.Fallbacks, config.RuntimeParams = nil, map[string]string{}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connecting as superuser: %w", err)
	}
	return conn, nil
}

func (c *cluster) ping(ctx context.Context) error {
	conn, err := c.connect(ctx, superuser)
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

// in runs statements in a database as superuser.
func (c *cluster) in(ctx context.Context, database string, work func(*pgx.Conn) error) error {
	conn, err := c.connect(ctx, database)
	if err != nil {
		return err
	}
	// Without ctx: a connection whose context is done is to be closed as well.
	return errors.Join(work(conn), conn.Close(context.WithoutCancel(ctx)))
}

// change runs statements, one caller at a time.
func (c *cluster) change(ctx context.Context, work func(*pgx.Conn) error) error {
	c.changes.Lock()
	defer c.changes.Unlock()
	if c.closed {
		return errClosed
	}
	return c.in(ctx, superuser, work)
}

// bootstrap makes what every service begins with.
func (c *cluster) bootstrap(ctx context.Context, admin engine.Credential) error {
	if err := c.Users().Set(ctx, admin); err != nil {
		return err
	}
	err := c.change(ctx, func(conn *pgx.Conn) error {
		return execute(ctx, conn, "ALTER ROLE "+quote(admin.Username)+" CREATEROLE CREATEDB")
	})
	if err != nil {
		return fmt.Errorf("granting the admin its rights: %w", err)
	}
	return c.Databases().Set(ctx, defaultDatabase, "", "")
}

func execute(ctx context.Context, conn *pgx.Conn, statements ...string) error {
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement, pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
	}
	return nil
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }
