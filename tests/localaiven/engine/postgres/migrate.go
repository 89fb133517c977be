package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/daemon"
)

// sourceTimeout is how many seconds a source has to accept a connection.
const sourceTimeout = "10"

// SourceDatabases lists the databases of another server, but for its templates and the one that its superuser has.
func (c *cluster) SourceDatabases(ctx context.Context, source engine.Source) ([]string, error) {
	config, err := pgx.ParseConfig(sourceURI(source))
	if err != nil {
		return nil, fmt.Errorf("reading how to reach the source: %w", err)
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connecting to the source: %w", err)
	}
	rows, err := conn.Query(ctx, "SELECT datname FROM pg_database WHERE datallowconn AND NOT datistemplate AND datname <> $1 ORDER BY datname", superuser)
	var names []string
	if err == nil {
		names, err = pgx.CollectRows(rows, pgx.RowTo[string])
	}
	if err := errors.Join(err, conn.Close(context.WithoutCancel(ctx))); err != nil {
		return nil, fmt.Errorf("listing the databases of the source: %w", err)
	}
	return names, nil
}

// CopyDatabase copies by pg_dump and pg_restore. All that it makes belongs to the first user, as roles aren't copied.
func (c *cluster) CopyDatabase(ctx context.Context, source engine.Source, name string) error {
	folder := filepath.Join(c.dir, "migration-"+rand.Text())
	if err := c.account.Mkdir(folder); err != nil {
		return fmt.Errorf("making a folder: %w", err)
	}
	dump := filepath.Join(folder, "dump")
	err := c.dump(ctx, source, name, dump)
	if err == nil {
		err = c.restore(ctx, name, dump)
	}
	return errors.Join(err, os.RemoveAll(folder))
}

func (c *cluster) dump(ctx context.Context, source engine.Source, name, file string) error {
	cmd := c.account.Command(c.dir, filepath.Join(c.bin, "pg_dump"), "--format=custom", "--no-owner", "--no-privileges",
		"--no-publications", "--no-subscriptions", "--no-password", "--file", file)
	// Every process can see arguments.
	cmd.Env = append(cmd.Env, "PGHOST="+source.Host, "PGPORT="+strconv.Itoa(source.Port), "PGUSER="+source.Username,
		"PGPASSWORD="+source.Password, "PGDATABASE="+name, "PGSSLMODE="+sslMode(source), "PGCONNECT_TIMEOUT="+sourceTimeout)
	return daemon.Finish(ctx, cmd)
}

func (c *cluster) restore(ctx context.Context, name, file string) error {
	cmd := c.account.Command(c.dir, filepath.Join(c.bin, "pg_restore"), "--no-owner", "--no-privileges", "--role", c.owner,
		"--exit-on-error", "--single-transaction", "--no-password", "--dbname", "postgres:///"+url.PathEscape(name), file)
	cmd.Env = append(cmd.Env, "PGHOST="+c.files.socket, "PGPORT="+strconv.Itoa(c.Endpoint().Port), "PGUSER="+superuser)
	return daemon.Finish(ctx, cmd)
}

// sourceURI is how pgx finds a source. What it doesn't set, variables of this process may.
func sourceURI(source engine.Source) string {
	uri := url.URL{
		Scheme: "postgres", User: url.UserPassword(source.Username, source.Password),
		Host: net.JoinHostPort(source.Host, strconv.Itoa(source.Port)), Path: "/" + source.Database,
		RawQuery: url.Values{"sslmode": {sslMode(source)}, "connect_timeout": {sourceTimeout}}.Encode(),
	}
	return uri.String()
}

// sslMode never verifies: a source may have any certificate.
func sslMode(source engine.Source) string {
	if source.TLS {
		return "require"
	}
	return "prefer"
}
