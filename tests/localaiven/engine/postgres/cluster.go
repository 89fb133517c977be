package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/jackc/pgx/v5"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/daemon"
	"github.com/aero-operator/aero/tests/localaiven/process"
)

// defaultDatabase is the database that every service begins with.
const defaultDatabase = "defaultdb"

var (
	errClosed  = errors.New("the cluster is closed")
	errStopped = errors.New("the cluster is stopped")
)

// cluster is one running service.
type cluster struct {
	engine  *Engine
	account daemon.Account
	// bin is the folder of the programs.
	bin string
	// dir is the data directory, with files in it.
	dir   string
	files layout
	title string
	// owner is the role that databases belong to, and the objects of removed roles.
	owner string
	at    atomic.Pointer[engine.Endpoint]
	pools *pools

	// changes serializes statements that change roles or databases, since PostgreSQL
	// refuses some of them when they meet, and guards what is below.
	changes sync.Mutex
	server  *process.Program // nil while it is stopped
	closed  bool
	// recovery are the settings with which the server of a fork comes by its data, until it has it.
	recovery [][2]string
	stream
}

var (
	_ engine.Instance = (*cluster)(nil)
	_ engine.Replica  = (*cluster)(nil)
	_ engine.Migrator = (*cluster)(nil)
)

func (c *cluster) Endpoint() engine.Endpoint {
	if at := c.at.Load(); at != nil {
		return *at
	}
	return engine.Endpoint{}
}

func (c *cluster) Users() engine.Users         { return users{c} }
func (c *cluster) Databases() engine.Databases { return databases{c} }
func (c *cluster) Pools() engine.Pools         { return c.pools }

// Stop stops the server and its pools, at once if ctx is done.
func (c *cluster) Stop(ctx context.Context) error {
	err := c.pools.stop(ctx, false)
	c.changes.Lock()
	defer c.changes.Unlock()
	c.halt(ctx)
	return err
}

func (c *cluster) halt(ctx context.Context) {
	if c.server != nil {
		c.server.Stop(ctx, syscall.SIGINT, syscall.SIGQUIT)
		c.server = nil
	}
}

// Resume starts the server, and leads its replicas to it.
func (c *cluster) Resume(ctx context.Context) error {
	replicas, err := c.resume(ctx)
	for _, replica := range replicas {
		replica.follow(ctx)
	}
	return err
}

func (c *cluster) resume(ctx context.Context) ([]*cluster, error) {
	c.changes.Lock()
	defer c.changes.Unlock()
	switch {
	case c.closed:
		return nil, errClosed
	case c.server != nil:
		return nil, nil
	}
	if err := c.run(ctx); err != nil {
		return nil, err
	}
	replicas, err := c.dropLeftSlots(ctx)
	if err != nil {
		c.halt(context.WithoutCancel(ctx))
		return nil, err
	}
	c.pools.resume()
	return replicas, nil
}

// Close does what Stop does, and removes the data directory.
func (c *cluster) Close(ctx context.Context) error {
	err := c.pools.stop(ctx, true)
	if source := c.end(ctx); source != nil {
		err = errors.Join(err, source.release(ctx, c))
	}
	err = errors.Join(err, os.RemoveAll(c.dir))
	if c.files.socket != "" {
		err = errors.Join(err, os.RemoveAll(c.files.socket))
	}
	if err != nil {
		return fmt.Errorf("removing the data directory: %w", err)
	}
	return nil
}

// end stops the server for good, and returns its source.
func (c *cluster) end(ctx context.Context) *cluster {
	c.changes.Lock()
	defer c.changes.Unlock()
	c.closed = true
	c.halt(ctx)
	return c.source
}

// connect opens a connection as superuser through the private socket.
func (c *cluster) connect(ctx context.Context, database string) (*pgx.Conn, error) {
	config, err := pgx.ParseConfig("host=localhost sslmode=disable")
	if err != nil {
		return nil, fmt.Errorf("reading the environment of PostgreSQL clients: %w", err)
	}
	// Set here rather than above, since names can hold anything; and PG* variables must not matter.
	config.Host, config.Port = c.files.socket, uint16(c.Endpoint().Port)
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
	switch {
	case c.closed:
		return errClosed
	case c.server == nil:
		return errStopped
	}
	return c.in(ctx, superuser, work)
}

// bootstrap makes what every service begins with.
func (c *cluster) bootstrap(ctx context.Context, admin engine.Credential) error {
	if err := c.setAdmin(ctx, admin); err != nil {
		return err
	}
	return c.Databases().Set(ctx, defaultDatabase, "", "")
}

// setAdmin makes the first user, or gives it this password.
func (c *cluster) setAdmin(ctx context.Context, admin engine.Credential) error {
	if err := c.Users().Set(ctx, admin); err != nil {
		return err
	}
	err := c.change(ctx, func(conn *pgx.Conn) error {
		return execute(ctx, conn, "ALTER ROLE "+quote(admin.Username)+" CREATEROLE CREATEDB")
	})
	if err != nil {
		return fmt.Errorf("granting the admin its privileges: %w", err)
	}
	return nil
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
